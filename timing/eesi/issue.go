// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/wheel"
	"github.com/warptape/warptape/trace"
)

func count(lanes uint32) int { return bits.OnesCount32(lanes) }

// issue is what lanes issue in a cycle.
type issue struct {
	groups []group
	words  [][Lanes]uint64 // addresses of groups
	ended  []ended
	met    uint64 // thread blocks, by slot, with a thread that has come to a barrier
	fenced uint64 // warp sets with a thread that has come to a fence
	picked choice // under eesi-m
	lost   choice // likewise, of lanes that do not issue
	// addresses of a cohort; some of them belong to a group.
	addresses [trace.WarpSize]uint64
}

// ended is a thread that has ended.
type ended struct{ lane, warp int }

// end notes a thread that has ended, those of lower lanes first.
func (x *issue) end(l, w int) {
	x.ended = append(x.ended, ended{l, w})
	for i := len(x.ended) - 1; i > 0 && x.ended[i-1].lane > l; i-- {
		x.ended[i-1], x.ended[i] = x.ended[i], x.ended[i-1]
	}
}

// group is lanes that issue the same instruction for the same warp set. mask are those
// that take part in its access, or wait for its result.
type group struct {
	warp        int
	instruction uint32
	space       trace.Space
	first       int // the lowest lane; that of the second context comes behind all of the first
	mask        uint32
	words       int // where its addresses are; those of lanes outside of the mask mean nothing
}

// find gives the group of an instruction for some lanes; first is the lowest of them.
func (x *issue) find(w int, instruction uint32, space trace.Space, first int) *group {
	for i := range x.groups {
		if g := &x.groups[i]; g.instruction == instruction && g.warp == w && g.space == space {
			g.first = min(g.first, first)
			return g
		}
	}
	n := len(x.groups)
	x.groups = append(x.groups, group{warp: w, instruction: instruction, space: space, first: first, words: n})
	if n == len(x.words) {
		x.words = append(x.words, [Lanes]uint64{})
	}
	return &x.groups[n]
}

// order puts the groups in the order of their lowest lanes.
func (x *issue) order() {
	for i := 1; i < len(x.groups); i++ {
		for k := i; k > 0 && x.groups[k].first < x.groups[k-1].first; k-- {
			x.groups[k], x.groups[k-1] = x.groups[k-1], x.groups[k]
		}
	}
}

// issueLanes lets each lane issue; it charges the slots of those that do not. It gives the
// next cycle in which a unit is free that a lane lacks, and whether a lane has issued.
func (s *laneCore) issueLanes(now clock.Cycle) (issued bool, wake clock.Cycle) {
	wake = clock.Never
	s.doubt |= s.busy.relax(now)
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
	w, lanes := s.together(wake)
	if w < 0 {
		if lost := s.doubted(^uint32(0)); lost != 0 {
			s.lose(now, lost)
		}
		return false
	}
	s.loseIn(now, w, ^lanes)
	s.doubt = ^uint32(0) // the turn goes on
	on := s.issueSet(now, w, lanes, 0)
	s.issue.order()
	s.keep(w, s.on&(on|s.missing()) != 0)
	return true
}

