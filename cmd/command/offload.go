// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func offloadCommand() *cli.Command {
	return &cli.Command{
		Name:      "offload",
		Usage:     "list the load-compute-store chains of a trace that can execute elsewhere on the chip",
		ArgsUsage: "FILE.wtape",
		Description: `Chains are those of Table 1 of the near-data computing paper; docs/offload.md says what makes one.
Shares are of the thread blocks that the trace stores. A kernel whose thread blocks leave no room
for the service queue's operands in the shared memory of the machine is not offloaded.

Examples:
  warptape offload triad.wtape
  warptape offload kmeans.wtape --arch mesh56 --queue 128
  warptape offload bfs.wtape --json`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "arch", Usage: "the `MACHINE` whose shared memory is looked at", Value: "mesh56"},
			&cli.IntFlag{Name: "queue", Usage: "`ENTRIES` of a core's service queue", Value: 96},
			&cli.BoolFlag{Name: "json", Usage: "as JSON"},
		},
		Action: withTrace(listChains),
	}
}

// chainReport is what a kernel's chains are, for people and as JSON.
type chainReport struct {
	Kernel       string `json:"kernel"`
	File         string `json:"file"`
	Instructions uint64 `json:"warp_instructions"`
	Requests     uint64 `json:"requests"`
	// Excluded says why nothing of the kernel is offloaded, if so.
	Excluded string     `json:"excluded,omitempty"`
	Chains   []chainRow `json:"chains"`
}

type chainRow struct {
	Pattern      int      `json:"pattern"`
	Code         string   `json:"code"`
	Answer       string   `json:"answer"`
	Lines        []uint32 `json:"lines"`
	Split        bool     `json:"split,omitempty"`
	Instructions uint64   `json:"warp_instructions"`
	Requests     uint64   `json:"requests"`
}

func listChains(c *cli.Context, r *wtape.Reader) error {
	if c.Int("queue") < 1 {
		return commandline.Usagef("--queue: %d: a service queue has at least one entry", c.Int("queue"))
	}
	m, err := arch.Load(c.String("arch"))
	if err != nil {
		return err
	}
	reports, err := chainReports(r, m, c.Int("queue"))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		return e.Encode(reports)
	}
	return writeChains(c.App.Writer, reports)
}

func chainReports(r *wtape.Reader, m *arch.Machine, queue int) ([]chainReport, error) {
	kernels := r.Kernels()
	var plans []*chains.Plan
	for i := range kernels {
		p, err := chains.Find(&kernels[i])
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	shares, err := chains.Measure(r, plans)
	if err != nil {
		return nil, err
	}
	reports := []chainReport{}
	for i := range kernels {
		k := &kernels[i]
		report := chainReport{Kernel: k.Name, File: k.File, Instructions: shares[i].Instructions, Requests: shares[i].Requests, Chains: []chainRow{}}
		used, err := sharedUse(r, m, i)
		if err != nil {
			return nil, err
		}
		if !chains.Room(m.Shared.Bytes, used, queue) {
			report.Excluded = fmt.Sprintf("thread blocks use %d of the %d bytes of shared memory of a core, a service queue of %d entries needs %d",
				used, m.Shared.Bytes, queue, queue*chains.OperandsPerEntry*trace.LineBytes)
		}
		for n := range plans[i].Chains {
			report.Chains = append(report.Chains, newChainRow(k, &shares[i], n))
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// sharedUse is the shared memory of an SM that thread blocks of a kernel occupy at
// most.
func sharedUse(r *wtape.Reader, m *arch.Machine, kernel int) (int, error) {
	used := 0
	for i := range r.Launches() {
		l := &r.Launches()[i]
		if l.Kernel != kernel {
			continue
		}
		o, err := occupancy(m, &r.Kernels()[kernel], l)
		if err != nil {
			return 0, fmt.Errorf("launch %d: %w", i, err)
		}
		used = max(used, o.Blocks*o.Need.SharedBytes)
	}
	return used, nil
}

func newChainRow(k *trace.Kernel, s *chains.Share, n int) chainRow {
	c := &s.Plan.Chains[n]
	row := chainRow{
		Pattern: int(c.Pattern), Code: c.Pattern.String(), Answer: c.Pattern.Answer().String(), Split: c.Split,
		Instructions: s.ChainInstructions[n], Requests: s.ChainRequests[n],
	}
	for _, i := range c.Members {
		row.Lines = append(row.Lines, k.Instructions[i].Line)
	}
	return row
}

func writeChains(out io.Writer, reports []chainReport) error {
	var instructions, requests, ofInstructions, ofRequests uint64
	for i := range reports {
		k := &reports[i]
		fmt.Fprintf(out, "kernel %s (%s)\n", k.Kernel, k.File)
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "  pattern\tcode\tanswer\tlines\twarp instructions\trequests\t")
		var n, m uint64
		for _, c := range k.Chains {
			split := ""
			if c.Split {
				split = " (the core adds)"
			}
			fmt.Fprintf(w, "  %d\t%s\t%s\t%s%s\t%s\t%s\t\n", c.Pattern, c.Code, c.Answer, joined(c.Lines), split, numbers.Grouped(c.Instructions), numbers.Grouped(c.Requests))
			n, m = n+c.Instructions, m+c.Requests
		}
		if len(k.Chains) > 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if k.Excluded != "" {
			fmt.Fprintf(out, "  not offloaded: %s\n", k.Excluded)
			n, m = 0, 0
		}
		writeShare(out, "  offloadable", n, k.Instructions, m, k.Requests)
		instructions, requests = instructions+n, requests+m
		ofInstructions, ofRequests = ofInstructions+k.Instructions, ofRequests+k.Requests
	}
	if len(reports) > 1 {
		writeShare(out, "all kernels", instructions, ofInstructions, requests, ofRequests)
	}
	return nil
}

func writeShare(out io.Writer, what string, instructions, ofInstructions, requests, ofRequests uint64) {
	fmt.Fprintf(out, "%s: %.1f %% of %s warp instructions, %.1f %% of %s requests\n", what,
		100*numbers.Ratio(instructions, ofInstructions), numbers.Grouped(ofInstructions), 100*numbers.Ratio(requests, ofRequests), numbers.Grouped(ofRequests))
}

func joined(lines []uint32) string {
	var parts []string
	for _, l := range lines {
		parts = append(parts, fmt.Sprint(l))
	}
	return strings.Join(parts, " ")
}
