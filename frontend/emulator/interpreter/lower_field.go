// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// fieldwise lowers the instructions on bit fields and their sums that came
// with later versions of PTX.
func (l *lowering) fieldwise(in *ptx.Instruction) (operation, error) {
	switch in.Op {
	case ptx.OpDp2a:
		return l.lanesOperation(in, lanes.Each3(dp2aOf(in)), 32, 32)
	case ptx.OpFns:
		return l.lanesOperation(in, lanes.Each3(findNthSet), 32, 32)
	case ptx.OpSzext:
		return l.lanesOperation(in, lanes.Each2(extensionOf(in)), 32, 32)
	}
	return l.lanesOperation(in, lanes.Each2(bitMaskOf(in)), 32, 32)
}

// dp2aOf is dp2a (9.7.1.24): two 16-bit values of a times the two lower (.lo)
// or upper (.hi) bytes of b, added to c.
func dp2aOf(in *ptx.Instruction) func(a, b, c uint32) uint32 {
	signedA, signedB := in.Types[0].Signed(), in.Types[1].Signed()
	shift := 0
	if in.Mods.Has(ptx.ModHi) {
		shift = 16
	}
	return func(a, b, c uint32) uint32 {
		b >>= shift
		for i := range 2 {
			x := lanes.Extend(uint64(a>>(16*i)&0xffff), 16, signedA)
			y := lanes.Extend(uint64(b>>(8*i)&0xff), 8, signedB)
			c += uint32(x * y)
		}
		return c
	}
}

// findNthSet is fns (9.7.1.17): the n-th set bit of the mask from base on, up
// for a positive n, down for a negative one; n zero asks for base itself.
func findNthSet(mask, base, offset uint32) uint32 {
	const none = ^uint32(0)
	if offset == 0 {
		if base < 32 && mask>>base&1 != 0 {
			return base
		}
		return none
	}
	step, left := int64(1), int64(int32(offset))
	if left < 0 {
		step, left = -1, -left
	}
	for position := int64(base); position >= 0 && position < 32; position += step {
		if mask>>position&1 != 0 {
			if left--; left == 0 {
				return uint32(position)
			}
		}
	}
	return none
}

// fieldSize clamps or wraps a size or position in bits.
func fieldSize(in *ptx.Instruction) func(uint32) uint32 {
	if in.Mods.Has(ptx.ModClamp) {
		return func(n uint32) uint32 { return min(n, 32) }
	}
	return func(n uint32) uint32 { return n & 31 }
}

// extensionOf is szext (9.7.1.21): the low bits of a, extended.
func extensionOf(in *ptx.Instruction) func(a, b uint32) uint32 {
	size, signed := fieldSize(in), in.Type().Signed()
	return func(a, b uint32) uint32 {
		n := size(b)
		if n == 0 {
			return 0
		}
		if signed {
			return uint32(int32(a<<(32-n)) >> (32 - n))
		}
		return a << (32 - n) >> (32 - n)
	}
}

// bitMaskOf is bmsk (9.7.1.22): b ones from bit a on.
func bitMaskOf(in *ptx.Instruction) func(a, b uint32) uint32 {
	size := fieldSize(in)
	return func(a, b uint32) uint32 { return (1<<size(b) - 1) << size(a) }
}

// lookupOperation is lop3 with a boolean operation (9.7.8.6): the predicate is
// whether the result is not zero, combined with another one.
type lookupOperation struct {
	table       uint64
	d           uint32
	a, b, c     uint32
	p           uint32
	third, flip uint32
	combine     combination
}

// valueAndPredicate gives the slots of the results d|p: a 32-bit register and a
// predicate, each the sink where the instruction leaves it out.
func (l *lowering) valueAndPredicate(in *ptx.Instruction) (d, p uint32, err error) {
	d, p = sink, sink
	if in.Operands[0].Kind != ptx.OperandSink {
		if d, err = l.destination(&in.Operands[0], 32); err != nil {
			return d, p, err
		}
	}
	if in.Destinations > 1 {
		p, err = l.predicateResult(&in.Operands[1])
	}
	return d, p, err
}

func (l *lowering) lookupPredicate(in *ptx.Instruction) (operation, error) {
	k := &lookupOperation{combine: combineOr}
	if in.Mods.Has(ptx.ModAnd) {
		k.combine = combineAnd
	}
	var err error
	if k.d, k.p, err = l.valueAndPredicate(in); err != nil {
		return operation{}, err
	}
	rest := in.Operands[in.Destinations:]
	s, err := l.sources(rest[:3], 32)
	if err != nil {
		return operation{}, err
	}
	k.a, k.b, k.c, k.table = s[0], s[1], s[2], rest[3].Value
	k.third, k.flip, err = l.predicate(&rest[4])
	return operation{kind: kindRun, run: runLookup, extra: k}, err
}

func runLookup(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*lookupOperation)
	x, y, z := *lanes.Of[uint32](c.at(k.a)), *lanes.Of[uint32](c.at(k.b)), *lanes.Of[uint32](c.at(k.c))
	var holds uint32
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		r := lookup(k.table, x[i], y[i], z[i])
		if r != 0 {
			holds |= 1 << i
		}
		if k.d != sink {
			lanes.Of[uint32](c.at(k.d))[i] = r
		}
	}
	if k.p != sink {
		c.setPredicate(k.p, k.combine.apply(holds, c.predicates[k.third]^k.flip), mask)
	}
	return nil
}

