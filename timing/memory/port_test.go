// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/prefetch"
)

// Banks of an L1 have its lines in turn, or its sectors where those are looked up by themselves.
func TestBanksHaveLinesOrSectorsInTurn(t *testing.T) {
	for _, bySector := range []bool{false, true} {
		m := machine(t, "qv100-ref", func(m *arch.Machine) { m.L1.SectorTransactions, m.L1.Banks = bySector, 8 })
		s := newRig(t, m).system
		unit := uint64(m.L1.LineBytes)
		if bySector {
			unit = uint64(m.L1.SectorBytes)
		}
		for address := uint64(1 << 20); address < 1<<20+4096; address += 4 {
			line := address &^ uint64(m.L1.LineBytes-1)
			a := coalesce.Transaction{Line: line, Bytes: cache.Range(int(address%cache.BlockBytes), 4)}
			if got, want := s.l1Bank(&a), uint(address/unit%8); got != want {
				t.Fatalf("sectors %t: %#x is in bank %d, want %d", bySector, address, got, want)
			}
		}
	}
}

// What an L1 writes through, the level below has seen: the line leaves without a second write.
func TestALineWrittenThroughLeavesClean(t *testing.T) {
	m := machine(t, "gtx480", func(m *arch.Machine) { m.GPU.SMs, m.L1.Write = 1, "through_allocate" })
	r := newRig(t, m)
	r.issue(0, store(0, 4))
	r.drain()
	if got := r.global[counters.L2Write]; got != 4 {
		t.Fatalf("a line of four sectors makes %d writes", got)
	}
	for n := range uint32(2 * m.L1.Bytes / 128) {
		r.issue(0, load(n, 1<<20+uint64(n)*128, 4))
	}
	r.drain()
	if r.system.ports[0].l1.tags.Find(0) >= 0 {
		t.Error("the line has not left")
	}
	if got := r.global[counters.L2Write]; got != 4 {
		t.Errorf("%d writes at the L2, want no more than 4", got)
	}
}

// A probe has what is dirty written back once. The line then stays or goes, as the probe says; a prefetched
// one that goes is of no use.
func TestAProbeTakesALineOrLeavesIt(t *testing.T) {
	m := withPrefetcher(t, "gpsim-soc", "next-line", "none")
	m.L1.Write = "back_allocate"
	r := newRig(t, m)
	p := r.system.ports[0]
	const line = 0
	r.issue(0, store(line, 4))
	r.drain()
	p.l1.tags.Mark(p.l1.tags.Find(line))
	before, useless := r.global[counters.L2Write], r.prefetched(prefetch.L1Counters, prefetch.Useless)
	for i, c := range []struct{ keep, had, dirty bool }{{true, true, true}, {true, true, false}, {false, true, false}, {false, false, false}} {
		had, dirty := p.Probe(r.now, line, c.keep)
		r.drain()
		if had != c.had || dirty != c.dirty {
			t.Errorf("probe %d: had %t, dirty %t, want %+v", i, had, dirty, c)
		}
	}
	if got := r.global[counters.L2Write] - before; got == 0 {
		t.Error("the dirty line was not written back")
	}
	if got := r.prefetched(prefetch.L1Counters, prefetch.Useless) - useless; got != 1 {
		t.Errorf("%d prefetched lines were of no use, want 1", got)
	}
}
