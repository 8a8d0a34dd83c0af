// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/tlb"
	"github.com/warptape/warptape/trace"
)

// What a port keeps does not change with what its caller does next to the lines that it
// has handed over. An access without lines has none either after one with lines.
func TestAHeldAccessHasLinesOfItsOwn(t *testing.T) {
	p := new(port)
	lines := []seam.LinePart{{Address: 256, HalfWords: 3}, {Address: 512, HalfWords: 5}}
	p.hold(&seam.MemoryAccess{Lines: lines})
	lines[0], lines[1] = seam.LinePart{Address: 1}, seam.LinePart{}
	if got := p.held.Lines; p.inside() != 1 || len(got) != 2 || got[0] != (seam.LinePart{Address: 256, HalfWords: 3}) || got[1] != (seam.LinePart{Address: 512, HalfWords: 5}) {
		t.Errorf("%d accesses are held, with lines %+v", p.inside(), got)
	}
	if p.hold(new(seam.MemoryAccess)); p.held.Lines != nil {
		t.Errorf("an access without lines is held with %+v", p.held.Lines)
	}
}

// Each line of an access that a level in front has gathered has its page looked up, also where more lines come than lanes
// take part; lines of the page that was looked up last are not looked up again.
func TestEachLineHasItsPageLookedUp(t *testing.T) {
	pages, err := tlb.NewPageTable(4096)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := tlb.New(8, 8)
	if err != nil {
		t.Fatal(err)
	}
	c := &system{layout: newLayout(4096), pages: pages, counts: new(counters.Set)}
	p := &port{chip: c, unit: &unit{chip: c, tlb: entries}}
	var lines []seam.LinePart
	for _, page := range []uint64{3, 3, 5, 9, 9, 5} {
		lines = append(lines, seam.LinePart{Address: page<<12 + 128*uint64(len(lines)), HalfWords: 1})
	}
	for _, mask := range []uint32{1, 7, ^uint32(0)} {
		before := c.counts[counts+countSMTLBLookup]
		p.translate(&seam.MemoryAccess{Space: trace.SpaceGlobal, Mask: mask, Lines: lines})
		if got := c.counts[counts+countSMTLBLookup] - before; got != 4 || len(p.pages) != 4 {
			t.Errorf("six lines of lanes %#x: %d lookups, %d pages are to be asked for, want those of pages 3, 5, 9 and 5", mask, got, len(p.pages))
		}
	}
}

// One L2 slice above a last-level cache is needed. Several on a partition are refused, and
// so are several partitions of one, and a chip without the slice's memory or the cache's.
func TestAChipNeedsOneSlice(t *testing.T) {
	for _, c := range []struct {
		partitions, slices int
		slice, llc         bool // exist
		fits               bool
	}{
		{1, 1, true, true, true}, {2, 1, true, true, false}, {1, 2, true, true, false}, {2, 2, true, true, false},
		{4, 4, true, true, false}, {1, 1, false, true, false}, {1, 1, true, false, false},
	} {
		m, err := arch.Load("gpsim-soc+cpu+fusetlb")
		if err != nil {
			t.Fatal(err)
		}
		m.L2.Partitions, m.L2.SlicesPerPartition = c.partitions, c.slices
		if !c.slice {
			m.L2.Slice.Bytes = 0
		}
		if !c.llc {
			m.LLC.Bytes = 0
		}
		fits := true
		m.Section(Key).(*Section).Check(m, func(key, _ string) { fits = fits && key != "enabled" })
		if fits != c.fits {
			t.Errorf("%+v: fits is %t", c, fits)
		}
	}
}