// lookup gives for each bit of a, b and c the entry of the table.
func lookup(table uint64, a, b, c uint32) uint32 {
	var r uint32
	for index := range 8 {
		if table>>index&1 == 0 {
			continue
		}
		match := ^uint32(0)
		for i, v := range [3]uint32{c, b, a} {
			if index>>i&1 != 0 {
				match &= v
			} else {
				match &^= v
			}
		}
		r |= match
	}
	return r
}

// pairComparison is setp or set on one or two half-precision numbers.
type pairComparison struct {
	low, high   *comparison // of the lower and the upper halves; high may be nil
	a, b        uint32
	combine     combination
	third, flip uint32
	p, q        uint32 // predicates of setp
	d           uint32 // result of set
	yes         uint32 // what set gives where the lower half holds; above for the upper
	above       uint32
}

// pairOperands lowers what setp and set on halves have in common.
func (l *lowering) pairOperands(in *ptx.Instruction, first int, t ptx.Type) (*pairComparison, error) {
	single, packed := t, t.Bits() == 32
	switch t {
	case ptx.F16x2:
		single = ptx.F16
	case ptx.BF16x2:
		single = ptx.BF16
	}
	k := &pairComparison{low: comparisonOf(in, single), p: sink, q: sink, d: sink}
	if k.low == nil {
		return nil, errUnsupported
	}
	if packed {
		k.high = k.low
	}
	s, err := l.sources(in.Operands[first:first+2], t.Bits())
	if err != nil {
		return nil, err
	}
	k.a, k.b = s[0], s[1]
	if len(in.Operands) > first+2 {
		k.combine = combinationOf(in)
		k.third, k.flip, err = l.predicate(&in.Operands[first+2])
	}
	return k, err
}

// combinationOf is the boolean operation of setp and set.
func combinationOf(in *ptx.Instruction) combination {
	switch {
	case in.Mods.Has(ptx.ModAnd):
		return combineAnd
	case in.Mods.Has(ptx.ModOr):
		return combineOr
	case in.Mods.Has(ptx.ModXor):
		return combineXor
	}
	return combineNone
}

// setPredicatePair is setp.f16x2 and .bf16x2: p of the lower halves, q of the
// upper ones.
func (l *lowering) setPredicatePair(in *ptx.Instruction) (operation, error) {
	k, err := l.pairOperands(in, in.Destinations, in.Type())
	if err != nil {
		return operation{}, err
	}
	if k.p, err = l.predicateResult(&in.Operands[0]); err != nil {
		return operation{}, err
	}
	if in.Destinations > 1 {
		k.q, err = l.predicateResult(&in.Operands[1])
	}
	return operation{kind: kindRun, run: runPairComparison, extra: k}, err
}

// setHalf is set on half-precision operands: 1.0 in half precision, or all ones.
func (l *lowering) setHalf(in *ptx.Instruction) (operation, error) {
	k, err := l.pairOperands(in, 1, in.Types[1])
	if err != nil {
		return operation{}, err
	}
	switch in.Type() {
	case ptx.F16, ptx.F16x2:
		k.yes = 0x3c00
	case ptx.BF16, ptx.BF16x2:
		k.yes = 0x3f80
	default:
		k.yes = uint32(truncate(uint64(lanes.FullMask), in.Type().Bits()))
	}
	if k.high != nil {
		k.yes &= 0xffff
		k.above = k.yes << 16
	}
	k.d, err = l.destination(&in.Operands[0], in.Type().Bits())
	return operation{kind: kindRun, run: runPairComparison, extra: k}, err
}

func runPairComparison(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*pairComparison)
	a, b := *lanes.Of[uint32](c.at(k.a)), *lanes.Of[uint32](c.at(k.b))
	var upperA, upperB [trace.WarpSize]uint32
	for i := range a {
		upperA[i], upperB[i] = a[i]>>16, b[i]>>16
		a[i], b[i] = a[i]&0xffff, b[i]&0xffff
	}
	third := c.predicates[k.third] ^ k.flip
	low, high := k.combine.apply(k.low.holds(&a, &b), third), uint32(0)
	if k.high != nil {
		high = k.combine.apply(k.high.holds(&upperA, &upperB), third)
	}
	if k.p != sink {
		c.setPredicate(k.p, low, mask)
	}
	if k.q != sink {
		c.setPredicate(k.q, high, mask)
	}
	if k.d == sink {
		return nil
	}
	d := lanes.Of[uint32](c.at(k.d))
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		d[i] = -(low>>i&1)&k.yes | -(high>>i&1)&k.above
	}
	return nil
}

// holds gives the lanes for which the comparison holds.
func (k *comparison) holds(a, b *[trace.WarpSize]uint32) uint32 {
	if k.swap {
		a, b = b, a
	}
	t := k.relation(lanes.PointerTo(a), lanes.PointerTo(b))
	if k.invert {
		t = ^t
	}
	return t
}
