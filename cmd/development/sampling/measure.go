// SPDX-License-Identifier: Apache-2.0

// Package sampling measures how far samples of the workloads are from their whole
// traces, for docs/sampling.md.
package sampling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// The measurement of docs/sampling.md: workloads in this size, by the policy for all
// built-in machines and by that for the machine alone.
const (
	samplingSize   = "paper"
	samplingPolicy = "auto"
	samplingFile   = "cmd/development/sampling/sampling.json"
)

var errBudget = errors.New("the budget is spent: run the command again to go on")

// Command measures the errors of samples.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "sampling",
		Usage: "measure the errors of samples of the workloads on all machines and write " + samplingFile,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.StringFlag{Name: "traces", Usage: "`FOLDER` that keeps the whole traces and their replays", Required: true},
			&cli.StringSliceFlag{Name: "only", Usage: "only these `WORKLOAD`s, with NAME=VALUE after a space for a larger one; the rows of the others stay"},
			&cli.StringSliceFlag{Name: "machine", Usage: "only these `MACHINE`s; the rows of the others stay"},
			&cli.BoolFlag{Name: "all", Usage: "all workloads, also those that take hours"},
			&cli.DurationFlag{Name: "budget", Usage: "begin no replay after so much `TIME`; run it again to go on"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			m := samplingMeasurement{ctx: c.Context, folder: c.String("traces"), out: c.App.Writer}
			if d := c.Duration("budget"); d > 0 {
				m.until = time.Now().Add(d)
			}
			subjects, err := samplingSubjects(commandline.Listed(c, "only"), c.Bool("all"))
			if err != nil {
				return err
			}
			machines, err := samplingMachines(commandline.Listed(c, "machine"))
			if err != nil {
				return err
			}
			return m.run(filepath.Join(c.String("root"), samplingFile), subjects, machines)
		},
	}
}

// samplingMachines are the built-in ones, or those that are named.
func samplingMachines(names []string) ([]*arch.Machine, error) {
	if len(names) == 0 {
		var err error
		if names, err = machineset.Names(); err != nil {
			return nil, err
		}
	}
	return machineset.Load(names)
}

type samplingMeasurement struct {
	ctx    context.Context
	folder string
	out    io.Writer
	until  time.Time // zero: no budget
	rows   samplingRows
	round  *samplingRound
}

func (m *samplingMeasurement) spent() bool { return !m.until.IsZero() && time.Now().After(m.until) }

// run measures what this round has yet to, and writes the file after each workload.
func (m *samplingMeasurement) run(path string, subjects []samplingSubject, machines []*arch.Machine) error {
	var err error
	if m.rows, err = loadSamplingRows(path); err != nil {
		return err
	}
	if m.round, err = openRound(m.folder); err != nil {
		return err
	}
	for _, measure := range []func(samplingSubject, []*arch.Machine) error{m.forAll, m.forEach} {
		for _, w := range subjects {
			err := measure(w, machines)
			if err := m.rows.write(path); err != nil {
				return err
			}
			if err != nil {
				return fmt.Errorf("%s: %w", w.name(), err)
			}
		}
	}
	return m.round.end()
}

// forAll measures the sample of a workload that is for all machines.
func (m *samplingMeasurement) forAll(w samplingSubject, machines []*arch.Machine) error {
	return m.workload(w, machines, func(*arch.Machine) string { return samplingPolicy })
}

// forEach measures a sample of a workload for each machine alone.
func (m *samplingMeasurement) forEach(w samplingSubject, machines []*arch.Machine) error {
	return m.workload(w, machines, aloneFor)
}

// aloneFor asks for a sample that suits one machine.
func aloneFor(machine *arch.Machine) string { return samplingPolicy + ",for=" + machine.Name }

