// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/prefetch"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/tracetest"
)

// prefetched gives a counter of the prefetchers of a level, of the whole machine.
func (r *rig) prefetched(first, id counters.ID) uint64 {
	n := r.global[first+id]
	for _, s := range r.sets {
		n += s[first+id]
	}
	return n
}

// expectPrefetches compares counters of a level with what closed forms say, and adds up
// those that are parts of others.
func (r *rig) expectPrefetches(first counters.ID, want map[counters.ID]uint64) {
	r.t.Helper()
	for id, n := range want {
		if got := r.prefetched(first, id); got != n {
			r.t.Errorf("%s: %s is %d, want %d", r.m.Name, counters.Declared(first+id).Name, got, n)
		}
	}
	r.addUp(first)
}

// addUp checks the sums that hold whatever is prefetched.
func (r *rig) addUp(first counters.ID) {
	r.t.Helper()
	of := func(id counters.ID) uint64 { return r.prefetched(first, id) }
	if of(prefetch.Proposals) != of(prefetch.Issued)+of(prefetch.Redundant)+of(prefetch.Dropped) {
		r.t.Errorf("%s: %d proposals: %d are issued, %d redundant and %d dropped", r.m.Name, of(prefetch.Proposals), of(prefetch.Issued), of(prefetch.Redundant), of(prefetch.Dropped))
	}
	waiting := uint64(0) // for a first read
	if first == prefetch.L1Counters {
		for _, p := range r.system.ports {
			for i := range p.l1.tags.Len() {
				if p.l1.tags.Marked(i) {
					waiting++
				}
			}
			if p.prefetch.under != 0 {
				r.t.Errorf("%d sectors are on their way for the prefetcher when all is over", p.prefetch.under)
			}
		}
	} else {
		for _, l := range r.system.slices {
			for i := range l.tags.Len() {
				if l.tags.Marked(i) {
					waiting++
				}
			}
			if l.prefetch.under != 0 {
				r.t.Errorf("%d sectors are on their way for the prefetcher when all is over", l.prefetch.under)
			}
		}
	}
	if of(prefetch.Issued) != of(prefetch.Useful)+of(prefetch.Late)+of(prefetch.Useless)+waiting {
		r.t.Errorf("%s: %d prefetches: %d are useful, %d late, %d useless, and %d wait for a read", r.m.Name, of(prefetch.Issued), of(prefetch.Useful), of(prefetch.Late), of(prefetch.Useless), waiting)
	}
	if of(prefetch.EvictedUnused) > of(prefetch.Useless) {
		r.t.Errorf("%s: %d evicted of %d useless prefetches", r.m.Name, of(prefetch.EvictedUnused), of(prefetch.Useless))
	}
}

var prefetchMachines = []string{"gtx480", "gtx480-15", "mesh56", "gpsim-soc", "gpsim-tiny", "v100"}

// withPrefetcher is a machine with some prefetchers.
func withPrefetcher(t testing.TB, spec, l1, l2 string) *arch.Machine {
	t.Helper()
	return machine(t, spec, func(m *arch.Machine) {
		m.L1.Prefetcher, m.L2.Slice.Prefetcher = l1, l2
		m.GPU.SMs, m.Network.Placement = 2, "spread"
		m.Name = fmt.Sprintf("%s with %s, %s", spec, l1, l2)
	})
}

// lineLoad reads a word of a line of the L1.
func lineLoad(token uint32, line uint64, bytes int) (uint32, uint64, int32) {
	return token, line * uint64(bytes), 0
}

// Each line of a sequential stream, but for the first, has been asked for by the read
// before, and has come by then. The last one asks for one that no load reads.
func TestASequentialStreamFindsAllButItsFirstLinePrefetched(t *testing.T) {
	const n = 40
	for _, spec := range prefetchMachines {
		r := newRig(t, withPrefetcher(t, spec, "next-line(degree=1)", ""))
		for i := range uint32(n) {
			r.latency(0, load(lineLoad(i, uint64(i), r.m.L1.LineBytes)))
		}
		r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{
			prefetch.Trainings: n, prefetch.Proposals: n, prefetch.Issued: n, prefetch.Useful: n - 1, prefetch.Late: 0, prefetch.Useless: 0, prefetch.Redundant: 0, prefetch.Dropped: 0,
		})
		if hits, misses := r.sets[0][counters.L1ReadHit], r.sets[0][counters.L1ReadMiss]; hits != n-1 || misses != 1 {
			t.Errorf("%s: %d hits, %d misses of %d lines", r.m.Name, hits, misses, n)
		}
		r.sms[0].port.KernelEnd(r.now)
		r.sms[0].next = r.now + 1
		r.drain()
		r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{prefetch.Useless: 1, prefetch.EvictedUnused: 0})
	}
}

