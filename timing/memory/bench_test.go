// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// traffic issues accesses from all SMs for as long as their ports take them,
// keeping at most window loads outstanding per SM.
type traffic struct {
	r       *rig
	pattern func(sm, n int) seam.MemoryAccess
	window  int
	issued  []int
	loads   []int
	access  seam.MemoryAccess // in the heap once
}

func newTraffic(r *rig, window int, pattern func(sm, n int) seam.MemoryAccess) *traffic {
	for _, s := range r.sms {
		s.lean = true
	}
	return &traffic{r: r, pattern: pattern, window: window, issued: make([]int, len(r.sms)), loads: make([]int, len(r.sms))}
}

// run issues n accesses in all, and drains.
func (t *traffic) run(n int) {
	r := t.r
	for left := n; left > 0; {
		next := clock.Never
		for k, s := range r.sms {
			if left > 0 && t.loads[k]-s.count < t.window && s.port.Ready(r.now) {
				t.access = t.pattern(k, t.issued[k])
				s.port.Issue(r.now, &t.access)
				s.next = min(s.next, r.now+1)
				t.issued[k]++
				if t.access.Class != trace.ClassStore {
					t.loads[k]++
				}
				left--
			}
			next = min(next, s.next)
		}
		if e := r.system.NextEvent(); e != clock.NeverTime {
			next = min(next, r.clocks.Core.CyclesUntil(e))
		}
		r.tick(max(next, r.now+1))
	}
	for r.step() {
	}
}

// saxpyPattern is two streaming loads and a store.
func saxpyPattern(sms int) func(sm, n int) seam.MemoryAccess {
	return func(sm, n int) seam.MemoryAccess {
		line := uint64((n/3)*sms+sm) * 128
		switch n % 3 {
		case 0:
			return load(1, line, 4)
		case 1:
			return load(1, 1<<26+line, 4)
		}
		return store(1<<26+line, 4)
	}
}

// transposePattern is one streaming load and a store of 32 lines.
func transposePattern(sms int) func(sm, n int) seam.MemoryAccess {
	return func(sm, n int) seam.MemoryAccess {
		tile := uint64((n/2)*sms + sm)
		if n%2 == 0 {
			return load(1, tile*128, 4)
		}
		return store(1<<28+tile/32*131072+tile%32*4, 4096)
	}
}

// benchmarkTraffic reports the host time per line transaction through all
// levels, and the DRAM bandwidth reached.
func benchmarkTraffic(b *testing.B, spec string, window int, pattern func(sms int) func(sm, n int) seam.MemoryAccess) {
	m := machine(b, spec, nil)
	r := newRig(b, m)
	t := newTraffic(r, window, pattern(m.GPU.SMs))
	t.run(20000)
	start, transactions := r.now, r.transactions()
	b.ReportAllocs()
	b.ResetTimer()
	t.run(b.N)
	b.StopTimer()
	done := r.transactions() - transactions
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/transaction")
	b.ReportMetric(float64(r.now-start)/float64(done), "core-cycles/transaction")
}

func (r *rig) transactions() uint64 {
	n := uint64(0)
	for _, s := range r.sets {
		n += s[counters.GlobalTransactions]
	}
	return n
}

// BenchmarkStreaming isolates coalesced loads and stores that miss everywhere.
func BenchmarkStreaming(b *testing.B) { benchmarkTraffic(b, "gtx480", 96, saxpyPattern) }

// BenchmarkScatteredStores isolates stores of 32 transactions each.
func BenchmarkScatteredStores(b *testing.B) {
	benchmarkTraffic(b, "gtx480", 48, transposePattern)
}

// BenchmarkL1Hits isolates the port: every load hits.
func BenchmarkL1Hits(b *testing.B) {
	benchmarkTraffic(b, "gtx480", 48, func(int) func(int, int) seam.MemoryAccess {
		return func(sm, n int) seam.MemoryAccess { return load(1, uint64(n%16)*128, 4) }
	})
}
