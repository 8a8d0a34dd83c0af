// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"

	"github.com/warptape/warptape/frontend/ptx"
)

// HalfValue is Half.Decode in single precision, for the matrix instructions, which decode a
// thousand elements each.
func HalfValue(bits uint32) float32 {
	sign, magnitude := bits<<16&0x8000_0000, bits&0x7fff
	if magnitude >= 0x7c00 {
		return math.Float32frombits(sign | 0x7f80_0000 | magnitude<<13&0x7f_ffff)
	}
	// The exponent's bias differs by 112; subnormals become normal on the way.
	v := math.Float32frombits(magnitude<<13) * 0x1p112
	return math.Float32frombits(sign | math.Float32bits(v))
}

// HalfRounded rounds to the nearest .f16, ties to even; NaN is canonical.
func HalfRounded(v float32) uint32 {
	b := math.Float32bits(v)
	sign, magnitude := b>>16&0x8000, b&0x7fff_ffff
	switch {
	case magnitude > 0x7f80_0000:
		return uint32(smallNaN)
	case magnitude >= 0x4780_0000: // 2^16
		return sign | 0x7c00
	case magnitude >= 0x3880_0000: // 2^-14, the least normal number
		// Half of the last place, or just below it, carries into the exponent and
		// at the end into infinity.
		return sign | (magnitude+0xfff+magnitude>>13&1-0x3800_0000)>>13
	}
	// The last place of 0.5 is that of the subnormals, 2^-24.
	sum := math.Float32frombits(magnitude) + 0.5
	return sign | (math.Float32bits(sum) - math.Float32bits(0.5))
}

// plainHalves is the loop of a sum, difference, product or fused product of .f16 or
// .f16x2 that neither flushes nor bounds; nil for others.
func plainHalves(in *ptx.Instruction, packed bool) Loop {
	if t := in.Type(); t != ptx.F16 && t != ptx.F16x2 || in.Mods.Has(ptx.ModFtz) || in.Mods.Has(ptx.ModSat) || in.Mods.Has(ptx.ModRelu) {
		return nil
	}
	switch in.Op {
	case ptx.OpAdd:
		return eachHalf(packed, func(a, b, _ uint32) uint32 { return HalfRounded(HalfValue(a) + HalfValue(b)) })
	case ptx.OpSub:
		return eachHalf(packed, func(a, b, _ uint32) uint32 { return HalfRounded(HalfValue(a) - HalfValue(b)) })
	case ptx.OpMul:
		return eachHalf(packed, func(a, b, _ uint32) uint32 { return HalfRounded(float32(HalfValue(a) * HalfValue(b))) })
	case ptx.OpFma:
		return eachHalf(packed, halfFused)
	}
	return nil
}

// halfFused is a fused product and sum. The product has 22 bits and is exact in single
// precision, and the sum is rounded to odd before it is rounded to 11 bits.
func halfFused(a, b, c uint32) uint32 {
	p, v := float32(HalfValue(a)*HalfValue(b)), HalfValue(c)
	s := p + v
	if s-s != 0 { // infinite, or no number
		return HalfRounded(s)
	}
	// Knuth's TwoSum: s + e is exactly p + v.
	t := s - p
	e := (p - (s - t)) + (v - t)
	bits := math.Float32bits(s)
	if e != 0 && bits&1 == 0 {
		if bits++; (e > 0) != (s > 0) {
			bits -= 2
		}
	}
	return HalfRounded(math.Float32frombits(bits))
}

// eachHalf applies f to 16 bits of each lane, or to both halves of its 32 bits.
func eachHalf(packed bool, f func(a, b, c uint32) uint32) Loop {
	if !packed {
		return Each3(func(a, b, c uint32) uint32 { return f(a&0xffff, b&0xffff, c&0xffff) })
	}
	return Each3(func(a, b, c uint32) uint32 {
		return f(a&0xffff, b&0xffff, c&0xffff) | f(a>>16, b>>16, c>>16)<<16
	})
}
