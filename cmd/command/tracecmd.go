// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/dump"
	"github.com/warptape/warptape/trace/info"
	"github.com/warptape/warptape/trace/text"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

func traceCommand() *cli.Command {
	return &cli.Command{
		Name:  "trace",
		Usage: "look into trace files and check them",
		Subcommands: []*cli.Command{
			{
				Name:      "info",
				Usage:     "say what is in a trace: kernels, launches, totals, sizes, provenance",
				ArgsUsage: "FILE.wtape",
				Description: `Examples:
  warptape trace info saxpy.wtape
  warptape trace info saxpy.wtape --json`,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
				Action: withTrace(func(c *cli.Context, r *wtape.Reader) error {
					info, err := info.Gather(r)
					if err != nil {
						return err
					}
					if c.Bool("json") {
						e := json.NewEncoder(c.App.Writer)
						e.SetIndent("", "  ")
						return e.Encode(info)
					}
					return writeInfo(c.App.Writer, info)
				}),
			},
			{
				Name:      "dump",
				Usage:     "print a trace as text: visits, masks, addresses",
				ArgsUsage: "FILE.wtape",
				Description: `Examples:
  warptape trace dump bfs.wtape --launch 2 --block 7
  warptape trace dump bfs.wtape --launch 2 --block 7 --warp 0 --json
  warptape trace dump bfs.wtape --launch 2 --line bfs.ptx:57
  warptape trace dump bfs.wtape --full > bfs.txt`,
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "full", Usage: "everything, in the form that trace assemble reads"},
					&cli.IntFlag{Name: "launch", Usage: "only this launch", Value: -1, DefaultText: "all"},
					&cli.Int64Flag{Name: "block", Usage: "only this thread block (linear id)", Value: -1, DefaultText: "all"},
					&cli.IntFlag{Name: "warp", Usage: "only this warp of each thread block", Value: -1, DefaultText: "all"},
					&cli.StringFlag{Name: "line", Usage: "only the instructions of a line: `N` of the PTX, or FILE:N", DefaultText: "all"},
					&cli.IntFlag{Name: "cpu", Usage: "only this CPU thread", DefaultText: "all"},
					&cli.StringFlag{Name: "instructions", Usage: "`RANGE` of the CPU thread's instructions", DefaultText: "all"},
					&cli.BoolFlag{Name: "json", Usage: "as JSON, one object a line"},
				},
				Action: withTrace(dumpTrace),
			},
			{
				Name:      "verify",
				Usage:     "check everything that can be checked in a trace",
				ArgsUsage: "FILE.wtape",
				Description: `Reads every chunk and checks checksums, digest, index, totals, masks and paths.

Examples:
  warptape trace verify saxpy.wtape`,
				Action: withTrace(func(c *cli.Context, r *wtape.Reader) error {
					if err := verification.Verify(r); err != nil {
						return err
					}
					t := r.Totals()
					cpu := ""
					if t.CPU.Threads > 0 {
						cpu = fmt.Sprintf("%s CPU instructions, ", numbers.Grouped(t.CPU.Instructions))
					}
					_, err := fmt.Fprintf(c.App.Writer, "%s: good: %d chunks, %s warp instructions, %sdigest %s\n",
						r.Name(), len(r.Chunks())+len(r.CPUChunks()), numbers.Grouped(t.WarpInstructions), cpu, r.Digest())
					return err
				}),
			},
			traceSampleCommand(),
			traceRecoverCommand(),
			traceAssembleCommand(),
			traceStatsCommand(),
			traceDiffCommand(),
			traceSliceCommand(),
			traceMergeCommand(),
			traceExportCommand(),
			traceImportCommand(),
		},
	}
}

// withTrace opens the command's file argument.
func withTrace(action func(*cli.Context, *wtape.Reader) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := commandline.ExactArgs(c, "FILE.wtape"); err != nil {
			return err
		}
		r, err := openTrace(c.Args().First())
		if err != nil {
			return err
		}
		defer r.Close()
		return action(c, r)
	}
}

