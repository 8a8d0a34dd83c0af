// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// selection lowers comparisons and selections (9.7.6).
func (l *lowering) selection(in *ptx.Instruction) (operation, error) {
	switch in.Op {
	case ptx.OpBfi:
		return l.insert(in)
	case ptx.OpSelp:
		return l.selectByPredicate(in)
	case ptx.OpSlct:
		return l.selectBySign(in)
	case ptx.OpTestp:
		return l.testProperty(in)
	case ptx.OpSet:
		return l.set(in)
	}
	return l.setPredicate(in)
}

// selectByPredicate is selp (9.7.6.3); the operation's c is the index of the
// predicate.
func (l *lowering) selectByPredicate(in *ptx.Instruction) (operation, error) {
	width := in.Type().Bits()
	d, err := l.destination(&in.Operands[0], width)
	if err != nil {
		return operation{}, err
	}
	s, err := l.sources(in.Operands[1:3], width)
	if err != nil {
		return operation{}, err
	}
	p, flip, err := l.predicate(&in.Operands[3])
	op := operation{kind: kindRun, run: runSelect32, d: d, a: s[0], b: s[1], c: p}
	if flip != 0 {
		op.a, op.b = op.b, op.a
	}
	if width == 64 {
		op.run = runSelect64
	}
	return op, err
}

func runSelect32(c *warpContext, op *operation, mask uint32) error {
	lanes.Choose(c.at(op.d), c.at(op.a), c.at(op.b), false, c.predicates[op.c], mask)
	return nil
}

func runSelect64(c *warpContext, op *operation, mask uint32) error {
	lanes.Choose(c.at(op.d), c.at(op.a), c.at(op.b), true, c.predicates[op.c], mask)
	return nil
}

// selectBySign is slct (9.7.6.4): a where c >= 0, else b; NaN is not >= 0.
func (l *lowering) selectBySign(in *ptx.Instruction) (operation, error) {
	width := in.Type().Bits()
	d, err := l.destination(&in.Operands[0], width)
	if err != nil {
		return operation{}, err
	}
	s, err := l.sources(in.Operands[1:3], width)
	if err != nil {
		return operation{}, err
	}
	sign, err := l.source(&in.Operands[3], 32)
	zero := l.layout.constant(0, false)
	// c >= 0 is 0 <= c, which holds for -0 and, with .ftz, for what becomes it.
	k := &comparison{relation: lanes.LessEqual[int32]}
	if in.Types[1] == ptx.F32 {
		k.relation = lanes.LessEqual[float32]
		if in.Mods.Has(ptx.ModFtz) {
			k.relation = lanes.RelateEach(func(a, b uint32) bool {
				return math.Float32frombits(a) <= math.Float32frombits(lanes.Flush32(b))
			})
		}
	}
	op := operation{kind: kindRun, run: runSlct, wide: width == 64, d: d, a: zero, b: sign, compare: k, extra: &s}
	return op, err
}

func runSlct(c *warpContext, op *operation, mask uint32) error {
	s := op.extra.(*[3]uint32)
	t := c.relate(op)
	if op.wide {
		lanes.Choose(c.at(op.d), c.at(s[0]), c.at(s[1]), true, t, mask)
	} else {
		lanes.Choose(c.at(op.d), c.at(s[0]), c.at(s[1]), false, t, mask)
	}
	return nil
}

// setPredicate is setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}.
func (l *lowering) setPredicate(in *ptx.Instruction) (operation, error) {
	if t := in.Type(); t == ptx.F16x2 || t == ptx.BF16x2 {
		return l.setPredicatePair(in)
	}
	op, err := l.compareOperands(in, in.Destinations, in.Type())
	if err != nil {
		return op, err
	}
	if op.compare.p, err = l.predicateResult(&in.Operands[0]); err != nil {
		return op, err
	}
	if in.Destinations > 1 {
		op.compare.q, err = l.predicateResult(&in.Operands[1])
	}
	return op, err
}

