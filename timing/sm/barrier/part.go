// SPDX-License-Identifier: Apache-2.0

package barrier

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace"
)

// part is lanes of a warp that wait at a barrier while the warp goes on with others.
type part struct {
	visit       Visit
	warp        uint8
	counted     bool // the threads have been
	lanes       uint32
	instruction uint32 // at which they wait
}

// Part is a visit of warp w with some of its lanes, which wait at an instruction. The
// warp counts as a whole when it has come with all, unless the visit brings threads;
// those of a barrier for a number of threads count now. Open follows.
func (b *Block) Part(v Visit, w int, lanes, instruction uint32) {
	counted := v.Expected > 0 && v.Threads > 0
	if counted {
		bar := &b.barriers[v.ID]
		bar.threads += v.Threads
		bar.expected, bar.loose = v.Expected, bar.loose || v.Loose
	}
	b.parts = append(b.parts, part{visit: v, warp: uint8(w), counted: counted, lanes: lanes, instruction: instruction})
}

// Parted reports whether lanes wait while their warp goes on.
func (b *Block) Parted() bool { return len(b.parts) > 0 }

// Meet lets warp w wait, whose lanes go on next. It has come with all its lanes to the
// barriers at which these wait, and counts for 32 threads where it counts as a whole. It
// gives those barriers as a set, the lanes that wait at them, and the instruction at
// which they do. Open follows for each barrier.
func (b *Block) Meet(w int, lanes uint32) (barriers, waiting, instruction uint32) {
	for i := range b.parts {
		if p := &b.parts[i]; int(p.warp) == w && p.lanes&lanes != 0 {
			barriers |= 1 << p.visit.ID
		}
	}
	met := uint32(0)
	b.drop(func(p *part) bool {
		id := uint32(1) << p.visit.ID
		if int(p.warp) != w || barriers&id == 0 {
			return false
		}
		if met&id == 0 {
			met |= id
			v := p.visit
			if v.Threads = trace.WarpSize; p.counted {
				v.Threads = 0
			}
			b.Wait(v, w)
		}
		waiting |= p.lanes
		instruction = p.instruction
		return true
	})
	return barriers, waiting, instruction
}

// Came counts warp w at the barriers for a number of threads at which lanes of it wait. It
// has come with all, but may go on with others than those before they open. It gives the
// barriers as a set; Open follows for each.
func (b *Block) Came(w int) (barriers uint32) {
	for i := range b.parts {
		p := &b.parts[i]
		if int(p.warp) != w || p.counted || p.visit.Expected == 0 {
			continue
		}
		p.counted = true
		if id := uint32(1) << p.visit.ID; barriers&id == 0 {
			barriers |= id
			bar := &b.barriers[p.visit.ID]
			bar.threads += trace.WarpSize
			bar.expected, bar.loose = p.visit.Expected, bar.loose || p.visit.Loose
		}
	}
	return barriers
}

// Freed gives, one after the other, what has been counted of warps that go on with other
// lanes at a barrier that has just opened. It gives false when there is nothing left.
func (b *Block) Freed(id int) (w int, lanes uint32, ok bool) {
	for i := range b.parts {
		if p := b.parts[i]; p.visit.ID == id && p.counted {
			b.parts = slices.Delete(b.parts, i, i+1)
			return int(p.warp), p.lanes, true
		}
	}
	return 0, 0, false
}

// drop removes parts.
func (b *Block) drop(gone func(p *part) bool) {
	kept := b.parts[:0]
	for i := range b.parts {
		if !gone(&b.parts[i]) {
			kept = append(kept, b.parts[i])
		}
	}
	b.parts = kept
}

// State is what is known of a barrier.
type State struct {
	ID int
	// Arrived and Expected count threads for a barrier that expects a number of them
	// (Threads), warps otherwise; Waiting are the warps that wait there.
	Arrived, Expected, Waiting int
	Threads                    bool
	// Apart are lanes that wait there while their warps go on with others.
	Apart int
}

// State describes the barrier at which warp w waits; false when it waits at none.
func (b *Block) State(w int) (s State, ok bool) {
	for i := range b.barriers {
		bar := &b.barriers[i]
		if !bar.waiting.Has(w) {
			continue
		}
		s = State{ID: i, Arrived: bar.warps, Expected: b.running, Waiting: bar.waiting.Count()}
		if s.Threads = bar.expected > 0; s.Threads {
			s.Arrived, s.Expected = int(bar.threads), int(b.threads(bar))
		}
		for j := range b.parts {
			if p := &b.parts[j]; p.visit.ID == i {
				s.Apart += bits.OnesCount32(p.lanes)
			}
		}
		return s, true
	}
	return State{}, false
}
