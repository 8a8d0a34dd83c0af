// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// Accesses that a level in front has gathered ask for their own lines, whatever the port was asked for before:
// parts of one line are one transaction, parts of several lines are several.
func TestGatheredAccessesAskForTheirOwnLines(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", nil))
	gathered := func(token uint32, parts ...seam.LinePart) seam.MemoryAccess {
		a := load(token, 0, 4)
		a.Lines, a.Moves = parts, len(parts)
		return a
	}
	part := func(line, at uint64) seam.LinePart { return seam.LinePart{Address: line*128 + at*32, HalfWords: 3} }
	for _, c := range []struct {
		parts []seam.LinePart
		reads uint64
	}{
		{[]seam.LinePart{part(1, 0), part(2, 0), part(3, 0)}, 3},
		{[]seam.LinePart{part(9, 0)}, 1},
		{[]seam.LinePart{part(9, 1), part(9, 2), part(9, 3)}, 1},
		{[]seam.LinePart{part(1, 0), part(2, 1), part(1, 2)}, 2},
	} {
		before, moved := r.sets[0][counters.L1Read], r.sets[0][counters.GlobalLane]
		r.latency(0, gathered(uint32(before)+1, c.parts...))
		if got := r.sets[0][counters.L1Read] - before; got != c.reads {
			t.Errorf("%d parts: %d reads of the L1, want %d", len(c.parts), got, c.reads)
		}
		if got := r.sets[0][counters.GlobalLane] - moved; got != uint64(len(c.parts)) {
			t.Errorf("%d parts: %d requests of lanes", len(c.parts), got)
		}
	}
}
