// SPDX-License-Identifier: Apache-2.0

package speed

import (
	"context"
	"fmt"
)

// sweeps are variants of one machine, each with the values of a sweep in steps from 1 on.
var sweeps = []struct {
	what string
	name string // in the file for benchstat
	set  func(step int) string
}{
	{"technologies", "technologies", func(step int) string { return fmt.Sprintf("technology.temperature_k=%d", 329+step) }},
	{"sizes of L2, in steps of 192 KiB", "l2-sizes", func(step int) string {
		return fmt.Sprintf("l2.slice.bytes=%dKiB,l2.slice.ways=%d", 16*step, 4*step)
	}},
	{"numbers of MSHRs of L2, in steps of 16", "l2-mshrs", func(step int) string { return fmt.Sprintf("l2.slice.mshrs=%d", 16*step) }},
	{"numbers of MSHRs of L1, in steps of 16", "l1-mshrs", func(step int) string { return fmt.Sprintf("l1.mshrs=%d", 16*step) }},
	{"queues of DRAM, in steps of 8", "dram-queues", func(step int) string { return fmt.Sprintf("dram.queue=%d", 8*step) }},
	{"latencies of DRAM", "dram-latencies", func(step int) string { return fmt.Sprintf("dram.tCL=%d", 11+step) }},
}

// severalMachines are machines that have nothing to share but the decoded trace.
var severalMachines = []string{
	"gtx480", "gtx480-15", "gtx480-ref", "gpsim-soc", "gpsim-tiny", "gpsim-eesi-base", "mesh56", "mesh56-alt",
	"v100", "qv100-ref", "gtx480+lrr", "gtx480+butterfly", "gtx480+big-l1", "mesh56+lrr", "tesla-c870", "gtx480+dual-issue",
}

// several is what a process takes that replays on many machines.
func (p *page) several(ctx context.Context, names []string) error {
	fmt.Fprintf(p.out, "\nOne process on %d machines, in processor times of a process on one; in brackets with every machine replayed (--no-share):\n", p.machines)
	for _, name := range names {
		trace, err := record(ctx, p.program, p.folder, name, p.size)
		if err != nil {
			return err
		}
		for _, sweep := range sweeps {
			variants := []string{"--cores", "1"}
			for i := range p.machines {
				variants = append(variants, "-a", fmt.Sprintf("%s+set(%s)", countedMachine, sweep.set(1+i)))
			}
			m, err := takeTurns(ctx, max(p.turns/2, 1), replay(p.program, trace, "-a", countedMachine, "--cores", "1"),
				replay(p.program, trace, variants...), replay(p.program, trace, append(variants, "--no-share")...))
			if err != nil {
				return err
			}
			fmt.Fprintf(p.out, "  %-16s %5.2f (%5.2f) %s\n", name, m.ratio(1, 0, processor), m.ratio(2, 0, processor), sweep.what)
			p.save(fmt.Sprintf("Machines/%s/%s", sweep.name, name), m[1], "cpu-ns/op", func(c cost) float64 { return 1e9 * processor(c) })
		}
		if err := p.unlike(ctx, name, trace); err != nil {
			return err
		}
	}
	return nil
}

// unlike compares a process on machines that are unlike with processes on one of them each.
func (p *page) unlike(ctx context.Context, name, trace string) error {
	var all []string
	var alone []contender
	for _, m := range severalMachines[:min(p.machines, len(severalMachines))] {
		all = append(all, "-a", m)
		alone = append(alone, replay(p.program, trace, "-a", m, "--cores", "1"))
	}
	m, err := takeTurns(ctx, 1, append(alone, replay(p.program, trace, append(all, "--cores", "1")...))...)
	if err != nil {
		return err
	}
	sum := 0.0
	for i := range alone {
		sum += processor(m[i][0])
	}
	fmt.Fprintf(p.out, "  %-16s %5.2f times %d processes on one each: machines that have nothing in common\n", name, processor(m[len(alone)][0])/sum, len(alone))
	return nil
}
