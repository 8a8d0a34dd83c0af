// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math/bits"
	"unsafe"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// bitwise lowers the integer instructions that have no floating-point form.
func (l *lowering) bitwise(in *ptx.Instruction) (operation, error) {
	t := in.Type()
	switch in.Op {
	case ptx.OpPopc, ptx.OpClz, ptx.OpBfind:
		return l.lanesOperation(in, countLoop(in), 32, t.Bits())
	case ptx.OpBfe:
		return l.bitField(in)
	case ptx.OpLop3:
		return l.lookup3(in)
	case ptx.OpDp4a:
		return l.lanesOperation(in, orNil3(dp4aOf(in.Types[0], in.Types[1])), 32, 32)
	case ptx.OpPrmt:
		return l.lanesOperation(in, lanes.Each3(permuteOf(in)), 32, 32)
	case ptx.OpShf:
		return l.lanesOperation(in, lanes.Each3(funnelOf(in)), 32, 32)
	case ptx.OpSad:
		return l.lanesOperation(in, sadLoop(t), t.Bits(), t.Bits())
	}
	return l.lanesOperation(in, narrowLoop(in), t.Bits(), t.Bits())
}

func orNil3(f func(a, b, c uint32) uint32) lanes.Loop {
	if f == nil {
		return nil
	}
	return lanes.Each3(f)
}

func narrowLoop(in *ptx.Instruction) lanes.Loop {
	wide, narrow := in.Type().Bits() == 64, in.Type().Bits() == 16
	switch in.Op {
	case ptx.OpBrev:
		if wide {
			return lanes.Each1(bits.Reverse64)
		}
		return lanes.Each1(bits.Reverse32)
	case ptx.OpCnot:
		switch {
		case wide:
			return lanes.Each1(isZero[uint64])
		case narrow:
			return lanes.Short1(func(a uint16) uint16 { return uint16(isZero(uint32(a))) })
		}
		return lanes.Each1(isZero[uint32])
	case ptx.OpMul24:
		return mul24(in)
	case ptx.OpMad24:
		return mad24(in)
	}
	return nil
}

func isZero[T lanes.Integer](a T) T {
	if a == 0 {
		return 1
	}
	return 0
}

// mul24 multiplies 24-bit numbers: .lo takes bits 31..0 of the 48-bit
// product, .hi bits 47..16 (9.7.1.5).
func mul24(in *ptx.Instruction) lanes.Loop {
	shift := 0
	if in.Mods.Has(ptx.ModHi) {
		shift = 16
	}
	if in.Type() == ptx.S32 {
		return lanes.Each2(func(a, b int32) int32 { return int32(product24(a, b) >> shift) })
	}
	return lanes.Each2(func(a, b uint32) uint32 { return uint32(uint64(a&0xffffff) * uint64(b&0xffffff) >> shift) })
}

func mad24(in *ptx.Instruction) lanes.Loop {
	product := mul24(in)
	sum := lanes.Loop(lanes.Add[uint32])
	if in.Mods.Has(ptx.ModSat) {
		sum = lanes.Each2(addSaturated)
	}
	return func(s *lanes.Scratch, d, a, b, c unsafe.Pointer) {
		p := unsafe.Pointer(&s.Inputs[0])
		product(s, p, a, b, c)
		sum(s, d, p, c, c)
	}
}

func product24(a, b int32) int64 { return int64(a<<8>>8) * int64(b<<8>>8) }

func sadLoop(t ptx.Type) lanes.Loop {
	switch t {
	case ptx.U16:
		return lanes.Short3(func(a, b, c uint16) uint16 { return c + max(a, b) - min(a, b) })
	case ptx.S16:
		return lanes.Short3(func(a, b, c int16) int16 { return c + max(a, b) - min(a, b) })
	case ptx.U32:
		return lanes.Each3(sad[uint32])
	case ptx.S32:
		return lanes.Each3(sad[int32])
	case ptx.U64:
		return lanes.Each3(sad[uint64])
	case ptx.S64:
		return lanes.Each3(sad[int64])
	}
	return nil
}

func sad[T lanes.Integer](a, b, c T) T { return c + max(a, b) - min(a, b) }

