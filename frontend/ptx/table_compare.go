// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// The comparisons that each kind of type allows (9.3.1).
var (
	bitCompare      = req(ModEq, ModNe)
	signedCompare   = req(ModEq, ModNe, ModLt, ModLe, ModGt, ModGe)
	unsignedCompare = req(ModEq, ModNe, ModLt, ModLe, ModGt, ModGe, ModLoCompare, ModLs, ModHiCompare, ModHs)
	floatCompare    = req(ModEq, ModNe, ModLt, ModLe, ModGt, ModGe, ModEqu, ModNeu, ModLtu, ModLeu, ModGtu, ModGeu, ModNum, ModNan)
	combine         = req(ModAnd, ModOr, ModXor)
)

// comparison is one row of what can be compared how.
type comparison struct {
	types   TypeSet
	compare Group
	ftz     bool
	class   trace.OpClass
}

var comparisons = []comparison{
	{types: bits16to64, compare: bitCompare, class: trace.ClassIntAdd},
	{types: signed16to64, compare: signedCompare, class: trace.ClassIntAdd},
	{types: unsigned16to64, compare: unsignedCompare, class: trace.ClassIntAdd},
	{types: typesOf(F32), compare: floatCompare, ftz: true, class: trace.ClassF32Add},
	{types: typesOf(F64), compare: floatCompare, class: trace.ClassF64Add},
}

// halfComparison is setp's alone.
var halfComparison = comparison{types: typesOf(F16, BF16), compare: floatCompare, ftz: true, class: trace.ClassF16}

func (c *comparison) groups(more ...Group) []Group {
	list := []Group{c.compare}
	if c.ftz {
		list = append(list, ftz)
	}
	return append(list, more...)
}

// setpForms: setp.CmpOp{.BoolOp}.type p{|q}, a, b{, {!}c}.
var setpForms = func() []Form {
	var forms []Form
	for _, c := range append(append([]comparison(nil), comparisons...), halfComparison) {
		forms = append(forms,
			Form{Types: one(c.types), Groups: c.groups(), Shape: []Slot{dstPred, dstPair, srcA, srcB}, Class: c.class},
			Form{Types: one(c.types), Groups: c.groups(combine), Shape: []Slot{dstPred, dstPair, srcA, srcB, srcPred}, Class: c.class})
	}
	for _, ty := range []Type{F16x2, BF16x2} {
		// p is of the lower halves, q of the upper ones.
		forms = append(forms,
			Form{Types: one(typesOf(ty)), Groups: groups(floatCompare, ftz), Shape: []Slot{dstPred, dstPair, srcA, srcB}, Class: trace.ClassF16},
			Form{Types: one(typesOf(ty)), Groups: groups(floatCompare, ftz, combine), Shape: []Slot{dstPred, dstPair, srcA, srcB, srcPred}, Class: trace.ClassF16})
	}
	return forms
}()

// setForms: set.CmpOp{.BoolOp}.dtype.stype d, a, b{, {!}c}.
var setForms = func() []Form {
	var forms []Form
	a, b := srcA, srcB
	a.Rule, b.Rule = RuleSecond, RuleSecond
	results := typesOf(U32, S32, F32)
	for _, c := range comparisons {
		forms = append(forms,
			Form{Types: two(results, c.types), Groups: c.groups(), Shape: []Slot{dst, a, b}, Class: c.class},
			Form{Types: two(results, c.types), Groups: c.groups(combine), Shape: []Slot{dst, a, b, srcPred}, Class: c.class})
	}
	whole := typesOf(U32, S32)
	for _, h := range []struct{ results, operands TypeSet }{
		{whole | typesOf(U16, S16, F16), typesOf(F16)}, {whole | typesOf(U16, S16, BF16), typesOf(BF16)},
		{whole | typesOf(F16x2), typesOf(F16x2)}, {whole | typesOf(BF16x2), typesOf(BF16x2)},
	} {
		forms = append(forms,
			Form{Types: two(h.results, h.operands), Groups: groups(floatCompare, ftz), Shape: []Slot{dst, a, b}, Class: trace.ClassF16},
			Form{Types: two(h.results, h.operands), Groups: groups(floatCompare, ftz, combine), Shape: []Slot{dst, a, b, srcPred}, Class: trace.ClassF16})
	}
	return forms
}()

// slctForms: slct.dtype.{s32,f32} d, a, b, c.
var slctForms = func() []Form {
	c := srcC
	c.Rule = RuleSecond
	shape := []Slot{dst, srcA, srcB, c}
	results := bits16to64 | int16to64 | typesOf(F32, F64)
	return []Form{
		{Types: two(results, typesOf(S32)), Shape: shape, Class: trace.ClassIntAdd},
		{Types: two(results, typesOf(F32)), Groups: groups(ftz), Shape: shape, Class: trace.ClassF32Add},
	}
}()

var testForms = func() []Form {
	property := groups(req(ModFinite, ModInfinite, ModNumber, ModNotanumber, ModNormal, ModSubnormal))
	shape := []Slot{dstPred, srcA}
	return []Form{
		{Types: one(typesOf(F32)), Groups: property, Shape: shape, Class: trace.ClassF32Add},
		{Types: one(typesOf(F64)), Groups: property, Shape: shape, Class: trace.ClassF64Add},
	}
}()

// logicForms are those of and, or and xor.
var logicForms = []Form{
	{Types: one(bits16to64), Shape: binaryShape, Class: trace.ClassIntAdd},
	{Types: one(typesOf(Pred)), Shape: binaryShape, Class: trace.ClassPredicate},
}
