// SPDX-License-Identifier: Apache-2.0

package lanes

import "github.com/warptape/warptape/frontend/ptx"

// PackedLoop is add, min and max on two integers of 16 bits (9.7.1.1, 9.7.1.12,
// 9.7.1.13): no carry passes from the lower to the upper one.
func PackedLoop(in *ptx.Instruction) Loop {
	if in.Type() == ptx.U16x2 {
		return halvesOf[uint16](in.Op, false)
	}
	return halvesOf[int16](in.Op, in.Mods.Has(ptx.ModRelu))
}

func halvesOf[T Short](op ptx.Opcode, relu bool) Loop {
	one := shortFunction[T](op)
	if one == nil {
		return nil
	}
	each := func(a, b uint32) uint32 {
		v := one(T(a), T(b))
		if relu {
			v = max(v, 0)
		}
		return uint32(uint16(v))
	}
	return Each2(func(a, b uint32) uint32 { return each(a, b) | each(a>>16, b>>16)<<16 })
}

// shortFunction is what a packed instruction does to one half.
func shortFunction[T Short](op ptx.Opcode) func(a, b T) T {
	switch op {
	case ptx.OpAdd:
		return func(a, b T) T { return a + b }
	case ptx.OpMin:
		return func(a, b T) T { return min(a, b) }
	case ptx.OpMax:
		return func(a, b T) T { return max(a, b) }
	}
	return nil
}

// ReluLoop is min.relu.s32 and max.relu.s32: what is negative becomes zero.
func ReluLoop(op ptx.Opcode) Loop {
	if op == ptx.OpMax {
		return Each2(func(a, b int32) int32 { return max(a, b, 0) })
	}
	return Each2(func(a, b int32) int32 { return max(min(a, b), 0) })
}