// set is set.CmpOp{.BoolOp}.dtype.stype d, a, b{, c}: all ones or 1.0 where it holds.
func (l *lowering) set(in *ptx.Instruction) (operation, error) {
	if t := in.Types[1]; t.Float() && t.Bits() < 64 && t != ptx.F32 {
		return l.setHalf(in)
	}
	op, err := l.compareOperands(in, 1, in.Types[1])
	if err != nil {
		return op, err
	}
	one := ^uint32(0)
	if in.Type() == ptx.F32 {
		one = math.Float32bits(1)
	}
	op.kind, op.run, op.extra = kindRun, runSet, one
	op.d, err = l.destination(&in.Operands[0], 32)
	return op, err
}

func runSet(c *warpContext, op *operation, mask uint32) error {
	k := op.compare
	t := c.relate(op)
	if k.combine != combineNone {
		t = k.combine.apply(t, c.predicates[k.third]^k.thirdFlip)
	}
	d, one := lanes.Of[uint32](c.at(op.d)), op.extra.(uint32)
	for i := range d {
		switch {
		case mask>>i&1 == 0:
		case t>>i&1 != 0:
			d[i] = one
		default:
			d[i] = 0
		}
	}
	return nil
}

// compareOperands lowers what setp and set have in common: the relation, its
// operands from index first on, and the combination.
func (l *lowering) compareOperands(in *ptx.Instruction, first int, t ptx.Type) (operation, error) {
	k := comparisonOf(in, t)
	if k == nil {
		return operation{}, errUnsupported
	}
	s, err := l.sources(in.Operands[first:first+2], t.Bits())
	if err != nil {
		return operation{}, err
	}
	k.p, k.q = sink, sink
	if len(in.Operands) > first+2 {
		switch {
		case in.Mods.Has(ptx.ModAnd):
			k.combine = combineAnd
		case in.Mods.Has(ptx.ModOr):
			k.combine = combineOr
		case in.Mods.Has(ptx.ModXor):
			k.combine = combineXor
		}
		k.third, k.thirdFlip, err = l.predicate(&in.Operands[first+2])
	}
	return operation{kind: kindCompare, a: s[0], b: s[1], compare: k}, err
}

// testProperty is testp (9.7.3.1).
func (l *lowering) testProperty(in *ptx.Instruction) (operation, error) {
	width := in.Type().Bits()
	a, err := l.source(&in.Operands[1], width)
	if err != nil {
		return operation{}, err
	}
	p, err := l.predicateResult(&in.Operands[0])
	k := &comparison{p: p, q: sink}
	if width == 64 {
		has := propertyOf(in, 0x7ff<<52, 1<<52-1)
		k.relation = lanes.RelateEach(func(a, _ uint64) bool { return has(a) })
	} else {
		has := propertyOf(in, 0xff<<23, 1<<23-1)
		k.relation = lanes.RelateEach(func(a, _ uint32) bool { return has(uint64(a)) })
	}
	return operation{kind: kindCompare, a: a, b: a, compare: k}, err
}

// propertyOf tests a float's bits; exponent and fraction are its fields.
// Zeros count as normal (9.7.3.1).
func propertyOf(in *ptx.Instruction, exponent, fraction uint64) func(uint64) bool {
	switch {
	case in.Mods.Has(ptx.ModFinite):
		return func(a uint64) bool { return a&exponent != exponent }
	case in.Mods.Has(ptx.ModInfinite):
		return func(a uint64) bool { return a&(exponent|fraction) == exponent }
	case in.Mods.Has(ptx.ModNumber):
		return func(a uint64) bool { return a&(exponent|fraction) <= exponent }
	case in.Mods.Has(ptx.ModNotanumber):
		return func(a uint64) bool { return a&(exponent|fraction) > exponent }
	case in.Mods.Has(ptx.ModSubnormal):
		return func(a uint64) bool { return a&exponent == 0 && a&fraction != 0 }
	}
	return func(a uint64) bool { return a&exponent != exponent && (a&exponent != 0 || a&fraction == 0) }
}
