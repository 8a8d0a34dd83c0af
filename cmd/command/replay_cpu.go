// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
	"github.com/warptape/warptape/timing/lanes"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/soc"
	"github.com/warptape/warptape/trace/wtape"
	cputraces "github.com/warptape/warptape/traces/cpu"
)

func consistencyFlag() cli.Flag {
	return &cli.BoolFlag{Name: "check-consistency", Usage: "with --cpu on lanes (eesi): compare what each load sees with what release consistency allows, and refuse a program with races"}
}

func cpuFlag() cli.Flag {
	return &cli.StringFlag{Name: "cpu", Usage: "replay these `PROGRAMS` on the machine's CPU cores, one a core, with commas between: " +
		"a set (S1, S2, T1 to T8), a program of traces/cpu, or a trace file, whose CPU threads they are; with FILE.wtape beside it, until it ends"}
}

// openCPU opens what --cpu names, for cores of a section, or nil for lanes; the
// function closes it.
func openCPU(ctx context.Context, list string, s *cpu.Section) (programs []chip.Program, closeAll func(), err error) {
	var readers []*wtape.Reader
	closeAll = func() {
		for _, r := range readers {
			r.Close()
		}
	}
	for item := range strings.SplitSeq(list, ",") {
		names, builtIn := cputraces.Find(item)
		for _, name := range names {
			open := openTrace
			if builtIn {
				open = cputraces.Open
			}
			r, err := open(name)
			if err != nil {
				closeAll()
				return nil, nil, fmt.Errorf("--cpu: %w; the sets are %s, the programs %s", err, cpuSets(), strings.Join(cputraces.Programs(), ", "))
			}
			readers = append(readers, r)
			if err := r.CheckDigest(ctx); err != nil {
				closeAll()
				return nil, nil, err
			}
			more, err := threadsOf(strings.TrimSuffix(filepath.Base(name), ".wtape"), r, s)
			if err != nil {
				closeAll()
				return nil, nil, err
			}
			programs = append(programs, more...)
		}
	}
	return programs, closeAll, nil
}

// threadsOf makes programs of a trace. Lanes have no pages.
func threadsOf(name string, r *wtape.Reader, s *cpu.Section) ([]chip.Program, error) {
	if s == nil {
		return chip.ThreadsOf(name, r)
	}
	return chip.ProgramsOf(name, r, s)
}

