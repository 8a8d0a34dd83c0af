package ptx

import "github.com/warptape/warptape/trace"

var movForms = []Form{
	{one(bits16to64 | int16to64 | typesOf(F32, F64)), nil, 0, true,
		[]Slot{{Name: "d", Accept: kindsOf(OperandRegister, OperandVector), Write: true}, {Name: "a", Accept: moveKinds}}, trace.ClassMove},
	{one(typesOf(Pred)), nil, 0, false, []Slot{dst, {Name: "a", Accept: kindsOf(OperandRegister, OperandImmediate, OperandSpecial)}}, trace.ClassPredicate},
	{one(typesOf(B128)), nil, 0, false, []Slot{{Name: "d", Accept: wholeOrParts, Write: true}, {Name: "a", Accept: wholeOrParts}}, trace.ClassMove},
}

// wholeOrParts is a register, or what mov packs it from or unpacks it to.
var wholeOrParts = kindsOf(OperandRegister, OperandVector)

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
	sizeL2     = opt(ModL2Size)
)

// loadForms: a load is weak with a cache operator, volatile, or ordered in a
// scope (8.2).
var loadForms = withPolicies(
	Form{one(accessTypes), groups(opt(ModWeak), opt(ModCa, ModCg, ModCs, ModLu, ModCv), hintL1, hintL2, sizeL2), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam),
	Form{one(accessTypes), groups(opt(ModWeak), opt(ModCa, ModCg, ModCs), req(ModNc), hintL1, hintL2, sizeL2), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGlobal),
	Form{one(accessTypes), groups(req(ModVolatile), sizeL2), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{one(accessTypes), groups(req(ModRelaxed, ModAcquire), mustScope, hintL1, hintL2, sizeL2), 0, false, loadShape, trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared),
	argumentForm(loadShape))

// argumentForm is a load or store of an argument of a call: the ABI passes them
// in registers, so that it is a move between registers.
func argumentForm(shape []Slot) Form {
	return Form{one(memoryTypes), nil, 0, false, shape, trace.ClassMove}.withVectors().withSpaces(SpaceArgument)
}

var storeForms = withPolicies(
	Form{one(accessTypes), groups(opt(ModWeak), opt(ModWb, ModCg, ModCs, ModWt), hintL1, hintL2, sizeL2), 0, false, storeShape, trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{one(accessTypes), groups(req(ModVolatile)), 0, false, storeShape, trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{one(accessTypes), groups(req(ModRelaxed, ModRelease), mustScope, hintL1, hintL2, sizeL2), 0, false, storeShape, trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared),
	argumentForm(storeShape))

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
