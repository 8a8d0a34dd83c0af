// SPDX-License-Identifier: Apache-2.0

package threadwise

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

// arrive brings a thread to a barrier.
func (s *laneCore) arrive(w, l int, v *visit) {
	p, t := &s.warps[w], &s.threads[w*Lanes+l]
	if !v.arrivesOnly {
		s.hold(w, l, waitsBarrier)
		t.meets = v.id
	}
	s.meetings[p.block].arrive(w, l, v, ^p.live)
}

// hold stops a thread at its instruction.
func (s *laneCore) hold(w, l int, why state) {
	p, t := &s.warps[w], &s.threads[w*Lanes+l]
	t.state, t.heldAt = why, t.index
	p.runs &^= 1 << l
	p.stale = true
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
		var mask, at uint32
		for l := range Lanes {
			if t := &s.threads[w*Lanes+l]; t.state == waitsBarrier && t.meets == id {
				mask |= 1 << l
				at = t.heldAt
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
	for rest := mask; rest != 0; rest &= rest - 1 {
		s.threads[w*Lanes+lowest(rest)].state = resumes
	}
	s.events.Put(now+s.program.code[at].result, wheel.Event{Kind: eventResume, Detail: s.fly(flight{warp: w, instruction: at, mask: mask})})
}

func (s *laneCore) resumed(now clock.Cycle, i int32) {
	f := s.flights.Items[i]
	s.flights.Release(i)
	for rest := f.mask; rest != 0; rest &= rest - 1 {
		l := lowest(rest)
		t := &s.threads[f.warp*Lanes+l]
		if s.warps[f.warp].live>>l&1 == 0 { // the barrier was its last instruction
			continue
		}
		t.state = runs
		s.warps[f.warp].runs |= 1 << l
		s.evaluate(f.warp, l)
	}
	s.ended(now, f.warp)
}

// startFence holds a thread until its accesses have been performed.
func (s *laneCore) startFence(w, l int) {
	s.hold(w, l, waitsFence)
	s.warps[w].fenced |= 1 << l
}

// checkFence lets threads of a warp set pass their fence once they have nothing under
// way. The port knows the stores of a warp set, not those of a thread.
func (s *laneCore) checkFence(now clock.Cycle, w int) {
	p := &s.warps[w]
	if p.fenced == 0 {
		return
	}
	var done, at uint32
	for rest := p.fenced; rest != 0; rest &= rest - 1 {
		if t := &s.threads[w*Lanes+lowest(rest)]; t.memory == 0 {
			done |= rest & -rest
			at = t.heldAt
		}
	}
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
	s.resume(now, w, done, at)
}