// A read comes before the line that the one before has asked for.
func TestAReadThatFollowsAtOnceFindsItsLineOnItsWay(t *testing.T) {
	const n = 10
	r := newRig(t, withPrefetcher(t, "gtx480", "next-line", ""))
	for i := range uint32(n) {
		r.issue(0, load(lineLoad(i, uint64(2*i), 128)))
		for r.sets[0][counters.L1Read] < uint64(2*i+1) {
			r.tick(r.now + 1) // until the first has been looked up
		}
		r.issue(0, load(lineLoad(100+i, uint64(2*i+1), 128)))
		r.drain()
	}
	// Of the first pair the second line is late, and asks for the first of the next pair,
	// which is there: that one's neighbour is late again.
	r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{prefetch.Late: n, prefetch.Useful: n - 1, prefetch.Issued: 2 * n})
	if merged := r.sets[0][counters.L1ReadMerge]; merged != n {
		t.Errorf("%d reads merge", merged)
	}
}

// The stride is known with the third of its accesses.
func TestAStrideIsPrefetchedFromItsFourthAccessOn(t *testing.T) {
	const n = 30
	for _, stride := range []int64{3, 17, -5} {
		for _, degree := range []int{1, 2} {
			r := newRig(t, withPrefetcher(t, "gtx480", fmt.Sprintf("stride(degree=%d)", degree), ""))
			for i := range uint32(n) {
				r.latency(0, load(lineLoad(i, uint64(1000+stride*int64(i)), 128)))
			}
			// Each proposes the next degree lines: all but the last of them again and again.
			r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{
				prefetch.Useful: n - 3, prefetch.Late: 0, prefetch.Proposals: uint64(degree) * (n - 2), prefetch.Issued: n - 3 + uint64(degree), prefetch.Redundant: uint64(degree-1) * (n - 3),
			})
		}
	}
}

// Every other line is read: all that next-line brings is useless, and in a cache of few
// lines makes room for others.
func TestLinesThatNobodyReadsAreUseless(t *testing.T) {
	const n = 64
	for _, allocate := range []string{"on_miss", "on_fill"} {
		m := withPrefetcher(t, "gtx480", "next-line", "")
		m.L1.Bytes, m.L1.Ways, m.L1.Index, m.L1.Write, m.L1.Allocate = 8*128, 2, "linear", "through_no_allocate", allocate
		r := newRig(t, m)
		for i := range uint32(n) {
			r.latency(0, load(lineLoad(i, uint64(2*i), 128)))
		}
		// The eight places hold the last four lines that were read, and four that were not.
		r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{prefetch.Issued: n, prefetch.Useful: 0, prefetch.Useless: n - 4, prefetch.EvictedUnused: n - 4})
	}
}

// Prefetches leave half of the MSHRs to loads, and give up what does not fit.
func TestPrefetchesTakeHalfOfTheMSHRs(t *testing.T) {
	m := withPrefetcher(t, "gtx480", "next-line(degree=8)", "")
	m.L1.MSHRs = 8
	r := newRig(t, m)
	r.latency(0, load(lineLoad(0, 0, 128)))
	r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{prefetch.Proposals: 8, prefetch.Issued: 4, prefetch.Dropped: 4})
	m = withPrefetcher(t, "gtx480", "next-line", "")
	m.L1.MSHRs = 1
	r = newRig(t, m)
	r.latency(0, load(lineLoad(0, 0, 128)))
	r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{prefetch.Issued: 0, prefetch.Dropped: 1})
}

// A slice prefetches among its own lines: the next one of a slice is some lines on.
func TestASliceOfTheL2PrefetchesItsNextLine(t *testing.T) {
	const n = 24
	for _, spec := range []string{"gtx480", "mesh56", "gpsim-soc", "v100"} {
		m := withPrefetcher(t, spec, "", "next-line")
		r := newRig(t, m)
		line := m.L2.Slice.LineBytes
		// The lines of slice 0, in their order.
		var lines []uint64
		for at := uint64(0); len(lines) < n; at += uint64(line) {
			if slice, _ := r.system.addresses.slice(at); slice == 0 {
				lines = append(lines, at)
			}
		}
		for i, at := range lines {
			r.latency(0, load(uint32(i), at, 0))
		}
		r.expectPrefetches(prefetch.L2Counters, map[counters.ID]uint64{
			prefetch.Trainings: n, prefetch.Issued: n, prefetch.Useful: n - 1, prefetch.Late: 0, prefetch.Useless: 0, prefetch.Redundant: 0, prefetch.Dropped: 0,
		})
		// The first load misses with all that the L1 asks for.
		if misses, want := r.global[counters.L2ReadMiss], uint64(max(m.L1.SectorBytes/m.L2.Slice.SectorBytes, 1)); misses != want {
			t.Errorf("%s: %d sectors miss the L2, want %d", m.Name, misses, want)
		}
	}
}

