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
	{bits16to64, bitCompare, false, trace.ClassIntAdd},
	{signed16to64, signedCompare, false, trace.ClassIntAdd},
	{unsigned16to64, unsignedCompare, false, trace.ClassIntAdd},
	{typesOf(F32), floatCompare, true, trace.ClassF32Add},
	{typesOf(F64), floatCompare, false, trace.ClassF64Add},
}

// halfComparison is setp's alone.
var halfComparison = comparison{typesOf(F16, BF16), floatCompare, true, trace.ClassF16}

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
			Form{one(c.types), c.groups(), 0, false, []Slot{dstPred, dstPair, srcA, srcB}, c.class},
			Form{one(c.types), c.groups(combine), 0, false, []Slot{dstPred, dstPair, srcA, srcB, srcPred}, c.class})
	}
	for _, ty := range []Type{F16x2, BF16x2} {
		// p is of the lower halves, q of the upper ones.
		forms = append(forms,
			Form{one(typesOf(ty)), groups(floatCompare, ftz), 0, false, []Slot{dstPred, dstPair, srcA, srcB}, trace.ClassF16},
			Form{one(typesOf(ty)), groups(floatCompare, ftz, combine), 0, false, []Slot{dstPred, dstPair, srcA, srcB, srcPred}, trace.ClassF16})
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
			Form{two(results, c.types), c.groups(), 0, false, []Slot{dst, a, b}, c.class},
			Form{two(results, c.types), c.groups(combine), 0, false, []Slot{dst, a, b, srcPred}, c.class})
	}
	whole := typesOf(U32, S32)
	for _, h := range []struct{ results, operands TypeSet }{
		{whole | typesOf(U16, S16, F16), typesOf(F16)}, {whole | typesOf(U16, S16, BF16), typesOf(BF16)},
		{whole | typesOf(F16x2), typesOf(F16x2)}, {whole | typesOf(BF16x2), typesOf(BF16x2)},
	} {
		forms = append(forms,
			Form{two(h.results, h.operands), groups(floatCompare, ftz), 0, false, []Slot{dst, a, b}, trace.ClassF16},
			Form{two(h.results, h.operands), groups(floatCompare, ftz, combine), 0, false, []Slot{dst, a, b, srcPred}, trace.ClassF16})
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
		{two(results, typesOf(S32)), nil, 0, false, shape, trace.ClassIntAdd},
		{two(results, typesOf(F32)), groups(ftz), 0, false, shape, trace.ClassF32Add},
	}
}()

var testForms = func() []Form {
	property := groups(req(ModFinite, ModInfinite, ModNumber, ModNotanumber, ModNormal, ModSubnormal))
	shape := []Slot{dstPred, srcA}
	return []Form{
		{one(typesOf(F32)), property, 0, false, shape, trace.ClassF32Add},
		{one(typesOf(F64)), property, 0, false, shape, trace.ClassF64Add},
	}
}()

// logicForms are those of and, or and xor.
var logicForms = []Form{
	{one(bits16to64), nil, 0, false, binaryShape, trace.ClassIntAdd},
	{one(typesOf(Pred)), nil, 0, false, binaryShape, trace.ClassPredicate},
}
