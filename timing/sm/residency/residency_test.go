// SPDX-License-Identifier: Apache-2.0

package residency

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace/wtape"
)

func machine() *arch.Machine {
	m := new(arch.Machine)
	m.SM.MaxWarps, m.SM.MaxBlocks, m.SM.MaxThreads, m.SM.Registers, m.Shared.Bytes = 8, 4, 256, 1000, 100
	return m
}

// Each resource bounds the thread blocks of an SM by itself, to its last unit.
func TestEachResourceBoundsTheThreadBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		need seam.Footprint
		want int
	}{
		"blocks":        {seam.Footprint{Warps: 1, Threads: 1}, 4},
		"warps":         {seam.Footprint{Warps: 4, Threads: 1}, 2},
		"one warp more": {seam.Footprint{Warps: 5, Threads: 1}, 1},
		"threads":       {seam.Footprint{Warps: 1, Threads: 128}, 2},
		"one thread":    {seam.Footprint{Warps: 1, Threads: 129}, 1},
		"registers":     {seam.Footprint{Warps: 1, Registers: 500}, 2},
		"one register":  {seam.Footprint{Warps: 1, Registers: 501}, 1},
		"shared memory": {seam.Footprint{Warps: 1, SharedBytes: 50}, 2},
		"one byte":      {seam.Footprint{Warps: 1, SharedBytes: 51}, 1},
		"too large":     {seam.Footprint{Warps: 1, SharedBytes: 101}, 0},
	} {
		b := New(machine(), new(counters.Set))
		n := 0
		for ; n < 9 && b.Fits(&c.need); n++ {
			b.Place(0, core.Assignment{Need: c.need})
		}
		if n != c.want || b.Resident() != c.want {
			t.Errorf("%s: %d thread blocks fit, want %d", name, n, c.want)
		}
		for slot := range n { // all that they took comes back
			for rest := b.In(slot).Slots(); !rest.Empty(); rest = rest.Rest() {
				b.Retire(0, slot, rest.Lowest())
			}
			b.Leave(0, slot)
		}
		if b.used != (seam.Footprint{}) || b.vacant != warpset.First(8) || b.free != 15 || b.Resident() != 0 || !b.Present().Empty() {
			t.Errorf("%s: after all have left: %+v", name, b)
		}
	}
}

// Thread blocks and warps take the lowest slots that are free; a warp's slot is free
// when its thread block leaves, not when it ends.
func TestSlotsAreFreeWhenTheThreadBlockLeaves(t *testing.T) {
	b := New(machine(), new(counters.Set))
	place := func(warps int) int { return b.Place(0, core.Assignment{Need: seam.Footprint{Warps: warps}}) }
	if first, second := place(3), place(2); first != 0 || second != 1 || b.In(1).Slots() != warpset.Of(3).With(4) {
		t.Fatalf("thread blocks in %d and %d, the second's warps in %v", first, second, b.In(1).Slots())
	}
	if b.Retire(0, 0, 1) || b.Retire(0, 0, 0) || b.In(0).Last(1) || !b.In(0).Last(2) {
		t.Error("the last warp is not the one that is left")
	}
	if need := (seam.Footprint{Warps: 4}); b.Fits(&need) {
		t.Error("slots of ended warps are free while their thread block stays")
	}
	if !b.Retire(0, 0, 2) {
		t.Error("the last warp was not the last")
	}
	b.Leave(0, 0)
	if slot := place(4); slot != 0 || b.In(0).Slots() != warpset.First(3).With(5) {
		t.Errorf("the next thread block is in %d, its warps in %v", slot, b.In(0).Slots())
	}
}

// A thread block lies where the last one of another SM does, although lower slots have become
// free since; the one behind it takes the lowest again.
func TestSlotsAreThoseOfAnotherSM(t *testing.T) {
	a, b := New(machine(), new(counters.Set)), New(machine(), new(counters.Set))
	place := func(s *Blocks) int { return s.Place(0, core.Assignment{Need: seam.Footprint{Warps: 2}}) }
	for _, s := range []*Blocks{&a, &b} {
		place(s)
	}
	place(&a)
	b.Leave(0, 0)
	b.TakeSlotsOf(&a)
	if slot := place(&b); slot != 1 || b.In(1).Slots() != a.In(1).Slots() {
		t.Errorf("the thread block is in %d, its warps in %v", slot, b.In(slot).Slots())
	}
	if slot := place(&b); slot != 0 || b.In(0).Slots() != warpset.First(2) {
		t.Errorf("the next is in %d, its warps in %v", slot, b.In(slot).Slots())
	}
}

