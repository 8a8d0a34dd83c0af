// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"testing"

	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
)

// counts compares counters of a core and clears them.
func (b *bench) counts(t *testing.T, what string, want map[counters.ID]uint64) {
	t.Helper()
	for id, n := range want {
		if got := b.counted(id); got != n {
			t.Errorf("%s: %s is %d, want %d", what, counters.Declared(firstCounter+id).Name, got, n)
		}
	}
	clear(b.sets[0][:])
}

// Each line that misses is written once into each cache on its way; the numbers are
// those of the lines, of data and, one here, of instructions.
func TestCachesCountEachLineOnItsWay(t *testing.T) {
	b := newBench(t, func(s *Section) { s.L1.Bytes, s.L2.Bytes, s.L2.Ways = 1<<10, 2<<10, 16 }) // 16 lines, and 32
	lines := func(n int) func(int) uint64 {
		return func(i int) uint64 { return 0x100000 + uint64(i%n)*64 }
	}
	b.one(t, loadsOf(1, lines(1), true)) // brings the instructions
	clear(b.sets[0][:])
	const n = 8
	b.one(t, loadsOf(1+n, lines(1+n), true))
	b.counts(t, "eight more lines", map[counters.ID]uint64{
		countLoad: 1 + n, countL1DRead: 1 + n, countL1DReadMiss: n, countL1DFill: n, countL2Read: n, countL2Miss: n, countL2Fill: n,
		countL1WriteBack: 0, countL2WriteBack: 0, countL2Drop: 0,
	})
	b.one(t, loadsOf(1+n, lines(1+n), true))
	b.counts(t, "once more", map[counters.ID]uint64{countL1DRead: 1 + n, countL1DReadMiss: 0, countL1DFill: 0, countL2Read: 0, countL2Fill: 0})
	// 24 lines fit into the L2 and not into the L1: LRU then keeps none of them there.
	b.one(t, loadsOf(24, lines(24), true))
	b.counts(t, "24 lines", map[counters.ID]uint64{countL1DReadMiss: 24 - 9, countL1DFill: 24 - 9, countL2Miss: 24 - 9, countL2Fill: 24 - 9, countL2Drop: 0})
	b.one(t, loadsOf(24, lines(24), true))
	b.counts(t, "again", map[counters.ID]uint64{countL1DReadMiss: 24, countL1DFill: 24, countL2Read: 24, countL2Miss: 0, countL2Fill: 0})
}

// A probe finds, takes or shares a line, and counts which.
func TestProbesCountWhatTheyDo(t *testing.T) {
	b := newBench(t, nil)
	const line = 0x100000
	b.one(t, []Instruction{{IP: 0x1000, Stores: 1, StoreAddresses: [4]uint64{line}}})
	b.counts(t, "a store", map[counters.ID]uint64{countStore: 1, countL1DWrite: 1, countL1DWriteMiss: 1, countL1DFill: 1, countProbe: 0})
	for _, c := range []struct {
		what string
		keep coherence.State
		met  coherence.State
		want map[counters.ID]uint64
	}{
		{"shared", coherence.Shared, coherence.Modified, map[counters.ID]uint64{countProbe: 1, countDowngrade: 1, countInvalidation: 0}},
		{"shared again", coherence.Shared, coherence.Shared, map[counters.ID]uint64{countProbe: 1, countDowngrade: 0, countInvalidation: 0}},
		{"taken", coherence.Invalid, coherence.Shared, map[counters.ID]uint64{countProbe: 1, countDowngrade: 0, countInvalidation: 1}},
		{"gone", coherence.Invalid, coherence.Invalid, map[counters.ID]uint64{countProbe: 1, countDowngrade: 0, countInvalidation: 0}},
	} {
		if met := b.cluster.Probe(0, 0, line, c.keep); met != c.met {
			t.Errorf("%s: the probe meets it %s, want %s", c.what, met, c.met)
		}
		b.counts(t, c.what, c.want)
	}
}

// The predictor's rows hold all of its two-bit counters.
func TestThePredictorHasItsCounters(t *testing.T) {
	for _, width := range []int{5, 6, 12} {
		s := table42(func(s *Section) { s.CounterBits = width })
		found := false
		for _, x := range s.Structures(nil) {
			if x.Path == "chip/cpu/predictor" {
				found = true
				if got, want := x.Entries*x.EntryBits, 2<<width; got != want {
					t.Errorf("%d bits of index: %d bits of counters, want %d", width, got, want)
				}
			}
		}
		if !found {
			t.Error("cores have no predictor")
		}
	}
}
