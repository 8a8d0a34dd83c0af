// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// video lowers the video instructions (9.7.18).
func (l *lowering) video(in *ptx.Instruction) (operation, error) {
	f := scalarVideoOf(in)
	switch {
	case in.Op == ptx.OpVmad:
		f = videoMadOf(in)
	case in.Op.VideoWidth() < 32:
		f = vectorVideoOf(in)
	}
	return l.lanesOperation(in, lanes.Each3(f), 32, 32)
}

// part extracts and extends a part of a register: all of it, .b0 to .b3, or
// .h0 and .h1.
func part(selector string, signed bool) func(v uint32) int64 {
	at, width := partBits(selector)
	return func(v uint32) int64 { return int64(lanes.Extend(uint64(v>>at)&(1<<width-1), width, signed)) }
}

// partBits is the place and the size of a part in bits.
func partBits(selector string) (at, width int) {
	switch {
	case selector == "":
		return 0, 32
	case selector[0] == 'b':
		return 8 * int(selector[1]-'0'), 8
	}
	return 16 * int(selector[1]-'0'), 16
}

// sourceTypes are the types of a and b: the last two of the instruction.
func sourceTypes(in *ptx.Instruction) (a, b ptx.Type) {
	n := 0
	for n < len(in.Types) && in.Types[n] != ptx.TypeNone {
		n++
	}
	return in.Types[n-2], in.Types[n-1]
}

// videoSigned reports whether the result is signed; that of vset never is.
func videoSigned(in *ptx.Instruction) bool {
	switch in.Op {
	case ptx.OpVset, ptx.OpVset2, ptx.OpVset4:
		return false
	}
	return in.Type().Signed()
}

// scalarVideoOf is vadd to vset (9.7.18.1). First come the operation on the parts
// and the saturation to the part of the result, then either a second operation with
// c or a merge into c. Between the two operations the result is a number of 32 bits
// with the sign of the destination's type.
func scalarVideoOf(in *ptx.Instruction) func(a, b, c uint32) uint32 {
	aType, bType := sourceTypes(in)
	left, right := part(in.Operands[1].Selector, aType.Signed()), part(in.Operands[2].Selector, bType.Signed())
	f, signed := videoBinary(in), videoSigned(in)
	at, width := partBits(in.Operands[0].Selector)
	saturate := in.Mods.Has(ptx.ModSat)
	merge := in.Operands[0].Selector != ""
	keep := ^uint32((1<<width - 1) << at)
	second := secondVideo(in)
	return func(a, b, c uint32) uint32 {
		t := f(left(a), right(b))
		if saturate {
			t = lanes.ClampBits(t, width, signed)
		}
		if merge {
			return c&keep | uint32(t)<<at&^keep
		}
		return uint32(second(lanes.ExtendWord(uint32(t), signed), lanes.ExtendWord(c, signed)))
	}
}

// secondVideo is the operation of a result and c; without one it is the result.
func secondVideo(in *ptx.Instruction) func(t, c int64) int64 {
	switch {
	case in.Mods.Has(ptx.ModAdd):
		return func(t, c int64) int64 { return t + c }
	case in.Mods.Has(ptx.ModMin):
		return func(t, c int64) int64 { return min(t, c) }
	case in.Mods.Has(ptx.ModMax):
		return func(t, c int64) int64 { return max(t, c) }
	}
	return func(t, _ int64) int64 { return t }
}

// videoBinary is the operation of a video instruction on two numbers.
func videoBinary(in *ptx.Instruction) func(a, b int64) int64 {
	switch in.Op {
	case ptx.OpVadd, ptx.OpVadd2, ptx.OpVadd4:
		return func(a, b int64) int64 { return a + b }
	case ptx.OpVsub, ptx.OpVsub2, ptx.OpVsub4:
		return func(a, b int64) int64 { return a - b }
	case ptx.OpVabsdiff, ptx.OpVabsdiff2, ptx.OpVabsdiff4:
		return func(a, b int64) int64 { return max(a-b, b-a) }
	case ptx.OpVmin, ptx.OpVmin2, ptx.OpVmin4:
		return func(a, b int64) int64 { return min(a, b) }
	case ptx.OpVmax, ptx.OpVmax2, ptx.OpVmax4:
		return func(a, b int64) int64 { return max(a, b) }
	case ptx.OpVavrg2, ptx.OpVavrg4:
		return func(a, b int64) int64 {
			if a+b >= 0 {
				return (a + b + 1) >> 1
			}
			return (a + b) >> 1
		}
	case ptx.OpVshl, ptx.OpVshr:
		return videoShift(in)
	}
	return videoComparison(in)
}

// videoShift is vshl and vshr (9.7.18.1.2). A shift by 32 to the left leaves
// nothing in 32 bits, and saturates every number by its sign alone.
func videoShift(in *ptx.Instruction) func(a, b int64) int64 {
	amount := func(b int64) int64 { return min(b, 32) }
	if in.Mods.Has(ptx.ModWrap) {
		amount = func(b int64) int64 { return b & 31 }
	}
	if in.Op == ptx.OpVshr {
		return func(a, b int64) int64 { return a >> amount(b) }
	}
	return func(a, b int64) int64 {
		n := amount(b)
		if n == 32 {
			a = max(-1, min(1, a))
		}
		return a << n
	}
}

