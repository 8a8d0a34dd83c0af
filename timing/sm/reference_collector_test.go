// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace"
)

// referenceStaged is an instruction between issue and execution.
type referenceStaged struct {
	warp   *referenceWarp
	step   step
	in     *trace.Instruction
	unread []int // registers
	number int   // in the order of issue
	lane   *referenceLane
}

// referenceSet is the collectors that share a count.
type referenceSet struct {
	count int
	held  []*referenceStaged // the oldest first
}

// referenceLane is a latch in front of collectors and one behind; each list has the
// oldest first.
type referenceLane struct {
	*referenceSet
	ports, part int
	memory      bool
	latch, out  []*referenceStaged
}

// referenceCollectors is the slow obvious twin of the collectors: lists that are
// searched in every cycle.
type referenceCollectors struct {
	own     []map[units.Kind]*referenceLane // by sub-core
	sets    []*referenceSet                 // in the order in which they act
	lanes   []*referenceLane                // likewise
	reading []*referenceStaged
	taken   map[int]bool         // banks, this cycle
	buses   map[int]int          // write-backs by cycle
	results map[*int]map[int]int // the same of a unit
	issued  int
	writes  []*referenceWrite
}

// referenceWrite is a result on its way to the registers.
type referenceWrite struct {
	at   int
	warp *referenceWarp
	in   *trace.Instruction
	left []int
	load bool
}

func newReferenceCollectors(m *arch.SM) *referenceCollectors {
	if !m.Collects() {
		return nil
	}
	c := &referenceCollectors{buses: map[int]int{}, results: map[*int]map[int]int{}}
	k := &m.Collectors
	parts := m.SubCoreCount()
	lane := func(set *referenceSet, ports, part int) *referenceLane {
		l := &referenceLane{referenceSet: set, ports: ports, part: part}
		c.lanes = append(c.lanes, l)
		return l
	}
	for part := range parts {
		own := map[units.Kind]*referenceLane{}
		c.own = append(c.own, own)
		general := &referenceSet{count: k.General.Count / parts}
		c.sets = append(c.sets, general)
		var shared *referenceLane
		sets := []arch.CollectorSet{k.SP, k.Int, k.DP, k.SFU, k.Tensor, k.LDST}
		for u, a := range sets {
			if a.Count > 0 {
				continue
			}
			if shared == nil || parts > 1 {
				shared = lane(general, k.General.Ports, part)
			}
			own[units.Kind(u)] = shared
		}
		for u, a := range sets {
			if a.Count > 0 {
				set := &referenceSet{count: a.Count / parts}
				c.sets = append(c.sets, set)
				own[units.Kind(u)] = lane(set, a.Ports, part)
			}
		}
		own[units.LDST].memory = parts > 1
	}
	return c
}

