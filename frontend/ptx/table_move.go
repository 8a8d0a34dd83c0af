// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

var movForms = []Form{
	{Types: one(bits16to64 | int16to64 | typesOf(F32, F64)), Vectors: true,
		Shape: []Slot{{Name: "d", Accept: kindsOf(OperandRegister, OperandVector), Write: true}, {Name: "a", Accept: moveKinds}}, Class: trace.ClassMove},
	{Types: one(typesOf(Pred)), Shape: []Slot{dst, {Name: "a", Accept: kindsOf(OperandRegister, OperandImmediate, OperandSpecial)}}, Class: trace.ClassPredicate},
	{Types: one(typesOf(B128)), Shape: []Slot{{Name: "d", Accept: wholeOrParts, Write: true}, {Name: "a", Accept: wholeOrParts}}, Class: trace.ClassMove},
}

// wholeOrParts is a register, or what mov packs it from or unpacks it to.
var wholeOrParts = kindsOf(OperandRegister, OperandVector)

var shflForms = func() []Form {
	mode := req(ModUp, ModDown, ModBfly, ModIdx)
	return []Form{
		{Types: one(typesOf(B32)), Groups: groups(mode), Shape: []Slot{dst, dstPair, srcA, srcB, srcC}, Class: trace.ClassShuffle},
		{Types: one(typesOf(B32)), Groups: groups(req(ModSync), mode), Shape: []Slot{dst, dstPair, srcA, srcB, srcC, members}, Class: trace.ClassShuffle},
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
	Form{Types: one(accessTypes), Groups: groups(opt(ModWeak), opt(ModCa, ModCg, ModCs, ModLu, ModCv), hintL1, hintL2, sizeL2), Shape: loadShape, Class: trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam),
	Form{Types: one(accessTypes), Groups: groups(opt(ModWeak), opt(ModCa, ModCg, ModCs), req(ModNc), hintL1, hintL2, sizeL2), Shape: loadShape, Class: trace.ClassLoad}.
		withVectors().withSpaces(SpaceGlobal),
	Form{Types: one(accessTypes), Groups: groups(req(ModVolatile), sizeL2), Shape: loadShape, Class: trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{Types: one(accessTypes), Groups: groups(req(ModRelaxed, ModAcquire), mustScope, hintL1, hintL2, sizeL2), Shape: loadShape, Class: trace.ClassLoad}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared),
	argumentForm(loadShape))

// argumentForm is a load or store of an argument of a call: the ABI passes them
// in registers, so that it is a move between registers.
func argumentForm(shape []Slot) Form {
	return Form{Types: one(memoryTypes), Shape: shape, Class: trace.ClassMove}.withVectors().withSpaces(SpaceArgument)
}

var storeForms = withPolicies(
	Form{Types: one(accessTypes), Groups: groups(opt(ModWeak), opt(ModWb, ModCg, ModCs, ModWt), hintL1, hintL2, sizeL2), Shape: storeShape, Class: trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{Types: one(accessTypes), Groups: groups(req(ModVolatile)), Shape: storeShape, Class: trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared, SpaceLocal),
	Form{Types: one(accessTypes), Groups: groups(req(ModRelaxed, ModRelease), mustScope, hintL1, hintL2, sizeL2), Shape: storeShape, Class: trace.ClassStore}.
		withVectors().withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared),
	argumentForm(storeShape))

var isspacepForms = []Form{
	Form{Shape: []Slot{dstPred, {Name: "a", Rule: RuleAddress, Accept: registerOnly}}, Class: trace.ClassMove}.
		withSpaces(SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam),
}

var cvtaForms = func() []Form {
	sizes := one(typesOf(U32, U64))
	spaces := []Space{SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam}
	a := Slot{Name: "a", Accept: symbolKinds}
	return []Form{
		Form{Types: sizes, Shape: []Slot{dst, a}, Class: trace.ClassMove}.withSpaces(spaces...),
		Form{Types: sizes, Groups: groups(req(ModTo)), Shape: []Slot{dst, srcA}, Class: trace.ClassMove}.withSpaces(spaces...),
	}
}()
