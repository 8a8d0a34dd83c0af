// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/operand"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/waiting"
)

// What lies behind the operand collectors of machines that have an arbiter of register
// banks: SM is their operand.Execution.

// stage sends an instruction of warp w that issues now to the collectors.
func (s *SM) stage(now clock.Cycle, w int, op *operation) *operand.Staged {
	return s.collectors.Stage(now, operand.Instruction{
		Index: s.warps[w].index, Warp: uint8(w), Kind: op.unit, Operands: &op.operands,
	})
}

// Execute implements operand.Execution.
func (s *SM) Execute(now clock.Cycle, x *operand.Staged) bool {
	if x.Kind == units.LDST {
		if !s.PortReady(now) {
			return false
		}
		s.enterPort(now, x.Access)
		return true
	}
	op := &s.program.code[x.Index]
	timing, writes := op.timing, !op.written.Empty()
	if op.kind != kindExecute { // a branch or barrier, which ends like all others
		timing.Result += int32(s.machine.SM.WriteBackCycles)
		writes = true
	}
	end, ok := s.units.Start(now, op.unit, s.subCore(int(x.Warp)), &timing, writes)
	if !ok {
		return false
	}
	w := int(x.Warp)
	if writes {
		s.plan(end, eventWriteBack, w, x.Index)
		return true
	}
	s.warps[w].outstanding--
	s.tryRetire(w)
	return true
}

// subCore is the sub-core of a warp slot.
func (s *SM) subCore(w int) int {
	if s.subCores == nil {
		return 0
	}
	return w % len(s.subCores)
}

// PortReady implements operand.Execution: it reports whether a memory instruction can be handed
// on, to the port or to another SM of the cluster.
func (s *SM) PortReady(now clock.Cycle) bool { return s.sends <= now && s.port.Ready(now) }

// OperandsRead implements operand.Execution.
func (s *SM) OperandsRead(w int) {
	if s.waiting.Of(w) == waiting.Operand {
		s.evaluate(w)
	}
}

// moved reports whether an instruction has moved in the collectors since it was
// asked last.
func (s *SM) moved() bool { return s.collectors != nil && s.collectors.Moved() }