// videoComparison is vset, vset2 and vset4: 1 where the relation holds.
func videoComparison(in *ptx.Instruction) func(a, b int64) int64 {
	holds := func(a, b int64) bool { return a == b }
	switch {
	case in.Mods.Has(ptx.ModNe):
		holds = func(a, b int64) bool { return a != b }
	case in.Mods.Has(ptx.ModLt):
		holds = func(a, b int64) bool { return a < b }
	case in.Mods.Has(ptx.ModLe):
		holds = func(a, b int64) bool { return a <= b }
	case in.Mods.Has(ptx.ModGt):
		holds = func(a, b int64) bool { return a > b }
	case in.Mods.Has(ptx.ModGe):
		holds = func(a, b int64) bool { return a >= b }
	}
	return func(a, b int64) int64 {
		if holds(a, b) {
			return 1
		}
		return 0
	}
}

// videoMadOf is vmad (9.7.18.1.3): the product, its negative or that of c, one
// more with .po, and the sum shifted right. The product of two 32-bit numbers
// and c fit 66 bits: the shift is taken of two words.
func videoMadOf(in *ptx.Instruction) func(a, b, c uint32) uint32 {
	aType, bType := in.Types[1], in.Types[2]
	left, right := part(in.Operands[1].Selector, aType.Signed()), part(in.Operands[2].Selector, bType.Signed())
	negateProduct, negateC := in.Operands[1].Minus != in.Operands[2].Minus, in.Operands[3].Minus
	signedC := aType.Signed() || bType.Signed() || negateProduct
	signed := signedC || negateC
	scale := 0
	switch {
	case in.Mods.Has(ptx.ModShr7):
		scale = 7
	case in.Mods.Has(ptx.ModShr15):
		scale = 15
	}
	plus, saturate := int64(0), in.Mods.Has(ptx.ModSat)
	if in.Mods.Has(ptx.ModPo) {
		plus = 1
	}
	return func(a, b, c uint32) uint32 {
		product := product128(left(a), right(b))
		if negateProduct {
			product = product.negated()
		}
		addend := lanes.ExtendWord(c, signedC)
		if negateC {
			addend = -addend
		}
		result := product.plus(addend + plus).shifted(scale)
		if saturate {
			return uint32(result.clamped(signed))
		}
		return uint32(result.low)
	}
}

// wideInteger is a two's complement integer of 128 bits.
type wideInteger struct {
	high int64
	low  uint64
}

// product128 multiplies two numbers, each of 33 bits with its sign.
func product128(a, b int64) wideInteger {
	negative := (a < 0) != (b < 0)
	w := wideInteger{0, uint64(max(a, -a)) * uint64(max(b, -b))} // below 2^64
	if negative {
		return w.negated()
	}
	return w
}

func (w wideInteger) negated() wideInteger {
	low := -w.low
	high := ^w.high
	if low == 0 {
		high++
	}
	return wideInteger{high, low}
}

func (w wideInteger) plus(v int64) wideInteger {
	low := w.low + uint64(v)
	high := w.high + v>>63
	if low < w.low {
		high++
	}
	return wideInteger{high, low}
}

// shifted is the arithmetic shift to the right by less than 64 bits.
func (w wideInteger) shifted(n int) wideInteger {
	if n == 0 {
		return w
	}
	return wideInteger{w.high >> n, w.low>>n | uint64(w.high)<<(64-n)}
}

// clamped limits the number to 32 bits.
func (w wideInteger) clamped(signed bool) int64 {
	low, high := int64(0), int64(math.MaxUint32)
	if signed {
		low, high = math.MinInt32, math.MaxInt32
	}
	switch {
	case w.high < 0 && (w.high != -1 || int64(w.low) >= 0):
		return low
	case w.high > 0 || w.high == 0 && int64(w.low) < 0:
		return high
	}
	return max(low, min(high, int64(w.low)))
}

// vectorVideoOf is the instructions on two halfwords or four bytes (9.7.18.2):
// a and b together are the parts from which each side picks its own.
func vectorVideoOf(in *ptx.Instruction) func(a, b, c uint32) uint32 {
	width := in.Op.VideoWidth()
	parts := 32 / width
	aType, bType := sourceTypes(in)
	left, right := picks(in.Operands[1].Selector, 0, parts), picks(in.Operands[2].Selector, parts, parts)
	mask := picksMask(in.Operands[0].Selector, parts)
	f, signed := videoBinary(in), videoSigned(in)
	saturate, accumulate := in.Mods.Has(ptx.ModSat), in.Mods.Has(ptx.ModAdd)
	low := uint64(1)<<width - 1
	return func(a, b, c uint32) uint32 {
		both := uint64(b)<<32 | uint64(a)
		d := c
		for i := range parts {
			if !mask[i] {
				continue
			}
			x := lanes.Extend(both>>(width*left[i])&low, width, aType.Signed())
			y := lanes.Extend(both>>(width*right[i])&low, width, bType.Signed())
			t := f(int64(x), int64(y))
			if saturate {
				t = lanes.ClampBits(t, width, signed)
			}
			if accumulate {
				d += uint32(t)
			} else {
				d = d&^(uint32(low)<<(width*i)) | uint32(uint64(t)&low)<<(width*i)
			}
		}
		return d
	}
}

// picks reads a selector such as .h10 or .b7654, highest part first; without
// one it is the parts from first on.
func picks(selector string, first, parts int) (list [4]int) {
	for i := range parts {
		list[i] = first + i
		if selector != "" {
			list[i] = int(selector[parts-i] - '0')
		}
	}
	return list
}

// picksMask reads the mask of a result, all parts without one.
func picksMask(selector string, parts int) (mask [4]bool) {
	if selector == "" {
		return [4]bool{true, true, parts > 2, parts > 2}
	}
	for _, c := range selector[1:] {
		mask[c-'0'] = true
	}
	return mask
}
