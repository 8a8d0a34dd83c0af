// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/statistics"
	"github.com/warptape/warptape/trace/wtape"
)

func traceStatsCommand() *cli.Command {
	return &cli.Command{
		Name:      "stats",
		Usage:     "count what a trace does: instruction mix, divergence, coalescing, footprint, reuse, per line",
		ArgsUsage: "FILE.wtape",
		Description: `Counts are of the thread blocks that the trace stores and depend on no architecture.
Memory is counted in segments of 128 bytes.

Examples:
  warptape trace stats spmv.wtape
  warptape trace stats spmv.wtape --json`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "as JSON"},
			&cli.IntFlag{Name: "top", Usage: "print this many `LINES` of PTX, those with the most segments first (0: all)", Value: 20},
		},
		Action: withTrace(func(c *cli.Context, r *wtape.Reader) error {
			s, err := statistics.Of(r)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				e := json.NewEncoder(c.App.Writer)
				e.SetIndent("", "  ")
				return e.Encode(s)
			}
			return writeStats(c.App.Writer, s, c.Int("top"))
		}),
	}
}

func writeStats(out io.Writer, s *statistics.Report, top int) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	share := func(name string, n, of uint64) {
		fmt.Fprintf(w, "%s\t%s\t%.1f %%\t\n", name, numbers.Grouped(n), 100*numbers.Ratio(n, of))
	}
	if s.WarpInstructions == 0 && s.CPU != nil {
		writeCPUStats(w, s.CPU, share)
		return w.Flush()
	}
	fmt.Fprintf(w, "class\twarp instructions\tshare\t\n")
	for class, n := range s.ByClass {
		if n > 0 {
			share(trace.OpClass(class).String(), n, s.WarpInstructions)
		}
	}
	fmt.Fprintf(w, "\t\t\t\nactive lanes\twarp instructions\tshare\t\n")
	for lanes, n := range s.ActiveLanes {
		if n > 0 {
			share(fmt.Sprint(lanes), n, s.WarpInstructions)
		}
	}
	writeGlobalStats(w, &s.Global, share)
	writeCPUStats(w, s.CPU, share)
	if err := w.Flush(); err != nil {
		return err
	}
	return writeLineStats(out, s.PerLines, top)
}

func writeGlobalStats(w io.Writer, g *statistics.Global, share func(name string, n, of uint64)) {
	fmt.Fprintf(w, "\t\t\t\nsegments per global access\taccesses\tshare\t\n")
	for n, count := range g.SegmentsPerAccess {
		if count > 0 {
			share(fmt.Sprint(n), count, g.Accesses)
		}
	}
	fmt.Fprintf(w, "all\t%s\t%.2f each\t\n", numbers.Grouped(g.Accesses), numbers.Ratio(g.Segments, g.Accesses))
	fmt.Fprintf(w, "bytes requested per byte fetched\t%s\t%.1f %%\t\n", numbers.Grouped(g.RequestedBytes), 100*numbers.Ratio(g.RequestedBytes, g.Segments*trace.LineBytes))
	fmt.Fprintf(w, "footprint in bytes\t%s\t\t\n", numbers.Grouped(g.FootprintLines*trace.LineBytes))
	fmt.Fprintf(w, "\t\t\t\nreuse distance in lines\ttouches\tshare\t\n")
	for bucket, n := range g.ReuseDistance {
		if n > 0 {
			share(reuseRange(bucket), n, g.Segments)
		}
	}
	share("first touch", g.FirstTouches, g.Segments)
}

// writeCPUStats prints what the CPU threads did; nothing without any.
func writeCPUStats(w io.Writer, s *statistics.CPU, share func(name string, n, of uint64)) {
	if s == nil {
		return
	}
	fmt.Fprintf(w, "\t\t\t\nCPU\tinstructions\tshare\t\n")
	share(fmt.Sprintf("all of %d threads", s.Threads), s.Instructions, s.Instructions)
	for kind := trace.CPUDirectJump; kind <= trace.CPUOtherBranch; kind++ {
		if n := s.ByBranch[kind.String()]; n > 0 {
			share(kind.String(), n, s.Instructions)
		}
	}
	share("taken branches", s.TakenBranches, s.Branches)
	fmt.Fprintf(w, "addresses read\t%s\t\t\naddresses written\t%s\t\t\n", numbers.Grouped(s.Loads), numbers.Grouped(s.Stores))
	fmt.Fprintf(w, "distinct instructions\t%s\t\t\n", numbers.Grouped(uint64(s.DistinctIPs)))
	fmt.Fprintf(w, "footprint in bytes\t%s\t\t\n", numbers.Grouped(s.FootprintLines*statistics.CPULineBytes))
	for bucket, n := range s.ReuseDistance {
		if n > 0 {
			share("reuse at "+reuseRange(bucket)+" lines", n, s.Loads+s.Stores)
		}
	}
}

// reuseRange names a bucket of the reuse-distance histogram.
func reuseRange(bucket int) string {
	switch bucket {
	case 0, 1:
		return fmt.Sprint(bucket)
	case statistics.ReuseBuckets - 1:
		return fmt.Sprintf("%d and up", 1<<(bucket-1))
	}
	return fmt.Sprintf("%d to %d", 1<<(bucket-1), 1<<bucket-1)
}

func writeLineStats(out io.Writer, lines []statistics.Line, top int) error {
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b statistics.Line) int {
		if a.Segments != b.Segments {
			return int(int64(b.Segments) - int64(a.Segments))
		}
		return int(int64(b.WarpInstructions) - int64(a.WarpInstructions))
	})
	if top > 0 {
		lines = lines[:min(top, len(lines))]
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\tline\tinstruction\twarp instructions\tlanes each\tglobal accesses\tsegments each\tsource")
	for _, l := range lines {
		source := ""
		if l.SourceLine > 0 {
			source = fmt.Sprintf("%s:%d", l.SourceFile, l.SourceLine)
		}
		code := l.Kernel
		if l.Function != "" {
			code += " > " + l.Function
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.1f\t%s\t%.2f\t%s\n", code, l.Line, l.Opcode, numbers.Grouped(l.WarpInstructions),
			numbers.Ratio(l.ThreadInstructions, l.WarpInstructions), numbers.Grouped(l.GlobalAccesses), numbers.Ratio(l.Segments, l.GlobalAccesses), source)
	}
	return w.Flush()
}
