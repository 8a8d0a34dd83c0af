// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

func (s *referenceSM) schedule(scheduler int) {
	m := &s.machine.SM
	var mine, ready []*referenceWarp
	for slot, w := range s.warps {
		if w != nil && slot%m.Schedulers == scheduler {
			mine = append(mine, w)
		}
	}
	if admitted := s.stay(scheduler, s.admit(scheduler, mine)); len(admitted) > 0 {
		mine = admitted
		for _, w := range mine {
			if s.why(w) == counters.CauseIssued {
				ready = append(ready, w)
			}
		}
	}
	if len(ready) == 0 {
		s.slots[s.blame(mine)] += uint64(m.IssuePerScheduler)
		return
	}
	w := s.pick(scheduler, ready)
	taken := map[units.Kind]bool{}
	for n := range m.IssuePerScheduler {
		cause := s.why(w)
		if cause == counters.CauseIssued {
			u := s.unit(s.kernel.Instructions[w.path[w.at].index].Class)
			if m.DualIssueDifferentUnits && taken[u] {
				cause = counters.CauseUnit
			}
			taken[u] = true
		}
		if cause != counters.CauseIssued {
			s.slots[cause] += uint64(m.IssuePerScheduler - n)
			return
		}
		s.slots[counters.CauseIssued]++
		s.switchAt(scheduler, w)
		s.issue(w)
	}
}

// blame gives the cause of the warp closest to issue: unit kinds in their order,
// then the other causes.
func (s *referenceSM) blame(mine []*referenceWarp) counters.Cause {
	for u := range units.Control {
		for _, w := range mine {
			c := s.why(w)
			if c == counters.CauseOperand && s.war(w, &s.kernel.Instructions[w.path[w.at].index]) {
				continue
			}
			if (c == counters.CauseUnit || c == counters.CauseLSU || c == counters.CauseOperand) && s.unit(s.kernel.Instructions[w.path[w.at].index].Class) == u {
				return c
			}
		}
	}
	for _, c := range []counters.Cause{counters.CauseOperand, counters.CauseCompute, counters.CauseMemory, counters.CauseFetch, counters.CauseFence, counters.CauseBarrier} {
		for _, w := range mine {
			if s.why(w) == c {
				return c
			}
		}
	}
	return counters.CauseIdle
}

func (s *referenceSM) pick(scheduler int, ready []*referenceWarp) *referenceWarp {
	var best *referenceWarp
	rank := func(w *referenceWarp) uint64 {
		switch s.machine.SM.Scheduler {
		case "lrr", "two-level", "srr":
			return s.rounds(scheduler, w)
		case "oldest":
			return w.age
		}
		if w.slot == s.lastIssue[scheduler] && w.age == s.lastAge[scheduler] {
			return 0
		}
		return w.age
	}
	for _, w := range ready {
		if best == nil || rank(w) < rank(best) {
			best = w
		}
	}
	s.lastIssue[scheduler], s.lastAge[scheduler] = best.slot, best.age
	return best
}

// rounds says how far a warp is behind the one that issued last, in a circle.
func (s *referenceSM) rounds(scheduler int, w *referenceWarp) uint64 {
	return uint64((w.slot - s.lastIssue[scheduler] - 1 + 2*warpset.Max) % warpset.Max)
}

func earliest(list []int) *int {
	best := &list[0]
	for i := range list {
		if list[i] < *best {
			best = &list[i]
		}
	}
	return best
}

// unitsOf are the units of kind u to which w's sub-core issues: its own, or those of all.
func (s *referenceSM) unitsOf(w *referenceWarp, u units.Kind) []int {
	all, parts := s.freeAt[u], s.machine.SM.SubCoreCount()
	if u == units.LDST || parts == 1 || len(all) < parts {
		return all
	}
	n, part := len(all)/parts, w.slot%parts
	return all[part*n : part*n+n]
}

func (s *referenceSM) issue(w *referenceWarp) {
	st := w.path[w.at]
	in := &s.kernel.Instructions[st.index]
	m := &s.machine.SM
	w.at++
	w.decoded--
	if s.collectors != nil && s.unit(in.Class) != units.Control {
		s.issueStaged(w, st, in)
		return
	}
	start := s.now + m.OperandReadCycles + s.conflicts(in)
	if u := s.unit(in.Class); u != units.Control {
		*earliest(s.unitsOf(w, u)) = start + s.latency(in.Class).Interval
		if len(s.collect) > 0 {
			*earliest(s.collect) = start
		}
	}
	switch {
	case in.Class.IsMemory():
		if st.mask != 0 {
			s.queue = append(s.queue, &pendingAccess{ready: start, warp: w, in: in, store: in.Class == trace.ClassStore})
			w.atomics++
			for _, x := range in.Writes(nil) {
				w.loads[x] = true
			}
		}
	case in.Class == trace.ClassBarrier:
		s.barrier(w, in)
	case in.Class == trace.ClassFence:
		if st.mask != 0 {
			w.heldBy, w.heldUntil = counters.CauseFence, -1
			s.checkFences()
		}
	case in.Class == trace.ClassBranch:
		if st.jumps {
			w.redirect = s.now + m.Latencies.Branch.Cycles
		}
	default:
		for _, x := range in.Writes(nil) {
			w.writes[x] = start + s.latency(in.Class).Cycles
		}
	}
	s.leave(w)
}

// issueStaged is issue into the collectors.
func (s *referenceSM) issueStaged(w *referenceWarp, st step, in *trace.Instruction) {
	if in.Class.IsMemory() {
		if st.mask != 0 {
			s.stage(w, st, in)
			w.atomics++
			for _, x := range in.Writes(nil) {
				w.loads[x] = true
			}
		}
	} else {
		s.stage(w, st, in)
		for _, x := range in.Writes(nil) {
			w.writes[x] = never
		}
	}
	s.leave(w)
}

// never is the time of a write-back that its start, or the banks, decide.
const never = 1 << 40

// leave tells the barriers of a warp that has issued everything.
func (s *referenceSM) leave(w *referenceWarp) {
	if w.over() {
		for id := range w.group.barriers {
			s.release(w.group, w.group.barriers[id])
		}
	}
}

func (s *referenceSM) barrier(w *referenceWarp, in *trace.Instruction) {
	g := w.group
	id := in.Operands[0].Value
	if g.barriers[id] == nil {
		g.barriers[id] = &referenceBarrier{}
	}
	b := g.barriers[id]
	b.arrived++
	b.threads = 0
	if len(in.Operands) > 1 {
		b.threads = int(in.Operands[1].Value)
	}
	b.waiting = append(b.waiting, w)
	w.heldBy, w.heldUntil = counters.CauseBarrier, -1
	s.release(g, b)
}

func (s *referenceSM) release(g *referenceGroup, b *referenceBarrier) {
	running := 0
	for _, w := range g.warps {
		if !w.over() {
			running++
		}
	}
	if b.threads > 0 {
		running = min(running, (b.threads+31)/32)
	}
	if b.arrived == 0 || b.arrived < running {
		return
	}
	for _, w := range b.waiting {
		w.heldUntil = s.now + max(s.machine.SM.Latencies.Barrier.Cycles, 1)
	}
	*b = referenceBarrier{}
}
