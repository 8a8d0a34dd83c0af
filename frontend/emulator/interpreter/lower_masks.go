// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// withConstant lowers instructions of one operand that are another one with a constant
// as well, for which there is a loop in assembly. Signs are bits to clear or turn over, and
// narrow unsigned integers low bits to keep. ok is false for all others.
func (l *lowering) withConstant(in *ptx.Instruction) (op operation, ok bool, err error) {
	t, v, constant := in.Type(), lanes.VectorNone, uint64(0)
	switch {
	case in.Mods.Has(ptx.ModFtz) || in.Mods.Has(ptx.ModSat):
	case in.Op == ptx.OpCvt:
		return l.maskedConversion(in)
	case in.Op == ptx.OpNot && t.Bits() >= 32 && t != ptx.Pred:
		v, constant = lanes.VectorXor32, ^uint64(0)
	case in.Op == ptx.OpNeg && (t == ptx.F32 || t == ptx.F64):
		v, constant = lanes.VectorXor32, 1<<(t.Bits()-1)
	case in.Op == ptx.OpAbs && (t == ptx.F32 || t == ptx.F64):
		v, constant = lanes.VectorAnd32, 1<<(t.Bits()-1)-1
	}
	if v == lanes.VectorNone {
		return operation{}, false, nil
	}
	op, err = l.lanesOperation(in, bitLoop(v, t.Bits()), t.Bits(), t.Bits())
	op.b = l.layout.constant(truncate(constant, t.Bits()), op.wide)
	return op, true, err
}

// bitLoop is and or xor of lanes of the given width.
func bitLoop(v lanes.VectorOp, bits int) lanes.Loop {
	switch {
	case v == lanes.VectorAnd32 && bits == 64:
		return lanes.VectorAnd64.Or(lanes.And[uint64])
	case v == lanes.VectorAnd32:
		return lanes.VectorAnd32.Or(lanes.And[uint32])
	case bits == 64:
		return lanes.VectorXor64.Or(lanes.Xor[uint64])
	}
	return lanes.VectorXor32.Or(lanes.Xor[uint32])
}

// maskedConversion lowers conversions between integers of up to 32 bits that keep low
// bits and clear those above.
func (l *lowering) maskedConversion(in *ptx.Instruction) (op operation, ok bool, err error) {
	to, from := in.Types[0], in.Types[1]
	sourceBits, destinationBits := registerBits(&in.Operands[1], from), registerBits(&in.Operands[0], to)
	if in.Mods.Has(ptx.ModPack) || to.Float() || from.Float() || max(sourceBits, destinationBits) > 32 {
		return operation{}, false, nil
	}
	kept := from.Bits()
	if to.Bits() <= from.Bits() {
		if kept = to.Bits(); to.Signed() && destinationBits > kept {
			return operation{}, false, nil // its sign is extended
		}
	} else if from.Signed() {
		return operation{}, false, nil
	}
	d, err := l.destination(&in.Operands[0], destinationBits)
	if err != nil {
		return operation{}, true, err
	}
	a, err := l.source(&in.Operands[1], sourceBits)
	b := l.layout.constant(truncate(^uint64(0), min(kept, destinationBits)), false)
	return operation{kind: kindLanes, d: d, a: a, b: b, loop: bitLoop(lanes.VectorAnd32, 32)}, true, err
}
