// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// logic lowers and, or, xor, not, shl and shr, on bits and on predicates.
func (l *lowering) logic(in *ptx.Instruction) (operation, error) {
	t := in.Type()
	switch {
	case t == ptx.Pred:
		return l.predicateLogic(in)
	case in.Op == ptx.OpShl || in.Op == ptx.OpShr:
		shape := *in
		shape.Operands = in.Operands[:2]
		op, err := l.lanesOperation(&shape, shiftLoop(in), t.Bits(), t.Bits())
		if err == nil {
			op.b, err = l.source(&in.Operands[2], 32)
		}
		return op, err
	case in.Op == ptx.OpNot && t.Bits() == 16:
		return l.lanesOperation(in, lanes.Short1(func(a uint16) uint16 { return ^a }), 16, 16)
	case t.Bits() == 64:
		return l.lanesOperation(in, logicLoop[uint64](in.Op), 64, 64)
	}
	return l.lanesOperation(in, logicLoop[uint32](in.Op), 32, t.Bits())
}

func logicLoop[T lanes.Integer](op ptx.Opcode) lanes.Loop {
	switch op {
	case ptx.OpAnd:
		return lanes.OfWidth[T](lanes.VectorAnd32, lanes.VectorAnd64).Or(lanes.And[T])
	case ptx.OpOr:
		return lanes.OfWidth[T](lanes.VectorOr32, lanes.VectorOr64).Or(lanes.Or[T])
	case ptx.OpXor:
		return lanes.OfWidth[T](lanes.VectorXor32, lanes.VectorXor64).Or(lanes.Xor[T])
	}
	return lanes.Each1(func(a T) T { return ^a })
}

func shiftLoop(in *ptx.Instruction) lanes.Loop {
	left, t := in.Op == ptx.OpShl, in.Type()
	switch t.Bits() {
	case 16:
		switch {
		case left:
			return lanes.Shift16(func(a uint16, n uint32) uint16 { return a << n })
		case t.Signed():
			return lanes.Shift16(func(a int16, n uint32) int16 { return a >> n })
		}
		return lanes.Shift16(func(a uint16, n uint32) uint16 { return a >> n })
	case 32:
		return pick(left, lanes.VectorShl32.Or(lanes.Shl[uint32]), pick(t.Signed(), lanes.VectorShrS32.Or(lanes.Shr[int32]), lanes.VectorShrU32.Or(lanes.Shr[uint32])))
	case 64:
		return pick(left, lanes.VectorShl64.Or(lanes.Shl[uint64]), pick(t.Signed(), lanes.VectorShrS64.Or(lanes.Shr[int64]), lanes.VectorShrU64.Or(lanes.Shr[uint64])))
	}
	return nil
}

// predicateOperation is logic or mov on predicates: d = a op b.
type predicateOperation struct {
	d, a, b      uint32
	aFlip, bFlip uint32
	combine      combination
}

func (l *lowering) predicateLogic(in *ptx.Instruction) (operation, error) {
	k := &predicateOperation{}
	var err error
	if k.d, err = l.predicateResult(&in.Operands[0]); err != nil {
		return operation{}, err
	}
	if k.a, k.aFlip, err = l.predicate(&in.Operands[1]); err != nil {
		return operation{}, err
	}
	switch in.Op {
	case ptx.OpAnd:
		k.combine = combineAnd
	case ptx.OpOr:
		k.combine = combineOr
	case ptx.OpXor:
		k.combine = combineXor
	case ptx.OpNot:
		k.aFlip ^= lanes.FullMask
	}
	if k.combine != combineNone {
		k.b, k.bFlip, err = l.predicate(&in.Operands[2])
	}
	return operation{kind: kindRun, run: runPredicate, extra: k}, err
}

func runPredicate(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*predicateOperation)
	v := k.combine.apply(c.predicates[k.a]^k.aFlip, c.predicates[k.b]^k.bFlip)
	if k.d != sink {
		c.setPredicate(k.d, v, mask)
	}
	return nil
}