func countLoop(in *ptx.Instruction) lanes.Loop {
	wide := in.Type().Bits() == 64
	switch {
	case in.Op == ptx.OpPopc && wide:
		return lanes.Reduce(func(a uint64) uint32 { return uint32(bits.OnesCount64(a)) })
	case in.Op == ptx.OpPopc:
		return lanes.Reduce(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) })
	case in.Op == ptx.OpClz && wide:
		return lanes.Reduce(func(a uint64) uint32 { return uint32(bits.LeadingZeros64(a)) })
	case in.Op == ptx.OpClz:
		return lanes.Reduce(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) })
	case wide:
		return findLoop[int64](in, 64)
	}
	return findLoop[int32](in, 32)
}

// findLoop is bfind (9.7.1.16): the position of the most significant bit that
// is not a sign bit, or with .shiftamt the shift that brings it to the top. It
// is all ones when there is none.
func findLoop[T int32 | int64](in *ptx.Instruction, width int) lanes.Loop {
	signed, shift := in.Type().Signed(), in.Mods.Has(ptx.ModShiftamt)
	return lanes.Reduce(func(a T) uint32 {
		if signed && a < 0 {
			a = ^a
		}
		v := uint64(a)
		if width == 32 {
			v = uint64(uint32(a))
		}
		if v == 0 {
			return ^uint32(0)
		}
		position := bits.Len64(v) - 1
		if shift {
			return uint32(width - 1 - position)
		}
		return uint32(position)
	})
}

// bitField lowers bfe, whose position and length are 32-bit registers.
func (l *lowering) bitField(in *ptx.Instruction) (operation, error) {
	t := in.Type()
	source := *in
	source.Operands = in.Operands[:2]
	op, err := l.lanesOperation(&source, extractLoop(t), t.Bits(), t.Bits())
	if err != nil {
		return op, err
	}
	s, err := l.sources(in.Operands[2:4], 32)
	op.b, op.c = s[0], s[1]
	return op, err
}

func extractLoop(t ptx.Type) lanes.Loop {
	switch t {
	case ptx.U32:
		return lanes.VectorBfe32.Or(lanes.Bfe32)
	case ptx.S32:
		return lanes.Fields(func(a int32, position, length uint32) int32 {
			return int32(extractSigned(int64(a), position&0xff, length&0xff, 31))
		})
	case ptx.U64:
		return lanes.Fields(func(a uint64, position, length uint32) uint64 {
			return a >> (position & 0xff) & (1<<(length&0xff) - 1)
		})
	case ptx.S64:
		return lanes.Fields(func(a int64, position, length uint32) int64 {
			return extractSigned(a, position&0xff, length&0xff, 63)
		})
	}
	return nil
}

// extractSigned is bfe.s32 and .s64 (9.7.1.19) with a sign-extended: bits
// above the field are copies of bit min(position+length-1, top) of a.
func extractSigned(a int64, position, length, top uint32) int64 {
	if length == 0 {
		return 0
	}
	sign := a >> min(position+length-1, top) & 1
	mask := int64(1)<<length - 1 // all ones from 64 on
	field := a >> position & mask
	if position > top {
		field = -sign & mask
	}
	return field | -sign&^mask
}

// bfiOperation is bfi (9.7.1.20): the low length bits of a put into b at position.
type bfiOperation struct{ a, b, position, length uint32 }

func (l *lowering) insert(in *ptx.Instruction) (operation, error) {
	width := in.Type().Bits()
	d, err := l.destination(&in.Operands[0], width)
	if err != nil {
		return operation{}, err
	}
	s, err := l.sources(in.Operands[1:3], width)
	if err != nil {
		return operation{}, err
	}
	f, err := l.sources(in.Operands[3:5], 32)
	op := operation{kind: kindRun, run: runInsert[uint32], d: d, extra: &bfiOperation{s[0], s[1], f[0], f[1]}}
	if width == 64 {
		op.run = runInsert[uint64]
	}
	return op, err
}

