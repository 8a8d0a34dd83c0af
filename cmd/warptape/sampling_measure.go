package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/traces"
)

// The measurement of docs/sampling.md.
const (
	samplingSize   = "paper"
	samplingPolicy = "auto"
	mostlyStored   = 25 // percent of warp instructions
	samplingFile   = "cmd/warptape/sampling.json"
)

// samplingRow compares one sample with its whole trace.
type samplingRow struct {
	Workload         string  `json:"workload"`
	Machine          string  `json:"machine"`
	Digest           string  `json:"digest"`            // of the workload
	Policy           string  `json:"policy"`            // what "auto" came to
	WarpInstructions uint64  `json:"warp_instructions"` // of the whole run
	StoredPercent    float64 `json:"stored_percent"`    // of the warp instructions
	FullCycles       int64   `json:"full_cycles"`
	Cycles           int64   `json:"cycles"`             // as estimated
	Percent          float64 `json:"plus_minus_percent"` // half of the 95 % interval
	FullJoules       float64 `json:"full_joules"`
	Joules           float64 `json:"joules"`       // as estimated
	FullSeconds      float64 `json:"full_seconds"` // processor time of the replay
	Seconds          float64 `json:"seconds"`
	// Refused says why the machine cannot run the workload; all else is zero then.
	Refused string `json:"refused,omitempty"`
}

var errBudget = errors.New("the budget is spent: run the command again to go on")

func samplingCommand() *cli.Command {
	return &cli.Command{
		Name:   "sampling",
		Usage:  "measure the errors of samples of the workloads and write " + samplingFile,
		Hidden: true, // for developers, in the source tree
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.StringFlag{Name: "traces", Usage: "`FOLDER` that keeps the whole traces and their replays", Required: true},
			&cli.StringSliceFlag{Name: "only", Usage: "only these `WORKLOAD`s; the rows of the others stay"},
			&cli.StringSliceFlag{Name: "machine", Usage: "only these `MACHINE`s; the rows of the others stay"},
			&cli.DurationFlag{Name: "budget", Usage: "begin no replay after so much `TIME`; run it again to go on"},
		},
		Action: func(c *cli.Context) error {
			if err := exactArgs(c); err != nil {
				return err
			}
			m := samplingMeasurement{ctx: c.Context, folder: c.String("traces"), out: c.App.Writer}
			if d := c.Duration("budget"); d > 0 {
				m.until = time.Now().Add(d)
			}
			return m.run(filepath.Join(c.String("root"), samplingFile), c.StringSlice("only"), c.StringSlice("machine"))
		},
	}
}

type samplingMeasurement struct {
	ctx    context.Context
	folder string
	out    io.Writer
	until  time.Time // zero: no budget
}

func (m *samplingMeasurement) spent() bool { return !m.until.IsZero() && time.Now().After(m.until) }

// run measures workload by workload and writes the file after each.
func (m *samplingMeasurement) run(path string, only, names []string) error {
	machines, err := samplingMachines(names)
	if err != nil {
		return err
	}
	for _, w := range traces.List() {
		if len(only) > 0 && !slices.Contains(only, w.Name) {
			continue
		}
		path, err := m.record(w)
		if err != nil {
			return err
		}
		for _, machine := range machines {
			if _, err := m.whole(path, machine); err != nil {
				return err
			}
		}
	}
	return nil
}

// samplingMachines are the built-in ones, or those of them that are named.
func samplingMachines(names []string) ([]*arch.Machine, error) {
	if len(names) == 0 {
		entries, err := arch.List()
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.Overlay {
				names = append(names, e.Name)
			}
		}
	}
	return loadMachines(names)
}

func writeSamplingRows(path string, rows map[string][]samplingRow) error {
	list := []samplingRow{}
	for _, w := range traces.List() {
		list = append(list, rows[w.Name]...)
	}
	return writeFile(path, true, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(list)
	})
}

// way names what the policy came to.
func (r *samplingRow) way() string {
	switch {
	case r.StoredPercent == 100:
		return "whole"
	case strings.HasPrefix(r.Policy, "sms="):
		return "slice"
	}
	return "runs"
}

func (r *samplingRow) energyError() float64 { return errorPercent(r.Joules, r.FullJoules) }

func (r *samplingRow) error() float64 { return errorPercent(float64(r.Cycles), float64(r.FullCycles)) }

// covered reports whether the interval holds the truth.
func (r *samplingRow) covered() bool {
	half := float64(r.Cycles)*r.Percent/100 + 1
	return float64(r.FullCycles) >= float64(r.Cycles)-half && float64(r.FullCycles) <= float64(r.Cycles)+half
}

// stores reports whether a sample stores so many thread blocks, all that there are:
// its replay is that of the whole trace.
func stores(path string, blocks uint64) bool {
	r, err := trace.Open(path)
	if err != nil {
		return false
	}
	defer r.Close()
	stored := uint64(0)
	for _, c := range r.Chunks() {
		stored += uint64(c.Blocks)
	}
	return stored == blocks
}

var _ = sample.Parse
var _ = os.Stdout
