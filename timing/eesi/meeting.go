// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/wheel"
)

// meeting is the barriers of a thread block, to which threads come.
type meeting struct {
	left     int // threads with instructions left
	barriers [barrier.Count]arrivals
}

// arrivals is one barrier. Where a warp counts as a whole, came has, by warp set, the
// lanes that have been counted. Those without a thread count with the first that comes,
// those whose threads end when they do.
type arrivals struct {
	threads, expected uint32
	loose             bool
	came              []uint32
}

func (b *meeting) begin(threads int) {
	b.left = threads
	for id := range b.barriers {
		b.barriers[id].begin()
	}
}

func (a *arrivals) begin() {
	clear(a.came)
	*a = arrivals{came: a.came[:0]}
}

// leave takes a thread that executes nothing from those that are expected.
func (b *meeting) leave() { b.left-- }

// leaveFrom takes the thread of a lane that ends from them.
func (b *meeting) leaveFrom(w, l int) {
	b.left--
	for id := range b.barriers {
		if a := &b.barriers[id]; w < len(a.came) && a.came[w] != 0 {
			a.bring(w, 1<<l)
		}
	}
}

// drop takes a thread from a barrier for all threads that waited there at its end.
func (b *meeting) drop(id uint8) {
	if a := &b.barriers[id]; a.expected == 0 && a.threads > 0 {
		a.threads--
	}
}

// arrive is a thread that comes; missing are the lanes of its warp set without a thread.
func (b *meeting) arrive(w, l int, v *visit, missing uint32) {
	a := &b.barriers[v.id]
	a.expected, a.loose = v.expected, a.loose || v.loose
	if v.expected == 0 || v.apart {
		a.threads++
		return
	}
	for len(a.came) <= w {
		a.came = append(a.came, 0)
	}
	if a.came[w] == 0 {
		a.bring(w, missing)
	}
	a.bring(w, 1<<l)
}

// bring counts lanes of a warp set that have not been.
func (a *arrivals) bring(w int, lanes uint32) {
	a.threads += uint32(bits.OnesCount32(lanes &^ a.came[w]))
	a.came[w] |= lanes
}

// opens reports whether all have come; the barrier begins anew then.
func (b *meeting) opens(id int) bool {
	a := &b.barriers[id]
	if a.threads == 0 || a.expected == 0 && int(a.threads) < b.left || a.expected > 0 && a.threads < a.needs(b.left) {
		return false
	}
	a.begin()
	return true
}

// needs is the number of threads that a barrier expects: where its number is not known, no
// more than there are.
func (a *arrivals) needs(left int) uint32 {
	if a.loose {
		return min(a.expected, uint32(left))
	}
	return a.expected
}

// arrive brings threads of a warp set to a barrier.
func (s *laneCore) arrive(w int, index, lanes uint32, v *visit) {
	p := &s.warps[w]
	if !v.arrivesOnly {
		s.hold(w, index, lanes)
		p.waiting |= lanes
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := lowest(rest)
		p.meets[l] = v.id
		s.meetings[p.block].arrive(w, l, v, ^p.live)
	}
}

// hold stops threads at their instruction.
func (s *laneCore) hold(w int, index, lanes uint32) {
	p := &s.warps[w]
	p.runs &^= lanes
	p.stale = true
	for rest := lanes; rest != 0; rest &= rest - 1 {
		p.heldAt[lowest(rest)] = index
	}
}

// meetAll opens the barriers of a thread block at which all have come.
func (s *laneCore) meetAll(now clock.Cycle, slot int) {
	for id := range barrier.Count {
		if s.meetings[slot].opens(id) {
			s.open(now, slot, uint8(id))
		}
	}
}

// open lets the threads at a barrier go on.
func (s *laneCore) open(now clock.Cycle, slot int, id uint8) {
	for rest := s.residents.In(slot).Slots(); !rest.Empty(); rest = rest.Rest() {
		w := rest.Lowest()
		p := &s.warps[w]
		var mask, at uint32
		for lanes := p.waiting; lanes != 0; lanes &= lanes - 1 {
			if l := lowest(lanes); p.meets[l] == id {
				mask |= 1 << l
				at = p.heldAt[l]
			}
		}
		s.resume(now, w, mask, at)
	}
	if s.order[slot].Opened() {
		s.port.Barrier(now, slot)
		s.portWake = min(s.portWake, now+1)
	}
}

// resume lets lanes go on when the latency of the instruction has passed at which they are
// held.
func (s *laneCore) resume(now clock.Cycle, w int, mask, at uint32) {
	if mask == 0 {
		return
	}
	s.warps[w].waiting &^= mask
	s.doubt |= mask
	s.events.Put(now+s.program.code[at].result, wheel.Event{Kind: eventResume, Detail: s.fly(flight{warp: w, instruction: at, mask: mask})})
}

func (s *laneCore) resumed(now clock.Cycle, i int32) {
	f := s.flights.Items[i]
	s.flights.Release(i)
	goes := f.mask & s.warps[f.warp].live // for the others the barrier was the last instruction
	s.warps[f.warp].runs |= goes
	s.doubt |= f.mask
	s.evaluate(f.warp, goes)
	s.ended(now, f.warp)
}

// checkFence lets threads of a warp set pass their fence once they have nothing under
// way. The port knows the stores of a warp set, not those of a thread.
func (s *laneCore) checkFence(now clock.Cycle, w int) {
	p := &s.warps[w]
	if p.fenced == 0 {
		return
	}
	done := p.fenced &^ p.memory.some(len(p.memory))
	if done&^p.told != 0 {
		p.told |= done
		s.port.Fence(now, w)
		s.portWake = min(s.portWake, now+1)
	}
	if done == 0 || s.port.PendingWrites(w) > 0 {
		return
	}
	p.fenced &^= done
	p.told &^= done
	s.resume(now, w, done, p.heldAt[highest(done)])
}
