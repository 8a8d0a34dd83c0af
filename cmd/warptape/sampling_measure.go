package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/traces"
)

// The measurement of docs/sampling.md: every workload in this size on this machine
// by this policy.
const (
	samplingSize    = "paper"
	samplingMachine = "gtx480"
	samplingPolicy  = "auto"
	mostlyStored    = 25 // percent of warp instructions
	samplingFile    = "cmd/warptape/sampling.json"
)

// samplingRow compares one sample with its whole trace.
type samplingRow struct {
	Workload         string  `json:"workload"`
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

// fullReplay is the replay of a whole trace, which is kept beside it: it takes long.
type fullReplay struct {
	Cycles  int64   `json:"cycles"`
	Joules  float64 `json:"joules"`
	Seconds float64 `json:"seconds"`
}

func samplingCommand() *cli.Command {
	return &cli.Command{
		Name:   "sampling",
		Usage:  "measure the errors of samples of the workloads and write " + samplingFile,
		Hidden: true, // for developers, in the source tree
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.StringFlag{Name: "traces", Usage: "`FOLDER` that keeps the whole traces and their replays", Required: true},
			&cli.StringSliceFlag{Name: "only", Usage: "only these `WORKLOAD`s; the rows of the others stay"},
		},
		Action: func(c *cli.Context) error {
			if err := exactArgs(c); err != nil {
				return err
			}
			m := samplingMeasurement{ctx: c.Context, folder: c.String("traces"), out: c.App.Writer}
			return m.run(filepath.Join(c.String("root"), samplingFile), listed(c, "only"))
		},
	}
}

type samplingMeasurement struct {
	ctx    context.Context
	folder string
	out    io.Writer
}

// run measures workload by workload and writes the file after each.
func (m *samplingMeasurement) run(path string, only []string) error {
	rows := map[string][]samplingRow{}
	if text, err := os.ReadFile(path); err == nil {
		var old []samplingRow
		if err := json.Unmarshal(text, &old); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, r := range old {
			rows[r.Workload] = append(rows[r.Workload], r)
		}
	}
	for _, w := range traces.List() {
		if len(only) > 0 && !slices.Contains(only, w.Name) {
			continue
		}
		of, err := m.workload(w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		rows[w.Name] = of
		if err := writeSamplingRows(path, rows); err != nil {
			return err
		}
	}
	return nil
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

func (m *samplingMeasurement) workload(w traces.Workload) ([]samplingRow, error) {
	path, err := m.record(w)
	if err != nil {
		return nil, err
	}
	digest, err := w.Digest()
	if err != nil {
		return nil, err
	}
	if refused, err := refusal(path, samplingMachine); err != nil || refused != "" {
		return []samplingRow{{Workload: w.Name, Digest: digest, Refused: refused}}, err
	}
	full, err := m.full(path)
	if err != nil {
		return nil, err
	}
	row := samplingRow{Workload: w.Name, Digest: digest, FullCycles: full.Cycles, FullJoules: full.Joules, FullSeconds: full.Seconds}
	if err := m.sample(path, &row); err != nil {
		return nil, err
	}
	fmt.Fprintf(m.out, "%-22s %-6s %6.1f %% stored, error %+6.2f %%, interval %.1f %%, energy %+6.2f %%, %.2f s of %.2f s\n",
		w.Name, row.way(), row.StoredPercent, row.error(), row.Percent, row.energyError(), row.Seconds, row.FullSeconds)
	return []samplingRow{row}, nil
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

// record gives the path of the workload's whole trace, which is recorded when it
// is not there.
func (m *samplingMeasurement) record(w traces.Workload) (string, error) {
	path := filepath.Join(m.folder, w.Name+".wtape")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	program, err := host.Load(w.Files, w.Program)
	if err != nil {
		return "", err
	}
	out, err := trace.Create(path, trace.Header{Tool: "warptape " + version()}, trace.Options{})
	if err != nil {
		return "", err
	}
	defer out.Abort() // without effect after Finish
	if _, err := program.Run(m.ctx, host.Options{Size: samplingSize, Seed: 1, Sink: out}); err != nil {
		return "", err
	}
	return path, out.Finish()
}

// refusal says why the machine cannot run the trace, if it cannot.
func refusal(path, machine string) (string, error) {
	machines, err := loadMachines([]string{machine})
	if err != nil {
		return "", err
	}
	r, err := trace.Open(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	g, err := gpu.New(machines[0], gpu.Options{})
	if err != nil {
		return "", err
	}
	if err := g.Check(r.Kernels(), r.Launches()); err != nil {
		return err.Error(), nil
	}
	return "", nil
}

// full replays the whole trace, unless that has been done.
func (m *samplingMeasurement) full(path string) (fullReplay, error) {
	var f fullReplay
	kept := path + ".full.json"
	if text, err := os.ReadFile(kept); err == nil {
		return f, json.Unmarshal(text, &f)
	}
	result, seconds, err := m.replay(path)
	if err != nil {
		return f, err
	}
	joules, err := totalJoules(result)
	if err != nil {
		return f, err
	}
	f = fullReplay{int64(result.Total.Cycles), joules, seconds}
	return f, writeFile(kept, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(f) })
}

// replay replays a trace with one worker and says how much processor time it took.
func (m *samplingMeasurement) replay(path string) (*replay.Result, float64, error) {
	machines, err := loadMachines([]string{samplingMachine})
	if err != nil {
		return nil, 0, err
	}
	r, err := trace.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	before := processorSeconds()
	results, err := replay.Run(m.ctx, r, machines, replay.Options{Workers: 1, Version: version()})
	if err != nil {
		return nil, 0, err
	}
	return &results[0], processorSeconds() - before, nil
}

// totalJoules is the energy of a replay by the default model of the machine.
func totalJoules(result *replay.Result) (float64, error) {
	machines, err := loadMachines([]string{samplingMachine})
	if err != nil {
		return 0, err
	}
	model, err := energy.NewModel(machines[0], energy.TechnologyOf(machines[0]), energy.DefaultCoefficients())
	if err != nil {
		return 0, err
	}
	accounts, err := accountAll([]*energy.Model{model}, []replay.Result{*result})
	if err != nil {
		return 0, err
	}
	return totalJ(&accounts[0]), nil
}

func (m *samplingMeasurement) sample(path string, row *samplingRow) error {
	p, err := sample.Parse(samplingPolicy)
	if err != nil {
		return err
	}
	whole, err := trace.Open(path)
	if err != nil {
		return err
	}
	defer whole.Close()
	part := path + ".sample"
	defer os.Remove(part)
	if err := sample.Trace(whole, part, p, trace.Options{}); err != nil {
		return err
	}
	row.WarpInstructions = whole.Totals().WarpInstructions
	if stores(part, whole.Totals().ThreadBlocks) {
		row.Policy, row.StoredPercent, row.Cycles, row.Joules, row.Seconds = p.String(), 100, row.FullCycles, row.FullJoules, row.FullSeconds
		return nil
	}
	result, seconds, err := m.replay(part)
	if err != nil {
		return err
	}
	if row.Joules, err = totalJoules(result); err != nil {
		return err
	}
	row.Policy = result.Sampled.Policy
	row.StoredPercent, row.Cycles, row.Percent, row.Seconds = result.Sampled.InstructionsPercent, int64(result.Total.Cycles), result.Total.Uncertainty.Percent, seconds
	return nil
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
