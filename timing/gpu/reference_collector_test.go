package gpu

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
}

// referenceSet is the collectors of some kinds of unit; each list has the oldest
// first.
type referenceSet struct {
	arch.CollectorSet
	latch, held, out []*referenceStaged
}

// referenceCollectors is the slow obvious twin of the collectors: lists that are
// searched in every cycle.
type referenceCollectors struct {
	own     map[units.Kind]*referenceSet
	sets    []*referenceSet // in the order in which they act
	reading []*referenceStaged
	taken   map[int]bool // banks, this cycle
	buses   map[int]int  // write-backs by cycle
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
	c := &referenceCollectors{own: map[units.Kind]*referenceSet{}, buses: map[int]int{}}
	k := &m.Collectors
	general := &referenceSet{CollectorSet: k.General}
	c.sets = append(c.sets, general)
	for u, a := range []arch.CollectorSet{k.SP, k.Int, k.DP, k.SFU, k.Tensor, k.LDST} {
		c.own[units.Kind(u)] = general
		if a.Count > 0 {
			c.own[units.Kind(u)] = &referenceSet{CollectorSet: a}
			c.sets = append(c.sets, c.own[units.Kind(u)])
		}
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
	bank := (register + w.slot) % banks
	free := !s.collectors.taken[bank]
	s.collectors.taken[bank] = true
	return free
}

func (s *referenceSM) stage(w *referenceWarp, st step, in *trace.Instruction) {
	set := s.collectors.own[s.unit(in.Class)]
	e := &referenceStaged{warp: w, step: st, in: in, unread: s.accesses(in.Reads(nil))}
	set.latch = append(set.latch, e)
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
func (s *referenceSM) collectorCause(u units.Kind) counters.Cause {
	set := s.collectors.own[u]
	switch {
	case len(set.latch) < set.Ports:
		return counters.CauseIssued
	case len(set.out) < set.Ports:
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
	for len(w.left) > 0 && s.bank(w.warp, w.left[0]) {
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
	for _, set := range c.sets {
		set.out = slices.DeleteFunc(set.out, s.start)
		set.held = slices.DeleteFunc(set.held, func(e *referenceStaged) bool {
			if len(e.unread) > 0 || len(set.out) == set.Ports {
				return false
			}
			set.out = append(set.out, e)
			return true
		})
	}
	for _, e := range c.reading {
		for i, r := range e.unread {
			if s.bank(e.warp, r) {
				e.unread = slices.Delete(e.unread, i, i+1)
				break
			}
		}
	}
	c.reading = slices.DeleteFunc(c.reading, func(e *referenceStaged) bool { return len(e.unread) == 0 })
	for _, set := range c.sets {
		for len(set.latch) > 0 && len(set.held) < set.Count {
			e := set.latch[0]
			set.latch, set.held = set.latch[1:], append(set.held, e)
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
		unit := earliest(s.freeAt[s.unit(in.Class)])
		end, buses := s.now+l.Cycles, s.machine.SM.ResultBuses
		writes := len(in.Writes(nil)) > 0
		if *unit > s.now || writes && buses > 0 && s.collectors.buses[end] == buses {
			return false
		}
		*unit = s.now + l.Interval
		if writes {
			s.collectors.buses[end]++
			s.collectors.writes = append(s.collectors.writes, &referenceWrite{at: end, warp: w, in: in, left: s.accesses(in.Writes(nil))})
		}
	}
	w.staged = slices.DeleteFunc(w.staged, func(x *referenceStaged) bool { return x == e })
	return true
}