// Whatever is prefetched: everything is answered once, what the SMs ask of the L1 is what
// they ask without, and the parts of the prefetchers' counters add up.
func TestRandomTrafficWithPrefetchersIsConserved(t *testing.T) {
	names := prefetch.Policies.Names()
	issued := [2]uint64{}
	for _, seed := range tracetest.Seeds(t, 80, tracetest.Fewer(2, 4)) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m := randomMachine(t, rng)
		if m.L1.Bytes == 0 {
			continue
		}
		m.L1.Prefetcher, m.L2.Slice.Prefetcher = names[rng.IntN(len(names))], names[rng.IntN(len(names))]
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		var rigs [2]*rig
		for k := range rigs {
			plain := m.Clone()
			if k == 1 {
				plain.L1.Prefetcher, plain.L2.Slice.Prefetcher = "", "none"
			}
			rigs[k] = newRig(t, plain)
			rigs[k].checked = true
			traffic := rand.New(rand.NewPCG(seed, 32))
			for token := range uint32(700) {
				if traffic.IntN(100) == 0 {
					rigs[k].drain()
					for _, s := range rigs[k].sms {
						s.port.KernelEnd(rigs[k].now)
						s.next = rigs[k].now + 1
					}
				}
				rigs[k].issue(traffic.IntN(m.GPU.SMs), randomAccess(traffic, m, token, 1<<14))
			}
			rigs[k].drain()
		}
		rigs[0].addUp(prefetch.L1Counters)
		rigs[0].addUp(prefetch.L2Counters)
		for i, s := range rigs[0].sets {
			for _, id := range []counters.ID{counters.L1Read, counters.L1Write, counters.GlobalTransactions, counters.SharedAccess, counters.ConstantRead, counters.LoadRequests} {
				if got, want := s[id], rigs[1].sets[i][id]; got != want {
					t.Errorf("seed %d: %s of SM %d is %d with prefetchers, %d without", seed, counters.Declared(id).Name, i, got, want)
				}
			}
		}
		issued[0] += rigs[0].prefetched(prefetch.L1Counters, prefetch.Issued)
		issued[1] += rigs[0].prefetched(prefetch.L2Counters, prefetch.Issued)
	}
	if tracetest.Whole() && (issued[0] < 1000 || issued[1] < 1000) {
		t.Errorf("%v prefetches of L1 and L2: the test shows little", issued)
	}
}

// In the long run a prefetcher allocates nothing.
func TestPrefetchingAllocatesNothingInTheLongRun(t *testing.T) {
	without := 0.
	for _, name := range append([]string{prefetch.None}, prefetch.Policies.Names()...) {
		r := newRig(t, withPrefetcher(t, "gtx480", name, name))
		for _, s := range r.sms {
			s.lean = true
		}
		n := uint32(0)
		some := func() {
			for range 200 {
				n++
				r.issue(0, load(n, uint64(n*3%4096)*128, 4))
			}
			r.drain()
		}
		for range 20 {
			some()
		}
		allocations := testing.AllocsPerRun(5, some)
		if name == prefetch.None {
			without = allocations // the rig's own
		} else if allocations > without {
			t.Errorf("%s: %g allocations in 200 loads, %g without", name, allocations, without)
		}
	}
}

// Lines of the L2 that are dropped before a read has wanted them are of no use; those that stay may yet be.
func TestPrefetchedLinesThatTheL2DropsAreUseless(t *testing.T) {
	for _, prefetcher := range []string{"next-line", ""} {
		r := newRig(t, withPrefetcher(t, "gpsim-soc", "", prefetcher))
		line, w, tags := uint64(r.m.L2.Slice.LineBytes), &told{}, r.system.slices[0].tags
		for n := range uint64(40) {
			i := tags.Victim(n * line)
			if tags.Replace(i, n*line); n%3 == 0 {
				tags.Mark(i)
			}
		}
		r.system.CleanL2(0, seam.Lines{Mask: ^uint64(0), First: 10 * line, Last: 31 * line}, w, 1)
		for now := clock.Time(0); len(w.ids) < 1 && now < 10_000; now++ {
			r.system.Advance(now)
		}
		want := uint64(0)
		if prefetcher != "" {
			want = 7 // of the lines 12, 15 ... 30
		}
		if got := r.prefetched(prefetch.L2Counters, prefetch.Useless); len(w.ids) != 1 || got != want {
			t.Errorf("prefetcher %q: %d ends, %d prefetched lines were of no use, want %d", prefetcher, len(w.ids), got, want)
		}
	}
}

// Prefetches wait in a queue that is as long as that of misses. A miss proposes eight lines; those that find it full are dropped.
func TestPrefetchesThatFindTheirQueueFullAreDropped(t *testing.T) {
	for _, places := range []int{1, 3, 8, 20} {
		m := withPrefetcher(t, "gtx480", "next-line(degree=8)", "")
		m.L1.MissQueue = places
		r := newRig(t, m)
		r.latency(0, load(lineLoad(0, 0, 128)))
		issued := uint64(min(places, 8))
		r.expectPrefetches(prefetch.L1Counters, map[counters.ID]uint64{prefetch.Proposals: 8, prefetch.Issued: issued, prefetch.Dropped: 8 - issued})
	}
}