// workload measures samples of a workload. Machines that ask alike share one.
func (m *samplingMeasurement) workload(w samplingSubject, machines []*arch.Machine, asked func(*arch.Machine) string) error {
	digest, err := w.Digest()
	if err != nil {
		return err
	}
	path, err := m.record(w)
	if err != nil {
		return err
	}
	var s *samplingPart
	for _, machine := range machines {
		row := samplingRow{Workload: w.Name, Set: w.set, Machine: machine.Name, Asked: asked(machine), Digest: digest}
		if m.round.done(row.key()) {
			continue
		}
		if s == nil || s.asked != row.Asked {
			if s, err = m.newSample(path, row.Asked); err != nil {
				return err
			}
			defer s.remove()
		}
		if err := m.measure(s, machine, row); err != nil {
			return err
		}
	}
	return nil
}

// measure compares a sample with the whole trace.
func (m *samplingMeasurement) measure(s *samplingPart, machine *arch.Machine, row samplingRow) error {
	if m.spent() {
		return errBudget
	}
	full, err := m.whole(s.whole, machine)
	if err != nil {
		return err
	}
	if row.Refused = full.Refused; row.Refused == "" {
		row.FullCycles, row.FullJoules, row.FullSeconds = full.Cycles, full.Joules, full.Seconds
		if err := m.estimate(s, machine, &row); err != nil {
			return err
		}
		fmt.Fprintf(m.out, "%-22s %-16s %-24s %6.1f %% stored, error %+6.2f %%, interval %.1f %%, energy %+6.2f %%, %.2f s of %.2f s\n",
			row.subject(), row.Machine, row.Asked, row.StoredPercent, row.error(), row.percent(), row.energyError(), row.Seconds, row.FullSeconds)
	}
	m.rows[row.key()] = row
	return m.round.note(row.key())
}

// estimate replays the sample.
func (m *samplingMeasurement) estimate(s *samplingPart, machine *arch.Machine, row *samplingRow) error {
	row.Policy, row.WarpInstructions = s.policy, s.instructions
	if s.everything {
		row.StoredPercent, row.Cycles, row.Joules, row.Seconds = 100, row.FullCycles, row.FullJoules, row.FullSeconds
		return nil
	}
	r, err := wtape.Open(s.path)
	if err != nil {
		return err
	}
	defer r.Close()
	result, seconds, err := m.replay(r, machine)
	if err != nil {
		return err
	}
	if row.Joules, err = totalJoules(result); err != nil {
		return err
	}
	u := result.Total.Uncertainty
	row.StoredPercent, row.Cycles, row.Seconds = result.Sampled.InstructionsPercent, int64(result.Total.Cycles), seconds
	row.SpreadPercent, row.ExposedPercent = u.SpreadPercent, u.ExposedPercent
	row.Warned = slices.ContainsFunc(result.Warnings, func(w string) bool { return strings.HasPrefix(w, "the sample does not suit") })
	return nil
}

// samplingPart is a sample of a trace in a file.
type samplingPart struct {
	whole, path   string
	asked, policy string
	instructions  uint64 // of the whole trace
	everything    bool   // is stored
}

// newSample takes a sample of a trace and puts it next to the trace, in the place
// of the one before.
func (m *samplingMeasurement) newSample(path, asked string) (*samplingPart, error) {
	text, err := samplepolicy.WithFill(asked)
	if err != nil {
		return nil, err
	}
	p, err := sample.Parse(text)
	if err != nil {
		return nil, err
	}
	whole, err := wtape.Open(path)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	s := &samplingPart{whole: path, path: path + ".sample", asked: asked, policy: p.String(), instructions: whole.Totals().WarpInstructions}
	if err := sample.Trace(whole, s.path, p, wtape.Options{}); err != nil {
		return nil, err
	}
	part, err := wtape.Open(s.path)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	stored := uint64(0)
	for _, c := range part.Chunks() {
		stored += uint64(c.Blocks)
	}
	if s.everything = stored == whole.Totals().ThreadBlocks; !s.everything {
		s.policy = part.Sampling().Policy
	}
	return s, nil
}

func (s *samplingPart) remove() { os.Remove(s.path) }
