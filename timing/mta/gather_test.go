// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Loads whose lanes lie anywhere, and those that come as lines, move by a stride as a whole: what is asked for ahead are the lines of the next one.
func TestGathersAreFetchedAheadAsAWhole(t *testing.T) {
	const move = 3*128 + 4
	places := [4]uint64{1 << 20, 1<<20 + 7*128, 1<<20 + 5*128 + 64, 1 << 24}
	for _, step := range []int64{move, -move} {
		for _, lines := range []bool{false, true} {
			b := newBench(func(s *Section) { s.Strides = "intra_warp"; s.Distance = 2 })
			chunk := wtape.NewChunk()
			var want []uint64
			for n := range int64(3) {
				a := seam.MemoryAccess{Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Mask: 15, Instruction: 9, Token: uint32(n), Chunk: chunk}
				var addresses [trace.WarpSize]uint64
				for i, at := range places {
					addresses[i] = at + uint64(step*n)
					a.Lines = append(a.Lines, seam.LinePart{Address: addresses[i]})
				}
				if !lines {
					a.Lines, a.Access = nil, chunk.AddLanes(15, &addresses)
				}
				b.now += 100
				b.Issue(b.now, &a)
			}
			for range 20 {
				b.now++
				b.Cycle(b.now)
			}
			for _, at := range places { // two strides behind the third
				want = append(want, (at+uint64(step*4))&^127)
			}
			slices.Sort(want)
			if got := slices.Sorted(slices.Values(b.behind.asked)); !slices.Equal(got, want) {
				t.Errorf("stride %d, as lines %v: asked for %#x, want %#x", step, lines, got, want)
			}
		}
	}
}

// The buffer is that of a list of lines for each set, the one touched last behind. Lines that are on their way keep their place.
func TestTheBufferIsItsSlowTwin(t *testing.T) {
	const ways, sets, lineBytes = 4, 8, 128
	b := newBuffer(ways*sets*lineBytes, ways, lineBytes)
	type held struct {
		line   uint64
		coming bool
	}
	var twin [sets][]held
	r := rand.New(rand.NewPCG(1, 36))
	evicted := 0
	for step := range 20000 {
		line := uint64(r.IntN(ways*sets*3)) * lineBytes
		list := &twin[line/lineBytes%sets]
		at := slices.IndexFunc(*list, func(h held) bool { return h.line == line })
		i := b.find(line)
		if (i != none) != (at >= 0) {
			t.Fatalf("step %d: line %#x is there: %v, of the twin %v", step, line, i != none, at >= 0)
		}
		switch {
		case at >= 0 && (*list)[at].coming:
			b.arrive(i)
			(*list)[at].coming = false
		case at >= 0:
			b.touch(i)
			h := (*list)[at]
			*list = append(slices.Delete(*list, at, at+1), h)
		default:
			v := b.victim(line)
			oldest := -1
			if len(*list) == ways {
				oldest = slices.IndexFunc(*list, func(h held) bool { return !h.coming })
			}
			if full := len(*list) == ways && oldest < 0; (v == none) != full {
				t.Fatalf("step %d: no place for line %#x: %v, of the twin %v", step, line, v == none, full)
			}
			if v == none {
				continue
			}
			if oldest >= 0 {
				if gone := b.entries[v].line; gone != (*list)[oldest].line {
					t.Fatalf("step %d: line %#x makes room, of the twin %#x", step, gone, (*list)[oldest].line)
				}
				*list = slices.Delete(*list, oldest, oldest+1)
				evicted++
			}
			b.await(v, line)
			*list = append(*list, held{line, true})
		}
		coming := 0
		for _, l := range twin {
			for _, h := range l {
				if h.coming {
					coming++
				}
			}
		}
		if b.pending != coming {
			t.Fatalf("step %d: %d lines are on their way, of the twin %d", step, b.pending, coming)
		}
	}
	if evicted < 100 {
		t.Errorf("%d lines made room", evicted)
	}
}
