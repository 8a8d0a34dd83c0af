// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
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
