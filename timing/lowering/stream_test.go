// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// written is a warp's recorded way: visits, and in their order the masks of guards and accesses, which are
// told from each other by their addresses.
type written struct {
	seam.Stream
	visits   []seam.Visit
	guards   []uint32
	accesses []uint64
}

// inMemory is written with all guards and accesses of a visit at once.
type inMemory struct{ *written }

func (w inMemory) Open(*trace.Kernel, *wtape.Chunk, uint64, int) seam.Stream { return w }

func (w inMemory) Guards(n int) (masks []uint32) {
	masks, w.guards = w.guards[:n], w.guards[n:]
	return masks
}

func (w inMemory) Accesses(n int) (accesses []trace.Access) {
	for range n {
		a, _ := w.Access()
		accesses = append(accesses, a)
	}
	return accesses
}

func (w *written) HardwareWarps(recorded int) int { return recorded }

func (w *written) Open(*trace.Kernel, *wtape.Chunk, uint64, int) seam.Stream { return w }

func (w *written) Next(v *seam.Visit) bool {
	if len(w.visits) == 0 {
		return false
	}
	*v, w.visits = w.visits[0], w.visits[1:]
	return true
}

func (w *written) Guard() (mask uint32) {
	mask, w.guards = w.guards[0], w.guards[1:]
	return mask
}

func (w *written) Access() (trace.Access, *wtape.Chunk) {
	a := trace.Access{Base: w.accesses[0]}
	w.accesses = w.accesses[1:]
	return a, nil
}

// A lowered visit hands out the masks of its parts' guards, and of the optional part for its operations: none where
// no lane comes to it. Accesses come in their order, with no lanes for those of a part that is left out.
func TestLoweredVisitsHandOutMasksAndAccesses(t *testing.T) {
	k := loweringtest.Blocks(t, "1 2/2: ld.global.u64 d1, [d8]; ld.global.u32 r1, [d1]; mov.u32 r9, 0; setp.lt.s32 p2, r1, 3; @p2 add.s32 r9, r9, 1; setp.lt.s32 p1, r1, 5; bra 2\n"+
		"2: ld.global.u32 r2, [d1+4]; add.s32 r9, r9, r2\n: setp.lt.s32 p3, r9, 7; @p3 add.s32 r9, r9, 4; st.global.u32 [d1], r9; exit")
	l, err := lowering.Lower(k, lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 64, Until: lowering.Selection, Predicate: true}, lowering.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	first, inner, last := seam.Visit{BasicBlock: 0, Mask: 0xff}, seam.Visit{BasicBlock: 1, Mask: 0x0f}, seam.Visit{BasicBlock: 2, Mask: 0xff}
	for _, c := range []struct {
		way              written
		visits           int
		guards, accesses string
	}{
		{written{visits: []seam.Visit{first, inner, last}, guards: []uint32{0x33, 0x55}, accesses: []uint64{1, 2, 3, 4}}, 1, "33 f f 55", "1 2 3 4"},
		{written{visits: []seam.Visit{first, last}, guards: []uint32{0x33, 0x55}, accesses: []uint64{1, 2, 4}}, 1, "33 0 0 55", "1 2 - 4"},
		{written{visits: []seam.Visit{first, inner, last, first, last}, guards: []uint32{0x33, 0x55, 0x11, 0x22}, accesses: []uint64{1, 2, 3, 4, 5, 6, 8}}, 2, "33 f f 55 11 0 0 22", "1 2 3 4 5 6 - 8"},
	} {
		d := lowering.NewDivergence(&c.way)
		d.Add(k, &l.Lowering)
		s := d.Open(l.Kernel, nil, 0, 0)
		var guards, accesses string
		visits := 0
		for v := (seam.Visit{}); s.Next(&v); visits++ {
			if v.BasicBlock != 0 || v.Mask != 0xff {
				t.Errorf("visit %+v", v)
			}
			for range l.Visits[0].Guards {
				guards += fmt.Sprintf("%x ", s.Guard())
			}
			for range l.Visits[0].Accesses {
				if a, _ := s.Access(); a.Lanes < 0 {
					accesses += "- "
				} else {
					accesses += fmt.Sprint(a.Base, " ")
				}
			}
		}
		if visits != c.visits || guards != c.guards+" " || accesses != c.accesses+" " {
			t.Errorf("%d visits, guards %s, accesses %s; want %d, %s, %s", visits, guards, accesses, c.visits, c.guards, c.accesses)
		}
	}
}

// A stream in memory gives what any other does. Here blocks are lowered alone, and each visit is begun when
// accesses of the one before are left.
func TestVisitsOfAStreamInMemoryAreThoseOfAnyOther(t *testing.T) {
	k := loweringtest.Blocks(t, "1: ld.global.u32 r1, [d1]; setp.lt.s32 p2, r1, 3; @p2 add.s32 r9, r9, 1; @p2 st.global.u32 [d1], r9\n"+
		": ld.global.u32 r2, [d1+4]; ld.global.u32 r3, [d1+8]; setp.lt.s32 p3, r9, 7; @p3 add.s32 r9, r9, 4; st.global.u32 [d1], r9; exit")
	l, err := lowering.Lower(k, lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 64, Until: lowering.Selection}, lowering.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	given := func(behind func(*written) seam.Divergence) (out string) {
		w := &written{visits: []seam.Visit{{BasicBlock: 0, Mask: 0xff}, {BasicBlock: 1, Mask: 0xf0}, {BasicBlock: 1, Mask: 0x0f}}}
		for n := range uint64(9) {
			w.guards, w.accesses = append(w.guards, uint32(n)+0x50), append(w.accesses, n+1)
		}
		d := lowering.NewDivergence(behind(w))
		d.Add(k, &l.Lowering)
		s := d.Open(l.Kernel, nil, 0, 0)
		left := 0
		for v := (seam.Visit{}); s.Next(&v); {
			out += fmt.Sprintf("%d %x:", v.BasicBlock, v.Mask)
			for range l.Visits[v.BasicBlock].Guards {
				out += fmt.Sprintf(" %x", s.Guard())
			}
			for left += len(l.Visits[v.BasicBlock].Accesses); left > 1; left-- {
				a, _ := s.Access()
				out += fmt.Sprintf(" %d", a.Base)
			}
		}
		return out
	}
	plain, memory := given(func(w *written) seam.Divergence { return w }), given(func(w *written) seam.Divergence { return inMemory{w} })
	if plain != memory || len(plain) < 40 {
		t.Errorf("%s, and from memory %s", plain, memory)
	}
}
