// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Operands of the barriers: 16 barriers, a count of threads.
var (
	barrierID    = Slot{Name: "a", Rule: RuleB32, Accept: valueKinds, Limit: 15}
	barrierCount = Slot{Name: "b", Rule: RuleB32, Accept: valueKinds, Limit: 1024}
)

// barrierForms are the forms of barrier{.cta}; bar{.cta} has them without
// .aligned, and bar.warp.sync besides, which orders one warp's lanes and ends
// no segment.
var barrierForms = barrierFormsWith(opt(ModCta), opt(ModAligned))

var barForms = append(barrierFormsWith(opt(ModCta)),
	Form{Groups: groups(req(ModWarp), req(ModSync)), Shape: []Slot{members}, Class: trace.ClassFence})

func barrierFormsWith(more ...Group) []Form {
	with := func(g ...Group) []Group { return append(g, more...) }
	form := func(types []TypeSet, g []Group, shape ...Slot) Form {
		return Form{Types: types, Groups: g, Shape: shape, Class: trace.ClassBarrier}
	}
	popc := with(req(ModRed), req(ModPopc))
	logic := with(req(ModRed), req(ModAnd, ModOr))
	u32, pred := one(typesOf(U32)), one(typesOf(Pred))
	return []Form{
		form(nil, with(req(ModSync)), barrierID),
		form(nil, with(req(ModSync)), barrierID, barrierCount),
		form(nil, with(req(ModArrive)), barrierID, barrierCount),
		form(u32, popc, dst, barrierID, srcPred),
		form(u32, popc, dst, barrierID, barrierCount, srcPred),
		form(pred, logic, dst, barrierID, srcPred),
		form(pred, logic, dst, barrierID, barrierCount, srcPred),
	}
}

// atomOperation is one row of atom's and red's operations.
type atomOperation struct {
	operation Group
	types     TypeSet
}

// reductions are what both atom and red do.
var reductions = []atomOperation{
	{req(ModAdd), typesOf(U32, S32, U64, F32, F64)},
	{req(ModAnd, ModOr, ModXor), bits32and64},
	{req(ModInc, ModDec), typesOf(U32)},
	{req(ModMin, ModMax), int32and64},
}

// fenceForms: between threads, between proxies, and after mbarrier.init. Lanes
// run in a fixed order, so that memory is in order for all of them.
var fenceForms = []Form{
	{Groups: groups(opt(ModSc, ModAcqRel), req(ModCta, ModCluster, ModGpu, ModSys)), Class: trace.ClassFence},
	{Groups: groups(req(ModProxy), req(ModAlias)), Class: trace.ClassFence},
	Form{Groups: groups(req(ModProxy), req(ModAsync)), Class: trace.ClassFence}.withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared),
	{Groups: groups(req(ModMbarrierInit), req(ModRelease), req(ModCluster)), Class: trace.ClassFence},
}

// halfSums are atom's and red's additions in half precision.
var halfSums = atomOperation{req(ModAdd), half | bhalf}

var (
	order       = opt(ModRelaxed, ModAcquire, ModRelease, ModAcqRel)
	anyScope    = opt(ModCta, ModCluster, ModGpu, ModSys)
	atomSpaces  = []Space{SpaceGeneric, SpaceGlobal, SpaceShared}
	atomShape   = []Slot{dstSink, memory, srcB}
	casShape    = []Slot{dstSink, memory, srcB, srcC}
	reduceShape = []Slot{memory, srcB}
)

// registerNamed is a source that no constant can be.
func registerNamed(name string) Slot { return Slot{Name: name, Accept: registerOnly} }

var atomForms = func() []Form {
	var forms []Form
	add := func(op atomOperation, shape []Slot) {
		forms = append(forms, Form{Types: one(op.types), Groups: groups(op.operation, order, anyScope), Shape: shape, Class: trace.ClassAtomic}.withSpaces(atomSpaces...))
	}
	for _, op := range reductions {
		add(op, atomShape)
	}
	forms = append(forms, Form{Types: one(halfSums.types), Groups: groups(halfSums.operation, req(ModNoftz), order, anyScope), Shape: atomShape, Class: trace.ClassAtomic}.withSpaces(atomSpaces...))
	add(atomOperation{req(ModExch), bits32and64}, atomShape)
	add(atomOperation{req(ModCas), bits16to64}, casShape)
	add(atomOperation{req(ModExch), typesOf(B128)}, []Slot{dstSink, memory, registerNamed("b")})
	add(atomOperation{req(ModCas), typesOf(B128)}, []Slot{dstSink, memory, registerNamed("b"), registerNamed("c")})
	return withPolicies(append(forms, vectorReductions([]Slot{vectorOf("d", true), memory}, order)...)...)
}()

var redForms = func() []Form {
	var forms []Form
	relaxed := opt(ModRelaxed, ModRelease)
	for _, op := range reductions {
		forms = append(forms, Form{Types: one(op.types), Groups: groups(op.operation, relaxed, anyScope), Shape: reduceShape, Class: trace.ClassAtomic}.withSpaces(atomSpaces...))
	}
	forms = append(forms, Form{Types: one(halfSums.types), Groups: groups(halfSums.operation, req(ModNoftz), relaxed, anyScope), Shape: reduceShape, Class: trace.ClassAtomic}.withSpaces(atomSpaces...))
	return withPolicies(append(forms, vectorReductions([]Slot{memory}, relaxed)...)...)
}()

// voteForms: with and without .sync and its member mask.
var voteForms = func() []Form {
	var forms []Form
	for _, sync := range []bool{false, true} {
		g, more := []Group(nil), []Slot(nil)
		if sync {
			g, more = groups(req(ModSync)), []Slot{members}
		}
		ballot := Slot{Name: "d", Accept: registerOnly, Write: true}
		forms = append(forms,
			Form{Types: one(typesOf(Pred)), Groups: append(groups(req(ModAll, ModAny, ModUni)), g...), Shape: append([]Slot{dstPred, srcPred}, more...), Class: trace.ClassShuffle},
			Form{Types: one(typesOf(B32)), Groups: append(groups(req(ModBallot)), g...), Shape: append([]Slot{ballot, srcPred}, more...), Class: trace.ClassShuffle})
	}
	return forms
}()

var matchForms = []Form{
	{Types: one(bits32and64), Groups: groups(req(ModAny), req(ModSync)), Shape: []Slot{dstB32, srcA, members}, Class: trace.ClassShuffle},
	{Types: one(bits32and64), Groups: groups(req(ModAll), req(ModSync)), Shape: []Slot{dstB32, dstPair, srcA, members}, Class: trace.ClassShuffle},
}
