// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// CountByInstruction names the counters of each instruction of the launch that follows,
// which the SM and its port then keep in addition to their own; nil for none. Several SMs
// of a machine may share them.
func (s *SM) CountByInstruction(byInstruction []counters.Set) {
	s.byInstruction = byInstruction
	if p := s.entry.ByInstruction; p != nil {
		p.CountByInstruction(byInstruction)
	}
}

// count counts so many issues of an instruction with so many lanes in all.
func (op *operation) count(set *counters.Set, issued, lanes uint64) {
	set[counters.IssuedWarp] += issued
	set[op.unit.Counter()] += issued
	set[counters.RegisterRead] += issued * uint64(op.reads)
	set[counters.RegisterWrite] += issued * uint64(op.writes)
	set[counters.RegisterBankConflict] += issued * uint64(op.conflicts)
	set[counters.IssuedThread] += lanes
	set[counters.LaneOps(op.class)] += lanes
	if op.function != trace.NotSpecial {
		set[counters.SpecialOps(op.function)] += lanes
	}
	set[counters.RegisterLaneRead] += lanes * uint64(op.reads)
	set[counters.RegisterLaneWrite] += lanes * uint64(op.writes)
}