func (s *laneCore) issueApart(now clock.Cycle, wake *clock.Cycle) (issued bool) {
	chosen := s.pick(wake)
	if lost := s.doubted(^chosen); lost != 0 {
		s.loseApart(now, lost)
	}
	picked := &s.issue.picked
	for _, w := range picked.sets {
		s.issueSet(now, w, picked.lanes[w], 0)
	}
	s.issue.order()
	if s.misses == nil {
		return len(picked.sets) > 0
	}
	for i := range s.issue.groups { // known when all lanes' addresses are
		g := &s.issue.groups[i]
		if s.accesses(g) && s.missed(g) {
			held := s.turn.held.lanes[g.warp] & g.mask
			s.turn.held.take(g.warp, held)
			s.turn.free.put(g.warp, held)
		}
	}
	return len(picked.sets) > 0
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

// issueSet issues the next instructions of lanes of a warp set, which are ready, and gives
// their triggers. Groups come behind those of lanes before behind.
func (s *laneCore) issueSet(now clock.Cycle, w int, lanes uint32, behind int) (on switching.Trigger) {
	p := &s.warps[w]
	for rest := lanes; rest != 0; {
		i := int(p.of[lowest(rest)])
		of := p.list[i].lanes & rest
		rest &^= of
		if of != p.list[i].lanes {
			i = p.split(i, of)
		}
		on |= s.issueCohort(now, w, p, i, behind)
	}
	if p.used&(p.used-1) != 0 {
		p.merge(lanes & p.live)
	}
	s.follow(w, p, lanes)
	return on
}

// issueCohort issues the next instruction of all of a cohort, and gives its triggers.
// Under sbi the context has the issue slot.
func (s *laneCore) issueCohort(now clock.Cycle, w int, p *warpSet, i, behind int) switching.Trigger {
	c := &p.list[i]
	lanes, takes, index := c.lanes, c.lanes, c.index
	op := &s.program.code[index]
	s.turn.next[op.unit][w] &^= lanes
	if op.guarded {
		takes &= p.path.Guard(c.at, int(c.guards))
		c.guards++
	}
	if !s.paired {
		s.slots.UseAll(now, lanes, index)
		s.doubt |= lanes
		n := uint64(count(lanes))
		s.issued += n
		s.tally[index].issues += n
	}
	if takes != 0 {
		n := uint64(count(takes))
		s.tally[index].threads += n
		s.useRegisters(p, takes, n, index, op)
	}
	if op.unit != units.Control && op.interval > 1 {
		s.busy.reserve(op.unit, lanes, now+op.interval)
	}
	switch op.what {
	case loads, stores:
		s.refer(w, p, c, op, takes, behind)
	case executes:
		g := s.issue.find(w, index, op.space, behind+lowest(lanes))
		if len(op.pending) > 0 {
			s.board.reserve(w, op.pending, lanes, false)
			g.mask |= lanes
		}
	default:
		s.issue.find(w, index, op.space, behind+lowest(lanes))
		s.meetOrFence(w, c, op, takes)
	}
	s.advance(now, w, p, c)
	if s.apart {
		s.keepApart(w, lanes, s.on&op.on != 0)
	}
	return op.on
}

// refer notes the access of those of a cohort that take part.
func (s *laneCore) refer(w int, p *warpSet, c *cohort, op *operation, takes uint32, behind int) {
	access := p.path.Access(c.at, int(c.accesses))
	c.accesses++
	if takes != 0 {
		p.memory.add(takes, 1)
		if op.what == loads {
			s.board.reserve(w, op.pending, takes, true)
		}
	}
	if op.space != trace.SpaceGeneric {
		g := s.issue.find(w, c.index, op.space, behind+lowest(c.lanes))
		if g.mask == 0 {
			g.mask = takes
			p.path.Addresses(access, takes, &s.issue.words[g.words])
			op.withoutNumbers(takes, &s.issue.words[g.words])
			return
		}
		p.path.Addresses(access, takes, &s.issue.addresses)
		op.withoutNumbers(takes, &s.issue.addresses)
		words := &s.issue.words[g.words]
		for rest := takes; rest != 0; rest &= rest - 1 {
			words[lowest(rest)] = s.issue.addresses[lowest(rest)]
		}
		g.mask |= takes
		return
	}
	at := &s.issue.addresses
	p.path.Addresses(access, takes, at)
	for rest := c.lanes; rest != 0; rest &= rest - 1 {
		l := lowest(rest)
		space, address := op.space, at[l]
		if takes>>l&1 == 0 {
			s.issue.find(w, c.index, space, behind+l)
			continue
		}
		space, address = trace.ResolveGeneric(address)
		g := s.issue.find(w, c.index, space, behind+l)
		g.mask |= 1 << l
		s.issue.words[g.words][l] = address
	}
}

// withoutNumbers leaves the addresses of words at an mbarrier.
func (op *operation) withoutNumbers(lanes uint32, words *[Lanes]uint64) {
	if op.class != trace.ClassAtomic {
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		words[lowest(lanes)] = trace.AddressOf(words[lowest(lanes)])
	}
}

// meetOrFence brings those of a cohort that take part to a barrier or fence.
func (s *laneCore) meetOrFence(w int, c *cohort, op *operation, takes uint32) {
	if op.barrier.values {
		c.accesses++
	}
	if takes == 0 {
		return
	}
	switch op.what {
	case meets:
		s.meet(w, c, op, takes)
		s.issue.met |= 1 << s.warps[w].block
	case fences:
		s.hold(w, c.index, takes)
		s.warps[w].fenced |= takes
		s.issue.fenced |= 1 << w
	}
}

// meet brings those of a cohort that take part to a barrier, or each to that of its word.
func (s *laneCore) meet(w int, c *cohort, op *operation, takes uint32) {
	if !op.barrier.values {
		s.arrive(w, c.index, takes, &op.barrier)
		return
	}
	p, words := &s.warps[w], &s.issue.addresses
	p.path.Addresses(p.path.Access(c.at, int(c.accesses)-1), takes, words)
	for takes != 0 {
		first, same := words[lowest(takes)], uint32(0)
		for rest := takes; rest != 0; rest &= rest - 1 {
			if words[lowest(rest)] == first {
				same |= 1 << lowest(rest)
			}
		}
		v := op.barrier.with(first)
		s.arrive(w, c.index, same, &v)
		takes &^= same
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
	for _, e := range s.issue.ended {
		s.issue.met |= 1 << s.warps[e.warp].block
	}
	for rest := s.issue.met; rest != 0; rest &= rest - 1 {
		s.meetAll(now, bits.TrailingZeros64(rest))
	}
	for rest := s.issue.fenced; rest != 0; rest &= rest - 1 {
		s.checkFence(now, bits.TrailingZeros64(rest))
	}
	for _, e := range s.issue.ended {
		s.tryRetire(now, e.warp)
	}
}

// doubted gives the lanes whose slots may be lost to another cause than in the cycle before.
// They are among those that do not issue. The causes of the others go on.
func (s *laneCore) doubted(lanes uint32) uint32 {
	if s.slots.Watched() {
		return lanes
	}
	lanes &= s.doubt
	s.doubt &^= lanes
	return lanes
}

// lose charges the slots of lanes while no warp set has its turn, under eesi-t.
func (s *laneCore) lose(now clock.Cycle, lanes uint32) {
	h := &s.turn.of
	if h.holding {
		s.loseIn(now, h.last, lanes)
		return
	}
	idle := lanes &^ s.taken
	for left, w := s.live, 0; lanes != idle; left &^= 1 << w {
		w = after(left, h.last)
		s.loseIn(now, w, lanes&s.rows[w])
		lanes &^= s.rows[w]
	}
	s.slots.StallAll(now, idle, core.NoWarp)
}

// loseApart is lose of some of the lanes that have chosen no thread, under eesi-m: they
// wait for what theirs waits for, or the next of their circle.
func (s *laneCore) loseApart(now clock.Cycle, lanes uint32) {
	t, lost := &s.turn, &s.issue.lost
	lost.clear()
	free := lanes
	for rest := t.held.places; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		lost.add(w, t.held.lanes[w]&lanes)
		free &^= t.held.lanes[w]
	}
	if free != 0 {
		used := free & s.taken
		t.free.choose(&s.rows, s.live, used, lost)
		s.slots.StallAll(now, free&^used, core.NoWarp)
	}
	for _, w := range lost.sets {
		s.loseIn(now, w, lost.lanes[w])
	}
}

// loseIn charges the slots of lanes to what their threads of a warp set wait for, lanes
// that wait alike together.
func (s *laneCore) loseIn(now clock.Cycle, w int, lanes uint32) {
	if lanes == 0 {
		return
	}
	p := &s.warps[w]
	if gone := lanes &^ p.live; gone != 0 {
		s.slots.StallAll(now, gone, core.NoWarp)
		lanes &^= gone
	}
	if lanes == 0 {
		return
	}
	decoded := p.decoded.some(s.fetching.size)
	for rest := lanes & p.runs; rest != 0; {
		c := p.cohortOf(lowest(rest))
		of := c.lanes & rest
		rest &^= of
		lanes &^= of
		of = s.charge(now, of, ^decoded, c.index, counters.CauseFetch)
		if of == 0 {
			continue
		}
		op := &s.program.code[c.index]
		waits := s.board.check(w, op.needs)
		of = s.charge(now, of, waits.loads, c.index, counters.CauseMemory)
		of = s.charge(now, of, waits.units, c.index, counters.CauseCompute)
		if op.unit == units.LDST {
			of = s.charge(now, of, s.busy.full, c.index, counters.CauseLSU)
		}
		of = s.charge(now, of, s.busy.taken[op.unit], c.index, counters.CauseUnit)
		for rest := of; rest != 0; rest &= rest - 1 { // what they lose depends on other lanes
			s.slots.StallAll(now, rest&-rest, s.lost(w, lowest(rest)))
			s.doubt |= rest & -rest
		}
	}
	if lanes != 0 {
		s.loseHeld(now, w, lanes)
	}
}

// charge charges a cause with the slots of the lanes that wait for it, and returns the other lanes.
func (s *laneCore) charge(now clock.Cycle, lanes, wait, instruction uint32, cause counters.Cause) uint32 {
	if of := lanes & wait; of != 0 {
		s.slots.StallAll(now, of, core.Blame{Instruction: instruction, Cause: cause})
	}
	return lanes &^ wait
}

// loseHeld is loseIn of lanes at barriers and fences.
func (s *laneCore) loseHeld(now clock.Cycle, w int, lanes uint32) {
	p := &s.warps[w]
	for lanes != 0 {
		l := lowest(lanes)
		of := lanes
		switch one := uint32(1) << l; {
		case p.waiting&one != 0:
			of &= p.waiting
		case p.fenced&one != 0:
			of &= p.fenced
		default: // they have been let go
			of &^= p.waiting | p.fenced
		}
		for more := of; more != 0; more &= more - 1 {
			if p.heldAt[lowest(more)] != p.heldAt[l] {
				of &^= more & -more
			}
		}
		s.slots.StallAll(now, of, s.blame(w, l))
		lanes &^= of
	}
}
