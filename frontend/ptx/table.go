// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// specs is the instruction table: one row per opcode. Parser, checker,
// printer, contaminator and emulator index it. Where a mnemonic serves integers
// and floating point alike (add, min, ...), its section is the integer one and
// its forms stand in both orders of magnitude, integers first.
var specs = [opEnd]Spec{
	OpAdd:   {Name: "add", Section: "9.7.1.1", Available: addAvailability, Forms: join(integerSum, packedSum, floatSum)},
	OpSub:   {Name: "sub", Section: "9.7.1.2", Available: sumAvailability, Forms: join(integerSum, floatSum)},
	OpMul:   {Name: "mul", Section: "9.7.1.3", Available: joinRows([]Availability{always}, floatAvailability), Forms: join(integerProduct, floatProduct)},
	OpMad:   {Name: "mad", Section: "9.7.1.4", Available: madAvailability, Forms: join(integerMad, floatMad)},
	OpMul24: {Name: "mul24", Section: "9.7.1.5", Available: since(isa(1, 0), 0), Forms: []Form{{Types: one(int32), Groups: groups(req(ModLo, ModHi)), Shape: []Slot{dst, srcA, srcB}, Class: trace.ClassIntMul}}},
	OpMad24: {Name: "mad24", Section: "9.7.1.6", Available: since(isa(1, 0), 0), Forms: []Form{
		{Types: one(int32), Groups: groups(req(ModLo, ModHi)), Shape: []Slot{dst, srcA, srcB, srcC}, Class: trace.ClassIntMad},
		{Types: one(typesOf(S32)), Groups: groups(req(ModHi), req(ModSat)), Shape: []Slot{dst, srcA, srcB, srcC}, Class: trace.ClassIntMad},
	}},
	OpSad:   {Name: "sad", Section: "9.7.1.7", Available: since(isa(1, 0), 0), Forms: []Form{{Types: one(int16to64), Shape: []Slot{dst, srcA, srcB, srcC}, Class: trace.ClassIntMinMax}}},
	OpDiv:   {Name: "div", Section: "9.7.1.8", Available: divAvailability, Forms: join([]Form{{Types: one(int16to64), Shape: binaryShape, Class: trace.ClassIntDiv}}, floatQuotient)},
	OpRem:   {Name: "rem", Section: "9.7.1.9", Available: since(isa(1, 0), 0), Forms: []Form{{Types: one(int16to64), Shape: binaryShape, Class: trace.ClassIntDiv}}},
	OpAbs:   {Name: "abs", Section: "9.7.1.10", Available: signAvailability(isa(6, 5), "9.7.4.6"), Forms: signForms},
	OpNeg:   {Name: "neg", Section: "9.7.1.11", Available: signAvailability(isa(6, 0), "9.7.4.5"), Forms: signForms},
	OpMin:   {Name: "min", Section: "9.7.1.12", Available: extremeAvailability, Forms: extremeForms},
	OpMax:   {Name: "max", Section: "9.7.1.13", Available: extremeAvailability, Forms: extremeForms},
	OpPopc:  {Name: "popc", Section: "9.7.1.14", Available: since(isa(2, 0), 20), Forms: countForms},
	OpClz:   {Name: "clz", Section: "9.7.1.15", Available: since(isa(2, 0), 20), Forms: countForms},
	OpBfind: {Name: "bfind", Section: "9.7.1.16", Available: since(isa(2, 0), 20), Forms: []Form{{Types: one(int32and64), Groups: groups(opt(ModShiftamt)), Shape: []Slot{dstB32, srcA}, Class: trace.ClassIntAdd}}},
	OpBrev:  {Name: "brev", Section: "9.7.1.18", Available: since(isa(2, 0), 20), Forms: []Form{{Types: one(bits32and64), Shape: unaryShape, Class: trace.ClassIntAdd}}},
	OpBfe:   {Name: "bfe", Section: "9.7.1.19", Available: since(isa(2, 0), 20), Forms: []Form{{Types: one(int32and64), Shape: []Slot{dst, srcA, srcB32, cntB32}, Class: trace.ClassIntAdd}}},
	OpBfi:   {Name: "bfi", Section: "9.7.1.20", Available: since(isa(2, 0), 20), Forms: []Form{{Types: one(bits32and64), Shape: []Slot{dst, srcA, srcB, cntB32, dB32}, Class: trace.ClassIntAdd}}},
	OpAddc:  {Name: "addc", Section: "9.7.2.2", Available: addcAvailability, Forms: []Form{{Types: one(int32and64), Groups: groups(opt(ModCC)), Shape: binaryShape, Class: trace.ClassIntAdd}}},
	OpSubc:  {Name: "subc", Section: "9.7.2.4", Available: subcAvailability, Forms: []Form{{Types: one(int32and64), Groups: groups(opt(ModCC)), Shape: binaryShape, Class: trace.ClassIntAdd}}},
	OpMadc:  {Name: "madc", Section: "9.7.2.6", Available: madcAvailability, Forms: []Form{{Types: one(int32and64), Groups: groups(req(ModLo, ModHi), opt(ModCC)), Shape: []Slot{dst, srcA, srcB, srcC}, Class: trace.ClassIntMad}}},
	OpDp2a:  {Name: "dp2a", Section: "9.7.1.24", Available: since(isa(5, 0), 61), Forms: []Form{{Types: two(int32, int32), Groups: groups(req(ModLo, ModHi)), Shape: []Slot{dstB32, srcA, srcB32, cntB32}, Class: trace.ClassIntMad}}},
	OpFns:   {Name: "fns", Section: "9.7.1.17", Available: since(isa(6, 0), 30), Forms: []Form{{Types: one(typesOf(B32)), Shape: ternaryShape, Class: trace.ClassIntAdd}}},
	OpSzext: {Name: "szext", Section: "9.7.1.21", Available: since(isa(7, 6), 70), Forms: []Form{{Types: one(int32), Groups: groups(req(ModClamp, ModWrap)), Shape: []Slot{dst, srcA, srcB32}, Class: trace.ClassIntAdd}}},
	OpBmsk:  {Name: "bmsk", Section: "9.7.1.22", Available: since(isa(7, 6), 70), Forms: []Form{{Types: one(typesOf(B32)), Groups: groups(req(ModClamp, ModWrap)), Shape: binaryShape, Class: trace.ClassIntAdd}}},
	OpDp4a:  {Name: "dp4a", Section: "9.7.1.23", Available: since(isa(5, 0), 61), Forms: []Form{{Types: two(int32, int32), Shape: []Slot{dstB32, srcA, srcB32, cntB32}, Class: trace.ClassIntMad}}},

	OpFma:      {Name: "fma", Section: "9.7.3.6", Available: fmaAvailability, Forms: fmaForms},
	OpRcp:      {Name: "rcp", Section: "9.7.3.13", Available: rcpAvailability, Forms: join(rootForms, []Form{{Types: one(typesOf(F64)), Groups: groups(req(ModApprox), req(ModFtz)), Shape: unaryShape, Class: trace.ClassSpecial}})},
	OpSqrt:     {Name: "sqrt", Section: "9.7.3.15", Available: rootAvailability, Forms: rootForms},
	OpRsqrt:    {Name: "rsqrt", Section: "9.7.3.16", Available: rsqrtAvailability, Forms: []Form{{Types: one(typesOf(F32, F64)), Groups: groups(req(ModApprox), opt(ModFtz)), Shape: unaryShape, Class: trace.ClassSpecial}}},
	OpSin:      {Name: "sin", Section: "9.7.3.18", Available: since(isa(1, 0), 0), Forms: approximateForms},
	OpCos:      {Name: "cos", Section: "9.7.3.19", Available: since(isa(1, 0), 0), Forms: approximateForms},
	OpLg2:      {Name: "lg2", Section: "9.7.3.20", Available: since(isa(1, 0), 0), Forms: approximateForms},
	OpEx2:      {Name: "ex2", Section: "9.7.3.21", Available: ex2Availability, Forms: join(approximateForms, halfExponential)},
	OpTanh:     {Name: "tanh", Section: "9.7.3.22", Available: tanhAvailability, Forms: []Form{{Types: one(typesOf(F32) | half | bhalf), Groups: groups(req(ModApprox)), Shape: unaryShape, Class: trace.ClassSpecial}}},
	OpTestp:    {Name: "testp", Section: "9.7.3.1", Available: since(isa(2, 0), 20), Forms: testForms},
	OpCopysign: {Name: "copysign", Section: "9.7.3.2", Available: since(isa(2, 0), 20), Forms: []Form{{Types: one(typesOf(F32)), Shape: binaryShape, Class: trace.ClassF32Add}, {Types: one(typesOf(F64)), Shape: binaryShape, Class: trace.ClassF64Add}}},

	OpSet:  {Name: "set", Section: "9.7.6.1", Available: setAvailability, Forms: setForms},
	OpSetp: {Name: "setp", Section: "9.7.6.2", Available: setpAvailability, Forms: setpForms},
	OpSelp: {Name: "selp", Section: "9.7.6.3", Available: []Availability{always, {Any: f64s, Target: 13}}, Forms: []Form{{Types: one(bits16to64 | int16to64 | typesOf(F32, F64)), Shape: []Slot{dst, srcA, srcB, selector}, Class: trace.ClassIntAdd}}},
	OpSlct: {Name: "slct", Section: "9.7.6.4", Available: []Availability{always, {Any: f64s, Target: 13}}, Forms: slctForms},

	OpAnd:  {Name: "and", Section: "9.7.8.1", Available: since(isa(1, 0), 0), Forms: logicForms},
	OpOr:   {Name: "or", Section: "9.7.8.2", Available: since(isa(1, 0), 0), Forms: logicForms},
	OpXor:  {Name: "xor", Section: "9.7.8.3", Available: since(isa(1, 0), 0), Forms: logicForms},
	OpNot:  {Name: "not", Section: "9.7.8.4", Available: since(isa(1, 0), 0), Forms: []Form{{Types: one(bits16to64), Shape: unaryShape, Class: trace.ClassIntAdd}, {Types: one(typesOf(Pred)), Shape: unaryShape, Class: trace.ClassPredicate}}},
	OpCnot: {Name: "cnot", Section: "9.7.8.5", Available: since(isa(1, 0), 0), Forms: []Form{{Types: one(bits16to64), Shape: unaryShape, Class: trace.ClassIntAdd}}},
	OpLop3: {Name: "lop3", Section: "9.7.8.6", Available: lop3Availability, Forms: lop3Forms},
	OpShf:  {Name: "shf", Section: "9.7.8.7", Available: since(isa(3, 1), 32), Forms: []Form{{Types: one(typesOf(B32)), Groups: groups(req(ModL, ModR), req(ModClamp, ModWrap)), Shape: []Slot{dst, srcA, srcB, cntB32}, Class: trace.ClassIntAdd}}},
	OpShl:  {Name: "shl", Section: "9.7.8.8", Available: since(isa(1, 0), 0), Forms: []Form{{Types: one(bits16to64), Shape: []Slot{dst, srcA, srcB32}, Class: trace.ClassIntAdd}}},
	OpShr:  {Name: "shr", Section: "9.7.8.9", Available: since(isa(1, 0), 0), Forms: []Form{{Types: one(bits16to64 | int16to64), Shape: []Slot{dst, srcA, srcB32}, Class: trace.ClassIntAdd}}},

	OpMov:           {Name: "mov", Section: "9.7.9.3", Available: movAvailability, Forms: movForms},
	OpShfl:          {Name: "shfl", Section: "9.7.9.5", Available: shflAvailability, Forms: shflForms},
	OpPrmt:          {Name: "prmt", Section: "9.7.9.7", Available: since(isa(2, 0), 20), Forms: []Form{{Types: one(typesOf(B32)), Groups: groups(opt(ModF4e, ModB4e, ModRc8, ModEcl, ModEcr, ModRc16)), Shape: []Slot{dst, srcA, srcB, srcC}, Class: trace.ClassIntAdd}}},
	OpLd:            {Name: "ld", Section: "9.7.9.8", Available: accessAvailability, Forms: loadForms},
	OpLdu:           {Name: "ldu", Section: "9.7.9.10", Available: []Availability{from(isa(2, 0), 0), {Any: f64s, Target: 13}}, Forms: []Form{Form{Types: one(memoryTypes), Shape: loadShape, Class: trace.ClassLoad}.withVectors().withSpaces(SpaceGeneric, SpaceGlobal)}},
	OpSt:            {Name: "st", Section: "9.7.9.11", Available: storeAvailability, Forms: join(storeForms, storeAsyncForms)},
	OpPrefetch:      {Name: "prefetch", Section: "9.7.9.15", Available: prefetchAvailability, Forms: []Form{Form{Groups: groups(req(ModL2Hint)), Shape: []Slot{memory}, Class: trace.ClassNop}.withSpaces(SpaceGlobal), Form{Groups: groups(req(ModL1, ModL2)), Shape: []Slot{memory}, Class: trace.ClassNop}.withSpaces(SpaceGeneric, SpaceGlobal, SpaceLocal), Form{Groups: groups(req(ModTensormap)), Shape: []Slot{memory}, Class: trace.ClassNop}.withSpaces(SpaceGeneric, SpaceParam, SpaceConst)}},
	OpPrefetchu:     {Name: "prefetchu", Section: "9.7.9.15", Available: since(isa(2, 0), 20), Forms: []Form{{Groups: groups(req(ModL1)), Shape: []Slot{memory}, Class: trace.ClassNop}}},
	OpApplypriority: {Name: "applypriority", Section: "9.7.9.16", Available: since(isa(7, 4), 80), Forms: []Form{Form{Groups: groups(req(ModL2Hint)), Shape: []Slot{memory, byteCount}, Class: trace.ClassNop}.withSpaces(SpaceGeneric, SpaceGlobal)}},
	OpDiscard:       {Name: "discard", Section: "9.7.9.17", Available: since(isa(7, 4), 80), Forms: []Form{Form{Groups: groups(req(ModL2)), Shape: []Slot{memory, byteCount}, Class: trace.ClassNop}.withSpaces(SpaceGeneric, SpaceGlobal)}},
	OpCreatepolicy:  {Name: "createpolicy", Section: "9.7.9.18", Available: since(isa(7, 4), 80), Forms: policyForms},
	OpIsspacep:      {Name: "isspacep", Section: "9.7.9.19", Available: addressAvailability, Forms: isspacepForms},
	OpCvta:          {Name: "cvta", Section: "9.7.9.20", Available: addressAvailability, Forms: cvtaForms},
	OpCvt:           {Name: "cvt", Section: "9.7.9.21", Available: conversionAvailability, Forms: cvtForms},

	OpMapa:       {Name: "mapa", Section: "9.7.9.23", Available: since(isa(7, 8), 90), Forms: mapaForms},
	OpGetctarank: {Name: "getctarank", Section: "9.7.9.24", Available: since(isa(7, 8), 90), Forms: rankForms},

	OpCp:        {Name: "cp", Section: "9.7.9.25", Available: cpAvailability, Forms: join(copyForms, bulkForms, tensorForms)},
	OpTensormap: {Name: "tensormap", Section: "9.7.9.26", Available: tensormapAvailability, Forms: tensormapForms},

	OpTex:   {Name: "tex", Section: "9.7.10.3", Available: texAvailability, Forms: texForms},
	OpTld4:  {Name: "tld4", Section: "9.7.10.4", Available: tld4Availability, Forms: gatherForms},
	OpTxq:   {Name: "txq", Section: "9.7.10.5", Available: queryAvailability, Forms: textureQueryForms},
	OpSuld:  {Name: "suld", Section: "9.7.11.1", Available: surfaceAvailability, Forms: surfaceLoadForms},
	OpSust:  {Name: "sust", Section: "9.7.11.2", Available: sustAvailability, Forms: surfaceStoreForms},
	OpSured: {Name: "sured", Section: "9.7.11.3", Available: suredAvailability, Forms: surfaceReductionForms},
	OpSuq:   {Name: "suq", Section: "9.7.11.4", Available: queryAvailability, Forms: surfaceQueryForms},

	OpBra:  {Name: "bra", Section: "9.7.12.3", Available: since(isa(1, 0), 0), Forms: []Form{{Groups: groups(opt(ModUni)), Shape: []Slot{target}, Class: trace.ClassBranch}}},
	OpBrx:  {Name: "brx", Section: "9.7.12.4", Available: since(isa(6, 0), 30), Forms: []Form{{Groups: groups(req(ModIdx), opt(ModUni)), Shape: []Slot{{Name: "index", Rule: RuleB32, Accept: registerOnly}, targets}, Class: trace.ClassBranch}}},
	OpCall: {Name: "call", Section: "9.7.12.5", Available: callAvailability, Forms: callForms},
	OpRet:  {Name: "ret", Section: "9.7.12.6", Available: since(isa(1, 0), 0), Forms: []Form{{Groups: groups(opt(ModUni)), Class: trace.ClassExit}}},
	OpExit: {Name: "exit", Section: "9.7.12.7", Available: since(isa(1, 0), 0), Forms: []Form{{Class: trace.ClassExit}}},

	OpBar:            {Name: "bar", Section: "9.7.13.1", Available: barAvailability, Forms: barForms},
	OpBarrier:        {Name: "barrier", Section: "9.7.13.1", Available: barrierAvailability, Forms: join(barrierForms, clusterBarrierForms)},
	OpMembar:         {Name: "membar", Section: "9.7.13.4", Available: membarAvailability, Forms: []Form{{Groups: groups(req(ModProxy), req(ModAlias)), Class: trace.ClassFence}, {Groups: groups(req(ModCta, ModGl, ModSys)), Class: trace.ClassFence}}},
	OpFence:          {Name: "fence", Section: "9.7.13.4", Available: fenceAvailability, Forms: join(fenceForms, tensormapFences)},
	OpAtom:           {Name: "atom", Section: "9.7.13.5", Available: atomAvailability, Forms: atomForms},
	OpRed:            {Name: "red", Section: "9.7.13.7", Available: redAvailability, Forms: join(redForms, reduceAsyncForms)},
	OpVote:           {Name: "vote", Section: "9.7.13.9", Available: voteAvailability, Forms: voteForms},
	OpMatch:          {Name: "match", Section: "9.7.13.11", Available: since(isa(6, 0), 70), Forms: matchForms},
	OpActivemask:     {Name: "activemask", Section: "9.7.13.12", Available: since(isa(6, 2), 30), Forms: []Form{{Types: one(typesOf(B32)), Shape: []Slot{dst}, Class: trace.ClassShuffle}}},
	OpMbarrier:       {Name: "mbarrier", Section: "9.7.13.15", Available: mbarrierAvailability, Forms: mbarrierForms},
	OpElect:          {Name: "elect", Section: "9.7.13.14", Available: since(isa(8, 0), 90), Forms: []Form{{Groups: groups(req(ModSync)), Shape: []Slot{{Name: "d", Rule: RuleB32, Accept: resultKinds, Write: true}, dstPair, members}, Class: trace.ClassShuffle}}},
	OpGriddepcontrol: {Name: "griddepcontrol", Section: "9.7.13.13", Available: since(isa(7, 8), 90), Forms: gridForms},
	OpRedux: {Name: "redux", Section: "9.7.13.13", Available: since(isa(7, 0), 80), Forms: []Form{
		{Types: one(int32), Groups: groups(req(ModSync), req(ModAdd, ModMin, ModMax)), Shape: []Slot{dst, srcA, members}, Class: trace.ClassShuffle},
		{Types: one(typesOf(B32)), Groups: groups(req(ModSync), req(ModAnd, ModOr, ModXor)), Shape: []Slot{dst, srcA, members}, Class: trace.ClassShuffle},
	}},

	OpWmma:      {Name: "wmma", Section: "9.7.14.4", Available: wmmaAvailability, Forms: wmmaForms},
	OpMma:       {Name: "mma", Section: "9.7.14.5", Available: mmaAvailability, Forms: join(mmaForms, mmaQuadForms, mmaMoreForms, mmaSparseForms)},
	OpLdmatrix:  {Name: "ldmatrix", Section: "9.7.14.5.15", Available: since(isa(6, 5), 75), Forms: matrixRowForms(false)},
	OpStmatrix:  {Name: "stmatrix", Section: "9.7.14.5.16", Available: since(isa(7, 8), 90), Forms: matrixRowForms(true)},
	OpMovmatrix: {Name: "movmatrix", Section: "9.7.14.5.17", Available: since(isa(7, 8), 75), Forms: []Form{{Types: one(typesOf(B16)), Groups: groups(req(ModSync), req(ModAligned), req(ModM8n8), req(ModTrans)), Shape: []Slot{dstB32, {Name: "a", Rule: RuleB32, Accept: registerOnly}}, Class: trace.ClassShuffle}}},

	OpWgmma: {Name: "wgmma", Section: "9.7.15", Available: wgmmaAvailability, Forms: warpgroupForms},

	OpVadd:      {Name: "vadd", Section: "9.7.18.1.1", Available: since(isa(2, 0), 20), Forms: videoForms(trace.ClassIntAdd)},
	OpVsub:      {Name: "vsub", Section: "9.7.18.1.1", Available: since(isa(2, 0), 20), Forms: videoForms(trace.ClassIntAdd)},
	OpVabsdiff:  {Name: "vabsdiff", Section: "9.7.18.1.1", Available: since(isa(2, 0), 20), Forms: videoForms(trace.ClassIntMinMax)},
	OpVmin:      {Name: "vmin", Section: "9.7.18.1.1", Available: since(isa(2, 0), 20), Forms: videoForms(trace.ClassIntMinMax)},
	OpVmax:      {Name: "vmax", Section: "9.7.18.1.1", Available: since(isa(2, 0), 20), Forms: videoForms(trace.ClassIntMinMax)},
	OpVshl:      {Name: "vshl", Section: "9.7.18.1.2", Available: since(isa(2, 0), 20), Forms: videoShiftForms},
	OpVshr:      {Name: "vshr", Section: "9.7.18.1.2", Available: since(isa(2, 0), 20), Forms: videoShiftForms},
	OpVmad:      {Name: "vmad", Section: "9.7.18.1.3", Available: since(isa(2, 0), 20), Forms: videoMadForms},
	OpVset:      {Name: "vset", Section: "9.7.18.1.4", Available: since(isa(2, 0), 20), Forms: videoSetForms},
	OpVadd2:     {Name: "vadd2", Section: "9.7.18.2.1", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntAdd)},
	OpVsub2:     {Name: "vsub2", Section: "9.7.18.2.1", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntAdd)},
	OpVavrg2:    {Name: "vavrg2", Section: "9.7.18.2.1", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntAdd)},
	OpVabsdiff2: {Name: "vabsdiff2", Section: "9.7.18.2.1", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntMinMax)},
	OpVmin2:     {Name: "vmin2", Section: "9.7.18.2.1", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntMinMax)},
	OpVmax2:     {Name: "vmax2", Section: "9.7.18.2.1", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntMinMax)},
	OpVset2:     {Name: "vset2", Section: "9.7.18.2.2", Available: since(isa(3, 0), 30), Forms: videoVectorSetForms},
	OpVadd4:     {Name: "vadd4", Section: "9.7.18.2.3", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntAdd)},
	OpVsub4:     {Name: "vsub4", Section: "9.7.18.2.3", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntAdd)},
	OpVavrg4:    {Name: "vavrg4", Section: "9.7.18.2.3", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntAdd)},
	OpVabsdiff4: {Name: "vabsdiff4", Section: "9.7.18.2.3", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntMinMax)},
	OpVmin4:     {Name: "vmin4", Section: "9.7.18.2.3", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntMinMax)},
	OpVmax4:     {Name: "vmax4", Section: "9.7.18.2.3", Available: since(isa(3, 0), 30), Forms: videoVectorForms(trace.ClassIntMinMax)},
	OpVset4:     {Name: "vset4", Section: "9.7.18.2.4", Available: since(isa(3, 0), 30), Forms: videoVectorSetForms},

	OpTrap:       {Name: "trap", Section: "9.7.19.4", Available: since(isa(1, 0), 0), Forms: []Form{{Class: trace.ClassExit}}},
	OpBrkpt:      {Name: "brkpt", Section: "9.7.19.1", Available: since(isa(1, 0), 11), Forms: []Form{{Class: trace.ClassNop}}},
	OpPmevent:    {Name: "pmevent", Section: "9.7.19.3", Available: pmeventAvailability, Forms: []Form{{Groups: groups(opt(ModMask)), Shape: []Slot{{Name: "a", Rule: RuleB32, Accept: immediateOnly, Limit: 65535}}, Class: trace.ClassNop}}},
	OpSetmaxnreg: {Name: "setmaxnreg", Section: "9.7.19.5", Available: setmaxnregAvailability, Forms: []Form{{Types: one(typesOf(U32)), Groups: groups(req(ModInc, ModDec), req(ModSync), req(ModAligned)), Shape: []Slot{{Name: "imm-reg-count", Accept: immediateOnly, Limit: 256}}, Class: trace.ClassNop}}},
	OpNanosleep:  {Name: "nanosleep", Section: "9.7.19.2", Available: since(isa(6, 3), 70), Forms: []Form{{Types: one(typesOf(U32)), Shape: []Slot{srcA}, Class: trace.ClassNop}}},
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
