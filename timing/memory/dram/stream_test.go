// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/tracetest"
)

// runCycles are the cycles that a run of n reads of a row takes at least when the runs that
// follow are of the next banks, each of another row: what the data bus, the command bus, the
// activates and the banks allow, worked out one by one.
func runCycles(d *arch.DRAM, n int) (cycles float64, by string) {
	t := NewTiming(d)
	limit := func(c float64, name string) {
		if c > cycles {
			cycles, by = c, name
		}
	}
	limit(float64(int64(n)*t.CCD), "tCCD")
	limit(float64(t.RRD), "tRRD")
	limit(float64(t.FAW)/4, "tFAW")
	limit(float64(t.RRDL)/float64(d.BankGroups), "tRRDL")
	limit(float64(int64(n)*t.CCDL)/float64(d.BankGroups), "tCCDL")
	open := max(t.RAS, t.RCD+int64(n-1)*t.CCDL+t.RTP)
	limit(float64(max(t.RC, open+t.RP))/float64(d.Banks), "tRC")
	if d.CommandBus == "row_and_column" {
		limit(2, "row commands")
	} else {
		limit(float64(n+2), "commands")
	}
	return cycles, by
}

// streamedRuns are those between a short stream and a long one.
const streamedRuns = 600

// streamed is the cycles of a run of n reads in a stream, without its begin and end.
func streamed(t testing.TB, d *arch.DRAM, n int) float64 {
	b := newBench(d)
	next := 0
	run := func(runs int) int64 {
		begin := b.now
		for end := next + runs*n; next < end; next++ {
			of := next / n
			r := Request{Bank: int32(of % d.Banks), Row: int64(of / d.Banks), Bytes: int32(d.BurstBytes), ID: uint32(next)}
			for !b.offer(r) {
				b.run(1)
			}
		}
		b.runUntilIdle(t)
		return b.now - begin
	}
	run(2 * d.Banks)
	const runs = streamedRuns
	few := run(runs)
	return float64(run(2*runs)-few) / runs
}

// bankedMachines are the channels of the built-in machines that have banks.
func bankedMachines(t testing.TB) map[string]arch.DRAM {
	t.Helper()
	list, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	machines := map[string]arch.DRAM{}
	for _, e := range list {
		if e.Overlay {
			continue
		}
		m, err := arch.Load(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if m.DRAM.Model == "banked" {
			machines[m.Name] = m.DRAM
		}
	}
	return machines
}

// A stream of reads takes what the nearest of its limits leaves: on all machines, and on random
// timings of every kind of DRAM. It never takes less, and with a queue that holds four runs for
// each bank little more.
func TestAStreamTakesWhatItsTimingsLeave(t *testing.T) {
	seen := map[string]int{}
	check := func(t *testing.T, d *arch.DRAM, n int) {
		d.Refresh, d.ExtraCycles, d.Scheduler, d.Queue = "none", 0, "frfcfs", 4*n*d.Banks
		want, by := runCycles(d, n)
		got := streamed(t, d, n)
		seen[by]++
		if got < 0.99*want || got > 1.1*want+1 {
			t.Errorf("runs of %d reads take %.2f cycles each, %s leaves %.2f", n, got, by, want)
		}
	}
	for name, banked := range bankedMachines(t) {
		for _, n := range []int{1, 2, 4, 8, 16} {
			d := banked
			t.Run(fmt.Sprint(name, n), func(t *testing.T) { check(t, &d, n) })
		}
	}
	for kind := range kinds {
		for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(3, 8)) {
			t.Run(fmt.Sprint(kind, seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 242))
				d := ofKind(t, kind, rng)
				d.Banks = d.BankGroups << rng.IntN(4)
				check(t, d, 1<<rng.IntN(5))
			})
		}
	}
	// Short distances between commands leave the command bus as the limit, where it has all of them.
	for kind := range kinds {
		d := ofKind(t, kind, rand.New(rand.NewPCG(0, 242)))
		d.CommandBus, d.Banks, d.TCCD, d.TCCDL, d.TRRD, d.TRRDL, d.TFAW = commandBuses[0], 64, 1, 1, 1, 1, 4
		d.TRAS, d.TRC, d.TRCD, d.TRP, d.TRTPL = 20, 30, 10, 10, 2
		for _, n := range []int{1, 2, 4} {
			t.Run(fmt.Sprint(kind, " commands ", n), func(t *testing.T) { check(t, d, n) })
		}
	}
	for _, by := range []string{"tRRD", "tFAW", "tRC", "commands"} {
		if seen[by] == 0 && tracetest.Whole() {
			t.Errorf("no stream has %s as its nearest limit: %v", by, seen)
		}
	}
}

// A refresh of all banks takes its share of the time of a stream, tRFC of tREFI and what rows
// take to close and open. One of a bank at a time takes none of it, as other banks go on.
func TestARefreshOfABankTakesNoTimeOfAStream(t *testing.T) {
	all := bankedMachines(t)
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(all)), 2) {
		banked := all[name]
		d := banked
		d.ExtraCycles, d.Scheduler = 0, "frfcfs"
		n := d.RowBytes / d.BurstBytes
		d.Queue = min(4*n*d.Banks, 4096)
		took := func(refresh string) float64 {
			d.Refresh = refresh
			return streamed(t, &d, n)
		}
		none, every, one := took("none"), took("all_bank"), took("per_bank")
		tm := NewTiming(&d)
		closing := tm.RTP + tm.RP + tm.RCD + tm.RAS
		share := float64(tm.RFC) / float64(d.TREFI)
		most := share + float64(closing)/float64(d.TREFI)
		edges := float64(tm.RFC+closing) / (none * streamedRuns) // one refresh more or less
		if lost := 1 - none/every; lost < share-edges || lost > most+edges {
			t.Errorf("%s: refresh of all banks takes %.3f of a stream's time, want %.3f to %.3f, more or less %.3f", name, lost, share, most, edges)
		}
		if lost := 1 - none/one; lost < -0.01 || lost > 0.02 {
			t.Errorf("%s: refresh of a bank at a time takes %.3f of a stream's time", name, lost)
		}
	}
}