// move lowers mov: registers, addresses, special registers, and the packing
// and unpacking of vectors (9.7.9.4).
func (l *lowering) move(in *ptx.Instruction) (operation, error) {
	t := in.Type()
	switch {
	case t == ptx.Pred:
		return l.predicateLogic(in)
	case t == ptx.B128 || in.Vector > 1:
		return l.copyVector(in)
	case in.Operands[0].Kind == ptx.OperandVector:
		return l.unpack(in)
	case in.Operands[1].Kind == ptx.OperandVector:
		return l.pack(in)
	case t.Bits() == 64:
		return l.lanesOperation(in, lanes.Move[uint64], 64, 64)
	case t.Bits() == 16:
		// A 32-bit special register may be moved to 16 bits.
		return l.lanesOperation(in, lanes.Short1(func(a uint16) uint16 { return a }), 16, 16)
	}
	return l.lanesOperation(in, lanes.Move[uint32], 32, 32)
}

// vectorMove packs or unpacks: element i holds bits i*width and up.
type vectorMove struct {
	whole     uint32
	wholeWide bool
	elements  []uint32 // sink where nothing is wanted
	width     int
}

func (l *lowering) pack(in *ptx.Instruction) (operation, error) {
	elements := in.Operands[1].Elements
	k, err := l.vectorMove(in, elements)
	if err != nil {
		return operation{}, err
	}
	for i := range elements {
		if k.elements[i], err = l.source(&elements[i], k.width); err != nil {
			return operation{}, err
		}
	}
	k.whole, err = l.destination(&in.Operands[0], in.Type().Bits())
	return operation{kind: kindRun, run: runPack, extra: k}, err
}

func (l *lowering) unpack(in *ptx.Instruction) (operation, error) {
	elements := in.Operands[0].Elements
	k, err := l.vectorMove(in, elements)
	if err != nil {
		return operation{}, err
	}
	for i := range elements {
		if elements[i].Kind == ptx.OperandSink {
			k.elements[i] = sink
			continue
		}
		if k.elements[i], err = l.destination(&elements[i], k.width); err != nil {
			return operation{}, err
		}
	}
	k.whole, err = l.source(&in.Operands[1], in.Type().Bits())
	return operation{kind: kindRun, run: runUnpack, extra: k}, err
}

// vectorCopy moves registers to as many others: mov.v2 and mov.v4, and mov.b128,
// whose registers are two of 64 bits each. Destinations are sink where nothing
// is wanted.
type vectorCopy struct {
	from, to []uint32
	bits     int
}

func (l *lowering) copyVector(in *ptx.Instruction) (operation, error) {
	k := &vectorCopy{bits: min(in.Type().Bits(), 64)}
	var err error
	if k.to, err = l.copied(&in.Operands[0], k.bits, false); err != nil {
		return operation{}, err
	}
	if k.from, err = l.copied(&in.Operands[1], k.bits, true); err != nil {
		return operation{}, err
	}
	if len(k.from) != len(k.to) || len(k.from) > maxCopied {
		return operation{}, errUnsupported
	}
	return operation{kind: kindRun, run: runVectorCopy, extra: k}, nil
}

// copied gives the slots of one side.
func (l *lowering) copied(o *ptx.Operand, bits int, source bool) ([]uint32, error) {
	if o.Kind != ptx.OperandVector {
		slot, err := l.elementSlot(o, 128, source)
		return []uint32{slot, upperHalf(slot)}, err
	}
	slots := make([]uint32, len(o.Elements))
	for i := range slots {
		if o.Elements[i].Kind == ptx.OperandSink {
			slots[i] = sink
			continue
		}
		var err error
		if slots[i], err = l.elementSlot(&o.Elements[i], bits, source); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// maxCopied is the most registers that one mov moves.
const maxCopied = 4

// runVectorCopy reads all before it writes one: registers may be on both sides.
func runVectorCopy(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*vectorCopy)
	var copies [maxCopied][trace.WarpSize]uint64
	for n, slot := range k.from {
		for i := range copies[n] {
			copies[n][i] = c.lane(slot, k.bits == 64, i)
		}
	}
	for n, slot := range k.to {
		if slot == sink {
			continue
		}
		for m := mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			c.setLane(slot, k.bits == 64, i, truncate(copies[n][i], k.bits))
		}
	}
	return nil
}

