// SPDX-License-Identifier: Apache-2.0

package threadwise

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/wheel"
	"github.com/warptape/warptape/trace"
)

// issue is what lanes issue in a cycle.
type issue struct {
	groups []group
	ended  []int  // warp sets with a thread that has ended
	met    uint64 // thread blocks, by slot, with a thread that has come to a barrier
	fenced uint64 // warp sets with a thread that has come to a fence
}

// group is lanes that issue the same instruction for the same warp set. mask are those
// that take part in its access, or wait for its result.
type group struct {
	warp        int
	instruction uint32
	space       trace.Space
	mask        uint32
	addresses   [Lanes]uint64
}

// find gives the group of an instruction.
func (x *issue) find(w int, instruction uint32, space trace.Space) *group {
	for i := range x.groups {
		if g := &x.groups[i]; g.instruction == instruction && g.warp == w && g.space == space {
			return g
		}
	}
	if len(x.groups) < cap(x.groups) {
		x.groups = x.groups[:len(x.groups)+1] // addresses of lanes outside of the mask mean nothing
	} else {
		x.groups = append(x.groups, group{})
	}
	g := &x.groups[len(x.groups)-1]
	g.warp, g.instruction, g.space, g.mask = w, instruction, space, 0
	return g
}

// issueLanes lets each lane issue; it charges the slots of those that do not. It gives the
// next cycle in which a unit is free that a lane lacks, and whether a lane has issued.
func (s *laneCore) issueLanes(now clock.Cycle) (issued bool, wake clock.Cycle) {
	wake = clock.Never
	s.relax(now)
	s.issue.groups, s.issue.ended, s.issue.met, s.issue.fenced = s.issue.groups[:0], s.issue.ended[:0], 0, 0
	switch {
	case s.apart:
		issued = s.issueApart(now, &wake)
	case s.paired:
		issued = s.issueInterleaved(now, &wake)
	default:
		issued = s.issueTogether(now, &wake)
	}
	if issued {
		s.set[firstCounter+countPlace] += uint64(len(s.issue.groups))
		s.set[firstCounter+countIssueCycle]++
		s.finishIssue(now)
	}
	return issued, wake
}

func (s *laneCore) issueTogether(now clock.Cycle, wake *clock.Cycle) bool {
	w, lanes := s.together(now, wake)
	var on switching.Trigger
	for l := range Lanes {
		if lanes>>l&1 != 0 {
			on |= s.issueThread(now, w, l)
		} else {
			s.slots.Stall(now, l, 0, 1, s.lost(w, l))
		}
	}
	if lanes == 0 {
		return false
	}
	s.keep(&s.turn.of[0], w, s.on&(on|s.missing()) != 0)
	return true
}

func (s *laneCore) issueApart(now clock.Cycle, wake *clock.Cycle) (issued bool) {
	for l := range Lanes {
		w := s.own(now, l, wake)
		if w < 0 {
			s.slots.Stall(now, l, 0, 1, s.lost(-1, l))
			continue
		}
		issued = true
		s.keep(&s.turn.of[l], w, s.on&s.issueThread(now, w, l) != 0)
	}
	if s.misses == nil {
		return issued
	}
	for i := range s.issue.groups { // known when all lanes' addresses are
		g := &s.issue.groups[i]
		if s.accesses(g) && s.missed(g) {
			for rest := g.mask; rest != 0; rest &= rest - 1 {
				s.turn.of[lowest(rest)].holding = false
			}
		}
	}
	return issued
}

// missing is the trigger of the cycle's accesses that have a long latency by the filter.
func (s *laneCore) missing() (on switching.Trigger) {
	if s.misses == nil {
		return 0
	}
	for i := range s.issue.groups {
		if g := &s.issue.groups[i]; s.accesses(g) && s.missed(g) {
			on = switching.Miss
		}
	}
	return on
}

// accesses reports whether a group accesses memory.
func (s *laneCore) accesses(g *group) bool {
	w := s.program.code[g.instruction].what
	return g.mask != 0 && (w == loads || w == stores)
}

// issueThread issues the next instruction of a thread, which is ready, and gives its
// triggers. Under sbi its context has the issue slot.
func (s *laneCore) issueThread(now clock.Cycle, w, l int) switching.Trigger {
	at := w*Lanes + l
	t := &s.threads[at]
	index := t.index
	op := &s.program.code[index]
	takes := true
	if op.guarded {
		takes = t.path.Guard(t.guards)
		t.guards++
	}
	if !s.paired {
		s.slots.Use(now, l, 0, index)
		s.issued++
		s.tally[index].issues++
	}
	if takes {
		s.tally[index].threads++
		s.useRegisters(t, index, op)
	}
	s.reserve(now, l, op)
	space, address := op.space, uint64(0)
	if op.what == loads || op.what == stores {
		if address, takes = t.path.Address(t.accesses); takes && space == trace.SpaceGeneric {
			space, address = trace.ResolveGeneric(address)
		}
		t.accesses++
		address = trace.AddressOf(address)
	}
	g := s.issue.find(w, index, space)
	switch op.what {
	case executes:
		if !op.written.Empty() {
			s.board.ReserveUnit(at, op.written)
			g.mask |= 1 << l
		}
	case loads, stores:
		if takes {
			g.mask |= 1 << l
			g.addresses[l] = address
			t.memory++
			if op.what == loads {
				s.board.ReserveLoad(at, op.written)
			}
		}
	case meets:
		v := op.barrier
		if v.values {
			word, _ := t.path.Address(t.accesses)
			t.accesses++
			v = v.with(word)
		}
		if takes {
			s.arrive(w, l, &v)
			s.issue.met |= 1 << s.warps[w].block
		}
	case fences:
		if takes {
			s.startFence(w, l)
			s.issue.fenced |= 1 << w
		}
	}
	s.advance(now, w, l)
	return op.on
}

// reserve takes a lane's unit.
func (s *laneCore) reserve(now clock.Cycle, l int, op *operation) {
	x := &s.lanes[l]
	if op.unit == units.Control {
		return
	}
	x.free[op.unit] = now + op.interval
	if op.interval > 1 || op.unit == units.LDST && x.queued+1 >= s.MemoryQueue {
		s.turn.busy |= 1 << l
	}
}

// finishIssue does what follows from all issues of a cycle: results to come, accesses,
// barriers and fences, ends.
func (s *laneCore) finishIssue(now clock.Cycle) {
	for i := range s.issue.groups {
		g := &s.issue.groups[i]
		if g.mask == 0 {
			continue
		}
		op := &s.program.code[g.instruction]
		if op.what == executes {
			s.events.Put(now+clock.Cycle(s.ReadCycles)+op.result, wheel.Event{Kind: eventResult, Detail: s.fly(flight{warp: g.warp, instruction: g.instruction, mask: g.mask})})
		} else {
			s.send(now, g)
		}
	}
	for _, w := range s.issue.ended {
		s.issue.met |= 1 << s.warps[w].block
	}
	for slot := 0; s.issue.met>>slot != 0; slot++ {
		if s.issue.met>>slot&1 != 0 {
			s.meetAll(now, slot)
		}
	}
	for w := 0; s.issue.fenced>>w != 0; w++ {
		if s.issue.fenced>>w&1 != 0 {
			s.checkFence(now, w)
		}
	}
	for _, w := range s.issue.ended {
		s.tryRetire(now, w)
	}
}
