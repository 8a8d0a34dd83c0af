// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
	"github.com/warptape/warptape/timing/lanes"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/soc"
	"github.com/warptape/warptape/trace/wtape"
	cputraces "github.com/warptape/warptape/traces/cpu"
)

// program names the GPU's, empty where there is none.
func (w *Workload) program() string { return w.Name + w.Tesla }

// title names what runs.
func (w *Workload) title() string {
	switch {
	case w.CPU == "":
		return w.program()
	case w.Name == "":
		return w.CPU
	}
	return w.Name + " beside " + w.CPU
}

// open opens the programs for the cores of a machine.
func (w *Workload) open(m *arch.Machine) ([]chip.Program, error) {
	names, ok := cputraces.Find(w.CPU)
	if !ok {
		return nil, fmt.Errorf("there are no CPU programs %q", w.CPU)
	}
	var programs []chip.Program
	for _, name := range names {
		r, err := cputraces.Open(name)
		if err != nil {
			return nil, err
		}
		more, err := programsOf(name, r, m)
		if err != nil {
			return nil, err
		}
		programs = append(programs, more...)
	}
	return programs, nil
}

// programsOf are the threads of a trace. Lanes have no pages.
func programsOf(name string, r *wtape.Reader, m *arch.Machine) ([]chip.Program, error) {
	if lanes.Has(m) {
		return chip.ThreadsOf(name, r)
	}
	return chip.ProgramsOf(name, r, cpu.Of(m))
}

// programsDigest tells other programs of the same name; empty without any.
func (w *Workload) programsDigest() (string, error) {
	if w.CPU == "" {
		return "", nil
	}
	names, ok := cputraces.Find(w.CPU)
	if !ok {
		return "", fmt.Errorf("there are no CPU programs %q", w.CPU)
	}
	var digests []string
	for _, name := range names {
		r, err := cputraces.Open(name)
		if err != nil {
			return "", err
		}
		digests = append(digests, fmt.Sprintf("%.12s", r.Digest()))
	}
	return strings.Join(digests, "+"), nil
}

// beside is replay.Options.Attach for the programs; nil without any.
func (w *Workload) beside() func(*arch.Machine, seam.Path) (func(*replay.Result), error) {
	if w.CPU == "" {
		return nil
	}
	return soc.Beside(w.open)
}

// withAlone joins what programs have done with what the same instructions take alone,
// which is measured once for each architecture and set. A program that the end of the
// GPU's work stops in its first run has done the part with the cold caches: its whole
// run alone would not compare.
func (r *Runner) withAlone(ctx context.Context, j *job, i int, programs []replay.Program) ([]ProgramRun, error) {
	if len(programs) == 0 {
		return nil, nil
	}
	key := j.specs[i] + " " + j.workload.CPU
	if r.isolated == nil {
		r.isolated = map[string][]soc.Isolated{}
	}
	alone, known := r.isolated[key]
	if !known {
		var err error
		if alone, _, err = r.runAlone(ctx, j, i); err != nil {
			return nil, err
		}
		r.isolated[key] = alone
	}
	var list []ProgramRun
	for k, p := range programs {
		list = append(list, ProgramRun{Name: p.Name, Instructions: p.Instructions, Cycles: p.Cycles, AloneInstructions: p.Instructions, AloneCycles: alone[k].CyclesOf(p.Instructions)})
	}
	return list, nil
}

func (r *Runner) runAlone(ctx context.Context, j *job, i int) ([]soc.Isolated, counters.Set, error) {
	programs, err := j.workload.open(j.machines[i])
	if err != nil {
		return nil, counters.Set{}, err
	}
	r.say("replaying %s alone on %s", j.workload.CPU, j.specs[i])
	return soc.Alone(ctx, j.machines[i], programs)
}

// programs makes the measurements of programs alone.
func (r *Runner) programs(ctx context.Context, j *job, missing []int) error {
	for _, i := range missing {
		m := Measurement{
			Workload: j.workload.Label, Architecture: j.specs[i], Input: j.input + j.workload.settings(), ProgramDigest: j.digest,
			ArchitectureDigest: j.machines[i].Digest(), Counters: map[string]uint64{},
		}
		measure := r.besideSMs
		if threadsOnly(j.machines[i]) {
			measure = r.threads
		}
		total, err := measure(ctx, j, i, &m)
		if err != nil {
			return err
		}
		for id, v := range total {
			if v != 0 {
				m.Counters[counters.Declared(counters.ID(id)).Name] = v
			}
		}
		j.done[i] = m
		if err := save(j.files[i], &m); err != nil {
			return err
		}
		r.made(j)
	}
	return nil
}

// besideSMs measures programs on the cores of a chip whose SMs are idle.
func (r *Runner) besideSMs(ctx context.Context, j *job, i int, m *Measurement) (counters.Set, error) {
	alone, total, err := r.runAlone(ctx, j, i)
	for _, p := range alone {
		m.Programs = append(m.Programs, ProgramRun{Name: p.Name, Instructions: p.Instructions, Cycles: p.Cycles, AloneInstructions: p.Instructions, AloneCycles: p.Cycles})
	}
	return total, err
}

// threadsOnly reports whether programs run on the lanes of a machine, or on the cores of a
// chip without SMs.
func threadsOnly(m *arch.Machine) bool { return lanes.Has(m) || m.GPU.CoreKind() == arch.NoCores }

// threads measures the threads of a program there, until the last has ended.
func (r *Runner) threads(ctx context.Context, j *job, i int, m *Measurement) (counters.Set, error) {
	machine := j.machines[i]
	r.say("replaying %s on %s", j.workload.CPU, j.specs[i])
	programs, err := j.workload.open(machine)
	if err != nil {
		return counters.Set{}, err
	}
	result, mhz, err := threadsOn(ctx, machine, programs)
	if err != nil {
		return counters.Set{}, err
	}
	m.Cycles, m.Elapsed = uint64(result.Cycles), uint64(result.Cycles)
	m.Nanoseconds = float64(result.Cycles) * 1e3 / mhz
	return result.Total, nil
}

// threadsOn replays threads, at a clock.
func threadsOn(ctx context.Context, m *arch.Machine, programs []chip.Program) (*chip.Result, float64, error) {
	if lanes.Has(m) {
		x, err := lanes.New(m)
		if err != nil {
			return nil, 0, err
		}
		result, err := x.Run(ctx, programs, lanes.Options{})
		return result, m.Clocks.CoreMHz, err
	}
	x, err := chip.New(m)
	if err != nil {
		return nil, 0, err
	}
	result, err := x.Run(ctx, programs)
	return result, cpu.Of(m).MHz, err
}
