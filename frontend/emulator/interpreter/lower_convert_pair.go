// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// numberFormat makes numbers of bits and bits of numbers, in up to 16 bits.
type numberFormat interface {
	Decode(bits uint64) float64
	Encode(v float64, mode lanes.Rounding) uint64
}

// pairFormat is the format of the two numbers of a packed type; nil for other
// types.
func pairFormat(t ptx.Type) numberFormat {
	switch t {
	case ptx.F16x2:
		return lanes.Half
	case ptx.BF16x2:
		return lanes.Brain
	case ptx.E4M3x2:
		return lanes.E4M3
	case ptx.E5M2x2:
		return lanes.E5M2
	}
	return nil
}

// convertPair is cvt between two types, one or both of them packed (9.7.9.21).
// The first of two operands, or the upper half of one, becomes the upper half.
func (l *lowering) convertPair(in *ptx.Instruction) (operation, error) {
	to, from := in.Types[0], in.Types[1]
	target, mode := pairFormat(to), lanes.RoundingOf(in)
	relu, finite, limit := in.Mods.Has(ptx.ModRelu), in.Mods.Has(ptx.ModSatfinite), largest[to]
	one := func(v float64) uint32 {
		if relu && v <= 0 {
			v = 0
		}
		if finite {
			v = within(limit, v)
		}
		return uint32(target.Encode(v, mode))
	}
	toBits := to.Bits()
	if source := pairFormat(from); source != nil {
		fromBits := from.Bits()
		return l.lanesOperation(in, lanes.Each1(func(a uint32) uint32 {
			upper, lower := uint64(a>>(fromBits/2)), truncate(uint64(a), fromBits/2)
			return one(source.Decode(upper))<<(toBits/2) | one(source.Decode(lower))
		}), toBits, fromBits)
	}
	return l.lanesOperation(in, lanes.Each2(func(a, b uint32) uint32 {
		upper, lower := float64(math.Float32frombits(a)), float64(math.Float32frombits(b))
		return one(upper)<<(toBits/2) | one(lower)
	}), toBits, 32)
}

// largest are the largest finite numbers (MAX_NORM) of the types that .satfinite
// limits; .tf32 has its own conversion.
var largest = map[ptx.Type]float64{
	ptx.F16: 65504, ptx.F16x2: 65504, ptx.BF16: 0x1.fep127, ptx.BF16x2: 0x1.fep127, ptx.E4M3x2: 448, ptx.E5M2x2: 57344,
}

// within is .satfinite: what is beyond the largest number becomes that,
// infinities too; NaN stays.
func within(limit, v float64) float64 {
	if math.Abs(v) > limit {
		return math.Copysign(limit, v)
	}
	return v
}

// packIntegers is cvt.pack (9.7.9.22): both numbers are clamped, a stands above
// b, and the low bits of c above both.
func packIntegers(to ptx.Type) func(a, b, c uint32) uint32 {
	bits, signed := to.Bits(), to.Signed() || to == ptx.S4 || to == ptx.S2
	one := func(v uint32) uint32 {
		return uint32(truncate(clampInteger(uint64(int64(int32(v))), true, bits, signed), bits))
	}
	return func(a, b, c uint32) uint32 {
		return c<<(2*bits) | one(a)<<bits | one(b) // a shift by 32 leaves nothing
	}
}
