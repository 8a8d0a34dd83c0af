// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace"
)

func (s *referenceSM) unit(c trace.OpClass) units.Kind {
	u := &s.machine.SM.Units
	integer, double := units.Int, units.DP
	if u.Int == 0 {
		integer = units.SP
	}
	if u.DP == 0 {
		double = units.SFU
	}
	switch {
	case c.IsMemory():
		return units.LDST
	case c == trace.ClassIntAdd:
		return integer
	case c == trace.ClassF32Fma:
		return units.SP
	case c == trace.ClassF64Add:
		return double
	case c == trace.ClassSpecial:
		return units.SFU
	}
	return units.Control
}

func (s *referenceSM) latency(c trace.OpClass) arch.Latency {
	l := &s.machine.SM.Latencies
	latency := map[trace.OpClass]arch.Latency{
		trace.ClassIntAdd: l.IntAdd, trace.ClassF32Fma: l.F32Fma, trace.ClassF64Add: l.F64Add, trace.ClassSpecial: l.Special,
		trace.ClassLoad: {Interval: 1}, trace.ClassStore: {Interval: 1}, trace.ClassAtomic: {Interval: 1},
	}[c]
	if !c.IsMemory() {
		latency.Cycles += s.machine.SM.WriteBackCycles
	}
	return latency
}

// conflicts counts the reads of the fullest bank beyond the first.
func (s *referenceSM) conflicts(in *trace.Instruction) int {
	most := 0
	for bank := range s.machine.SM.RegisterBanks {
		distinct := map[uint16]bool{}
		for _, x := range in.Reads(nil) {
			if x.File == trace.FileGeneral && int(x.Number)%s.machine.SM.RegisterBanks == bank {
				distinct[x.Number] = true
			}
		}
		most = max(most, len(distinct)-1)
	}
	return most
}

// why says why warp w cannot issue in this cycle: CauseIssued when it can.
func (s *referenceSM) why(w *referenceWarp) counters.Cause {
	switch {
	case w.over():
		return counters.CauseIdle
	case w.heldUntil < 0 || w.heldUntil > s.now:
		return w.heldBy
	case w.decoded == 0:
		return counters.CauseFetch
	}
	in := &s.kernel.Instructions[w.path[w.at].index]
	compute := false
	for _, x := range in.Writes(in.Reads(nil)) {
		if w.loads[x] {
			return counters.CauseMemory
		}
		_, pending := w.writes[x]
		compute = compute || pending
	}
	if compute {
		return counters.CauseCompute
	}
	u := s.unit(in.Class)
	if u == units.Control {
		return counters.CauseIssued
	}
	if s.collectors != nil {
		if s.war(w, in) {
			return counters.CauseOperand
		}
		return s.collectorCause(w, u)
	}
	free := false
	for _, at := range s.unitsOf(w, u) {
		free = free || at <= s.now+s.machine.SM.OperandReadCycles
	}
	switch {
	case u == units.LDST && (!free || len(s.queue) == s.queueSize):
		return counters.CauseLSU
	case !free:
		return counters.CauseUnit
	}
	for _, at := range s.collect {
		if at <= s.now {
			return counters.CauseIssued
		}
	}
	if len(s.collect) > 0 {
		return counters.CauseOperand
	}
	return counters.CauseIssued
}
