// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"

	"github.com/warptape/warptape/frontend/ptx"
)

// basic is the relation that a comparison is made of.
type basic uint8

const (
	basicLess basic = iota
	basicLessEqual
	basicEqual
	basicOrderedNotEqual
	basicNumber
)

// comparisonRule makes one comparison operator of a basic relation.
type comparisonRule struct {
	mod          ptx.Mod
	basic        basic
	swap, invert bool
}

// integerRules and floatRules are the operators of 9.3.1. On floats an
// unordered operator is the inverse of the opposite ordered one, since that is
// false for NaN.
var integerRules = []comparisonRule{
	{ptx.ModEq, basicEqual, false, false}, {ptx.ModNe, basicEqual, false, true},
	{ptx.ModLt, basicLess, false, false}, {ptx.ModLe, basicLessEqual, false, false},
	{ptx.ModGt, basicLess, true, false}, {ptx.ModGe, basicLessEqual, true, false},
	{ptx.ModLoCompare, basicLess, false, false}, {ptx.ModLs, basicLessEqual, false, false},
	{ptx.ModHiCompare, basicLess, true, false}, {ptx.ModHs, basicLessEqual, true, false},
}

var floatRules = []comparisonRule{
	{ptx.ModEq, basicEqual, false, false}, {ptx.ModNe, basicOrderedNotEqual, false, false},
	{ptx.ModLt, basicLess, false, false}, {ptx.ModLe, basicLessEqual, false, false},
	{ptx.ModGt, basicLess, true, false}, {ptx.ModGe, basicLessEqual, true, false},
	{ptx.ModEqu, basicOrderedNotEqual, false, true}, {ptx.ModNeu, basicEqual, false, true},
	{ptx.ModLtu, basicLessEqual, true, true}, {ptx.ModLeu, basicLess, true, true},
	{ptx.ModGtu, basicLessEqual, false, true}, {ptx.ModGeu, basicLess, false, true},
	{ptx.ModNum, basicNumber, false, false}, {ptx.ModNan, basicNumber, false, true},
}

// RelationOf finds the relation that setp or set looks for on operands of type t;
// nil when there is none for the type. With swap it is that of the second to the
// first. With invert the operands that do not have it are meant.
func RelationOf(in *ptx.Instruction, t ptx.Type) (relation Relation, swap, invert bool) {
	rules := integerRules
	if t.Float() {
		rules = floatRules
	}
	for _, r := range rules {
		if in.Mods.Has(r.mod) {
			return relationOn(t, r.basic, in.Mods.Has(ptx.ModFtz)), r.swap, r.invert
		}
	}
	return nil, false, false
}

func relationOn(t ptx.Type, b basic, flush bool) Relation {
	switch t {
	case ptx.S32:
		return relationLoop[int32](b, vectorRelationsS32)
	case ptx.U32, ptx.B32:
		return relationLoop[uint32](b, vectorRelationsU32)
	case ptx.S64:
		return relationLoop[int64](b, vectorRelationsS64)
	case ptx.U64, ptx.B64:
		return relationLoop[uint64](b, vectorRelationsU64)
	case ptx.F64:
		return relationLoop[float64](b, vectorRelationsF64)
	case ptx.F32:
		if flush {
			return flushedRelation(b)
		}
		return relationLoop[float32](b, vectorRelationsF32)
	case ptx.U16, ptx.B16: // kept zero-extended
		return relationLoop[uint32](b, vectorRelationsU32)
	case ptx.S16:
		if b == basicEqual {
			return relationLoop[uint32](b, vectorRelationsU32)
		}
		f := relation[int16](b)
		return RelateEach(func(a, b uint32) bool { return f(int16(a), int16(b)) })
	case ptx.F16, ptx.BF16:
		return halfRelation(t, b, flush)
	}
	return nil
}

// relationLoop finds the loop of a relation; v names the assembly of each.
func relationLoop[T lane](b basic, v [basicNumber + 1]vectorRelation) Relation {
	switch b {
	case basicLess:
		return v[b].or(Less[T])
	case basicLessEqual:
		return v[b].or(LessEqual[T])
	case basicEqual:
		return v[b].or(Equal[T])
	case basicOrderedNotEqual:
		return v[b].or(OrderedNotEqual[T])
	}
	return v[b].or(Number[T])
}

// relation is relationLoop for two values.
func relation[T int16 | float32 | float64](b basic) func(x, y T) bool {
	switch b {
	case basicLess:
		return func(x, y T) bool { return x < y }
	case basicLessEqual:
		return func(x, y T) bool { return x <= y }
	case basicEqual:
		return func(x, y T) bool { return x == y }
	case basicOrderedNotEqual:
		return func(x, y T) bool { return x < y || x > y }
	}
	return func(x, y T) bool { return x == x && y == y }
}

// flushedRelation compares single-precision numbers with subnormals as zeros.
func flushedRelation(b basic) Relation {
	f := relation[float32](b)
	return RelateEach(func(x, y uint32) bool {
		return f(math.Float32frombits(Flush32(x)), math.Float32frombits(Flush32(y)))
	})
}

func halfRelation(t ptx.Type, b basic, flush bool) Relation {
	format := Half
	if t == ptx.BF16 {
		format = Brain
	}
	f := relation[float64](b)
	return RelateEach(func(x, y uint32) bool {
		if flush {
			x, y = format.flush(x), format.flush(y)
		}
		return f(format.Decode(uint64(x)), format.Decode(uint64(y)))
	})
}