func dumpTrace(c *cli.Context, r *wtape.Reader) error {
	if c.Bool("full") {
		if c.IsSet("launch") || c.IsSet("block") || c.IsSet("warp") || c.IsSet("line") || c.IsSet("cpu") || c.Bool("json") {
			return commandline.Usagef("--full prints the whole trace as text: leave out --launch, --block, --warp, --line, --cpu and --json, or use trace slice first")
		}
		return text.Dump(r, c.App.Writer)
	}
	o := dump.Options{JSON: c.Bool("json")}
	if n := c.Int("cpu"); c.IsSet("cpu") {
		if c.IsSet("launch") || c.IsSet("block") || c.IsSet("warp") || c.IsSet("line") {
			return commandline.Usagef("--cpu: a CPU thread has no --launch, --block, --warp or --line")
		}
		o.CPU = &n
	}
	if c.IsSet("instructions") {
		if o.CPU == nil {
			return commandline.Usagef("--instructions: name the CPU thread with --cpu")
		}
		wanted, err := parseRange(c, "instructions")
		if err != nil {
			return err
		}
		o.CPUInstructions = &wanted
	}
	if c.IsSet("line") {
		var err error
		if o.Line, err = dump.ParseLineFilter(c.String("line")); err != nil {
			return commandline.Usagef("--%v", err)
		}
	}
	if n := c.Int("launch"); c.IsSet("launch") {
		if n < 0 || n >= len(r.Launches()) {
			return commandline.Usagef("--launch %d: the trace has launches 0 to %d", n, len(r.Launches())-1)
		}
		o.Launch = &n
	}
	if n := c.Int64("block"); c.IsSet("block") {
		if n < 0 {
			return commandline.Usagef("--block %d: must not be negative", n)
		}
		b := uint64(n)
		o.Block = &b
	}
	if n := c.Int("warp"); c.IsSet("warp") {
		if n < 0 {
			return commandline.Usagef("--warp %d: must not be negative", n)
		}
		o.Warp = &n
	}
	w := bufio.NewWriter(c.App.Writer)
	if err := dump.Write(r, w, o); err != nil {
		return err
	}
	return w.Flush()
}

