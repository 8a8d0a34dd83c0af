// SPDX-License-Identifier: Apache-2.0

// Command l1sizes replays a trace on a machine with L1 caches of several sizes, and tells
// cycles and energy of each. It embeds the timing and the energy model:
//
//	go run ./docs/examples/l1sizes traces/recorded/sgemm.wtape gtx480 8 16 32
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	_ "github.com/warptape/warptape/timing/mechanisms" // the mechanisms that machines may name
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "l1sizes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 3 {
		return errors.New("usage: l1sizes FILE.wtape MACHINE KIBIBYTES (one or more)")
	}
	r, err := wtape.Open(args[0])
	if err != nil {
		return err
	}
	defer r.Close()
	var machines []*arch.Machine
	for _, size := range args[2:] {
		if _, err := strconv.Atoi(size); err != nil {
			return fmt.Errorf("%q is no number of kibibytes", size)
		}
		m, err := arch.Load(args[1] + "+set(l1.bytes=" + size + "KiB)")
		if err != nil {
			return err
		}
		machines = append(machines, m)
	}
	results, err := replay.Run(ctx, r, machines, replay.Options{Version: "l1sizes"})
	if err != nil {
		return err
	}
	for i := range results {
		m, total := machines[i], &results[i].Total
		model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
		if err != nil {
			return err
		}
		report, err := model.Account((*counters.Set)(&total.Counters), total.Nanoseconds*1e-9)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d warp instructions in %d cycles, %.3g mJ, bottleneck: %s\n",
			results[i].Machine, total.Counters[counters.IssuedWarp], total.Cycles, report.Node("chip").TotalJ()*1e3, total.TopDown.Bottleneck)
	}
	return nil
}