// accesses lists the registers that go through the banks, each once.
func (s *referenceSM) accesses(registers []trace.Register) []int {
	var out []int
	for _, x := range registers {
		n := max(int(x.Words), 1)
		if s.machine.SM.Collectors.WholeOperands {
			n = 1
		}
		for k := range n {
			if r := int(x.Number) + k; x.File == trace.FileGeneral && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// bank takes the bank of a register; false when it is taken in this cycle.
func (s *referenceSM) bank(w *referenceWarp, register int) bool {
	banks := s.machine.SM.RegisterBanks
	if banks == 0 {
		return true
	}
	parts := s.machine.SM.SubCoreCount()
	banks /= parts
	bank := (register+w.slot)%banks + w.slot%parts*banks
	free := !s.collectors.taken[bank]
	s.collectors.taken[bank] = true
	return free
}

// laneOf is the lane that w issues into for kind u.
func (s *referenceSM) laneOf(w *referenceWarp, u units.Kind) *referenceLane {
	return s.collectors.own[w.slot%s.machine.SM.SubCoreCount()][u]
}

func (s *referenceSM) stage(w *referenceWarp, st step, in *trace.Instruction) {
	l := s.laneOf(w, s.unit(in.Class))
	e := &referenceStaged{warp: w, step: st, in: in, unread: s.accesses(in.Reads(nil)), number: s.collectors.issued, lane: l}
	s.collectors.issued++
	l.latch = append(l.latch, e)
	w.staged = append(w.staged, e)
}

// war reports whether in, the next instruction of w, writes what an older one has
// yet to read.
func (s *referenceSM) war(w *referenceWarp, in *trace.Instruction) bool {
	return s.machine.SM.WARHazards && slices.ContainsFunc(in.Writes(nil), func(x trace.Register) bool { return s.unread(w, x) })
}

// unread reports whether an older instruction of w has yet to read x.
func (s *referenceSM) unread(w *referenceWarp, x trace.Register) bool {
	for _, e := range w.staged {
		for _, y := range e.in.Reads(nil) {
			if len(e.unread) > 0 && x.File == trace.FileGeneral && y.File == trace.FileGeneral && overlap(x, y) {
				return true
			}
		}
	}
	return false
}

func overlap(x, y trace.Register) bool {
	return int(x.Number) < int(y.Number)+max(int(y.Words), 1) && int(y.Number) < int(x.Number)+max(int(x.Words), 1)
}

// collectorCause says why w cannot issue to kind u; CauseIssued when it can.
func (s *referenceSM) collectorCause(w *referenceWarp, u units.Kind) counters.Cause {
	set := s.laneOf(w, u)
	switch {
	case len(set.latch) < set.ports:
		return counters.CauseIssued
	case len(set.out) < set.ports:
		return counters.CauseOperand
	case u == units.LDST:
		return counters.CauseLSU
	}
	return counters.CauseUnit
}

// writeBack writes what is due, the last scheduled first, as the banks allow.
func (s *referenceSM) writeBack() {
	pending := slices.Clone(s.collectors.writes)
	s.collectors.writes = nil
	var rest, late []*referenceWrite
	for _, w := range slices.Backward(pending) {
		switch {
		case w.at > s.now:
			rest = append(rest, w)
		case !s.written(w):
			w.at = s.now + 1
			late = append(late, w)
		}
	}
	slices.Reverse(rest)
	s.collectors.writes = append(rest, late...)
}

// written writes the registers that the banks take; true when all are written.
func (s *referenceSM) written(w *referenceWrite) bool {
	pass := !w.load && s.machine.SM.Collectors.ResultsPass
	for len(w.left) > 0 && (s.bank(w.warp, w.left[0]) || pass) {
		w.left = w.left[1:]
	}
	if len(w.left) > 0 {
		return false
	}
	for _, x := range w.in.Writes(nil) {
		if w.load {
			delete(w.warp.loads, x)
		} else {
			delete(w.warp.writes, x)
		}
	}
	if w.load {
		w.warp.atomics--
	}
	return true
}

// collectOperands is one cycle of the stage, from the units backwards.
func (s *referenceSM) collectOperands() {
	c := s.collectors
	s.startMemory()
	for _, l := range c.lanes {
		if !l.memory {
			l.out = slices.DeleteFunc(l.out, s.start)
		}
	}
	for n := range max(s.machine.SM.Collectors.Steps, 1) {
		if n > 0 {
			c.taken = map[int]bool{}
		}
		s.collectStep()
	}
}

// startMemory starts the oldest memory instruction of all sub-cores.
func (s *referenceSM) startMemory() {
	var oldest *referenceLane
	for _, l := range s.collectors.lanes {
		if l.memory && len(l.out) > 0 && (oldest == nil || l.out[0].number < oldest.out[0].number) {
			oldest = l
		}
	}
	if oldest != nil {
		oldest.out = slices.DeleteFunc(oldest.out, s.start)
	}
}

// collectStep is one step of the collectors.
func (s *referenceSM) collectStep() {
	c := s.collectors
	for _, set := range c.sets {
		set.held = slices.DeleteFunc(set.held, func(e *referenceStaged) bool {
			if len(e.unread) > 0 || len(e.lane.out) == e.lane.ports {
				return false
			}
			e.lane.out = append(e.lane.out, e)
			return true
		})
	}
	for _, e := range c.reading {
		one := false
		e.unread = slices.DeleteFunc(e.unread, func(r int) bool {
			if one && !s.machine.SM.Collectors.ParallelReads || !s.bank(e.warp, r) {
				return false
			}
			one = true
			return true
		})
	}
	c.reading = slices.DeleteFunc(c.reading, func(e *referenceStaged) bool { return len(e.unread) == 0 })
	for _, l := range c.lanes {
		for len(l.latch) > 0 && len(l.held) < l.count {
			e := l.latch[0]
			l.latch, l.held = l.latch[1:], append(l.held, e)
			if len(e.unread) > 0 {
				c.reading = append(c.reading, e)
			}
		}
	}
}

// start starts an instruction that has its operands; false when its unit, the
// port or the result buses do not take it.
func (s *referenceSM) start(e *referenceStaged) bool {
	w, in := e.warp, e.in
	if in.Class.IsMemory() {
		if s.taken == s.now {
			return false
		}
		s.enterPort(&pendingAccess{warp: w, in: in, store: in.Class == trace.ClassStore})
	} else {
		l := s.latency(in.Class)
		end, buses := s.now+l.Cycles, s.machine.SM.ResultBuses
		writes := len(in.Writes(nil)) > 0
		unit := s.freeUnit(w, s.unit(in.Class), end, writes)
		if unit == nil || writes && buses > 0 && s.collectors.buses[end] == buses {
			return false
		}
		*unit = s.now + l.Interval
		if writes {
			s.collectors.buses[end]++
			s.collectors.results[unit][end]++
			s.collectors.writes = append(s.collectors.writes, &referenceWrite{at: end, warp: w, in: in, left: s.accesses(in.Writes(nil))})
		}
	}
	w.staged = slices.DeleteFunc(w.staged, func(x *referenceStaged) bool { return x == e })
	return true
}

// freeUnit is a unit of kind u that takes an instruction of w whose result is there at end,
// nil for none.
func (s *referenceSM) freeUnit(w *referenceWarp, u units.Kind, end int, writes bool) *int {
	all, parts := s.freeAt[u], s.machine.SM.SubCoreCount()
	n := len(all) / parts
	for i := w.slot % parts * n; i < w.slot%parts*n+n; i++ {
		unit := &all[i]
		if s.collectors.results[unit] == nil {
			s.collectors.results[unit] = map[int]int{}
		}
		if limit := s.machine.SM.UnitResults; *unit <= s.now && !(writes && limit > 0 && s.collectors.results[unit][end] == limit) {
			return unit
		}
	}
	return nil
}