// writeInfo prints an InfoReport for people.
func writeInfo(out io.Writer, info *info.Report) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	h, t := &info.Header, &info.Totals
	row := func(name string, value any) { fmt.Fprintf(w, "%s\t%v\n", name, value) }
	row("file", fmt.Sprintf("%s (%s bytes, %d chunks)", info.Path, numbers.Grouped(uint64(info.FileBytes)), info.Chunks))
	row("digest", info.Digest)
	row("program", fmt.Sprintf("%s (SHA-256 %.16s)", h.Program, h.ProgramDigest))
	for _, p := range h.PTX {
		row("ptx", fmt.Sprintf("%s (SHA-256 %.16s)", p.Name, p.Digest))
	}
	for _, f := range h.Data {
		row("data", fmt.Sprintf("%s (SHA-256 %.16s)", f.Name, f.Digest))
	}
	row("recorded by", h.Tool)
	row("seed", h.Seed)
	if len(h.Arguments) > 0 {
		row("arguments", sortedPairs(h.Arguments))
	}
	if h.Sampling != "" {
		row("sampling", h.Sampling)
	}
	row("host events", info.Events)
	row("launches", t.Launches)
	row("thread blocks", numbers.Grouped(t.ThreadBlocks))
	row("warps", numbers.Grouped(t.Warps))
	row("warp instructions", fmt.Sprintf("%s (%.3f bytes each)", numbers.Grouped(t.WarpInstructions), info.BytesPerWarpInstruction))
	row("thread instructions", fmt.Sprintf("%s (%.2f lanes of 32 on average)", numbers.Grouped(t.ThreadInstructions), numbers.Ratio(t.ThreadInstructions, t.WarpInstructions)))
	row("memory instructions", fmt.Sprintf("%s (%.1f %%)", numbers.Grouped(t.MemoryInstructions), 100*numbers.Ratio(t.MemoryInstructions, t.WarpInstructions)))
	row("copied", fmt.Sprintf("%s bytes to the device, %s to the host", numbers.Grouped(t.BytesToDevice), numbers.Grouped(t.BytesToHost)))
	for i, cpu := range info.CPU {
		row(fmt.Sprintf("CPU thread %d", i), fmt.Sprintf("%s instructions (%.3f bytes each)", numbers.Grouped(cpu.Instructions), numbers.Ratio(uint64(cpu.StoredBytes), cpu.Instructions)))
	}
	if n := &t.CPU; n.Threads > 0 {
		row("CPU branches", fmt.Sprintf("%s, %s taken", numbers.Grouped(n.Branches), numbers.Grouped(n.TakenBranches)))
		row("CPU memory", fmt.Sprintf("%s addresses read, %s written", numbers.Grouped(n.Loads), numbers.Grouped(n.Stores)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := writeKernels(out, info); err != nil {
		return err
	}
	return writeSizes(out, info)
}

func writeKernels(out io.Writer, info *info.Report) error {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "launch\tkernel\tgrid\tblock\twarp instructions\tbytes\t")
	const most = 20
	for i, l := range info.Launch {
		if i == most {
			fmt.Fprintf(w, "...\t%d more\t\t\t\t\t\n", len(info.Launch)-most)
			break
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t\n", i, l.Kernel, gridText(&l), dims(l.Block),
			numbers.Grouped(l.WarpInstructions), numbers.Grouped(uint64(l.StoredBytes)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, k := range info.Kernel {
		for _, reason := range k.TimingDependent {
			fmt.Fprintf(out, "note: kernel %s depends on timing: %s\n", k.Name, reason)
		}
	}
	return nil
}

// gridText is the grid of a launch, with its clusters.
func gridText(l *info.Launch) string {
	if l.Cluster.Count() <= 1 {
		return dims(l.Grid)
	}
	return fmt.Sprintf("%s (clusters of %s)", dims(l.Grid), dims(l.Cluster))
}

func writeSizes(out io.Writer, info *info.Report) error {
	s, r := &info.StoredBytes, &info.RawBytes
	fmt.Fprintf(out, "\nstored bytes: chunks %s, kernels %s, timeline %s, other %s\n",
		numbers.Grouped(uint64(s.Chunks)), numbers.Grouped(uint64(s.Kernels)), numbers.Grouped(uint64(s.Timeline)), numbers.Grouped(uint64(s.Other)))
	if s.CPU > 0 {
		fmt.Fprintf(out, "stored bytes of CPU chunks: %s\n", numbers.Grouped(uint64(s.CPU)))
	}
	_, err := fmt.Fprintf(out, "chunk columns before compression: warps %s, paths %s, masks %s, guards %s, addresses %s, lanes %s\n",
		numbers.Grouped(uint64(r.Warps)), numbers.Grouped(uint64(r.Paths)), numbers.Grouped(uint64(r.Masks)),
		numbers.Grouped(uint64(r.Guards)), numbers.Grouped(uint64(r.Addresses)), numbers.Grouped(uint64(r.Lanes)))
	return err
}

func dims(d trace.Dim3) string {
	parts := []string{strconv.FormatUint(uint64(d.X), 10)}
	if d.Y > 1 || d.Z > 1 {
		parts = append(parts, strconv.FormatUint(uint64(d.Y), 10))
	}
	if d.Z > 1 {
		parts = append(parts, strconv.FormatUint(uint64(d.Z), 10))
	}
	return strings.Join(parts, "x")
}

func sortedPairs(m map[string]string) string {
	var pairs []string
	for k, v := range m {
		pairs = append(pairs, k+"="+v)
	}
	sort.Strings(pairs)
	return strings.Join(pairs, " ")
}
