package sm

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

// decoder carries what decoding all instructions of a kernel shares.
type decoder struct {
	kernel     *trace.Kernel
	machine    *arch.Machine
	program    *Program
	units      [unitCount]int
	predicates int // number of the first predicate bit in the scoreboard
	bits       []uint64
	registers  []trace.Register
}

func newDecoder(k *trace.Kernel, m *arch.Machine, p *Program) *decoder {
	d := &decoder{kernel: k, machine: m, program: p, units: unitCounts(&m.SM.Units)}
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
	if err := lacking(&d.machine.SM.Lacks, in); err != nil {
		return err
	}
	unit, err := unitFor(in.Class, &d.units)
	if err != nil {
		return err
	}
	op := &d.program.code[i]
	*op = operation{
		unit: unit, triggers: triggerOf(in), kind: kindOf(in.Class), class: in.Class,
		space: in.Space, laneBytes: in.LaneBytes, guarded: in.Guarded(),
		bypass: slices.Contains(in.Modifiers, "cg") || slices.Contains(in.Modifiers, "cv") || slices.Contains(in.Modifiers, "volatile"),
	}
	d.operands(op, in)
	d.timing(op, in.Class)
	if op.kind == kindBarrier {
		decodeBarrier(op, in)
	}
	return nil
}

func kindOf(c trace.OpClass) kind {
	switch c {
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
func (d *decoder) timing(op *operation, class trace.OpClass) {
	if op.kind == kindBarrier || op.kind == kindFence || op.kind == kindControl {
		l := LatencyOf(&d.machine.SM.Latencies, class)
		op.resultCycles, op.intervalCycles = int32(l.Cycles), int32(l.Interval)
		return
	}
	if !d.machine.SM.Collects() {
		op.startCycles = int32(d.machine.SM.OperandReadCycles) + int32(op.conflicts)
	}
	op.intervalCycles = 1
	if op.unit != UnitLDST {
		l := LatencyOf(&d.machine.SM.Latencies, class)
		op.resultCycles, op.intervalCycles = op.startCycles+int32(l.Cycles), int32(l.Interval)
	}
}