func (l *lowering) vectorMove(in *ptx.Instruction, elements []ptx.Operand) (*vectorMove, error) {
	bits := in.Type().Bits()
	width := bits / max(len(elements), 1)
	if width < 8 || width > 32 {
		return nil, errUnsupported
	}
	return &vectorMove{wholeWide: bits == 64, elements: make([]uint32, len(elements)), width: width}, nil
}

func runPack(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*vectorMove)
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		var v uint64
		for e, slot := range k.elements {
			v |= truncate(uint64(lanes.Of[uint32](c.at(slot))[i]), k.width) << (e * k.width)
		}
		c.setLane(k.whole, k.wholeWide, i, v)
	}
	return nil
}

func runUnpack(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*vectorMove)
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		v := c.lane(k.whole, k.wholeWide, i)
		for e, slot := range k.elements {
			if slot != sink {
				lanes.Of[uint32](c.at(slot))[i] = uint32(truncate(v>>(e*k.width), k.width))
			}
		}
	}
	return nil
}

// lane reads one lane of a slot.
func (c *warpContext) lane(slot uint32, wide bool, i int) uint64 {
	if wide {
		return lanes.Of[uint64](c.at(slot))[i]
	}
	return uint64(lanes.Of[uint32](c.at(slot))[i])
}

// setLane writes one lane of a slot.
func (c *warpContext) setLane(slot uint32, wide bool, i int, v uint64) {
	if wide {
		lanes.Of[uint64](c.at(slot))[i] = v
	} else {
		lanes.Of[uint32](c.at(slot))[i] = uint32(v)
	}
}

// address lowers cvta and isspacep (9.7.9.19, 9.7.9.20).
func (l *lowering) address(in *ptx.Instruction) (operation, error) {
	if in.Op == ptx.OpIsspacep {
		return l.isInSpace(in)
	}
	base := memory.WindowBase(in.Space)
	if in.Mods.Has(ptx.ModTo) {
		base = -base
	}
	bits := in.Type().Bits()
	switch {
	case base == 0 && bits == 64:
		return l.lanesOperation(in, lanes.Move[uint64], 64, 64)
	case base == 0:
		return l.lanesOperation(in, lanes.Move[uint32], 32, 32)
	case bits == 64:
		return l.lanesOperation(in, lanes.Each1(func(a uint64) uint64 { return a + base }), 64, 64)
	}
	return l.lanesOperation(in, lanes.Each1(func(a uint32) uint32 { return a + uint32(base) }), 32, 32)
}

// isInSpace lowers isspacep. The param window lies in the global space
// (6.4.1.1), so that .global is true there as well.
func (l *lowering) isInSpace(in *ptx.Instruction) (operation, error) {
	bits := 64
	if r := in.Operands[1].Register; r != nil {
		bits = r.Type.Bits()
	}
	a, err := l.source(&in.Operands[1], bits)
	if err != nil {
		return operation{}, err
	}
	p, err := l.predicateResult(&in.Operands[0])
	space, base := in.Space, memory.WindowBase(in.Space)
	in64 := func(a, _ uint64) bool {
		if space == ptx.SpaceGlobal {
			return a >= memory.GlobalBase || memory.InWindow(a, memory.ParamWindowBase)
		}
		return memory.InWindow(a, base)
	}
	k := &comparison{p: p, q: sink, relation: lanes.RelateEach(in64)}
	if bits != 64 {
		k.relation = lanes.RelateEach(func(a, _ uint32) bool { return in64(uint64(a), 0) })
	}
	return operation{kind: kindCompare, a: a, b: a, compare: k}, err
}