func runInsert[T uint32 | uint64](c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*bfiOperation)
	d, a, b := lanes.Of[T](c.at(op.d)), lanes.Of[T](c.at(k.a)), lanes.Of[T](c.at(k.b))
	position, length := lanes.Of[uint32](c.at(k.position)), lanes.Of[uint32](c.at(k.length))
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		p := position[i] & 0xff
		field := (T(1)<<(length[i]&0xff) - 1) << p
		d[i] = b[i]&^field | a[i]<<p&field
	}
	return nil
}

// lookup3 lowers lop3 (9.7.8.6).
func (l *lowering) lookup3(in *ptx.Instruction) (operation, error) {
	if in.Mods.Has(ptx.ModAnd) || in.Mods.Has(ptx.ModOr) {
		return l.lookupPredicate(in)
	}
	if in.Operands[4].Kind != ptx.OperandImmediate {
		return operation{}, errUnsupported
	}
	table := in.Operands[4].Value
	shape := *in
	shape.Operands = in.Operands[:4]
	return l.lanesOperation(&shape, lanes.Each3(func(a, b, c uint32) uint32 {
		var r uint32
		for index := range 8 {
			if table>>index&1 != 0 {
				r |= same(a, index>>2) & same(b, index>>1) & same(c, index)
			}
		}
		return r
	}), 32, 32)
}

// same has ones where v's bits equal the low bit of want.
func same(v uint32, want int) uint32 {
	if want&1 != 0 {
		return v
	}
	return ^v
}

// funnelOf is shf (9.7.8.7): a holds the low, b the high word.
func funnelOf(in *ptx.Instruction) func(a, b, c uint32) uint32 {
	left, wrap := in.Mods.Has(ptx.ModL), in.Mods.Has(ptx.ModWrap)
	return func(a, b, c uint32) uint32 {
		n := min(c, 32)
		if wrap {
			n = c & 31
		}
		v := uint64(b)<<32 | uint64(a)
		if left {
			return uint32(v << n >> 32)
		}
		return uint32(v >> n)
	}
}

// permuteOf is prmt (9.7.9.7): bytes of {b,a} picked by c.
func permuteOf(in *ptx.Instruction) func(a, b, c uint32) uint32 {
	selector := selectorOf(in)
	signs := selector == nil // the default form alone replicates signs
	return func(a, b, c uint32) uint32 {
		bytes := uint64(b)<<32 | uint64(a)
		var r uint32
		for i := range uint32(4) {
			s := c >> (4 * i)
			if selector != nil {
				s = selector(c&3, i)
			}
			v := uint32(bytes>>(8*(s&7))) & 0xff
			if signs && s&8 != 0 {
				v = v >> 7 * 0xff
			}
			r |= v << (8 * i)
		}
		return r
	}
}

// selectorOf gives, for the modes of prmt, the source byte of result byte i.
func selectorOf(in *ptx.Instruction) func(s, i uint32) uint32 {
	switch {
	case in.Mods.Has(ptx.ModF4e):
		return func(s, i uint32) uint32 { return s + i }
	case in.Mods.Has(ptx.ModB4e):
		return func(s, i uint32) uint32 { return s - i }
	case in.Mods.Has(ptx.ModRc8):
		return func(s, _ uint32) uint32 { return s }
	case in.Mods.Has(ptx.ModEcl):
		return func(s, i uint32) uint32 { return max(s, i) }
	case in.Mods.Has(ptx.ModEcr):
		return func(s, i uint32) uint32 { return min(s, i) }
	case in.Mods.Has(ptx.ModRc16):
		return func(s, i uint32) uint32 { return s&1*2 + i&1 }
	}
	return nil
}

// dp4aOf is dp4a (9.7.1.23): four byte products and c.
func dp4aOf(at, bt ptx.Type) func(a, b, c uint32) uint32 {
	part := func(v uint32, i int, t ptx.Type) int32 {
		v = v >> (8 * i)
		if t == ptx.S32 {
			return int32(int8(v))
		}
		return int32(uint8(v))
	}
	return func(a, b, c uint32) uint32 {
		sum := int32(c)
		for i := range 4 {
			sum += part(a, i, at) * part(b, i, bt)
		}
		return uint32(sum)
	}
}
