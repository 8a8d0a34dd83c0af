// SPDX-License-Identifier: Apache-2.0

package barrier

import (
	"testing"

	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// closed says that a barrier must not open, opens which warps it lets go.
func closed(t *testing.T, b *Block, id int, why string) {
	t.Helper()
	if waited, ok := b.Open(id); ok {
		t.Errorf("barrier %d opens for %v: %s", id, waited, why)
	}
}

func opens(t *testing.T, b *Block, id int, want warpset.Set) {
	t.Helper()
	if waited, ok := b.Open(id); !ok || waited != want {
		t.Errorf("barrier %d: open %v for %v, want %v", id, ok, waited, want)
	}
}

// A warp counts at a barrier for all when it has come with all its lanes, once.
func TestAWarpCountsWhenItHasComeWithAllLanes(t *testing.T) {
	b := block(2)
	b.Part(Visit{ID: 2}, 0, 0xff, 7)
	b.Part(Visit{ID: 2}, 0, 0xff00, 9)
	closed(t, b, 2, "both warps are missing")
	b.Wait(visit(2, 0), 1)
	closed(t, b, 2, "warp 0 goes on with other lanes")
	barriers, waiting, instruction := b.Meet(0, 0xff)
	if barriers != 1<<2 || waiting != 0xffff || instruction != 9 {
		t.Errorf("warp 0 waits at %#x with %#x, instruction %d", barriers, waiting, instruction)
	}
	if b.Parted() {
		t.Error("lanes that have met are still apart")
	}
	opens(t, b, 2, warpset.First(2))
	closed(t, b, 2, "it has opened")
}

// What waits elsewhere stays there.
func TestLanesMeetAtTheirOwnBarriers(t *testing.T) {
	b := block(1)
	b.Part(Visit{ID: 1}, 0, 0xf, 1)
	b.Part(Visit{ID: 2}, 0, 0xf0, 2)
	b.Part(Visit{ID: 3}, 0, 0xf00, 3)
	b.Part(Visit{ID: 1}, 5, 0xf, 4)
	if barriers, waiting, _ := b.Meet(0, 0xff); barriers != 1<<1|1<<2 || waiting != 0xff {
		t.Errorf("warp 0 waits at %#x with %#x", barriers, waiting)
	}
	closed(t, b, 3, "lanes wait there whose warp has not come")
	opens(t, b, 1, warpset.Of(0))
	opens(t, b, 2, warpset.Of(0))
	if barriers, _, _ := b.Meet(5, 0xf); barriers != 1<<1 {
		t.Errorf("warp 5 waits at %#x", barriers)
	}
}

// Threads that arrive by themselves count at once; their warp goes on.
func TestThreadsCountAtOnce(t *testing.T) {
	b := block(3)
	b.Part(Visit{ID: 4, Expected: 64, Threads: 20}, 0, 0xfffff, 1)
	b.Arrive(Visit{ID: 4, Expected: 64, Threads: 12})
	closed(t, b, 4, "half of the threads")
	b.Wait(Visit{ID: 4, Expected: 64, Threads: 31}, 1)
	closed(t, b, 4, "63 of 64 threads")
	if s, ok := b.State(1); !ok || s != (State{ID: 4, Arrived: 63, Expected: 64, Waiting: 1, Threads: true, Apart: 20}) {
		t.Errorf("warp 1 waits (%v): %+v", ok, s)
	}
	b.Part(Visit{ID: 4, Expected: 64, Threads: 1}, 2, 1, 1)
	opens(t, b, 4, warpset.Of(1))
	free := map[int]uint32{}
	for w, lanes, ok := b.Freed(4); ok; w, lanes, ok = b.Freed(4) {
		free[w] |= lanes
	}
	if len(free) != 2 || free[0] != 0xfffff || free[2] != 1 {
		t.Errorf("lanes %v go on, want 20 of warp 0 and one of warp 2", free)
	}
	if b.Parted() {
		t.Error("lanes that have gone on are still apart")
	}
	closed(t, b, 4, "it has opened")
}

// Threads that have been counted are not counted again when their warp waits for them.
func TestThreadsCountOnce(t *testing.T) {
	b := block(2)
	b.Part(Visit{ID: 0, Expected: 64, Threads: 16}, 0, 0xffff, 1)
	b.Part(Visit{ID: 0, Expected: 64, Threads: 16}, 0, 0xffff0000, 1)
	b.Meet(0, 1)
	closed(t, b, 0, "32 of 64 threads")
	b.Wait(Visit{ID: 0, Expected: 64, Threads: 32}, 1)
	opens(t, b, 0, warpset.First(2))
}

// A warp that arrives as a whole counts for 32 threads when its last lanes have come.
func TestAGatheredWarpCountsForAllItsThreads(t *testing.T) {
	b := block(2)
	b.Wait(visit(0, 64), 1)
	b.Part(Visit{ID: 0, Expected: 64}, 0, 0xff, 1)
	b.Part(Visit{ID: 0, Expected: 64}, 0, 0xff00, 1)
	closed(t, b, 0, "warp 0 gathers")
	b.Meet(0, 0xff00)
	opens(t, b, 0, warpset.First(2))
}

// Lanes that gather do not go on with a barrier that opens without them.
func TestGatheringLanesMissABarrierThatOpensWithoutThem(t *testing.T) {
	b := block(3)
	b.Part(Visit{ID: 0, Expected: 64}, 0, 0xff, 1)
	b.Wait(visit(0, 64), 1)
	b.Wait(visit(0, 64), 2)
	opens(t, b, 0, warpset.Of(1).With(2))
	if w, _, ok := b.Freed(0); ok || !b.Parted() {
		t.Errorf("lanes of warp %d go on, which has not come", w)
	}
}

// A warp that ends takes no threads from a barrier for a number of them, and leaves
// nothing that waits.
func TestThreadsStayWhenTheirWarpEnds(t *testing.T) {
	b := block(3)
	b.Arrive(visit(1, 96))
	b.Wait(visit(1, 96), 1)
	b.Part(Visit{ID: 1, Expected: 96, Threads: 16}, 2, 0xffff, 1)
	b.Leave(0)
	closed(t, b, 1, "80 of 96 threads, though one warp has ended")
	b.Leave(2)
	if b.Parted() {
		t.Error("lanes of a warp that has ended wait")
	}
	b.Leave(1)
	b.Arrive(Visit{ID: 1, Expected: 96, Threads: 16})
	opens(t, b, 1, warpset.Set{})
}

// Begin forgets what the thread block before has left.
func TestABlockBeginsWithNothing(t *testing.T) {
	b := block(1)
	b.Part(Visit{ID: 1, Expected: 64, Threads: 16}, 0, 0xffff, 1)
	b.Begin(1)
	if b.Parted() {
		t.Error("lanes of the block before wait")
	}
	b.Wait(Visit{ID: 1, Expected: 64, Threads: 63}, 0)
	closed(t, b, 1, "63 of 64 threads")
}

// A barrier whose number is not known expects no more threads than warps with instructions
// left have; one whose number is known does.
func TestALooseBarrierExpectsNoMoreThanThereAre(t *testing.T) {
	for _, loose := range []bool{true, false} {
		b := block(3)
		v := Visit{ID: 0, Expected: 128, Threads: 32, Loose: loose}
		b.Wait(v, 0)
		b.Wait(v, 1)
		closed(t, b, 0, "warp 2 is missing")
		b.Leave(2)
		if _, ok := b.Open(0); ok != loose {
			t.Errorf("loose %v: open %v with all that are left", loose, ok)
		}
	}
}

// A reduction's last operand is its predicate, neither number nor count.
func TestOperandsOfAReduction(t *testing.T) {
	operand := func(n int64) trace.Operand { return trace.Operand{Kind: trace.OperandImmediate, Value: n} }
	for _, c := range []struct {
		modifiers       []string
		sources         []int64
		number, threads int64 // -1 for none
	}{
		{[]string{"red"}, []int64{7}, -1, -1}, {[]string{"red"}, []int64{3, 7}, 3, -1}, {[]string{"red"}, []int64{3, 64, 7}, 3, 64},
		{[]string{"sync"}, []int64{3}, 3, -1}, {[]string{"sync"}, []int64{3, 64}, 3, 64}, {[]string{"sync"}, nil, -1, -1}, {[]string{"red"}, nil, -1, -1},
	} {
		in := &trace.Instruction{Opcode: "bar", Modifiers: c.modifiers, Operands: []trace.Operand{operand(99)}, Destinations: 1}
		for _, n := range c.sources {
			in.Operands = append(in.Operands, operand(n))
		}
		got := [2]int64{-1, -1}
		number, threads := Operands(in)
		for i, o := range []*trace.Operand{number, threads} {
			if o != nil {
				got[i] = o.Value
			}
		}
		if got != [2]int64{c.number, c.threads} {
			t.Errorf("%v with sources %v: number and threads %v, want %d and %d", c.modifiers, c.sources, got, c.number, c.threads)
		}
	}
}
