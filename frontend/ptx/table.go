package ptx

import "github.com/warptape/warptape/trace"

// specs is the instruction table: one row per opcode. Parser, checker,
// printer, contaminator and emulator index it. Where a mnemonic serves integers
// and floating point alike (add, min, ...), its section is the integer one and
// its forms stand in both orders of magnitude, integers first.
var specs = [opEnd]Spec{
	OpAdd:   {"add", "9.7.1.1", join(integerSum, packedSum, floatSum)},
	OpSub:   {"sub", "9.7.1.2", join(integerSum, floatSum)},
	OpMul:   {"mul", "9.7.1.3", join(integerProduct, floatProduct)},
	OpMad:   {"mad", "9.7.1.4", join(integerMad, floatMad)},
	OpMul24: {"mul24", "9.7.1.5", []Form{{one(int32), groups(req(ModLo, ModHi)), 0, false, []Slot{dst, srcA, srcB}, trace.ClassIntMul}}},
	OpMad24: {"mad24", "9.7.1.6", []Form{
		{one(int32), groups(req(ModLo, ModHi)), 0, false, []Slot{dst, srcA, srcB, srcC}, trace.ClassIntMad},
		{one(typesOf(S32)), groups(req(ModHi), req(ModSat)), 0, false, []Slot{dst, srcA, srcB, srcC}, trace.ClassIntMad},
	}},
	OpSad:   {"sad", "9.7.1.7", []Form{{one(int16to64), nil, 0, false, []Slot{dst, srcA, srcB, srcC}, trace.ClassIntMinMax}}},
	OpDiv:   {"div", "9.7.1.8", join([]Form{{one(int16to64), nil, 0, false, binaryShape, trace.ClassIntDiv}}, floatQuotient)},
	OpRem:   {"rem", "9.7.1.9", []Form{{one(int16to64), nil, 0, false, binaryShape, trace.ClassIntDiv}}},
	OpAbs:   {"abs", "9.7.1.10", signForms},
	OpNeg:   {"neg", "9.7.1.11", signForms},
	OpMin:   {"min", "9.7.1.12", extremeForms},
	OpMax:   {"max", "9.7.1.13", extremeForms},
	OpPopc:  {"popc", "9.7.1.14", countForms},
	OpClz:   {"clz", "9.7.1.15", countForms},
	OpBfind: {"bfind", "9.7.1.16", []Form{{one(int32and64), groups(opt(ModShiftamt)), 0, false, []Slot{dstB32, srcA}, trace.ClassIntAdd}}},
	OpBrev:  {"brev", "9.7.1.18", []Form{{one(bits32and64), nil, 0, false, unaryShape, trace.ClassIntAdd}}},
	OpBfe:   {"bfe", "9.7.1.19", []Form{{one(int32and64), nil, 0, false, []Slot{dst, srcA, srcB32, cntB32}, trace.ClassIntAdd}}},
	OpBfi:   {"bfi", "9.7.1.20", []Form{{one(bits32and64), nil, 0, false, []Slot{dst, srcA, srcB, cntB32, dB32}, trace.ClassIntAdd}}},
	OpAddc:  {"addc", "9.7.2.2", []Form{{one(int32and64), groups(opt(ModCC)), 0, false, binaryShape, trace.ClassIntAdd}}},
	OpSubc:  {"subc", "9.7.2.4", []Form{{one(int32and64), groups(opt(ModCC)), 0, false, binaryShape, trace.ClassIntAdd}}},
	OpMadc:  {"madc", "9.7.2.6", []Form{{one(int32and64), groups(req(ModLo, ModHi), opt(ModCC)), 0, false, []Slot{dst, srcA, srcB, srcC}, trace.ClassIntMad}}},
	OpDp2a:  {"dp2a", "9.7.1.24", []Form{{two(int32, int32), groups(req(ModLo, ModHi)), 0, false, []Slot{dstB32, srcA, srcB32, cntB32}, trace.ClassIntMad}}},
	OpFns:   {"fns", "9.7.1.17", []Form{{one(typesOf(B32)), nil, 0, false, ternaryShape, trace.ClassIntAdd}}},
	OpSzext: {"szext", "9.7.1.21", []Form{{one(int32), groups(req(ModClamp, ModWrap)), 0, false, []Slot{dst, srcA, srcB32}, trace.ClassIntAdd}}},
	OpBmsk:  {"bmsk", "9.7.1.22", []Form{{one(typesOf(B32)), groups(req(ModClamp, ModWrap)), 0, false, binaryShape, trace.ClassIntAdd}}},
	OpDp4a:  {"dp4a", "9.7.1.23", []Form{{two(int32, int32), nil, 0, false, []Slot{dstB32, srcA, srcB32, cntB32}, trace.ClassIntMad}}},

	OpFma:      {"fma", "9.7.3.6", fmaForms},
	OpRcp:      {"rcp", "9.7.3.13", join(rootForms, []Form{{one(typesOf(F64)), groups(req(ModApprox), req(ModFtz)), 0, false, unaryShape, trace.ClassSpecial}})},
	OpSqrt:     {"sqrt", "9.7.3.15", rootForms},
	OpRsqrt:    {"rsqrt", "9.7.3.16", []Form{{one(typesOf(F32, F64)), groups(req(ModApprox), opt(ModFtz)), 0, false, unaryShape, trace.ClassSpecial}}},
	OpSin:      {"sin", "9.7.3.18", approximateForms},
	OpCos:      {"cos", "9.7.3.19", approximateForms},
	OpLg2:      {"lg2", "9.7.3.20", approximateForms},
	OpEx2:      {"ex2", "9.7.3.21", join(approximateForms, halfExponential)},
	OpTanh:     {"tanh", "9.7.3.22", []Form{{one(typesOf(F32) | half | bhalf), groups(req(ModApprox)), 0, false, unaryShape, trace.ClassSpecial}}},
	OpTestp:    {"testp", "9.7.3.1", testForms},
	OpCopysign: {"copysign", "9.7.3.2", []Form{{one(typesOf(F32)), nil, 0, false, binaryShape, trace.ClassF32Add}, {one(typesOf(F64)), nil, 0, false, binaryShape, trace.ClassF64Add}}},

	OpSet:  {"set", "9.7.6.1", setForms},
	OpSetp: {"setp", "9.7.6.2", setpForms},
	OpSelp: {"selp", "9.7.6.3", []Form{{one(bits16to64 | int16to64 | typesOf(F32, F64)), nil, 0, false, []Slot{dst, srcA, srcB, selector}, trace.ClassIntAdd}}},
	OpSlct: {"slct", "9.7.6.4", slctForms},

	OpAnd:  {"and", "9.7.8.1", logicForms},
	OpOr:   {"or", "9.7.8.2", logicForms},
	OpXor:  {"xor", "9.7.8.3", logicForms},
	OpNot:  {"not", "9.7.8.4", []Form{{one(bits16to64), nil, 0, false, unaryShape, trace.ClassIntAdd}, {one(typesOf(Pred)), nil, 0, false, unaryShape, trace.ClassPredicate}}},
	OpCnot: {"cnot", "9.7.8.5", []Form{{one(bits16to64), nil, 0, false, unaryShape, trace.ClassIntAdd}}},
	OpLop3: {"lop3", "9.7.8.6", lop3Forms},
	OpShf:  {"shf", "9.7.8.7", []Form{{one(typesOf(B32)), groups(req(ModL, ModR), req(ModClamp, ModWrap)), 0, false, []Slot{dst, srcA, srcB, cntB32}, trace.ClassIntAdd}}},
	OpShl:  {"shl", "9.7.8.8", []Form{{one(bits16to64), nil, 0, false, []Slot{dst, srcA, srcB32}, trace.ClassIntAdd}}},
	OpShr:  {"shr", "9.7.8.9", []Form{{one(bits16to64 | int16to64), nil, 0, false, []Slot{dst, srcA, srcB32}, trace.ClassIntAdd}}},

	OpMov:           {"mov", "9.7.9.3", movForms},
	OpShfl:          {"shfl", "9.7.9.5", shflForms},
	OpPrmt:          {"prmt", "9.7.9.7", []Form{{one(typesOf(B32)), groups(opt(ModF4e, ModB4e, ModRc8, ModEcl, ModEcr, ModRc16)), 0, false, []Slot{dst, srcA, srcB, srcC}, trace.ClassIntAdd}}},
	OpLd:            {"ld", "9.7.9.8", loadForms},
	OpLdu:           {"ldu", "9.7.9.10", []Form{Form{one(memoryTypes), nil, 0, false, loadShape, trace.ClassLoad}.withVectors().withSpaces(SpaceGeneric, SpaceGlobal)}},
	OpSt:            {"st", "9.7.9.11", join(storeForms, storeAsyncForms)},
	OpPrefetch:      {"prefetch", "9.7.9.15", []Form{Form{nil, groups(req(ModL2Hint)), 0, false, []Slot{memory}, trace.ClassNop}.withSpaces(SpaceGlobal), Form{nil, groups(req(ModL1, ModL2)), 0, false, []Slot{memory}, trace.ClassNop}.withSpaces(SpaceGeneric, SpaceGlobal, SpaceLocal), Form{Groups: groups(req(ModTensormap)), Shape: []Slot{memory}, Class: trace.ClassNop}.withSpaces(SpaceGeneric, SpaceParam, SpaceConst)}},
	OpPrefetchu:     {"prefetchu", "9.7.9.15", []Form{{nil, groups(req(ModL1)), 0, false, []Slot{memory}, trace.ClassNop}}},
	OpApplypriority: {"applypriority", "9.7.9.16", []Form{Form{nil, groups(req(ModL2Hint)), 0, false, []Slot{memory, byteCount}, trace.ClassNop}.withSpaces(SpaceGeneric, SpaceGlobal)}},
	OpDiscard:       {"discard", "9.7.9.17", []Form{Form{nil, groups(req(ModL2)), 0, false, []Slot{memory, byteCount}, trace.ClassNop}.withSpaces(SpaceGeneric, SpaceGlobal)}},
	OpCreatepolicy:  {"createpolicy", "9.7.9.18", policyForms},
	OpIsspacep:      {"isspacep", "9.7.9.19", isspacepForms},
	OpCvta:          {"cvta", "9.7.9.20", cvtaForms},
	OpCvt:           {"cvt", "9.7.9.21", cvtForms},

	OpMapa:       {"mapa", "9.7.9.23", mapaForms},
	OpGetctarank: {"getctarank", "9.7.9.24", rankForms},

	OpCp:        {"cp", "9.7.9.25", join(copyForms, bulkForms, tensorForms)},
	OpTensormap: {"tensormap", "9.7.9.26", tensormapForms},

	OpTex:   {"tex", "9.7.10.3", texForms},
	OpTld4:  {"tld4", "9.7.10.4", gatherForms},
	OpTxq:   {"txq", "9.7.10.5", textureQueryForms},
	OpSuld:  {"suld", "9.7.11.1", surfaceLoadForms},
	OpSust:  {"sust", "9.7.11.2", surfaceStoreForms},
	OpSured: {"sured", "9.7.11.3", surfaceReductionForms},
	OpSuq:   {"suq", "9.7.11.4", surfaceQueryForms},

	OpBra:  {"bra", "9.7.12.3", []Form{{nil, groups(opt(ModUni)), 0, false, []Slot{target}, trace.ClassBranch}}},
	OpBrx:  {"brx", "9.7.12.4", []Form{{nil, groups(req(ModIdx), opt(ModUni)), 0, false, []Slot{{Name: "index", Rule: RuleB32, Accept: registerOnly}, targets}, trace.ClassBranch}}},
	OpCall: {"call", "9.7.12.5", callForms},
	OpRet:  {"ret", "9.7.12.6", []Form{{nil, groups(opt(ModUni)), 0, false, nil, trace.ClassExit}}},
	OpExit: {"exit", "9.7.12.7", []Form{{nil, nil, 0, false, nil, trace.ClassExit}}},

	OpBar:            {"bar", "9.7.13.1", barForms},
	OpBarrier:        {"barrier", "9.7.13.1", join(barrierForms, clusterBarrierForms)},
	OpMembar:         {"membar", "9.7.13.4", []Form{{nil, groups(req(ModProxy), req(ModAlias)), 0, false, nil, trace.ClassFence}, {nil, groups(req(ModCta, ModGl, ModSys)), 0, false, nil, trace.ClassFence}}},
	OpFence:          {"fence", "9.7.13.4", join(fenceForms, tensormapFences)},
	OpAtom:           {"atom", "9.7.13.5", atomForms},
	OpRed:            {"red", "9.7.13.7", join(redForms, reduceAsyncForms)},
	OpVote:           {"vote", "9.7.13.9", voteForms},
	OpMatch:          {"match", "9.7.13.11", matchForms},
	OpActivemask:     {"activemask", "9.7.13.12", []Form{{one(typesOf(B32)), nil, 0, false, []Slot{dst}, trace.ClassShuffle}}},
	OpMbarrier:       {"mbarrier", "9.7.13.15", mbarrierForms},
	OpElect:          {"elect", "9.7.13.14", []Form{{nil, groups(req(ModSync)), 0, false, []Slot{{Name: "d", Rule: RuleB32, Accept: resultKinds, Write: true}, dstPair, members}, trace.ClassShuffle}}},
	OpGriddepcontrol: {"griddepcontrol", "9.7.13.13", gridForms},
	OpRedux: {"redux", "9.7.13.13", []Form{
		{one(int32), groups(req(ModSync), req(ModAdd, ModMin, ModMax)), 0, false, []Slot{dst, srcA, members}, trace.ClassShuffle},
		{one(typesOf(B32)), groups(req(ModSync), req(ModAnd, ModOr, ModXor)), 0, false, []Slot{dst, srcA, members}, trace.ClassShuffle},
	}},

	OpWmma:      {"wmma", "9.7.14.4", wmmaForms},
	OpMma:       {"mma", "9.7.14.5", join(mmaForms, mmaQuadForms, mmaMoreForms, mmaSparseForms)},
	OpLdmatrix:  {"ldmatrix", "9.7.14.5.15", matrixRowForms(false)},
	OpStmatrix:  {"stmatrix", "9.7.14.5.16", matrixRowForms(true)},
	OpMovmatrix: {"movmatrix", "9.7.14.5.17", []Form{{one(typesOf(B16)), groups(req(ModSync), req(ModAligned), req(ModM8n8), req(ModTrans)), 0, false, []Slot{dstB32, {Name: "a", Rule: RuleB32, Accept: registerOnly}}, trace.ClassShuffle}}},

	OpWgmma: {"wgmma", "9.7.15", warpgroupForms},

	OpVadd:      {"vadd", "9.7.18.1.1", videoForms(trace.ClassIntAdd)},
	OpVsub:      {"vsub", "9.7.18.1.1", videoForms(trace.ClassIntAdd)},
	OpVabsdiff:  {"vabsdiff", "9.7.18.1.1", videoForms(trace.ClassIntMinMax)},
	OpVmin:      {"vmin", "9.7.18.1.1", videoForms(trace.ClassIntMinMax)},
	OpVmax:      {"vmax", "9.7.18.1.1", videoForms(trace.ClassIntMinMax)},
	OpVshl:      {"vshl", "9.7.18.1.2", videoShiftForms},
	OpVshr:      {"vshr", "9.7.18.1.2", videoShiftForms},
	OpVmad:      {"vmad", "9.7.18.1.3", videoMadForms},
	OpVset:      {"vset", "9.7.18.1.4", videoSetForms},
	OpVadd2:     {"vadd2", "9.7.18.2.1", videoVectorForms(trace.ClassIntAdd)},
	OpVsub2:     {"vsub2", "9.7.18.2.1", videoVectorForms(trace.ClassIntAdd)},
	OpVavrg2:    {"vavrg2", "9.7.18.2.1", videoVectorForms(trace.ClassIntAdd)},
	OpVabsdiff2: {"vabsdiff2", "9.7.18.2.1", videoVectorForms(trace.ClassIntMinMax)},
	OpVmin2:     {"vmin2", "9.7.18.2.1", videoVectorForms(trace.ClassIntMinMax)},
	OpVmax2:     {"vmax2", "9.7.18.2.1", videoVectorForms(trace.ClassIntMinMax)},
	OpVset2:     {"vset2", "9.7.18.2.2", videoVectorSetForms},
	OpVadd4:     {"vadd4", "9.7.18.2.3", videoVectorForms(trace.ClassIntAdd)},
	OpVsub4:     {"vsub4", "9.7.18.2.3", videoVectorForms(trace.ClassIntAdd)},
	OpVavrg4:    {"vavrg4", "9.7.18.2.3", videoVectorForms(trace.ClassIntAdd)},
	OpVabsdiff4: {"vabsdiff4", "9.7.18.2.3", videoVectorForms(trace.ClassIntMinMax)},
	OpVmin4:     {"vmin4", "9.7.18.2.3", videoVectorForms(trace.ClassIntMinMax)},
	OpVmax4:     {"vmax4", "9.7.18.2.3", videoVectorForms(trace.ClassIntMinMax)},
	OpVset4:     {"vset4", "9.7.18.2.4", videoVectorSetForms},

	OpTrap:       {"trap", "9.7.19.4", []Form{{nil, nil, 0, false, nil, trace.ClassExit}}},
	OpBrkpt:      {"brkpt", "9.7.19.1", []Form{{nil, nil, 0, false, nil, trace.ClassNop}}},
	OpPmevent:    {"pmevent", "9.7.19.3", []Form{{nil, groups(opt(ModMask)), 0, false, []Slot{{Name: "a", Rule: RuleB32, Accept: immediateOnly, Limit: 65535}}, trace.ClassNop}}},
	OpSetmaxnreg: {"setmaxnreg", "9.7.19.5", []Form{{one(typesOf(U32)), groups(req(ModInc, ModDec), req(ModSync), req(ModAligned)), 0, false, []Slot{{Name: "imm-reg-count", Accept: immediateOnly, Limit: 256}}, trace.ClassNop}}},
	OpNanosleep:  {"nanosleep", "9.7.19.2", []Form{{one(typesOf(U32)), nil, 0, false, []Slot{srcA}, trace.ClassNop}}},
}

// opcodeNames finds an opcode by its mnemonic.
var opcodeNames = func() map[string]Opcode {
	names := make(map[string]Opcode, len(specs))
	for op := range specs {
		if specs[op].Name != "" {
			names[specs[op].Name] = Opcode(op)
		}
	}
	return names
}()