// cpuSets names the sets.
func cpuSets() string {
	var names []string
	for _, s := range slices.Concat(cputraces.Sets(), cputraces.SharingSets()) {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// replayCPU replays programs on the cores of machines, without a GPU's trace.
func replayCPU(c *cli.Context, machines []*arch.Machine) error {
	var names, digests []string
	var results []*chip.Result
	for _, m := range machines {
		r, err := replayCPUOn(c, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		names, digests, results = append(names, m.Name), append(digests, m.Digest()), append(results, r)
	}
	err := writeOutput(c, "json", func(w io.Writer) error { return chip.WriteJSON(w, names, digests, results) })
	if err != nil || c.String("json") == standardOutput {
		return err
	}
	if err := chip.WriteTable(c.App.Writer, names, results); err != nil || !c.Bool("energy") {
		return err
	}
	return writeCPUEnergy(c, machines, results)
}

func replayCPUOn(c *cli.Context, m *arch.Machine) (*chip.Result, error) {
	if c.Bool("check-consistency") && !lanes.Has(m) && cpu.Of(m) != nil {
		return nil, fmt.Errorf("--check-consistency is of machines whose caches are incoherent, as those of the lanes of eesi are; the cores' are coherent")
	}
	run, closeAll, err := admitCPU(c, m)
	if err != nil {
		return nil, advisedCPU(c, m, err)
	}
	defer closeAll()
	return run(c.Context)
}

// admitCPU opens what --cpu names for the cores of a machine, or for its lanes, and gives
// what replays it; the error says why the machine does not run it.
func admitCPU(c *cli.Context, m *arch.Machine) (run func(context.Context) (*chip.Result, error), closeAll func(), err error) {
	var admit func([]chip.Program) error
	var replay func(context.Context, []chip.Program) (*chip.Result, error)
	var s *cpu.Section // nil on lanes: they have no pages
	if lanes.Has(m) {
		x, err := lanes.New(m)
		if err != nil {
			return nil, nil, err
		}
		admit = x.Admit
		replay = func(ctx context.Context, programs []chip.Program) (*chip.Result, error) {
			return x.Run(ctx, programs, lanes.Options{Check: c.Bool("check-consistency")})
		}
	} else {
		x, err := chip.New(m)
		if err != nil {
			return nil, nil, err
		}
		s, admit, replay = cpu.Of(m), x.Admit, x.Run
	}
	programs, closeAll, err := openCPU(c.Context, c.String("cpu"), s)
	if err != nil {
		return nil, nil, err
	}
	if err := admit(programs); err != nil {
		closeAll()
		return nil, nil, err
	}
	return func(ctx context.Context) (*chip.Result, error) { return replay(ctx, programs) }, closeAll, nil
}

// advisedCPU adds to a refusal the first of some machines that takes the programs: each is
// tried. Where none does, the programs are at fault, or too many.
func advisedCPU(c *cli.Context, m *arch.Machine, refusal error) error {
	spec := arch.FirstThat(func(other *arch.Machine) bool {
		if c.Bool("check-consistency") && !lanes.Has(other) {
			return false
		}
		_, closeAll, err := admitCPU(c, other)
		if err != nil {
			return false
		}
		closeAll()
		return true
	}, m.Name+"+cpu", "gpsim-soc+cpu", "eesi", "mimd", "gpsim-soc+cpu(cores=64)")
	if spec != "" {
		return fmt.Errorf("%w; these programs run on %s", refusal, spec)
	}
	_, closeAll, err := openCPU(c.Context, c.String("cpu"), nil)
	if err != nil {
		return err
	}
	closeAll()
	return fmt.Errorf("%w; no built-in machine runs them all: replay fewer at a time", refusal)
}

// cpuMHz is the clock of what runs CPU programs.
func cpuMHz(m *arch.Machine) float64 {
	if lanes.Has(m) {
		return m.Clocks.CoreMHz
	}
	return cpu.Of(m).MHz
}

// writeCPUEnergy prints the dynamic energy of cores, last-level cache and memory.
func writeCPUEnergy(c *cli.Context, machines []*arch.Machine, results []*chip.Result) error {
	for i, m := range machines {
		seconds := float64(results[i].Cycles) / (cpuMHz(m) * 1e6)
		model, err := newEnergyModel(c, m, c.String("tech"))
		if err != nil {
			return err
		}
		report, err := model.Account(&results[i].Total, seconds)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "\nenergy on %s, dynamic, in microjoules\n", m.Name)
		for _, leaf := range report.Leaves {
			if leaf.DynamicJ > 0 {
				fmt.Fprintf(c.App.Writer, "  %-32s %10.3f\n", leaf.Path, leaf.DynamicJ*1e6)
			}
		}
		fmt.Fprintf(c.App.Writer, "  %-32s %10.3f\n", "chip", report.Total().DynamicJ*1e6)
	}
	return nil
}

// besideFile runs what --cpu names in parallel with a GPU's trace; the function closes it.
func besideFile(c *cli.Context) (attach func(*arch.Machine, seam.Path) (func(*replay.Result), error), closeAll func()) {
	if c.String("cpu") == "" {
		return nil, func() {}
	}
	var mu sync.Mutex // replays on several machines begin at the same time
	var closers []func()
	attach = soc.Beside(func(m *arch.Machine) ([]chip.Program, error) {
		programs, closeThem, err := openCPU(c.Context, c.String("cpu"), cpu.Of(m))
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		closers = append(closers, closeThem)
		return programs, nil
	})
	return attach, func() {
		for _, closeThem := range closers {
			closeThem()
		}
	}
}

// writePrograms writes what the programs that ran with the GPU's trace have done.
func writePrograms(w io.Writer, results []replay.Result) error {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for i := range results {
		r := &results[i]
		if len(r.Programs) == 0 {
			continue
		}
		fmt.Fprintf(out, "\nprograms on %s\tcore\tinstructions\tCPU cycles\tIPC\truns\n", r.Machine)
		for _, p := range r.Programs {
			fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%.3f\t%d\n", p.Name, p.Core, p.Instructions, p.Cycles, p.IPC, p.Runs)
		}
	}
	return out.Flush()
}
