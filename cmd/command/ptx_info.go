// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
)

func ptxInfoCommand() *cli.Command {
	return &cli.Command{
		Name:      "info",
		Usage:     "say what kernels need, what they consist of, and how full they make a machine",
		ArgsUsage: "FILE.ptx",
		Description: `Registers are those after allocation without a limit, and those that a thread has
on a card of each generation, where a kernel is lowered to machine operations; the instruction mix is that of the text,
not of a run. The occupancy is that of a thread block of --block threads, which is
.maxntid (or 256) when it is not given.

Examples:
  warptape ptx info kernel.ptx
  warptape ptx info kernel.ptx --arch gtx480 --arch mesh56 --block 128 --shared 4096`,
		Flags: []cli.Flag{
			archFlag("to compute the occupancy on"), setFlag(),
			&cli.UintFlag{Name: "block", Usage: "`THREADS` of a thread block"},
			&cli.UintFlag{Name: "shared", Usage: "`BYTES` of dynamic shared memory"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.ptx"); err != nil {
				return err
			}
			if c.Uint("block") > 1024 || c.Uint("shared") > 1<<20 {
				return commandline.Usagef("ptx info: a thread block has at most 1024 threads and %d bytes of shared memory", 1<<20)
			}
			var machines []*arch.Machine
			for _, name := range architectures(c) {
				m, err := arch.Load(name)
				if err != nil {
					return err
				}
				machines = append(machines, m)
			}
			kernels, _, err := loadKernels(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			var failed []error
			for i, k := range kernels {
				if i > 0 {
					fmt.Fprintln(c.App.Writer)
				}
				failed = append(failed, printKernelInfo(c.App.Writer, k.Static, machines, uint32(c.Uint("block")), uint32(c.Uint("shared"))))
			}
			return errors.Join(failed...)
		},
	}
}

// defaultBlock is the size of a thread block that nothing says.
const defaultBlock = 256

func printKernelInfo(w io.Writer, k *trace.Kernel, machines []*arch.Machine, threads, shared uint32) error {
	if threads == 0 {
		threads = defaultBlock
		if k.MaxThreads > 0 {
			threads = k.MaxThreads
		}
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "kernel %s\t%d instructions in %d basic blocks\n", k.Name, len(k.Instructions), len(k.Blocks))
	fmt.Fprintf(t, "  a thread\t%d registers of 32 bits, %d predicates, %d bytes of local memory\n", k.RegistersPerThread, k.PredicatesPerThread, k.LocalBytes)
	fmt.Fprintf(t, "  as machine operations\t%s\n", loweredRegisters(k, threads))
	fmt.Fprintf(t, "  a thread block\t%d bytes of static shared memory, %d of dynamic\n", k.SharedBytes, shared)
	fmt.Fprintf(t, "  constants\t%d bytes\n", k.ConstBytes)
	fmt.Fprintf(t, "  parameters\t%d\n", len(k.Params))
	fmt.Fprintf(t, "  instruction mix\t%s\n", instructionMix(k))
	if k.RegistersPerThread > 255 {
		fmt.Fprintf(t, "  warning\tno card gives a thread more than 255 registers: set gpu.lowering on the machine, or expect too low an occupancy\n")
	}
	if len(k.TimingDependent) > 0 {
		fmt.Fprintf(t, "  depends on timing\t%s\n", strings.Join(k.TimingDependent, "; "))
	}
	var failed []error
	for _, m := range machines {
		l := trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: threads, Y: 1, Z: 1}, DynamicSharedBytes: shared}
		o, err := occupancy(m, k, &l)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		fmt.Fprintf(t, "  on %s\t%d thread blocks of %d threads an SM, %d of %d warps (%.0f %%), limited by %s\n",
			m.Name, o.Blocks, threads, o.Warps(), m.SM.MaxWarps, 100*float64(o.Warps())/float64(m.SM.MaxWarps), strings.ReplaceAll(o.Limiter, "_", " "))
	}
	return errors.Join(append(failed, t.Flush())...)
}

// occupancy is that of a launch on the machine's kind of core.
func occupancy(m *arch.Machine, k *trace.Kernel, l *trace.Launch) (core.Occupancy, error) {
	kind, err := core.Of(m)
	if err != nil {
		return core.Occupancy{}, err
	}
	if m.GPU.Lowers() {
		lowered, err := lowering.For(m, k, l.Warps()*trace.WarpSize, true)
		if err != nil {
			return core.Occupancy{}, err
		}
		if lowered != nil {
			k = lowered.Kernel
		}
	}
	return kind.Occupancy(m, k, l, l.Warps())
}

// loweredRegisters says how many registers a thread has in the operations of each
// generation, on an SM of 65536 registers and 1024 threads (32768 and 1536 on Fermi).
func loweredRegisters(k *trace.Kernel, threads uint32) string {
	if lowering.MachineCode(k) {
		return "it is machine code"
	}
	var parts []string
	for _, name := range []string{"fermi", "volta", "turing", "ampere", "hopper"} {
		t := lowering.Target{Generation: lowering.Generations[name], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
		if name == "fermi" {
			t.File, t.Threads, t.Unit = 32768, 1536, 64
		}
		l, err := lowering.Lower(k, t, lowering.Budget{BlockThreads: int(threads)})
		if err != nil {
			parts = append(parts, name+": "+err.Error())
			continue
		}
		text := fmt.Sprintf("%s %d registers", name, l.Kernel.RegistersPerThread)
		if l.SpillBytes > 0 {
			text += fmt.Sprintf(" and %d bytes of spills", l.SpillBytes)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// instructionMix counts a kernel's instructions by class, in the order of the
// classes.
func instructionMix(k *trace.Kernel) string {
	var counts trace.ClassCounts
	for i := range k.Instructions {
		counts[k.Instructions[i].Class]++
	}
	var parts []string
	for class, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, trace.OpClass(class)))
		}
	}
	return strings.Join(parts, ", ")
}
