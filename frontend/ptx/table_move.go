package ptx

import "github.com/warptape/warptape/trace"

var movForms = []Form{
	{one(bits16to64 | int16to64 | typesOf(F32, F64)), nil, 0, false,
		[]Slot{{Name: "d", Accept: kindsOf(OperandRegister, OperandVector), Write: true}, {Name: "a", Accept: moveKinds}}, trace.ClassMove},
	{one(typesOf(Pred)), nil, 0, false, unaryShape, trace.ClassPredicate},
}

var shflForms = func() []Form {
	mode := req(ModUp, ModDown, ModBfly, ModIdx)
	return []Form{
		{one(typesOf(B32)), groups(mode), 0, false, []Slot{dst, dstPair, srcA, srcB, srcC}, trace.ClassShuffle},
		{one(typesOf(B32)), groups(req(ModSync), mode), 0, false, []Slot{dst, dstPair, srcA, srcB, srcC, members}, trace.ClassShuffle},
	}
}()

var (
	loadShape  = []Slot{{Name: "d", Accept: kindsOf(OperandRegister, OperandVector), Write: true, Widen: true}, memory}
	storeShape = []Slot{memory, {Name: "b", Accept: kindsOf(OperandRegister, OperandImmediate, OperandVector), Widen: true}}
	mustScope  = req(ModCta, ModCluster, ModGpu, ModSys)
	hintL1     = opt(ModL1Hint)
	hintL2     = opt(ModL2Hint)
)

// loadForms: a load is weak with a cache operator, volatile, or ordered in a
// scope (8.2).
var loadForms = []Form{
	Form{one(memoryTypes), groups(opt(ModWeak), opt(ModCa, ModCg, ModCs, ModLu, ModCv), hintL1, hintL2), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam),
	Form{one(memoryTypes), groups(opt(ModWeak), opt(ModCa, ModCg, ModCs), req(ModNc), hintL1, hintL2), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGlobal),
	Form{one(memoryTypes), groups(req(ModVolatile)), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{one(memoryTypes), groups(req(ModRelaxed, ModAcquire), mustScope, hintL1, hintL2), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared),
	argumentForm(loadShape),
}

// argumentForm is a load or store of an argument of a call: the ABI passes them
// in registers, so that it is a move between registers.
func argumentForm(shape []Slot) Form {
	return Form{one(memoryTypes), nil, 0, false, shape, trace.ClassMove}.withVectors().withSpaces(SpaceArgument)
}

var storeForms = []Form{
	Form{one(memoryTypes), groups(opt(ModWeak), opt(ModWb, ModCg, ModCs, ModWt), hintL1, hintL2), 0, false, storeShape, trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{one(memoryTypes), groups(req(ModVolatile)), 0, false, storeShape, trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{one(memoryTypes), groups(req(ModRelaxed, ModRelease), mustScope, hintL1, hintL2), 0, false, storeShape, trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared),
	argumentForm(storeShape),
}

var isspacepForms = []Form{
	Form{nil, nil, 0, false, []Slot{dstPred, {Name: "a", Rule: RuleAddress, Accept: registerOnly}}, trace.ClassMove}.
		withSpaces(SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam),
}

var cvtaForms = func() []Form {
	sizes := one(typesOf(U32, U64))
	spaces := []Space{SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam}
	a := Slot{Name: "a", Accept: symbolKinds}
	return []Form{
		Form{sizes, nil, 0, false, []Slot{dst, a}, trace.ClassMove}.withSpaces(spaces...),
		Form{sizes, groups(req(ModTo)), 0, false, []Slot{dst, srcA}, trace.ClassMove}.withSpaces(spaces...),
	}
}()

// cvtForms: which rounding a conversion takes depends on the kinds and widths
// of its types (9.7.9.21, 6.5).
var cvtForms = func() []Form {
	d := Slot{Name: "d", Accept: registerOnly, Write: true, Widen: true}
	a := Slot{Name: "a", Rule: RuleSecond, Accept: kindsOf(OperandRegister, OperandImmediate, OperandSpecial), Widen: true}
	b := Slot{Name: "b", Rule: RuleSecond, Accept: registerOnly}
	shape := []Slot{d, a}
	f16, f32, f64 := typesOf(F16), typesOf(F32), typesOf(F64)
	bf16 := typesOf(BF16)
	toInteger := req(ModRni, ModRzi, ModRmi, ModRpi)
	optInteger := opt(ModRni, ModRzi, ModRmi, ModRpi)
	form := func(to, from TypeSet, g ...Group) Form {
		return Form{two(to, from), g, 0, false, shape, trace.ClassConvert}
	}
	return []Form{
		form(int8to64, int8to64, sat),
		form(int8to64, f16|f64, toInteger, sat),
		form(int8to64, f32, toInteger, ftz, sat),
		form(f16|f64, int8to64, mustRound, sat),
		form(f32, int8to64, mustRound, ftz, sat),
		form(f32, f64, mustRound, ftz, sat),
		form(f16, f32, mustRound, ftz, sat),
		form(f16, f64, mustRound, sat),
		form(f16, f32, req(ModRn, ModRz), req(ModRelu)),
		form(bf16, f32, req(ModRn, ModRz), opt(ModRelu)),
		form(typesOf(TF32), f32, req(ModRna), opt(ModSatfinite)),
		form(typesOf(TF32), f32, req(ModRn, ModRz), opt(ModRelu)),
		form(int8to64, bf16, toInteger, sat),
		form(bf16, int8to64, mustRound),
		form(bf16, f16|f64, mustRound, sat),
		form(f16, bf16, mustRound, sat),
		form(f64, bf16, sat),
		form(bf16, bf16, optInteger),
		form(f64, f32, ftz, sat),
		form(f64, f16, sat),
		form(f32, f16, ftz, sat),
		form(f32, bf16, ftz),
		form(f32, f32, optInteger, ftz, sat),
		form(f64, f64, optInteger, sat),
		form(f16, f16, optInteger, ftz, sat),
		{two(typesOf(F16x2, BF16x2), f32), groups(req(ModRn, ModRz), opt(ModRelu)), 0, false, []Slot{d, a, b}, trace.ClassConvert},
	}
}()
