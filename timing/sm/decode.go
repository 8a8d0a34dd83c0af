// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace"
)

// decoder carries what decoding all instructions of a kernel shares.
type decoder struct {
	kernel     *trace.Kernel
	machine    *arch.Machine
	program    *Program
	noCopies   []string // why the machine has no bulk copies; empty: it has
	units      [units.Kinds]int
	predicates int // number of the first predicate bit in the scoreboard
	bits       []uint64
	registers  []trace.Register
}

func newDecoder(k *trace.Kernel, m *arch.Machine, p *Program) *decoder {
	d := &decoder{noCopies: m.Taken(arch.BulkCopies), kernel: k, machine: m, program: p, units: units.Counts(&m.SM.Units)}
	var general, predicate int
	for i := range k.Instructions {
		d.registers = k.Instructions[i].Writes(k.Instructions[i].Reads(d.registers[:0]))
		for _, r := range d.registers {
			n := int(r.Number) + max(int(r.Words), 1)
			if r.File == trace.FilePredicate {
				predicate = max(predicate, n)
			} else {
				general = max(general, n)
			}
		}
	}
	d.predicates = general
	p.words = max((general+predicate+63)/64, 1)
	d.bits = make([]uint64, p.words)
	return d
}

func (d *decoder) decode(i int) error {
	in := &d.kernel.Instructions[i]
	if int(in.Class) >= trace.ClassCount {
		return fmt.Errorf("has the unknown operation class %d; the trace is damaged or from a newer version", in.Class)
	}
	if err := Lacking(&d.machine.SM.Lacks, d.noCopies, in); err != nil {
		return err
	}
	unit, err := units.ForInstruction(&d.machine.SM, in, &d.units)
	if err != nil {
		return err
	}
	if unit == units.Control && in.Class != trace.ClassFence && d.machine.SM.ControlOnUnits() {
		unit = units.ForControl(&d.units)
	}
	op := &d.program.code[i]
	*op = operation{
		unit: unit, triggers: switching.Of(in), kind: kindOf(in.Class), class: in.Class, function: in.SpecialFunction(),
		space: in.Space, laneBytes: in.LaneBytes, guarded: in.Guarded(),
		bypass: slices.Contains(in.Modifiers, "cg") || slices.Contains(in.Modifiers, "cv") || slices.Contains(in.Modifiers, "volatile"),
	}
	if d.machine.SM.VectorAccesses == "first" {
		op.laneBytes /= vectorElements(in)
	}
	op.bulkStore = in.Class == trace.ClassBulk && slices.Contains(in.Modifiers, "bulk_group")
	if op.mbarrier = mbarrierRoleOf(in); op.mbarrier == mbarrierStore {
		op.txBytes = in.LaneBytes
	}
	op.async = asyncRoleOf(in)
	d.program.multiplies = d.program.multiplies || op.async.products
	op.arrivesAtCluster = arrivesAtCluster(in)
	d.operands(op, in)
	d.timing(op, in)
	if op.kind == kindBarrier {
		decodeBarrier(op, in)
	}
	return nil
}

// vectorElements is the number of elements that a lane moves.
func vectorElements(in *trace.Instruction) uint8 {
	for _, m := range in.Modifiers {
		switch m {
		case "v2":
			return 2
		case "v4":
			return 4
		case "v8":
			return 8
		}
	}
	return 1
}

func kindOf(c trace.OpClass) kind {
	switch c {
	case trace.ClassBulk:
		return kindBulk
	case trace.ClassLoad, trace.ClassTexture, trace.ClassAtomic:
		return kindLoad
	case trace.ClassStore:
		return kindStore
	case trace.ClassBarrier:
		return kindBarrier
	case trace.ClassFence:
		return kindFence
	case trace.ClassBranch, trace.ClassCall, trace.ClassExit, trace.ClassNop, trace.ClassInvalid:
		return kindControl
	}
	return kindExecute
}

// timing sets the cycles from issue to start and to write-back.
func (d *decoder) timing(op *operation, in *trace.Instruction) {
	class := in.Class
	if op.kind == kindBarrier || op.kind == kindFence || op.kind == kindControl {
		l := units.LatencyOf(&d.machine.SM.Latencies, class)
		op.timing.Result, op.timing.Interval = int32(l.Cycles), int32(l.Interval)
		return
	}
	if !d.machine.SM.Collects() {
		op.timing.Start = int32(d.machine.SM.OperandReadCycles) + int32(op.conflicts)
	}
	op.timing.Interval = 1
	if op.unit != units.LDST {
		l := units.LatencyOfInstruction(&d.machine.SM, in)
		op.timing.Result, op.timing.Interval = op.timing.Start+int32(l.Cycles+d.machine.SM.WriteBackCycles), int32(l.Interval)
	}
}
