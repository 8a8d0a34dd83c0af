// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// A line's key gives its address back, in its space and without the slot of its thread block.
func TestAKeyGivesTheAddressOfItsLine(t *testing.T) {
	for _, shift := range []uint{3, 5, 7} {
		h := &shape{lineShift: shift}
		for _, at := range []uint64{0, 1, 4097, 1<<40 + 12, 1<<48 - 1, seam.ConstantWindow + 700, seam.ParameterWindow + 1<<20} {
			want := at >> shift << shift
			if key := h.keyOf(at, false, 3); h.addressOf(key) != want || spaceOf(key) != trace.SpaceGlobal {
				t.Errorf("lines of %d bytes: %#x has the line %#x of %v", 1<<shift, at, h.addressOf(key), spaceOf(key))
			}
			at, want = at&(trace.WindowBytes-1), want&(trace.WindowBytes-1)
			if key := h.keyOf(at, true, 3); h.addressOf(key) != want || spaceOf(key) != trace.SpaceShared {
				t.Errorf("lines of %d bytes: %#x of the scratchpad has the line %#x of %v", 1<<shift, at, h.addressOf(key), spaceOf(key))
			}
		}
	}
}

// Lanes access constants and parameters in the windows of their spaces.
func TestConstantsLieInTheirWindows(t *testing.T) {
	h := &shape{lineShift: 5}
	for space, window := range map[trace.Space]uint64{trace.SpaceGlobal: 0, trace.SpaceConst: seam.ConstantWindow, trace.SpaceParam: seam.ParameterWindow} {
		r := new(request)
		r.set(h, &seam.MemoryAccess{Space: space, Mask: 1<<3 | 1<<9, LaneBytes: 4, Access: trace.Access{Base: 64, Stride: 16, Lanes: -1}})
		for _, lane := range []int{3, 9} {
			at := uint64(64 + 16*lane)
			if got, want := r.keys[lane], h.keyOf(window+at, false, 0); got != want {
				t.Errorf("lane %d of %v: the line of %#x, want that of %#x", lane, space, h.addressOf(got), h.addressOf(want))
			}
		}
	}
}

// What is written back goes in accesses of one writer and one space each, with the slots of the
// writer and its thread block. What is loaded is in one access, whoever has written it before.
func TestWhatIsWrittenBackGoesByWriter(t *testing.T) {
	for _, class := range []trace.OpClass{trace.ClassStore, trace.ClassLoad} {
		p := &port{shape: shape{lineShift: 5}, out: newQueue(), queued: make([]int, 4), blockOf: []int{0, 0, 5, 6}}
		g := new(gathering)
		for i := range uint64(4) {
			g.add(p.shape.keyOf(64*i, false, 0), 1<<i, uint8(2+i%2), 1)
		}
		g.add(p.shape.keyOf(32, true, 5), 1, 2, 1)
		p.send(g, seam.MemoryAccess{Class: class, WarpSlot: 1, Token: seam.NoToken})
		type access struct {
			space              trace.Space
			warp, block, lines int
		}
		var got []access
		for p.out.Len() > 0 {
			a := &p.out.head().access
			got = append(got, access{space: a.Space, warp: a.WarpSlot, block: a.BlockSlot, lines: len(a.Lines)})
			p.out.drop()
		}
		want := []access{{space: trace.SpaceGlobal, warp: 2, block: 5, lines: 2}, {space: trace.SpaceShared, warp: 2, block: 5, lines: 1}, {space: trace.SpaceGlobal, warp: 3, block: 6, lines: 2}}
		if class == trace.ClassLoad {
			want = []access{{space: trace.SpaceGlobal, warp: 1, lines: 4}, {space: trace.SpaceShared, warp: 1, lines: 1}}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %+v, want %+v", class, got, want)
		}
	}
}

// What lanes keep is written back with the slots of the warp that has written it, and of that
// warp's thread block.
func TestWhatLanesKeepGoesWithItsThreadBlock(t *testing.T) {
	for warp := range 4 {
		b := newBench(testSection())
		a := strided(trace.ClassStore, trace.SpaceGlobal, 4096, 4, seam.NoToken)
		a.WarpSlot, a.BlockSlot = warp, 7-warp
		got := b.do(a)
		b.Barrier(b.now, 7-warp)
		got = append(got, b.settle()...)
		for _, x := range got {
			if x.WarpSlot != warp || x.BlockSlot != 7-warp {
				t.Errorf("warp %d of the thread block in slot %d: it goes with warp %d and slot %d", warp, 7-warp, x.WarpSlot, x.BlockSlot)
			}
		}
		if len(got) == 0 {
			t.Errorf("warp %d: nothing is written back", warp)
		}
	}
}