// Resident warps are summed over cycles, from when their thread block comes until they
// end; an SM is active while it has thread blocks.
func TestResidencyIsSummedOverCycles(t *testing.T) {
	var counts counters.Set
	b := New(machine(), &counts)
	b.Count(100)
	first := b.Place(100, core.Assignment{Need: seam.Footprint{Warps: 2}})
	b.Place(110, core.Assignment{Need: seam.Footprint{Warps: 3}}) // 10 cycles of 2
	b.Retire(115, first, 0)                                       // 5 of 5
	b.Retire(117, first, 1)                                       // 2 of 4
	b.Leave(127, first)                                           // 10 of 3
	b.Count(130)                                                  // 3 of 3
	if warps, active := counts[counters.ResidentWarpCycles], counts[counters.ActiveSMCycles]; warps != 20+25+8+30+9 || active != 30 {
		t.Errorf("%d cycles of warps, %d of the SM, want 92 and 30", warps, active)
	}
	for w := range 3 {
		b.Retire(132, 1, 2+w) // 2 of 3
	}
	b.Leave(140, 1) // none is left for 8 cycles, in which the SM is active
	b.Count(150)
	if warps, active := counts[counters.ResidentWarpCycles], counts[counters.ActiveSMCycles]; warps != 92+6 || active != 40 {
		t.Errorf("%d cycles of warps, %d of the SM, want 98 and 40", warps, active)
	}
	if d, r := counts[counters.BlocksDispatched], counts[counters.BlocksRetired]; d != 2 || r != 2 {
		t.Errorf("%d dispatched, %d retired", d, r)
	}
}

// The extra warp is there, and in no count.
func TestAnExtraWarpIsNotCounted(t *testing.T) {
	var counts counters.Set
	b := New(machine(), &counts)
	if slot := b.AddExtra(8); slot != 4 || b.Slots() != 5 {
		t.Errorf("its slot among thread blocks is %d of %d", slot, b.Slots())
	}
	b.Place(0, core.Assignment{Need: seam.Footprint{Warps: 1}})
	b.StartExtra()
	if b.Present() != warpset.Of(0).With(8) || b.In(4).Slots() != b.Extra() {
		t.Errorf("present: %v", b.Present())
	}
	b.Count(10)
	if got := counts[counters.ResidentWarpCycles]; got != 10 {
		t.Errorf("%d cycles of warps, want 10", got)
	}
	b.EndExtra()
	if need := (seam.Footprint{Warps: 8}); b.Present() != warpset.Of(0) || b.Fits(&need) {
		t.Errorf("present after its end: %v", b.Present())
	}
}

// A thread block that is to lie as one of another SM does needs its slot, all its warps' slots, and as many warps: anything
// else is an error of the caller, and is told. One that leaves keeps nothing of the trace in memory.
func TestSlotsOfAnotherSMMustBeFree(t *testing.T) {
	block := func(warps int) core.Assignment { return core.Assignment{Need: seam.Footprint{Warps: warps}} }
	for name, before := range map[string]func(a, b *Blocks){
		"the slot is taken":   func(_, b *Blocks) { b.Place(0, block(0)) },
		"a warp's is taken":   func(a, b *Blocks) { a.Place(0, block(0)); b.Place(0, block(2)) },
		"more warps are told": func(*Blocks, *Blocks) {},
	} {
		a, b := New(machine(), new(counters.Set)), New(machine(), new(counters.Set))
		before(&a, &b)
		warps := 2
		if name == "more warps are told" {
			warps = 3
		}
		a.Place(0, block(2))
		b.TakeSlotsOf(&a)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it has a place", name)
				}
			}()
			b.Place(0, block(warps))
		}()
	}
	a := New(machine(), new(counters.Set))
	full := block(1)
	full.Chunk = new(wtape.Chunk)
	a.Leave(1, a.Place(0, full))
	if a.In(0).Chunk != nil {
		t.Error("a thread block that has left keeps its chunk")
	}
}
