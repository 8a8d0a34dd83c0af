// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// copyForms are those of cp.async (9.7.9.25.3): the copy itself, whose space is
// that of its source, and what waits for copies. Copies are done at once.
var copyForms = func() []Form {
	to := Slot{Name: "[dst]", Rule: RuleNone, Accept: kindsOf(OperandAddress), Space: SpaceShared}
	from := Slot{Name: "[src]", Rule: RuleNone, Accept: kindsOf(OperandAddress)}
	size := Slot{Name: "cp-size", Rule: RuleB32, Accept: immediateOnly, Limit: 16}
	given := Slot{Name: "src-size", Rule: RuleB32, Accept: valueKinds}
	g := groups(req(ModAsync), req(ModCa, ModCg), sizeL2)
	async := func(class trace.OpClass, shape []Slot, more ...Group) Form {
		return Form{Groups: append(groups(req(ModAsync)), more...), Shape: shape, Class: class}
	}
	count := Slot{Name: "N", Rule: RuleB32, Accept: immediateOnly}
	arrive := Form{Types: one(typesOf(B64)), Groups: groups(req(ModAsync), req(ModMbarrier), req(ModArrive), opt(ModNoinc)), Shape: []Slot{memory}, Class: trace.ClassAtomic}
	return append(withPolicies(
		Form{Groups: g, Shape: []Slot{to, from, size}, Class: trace.ClassLoad}.withSpaces(SpaceGlobal),
		Form{Groups: g, Shape: []Slot{to, from, size, given}, Class: trace.ClassLoad}.withSpaces(SpaceGlobal)),
		async(trace.ClassNop, nil, req(ModCommitGroup)).withSpaces(SpaceGeneric),
		async(trace.ClassFence, []Slot{count}, req(ModWaitGroup)).withSpaces(SpaceGeneric),
		async(trace.ClassFence, nil, req(ModWaitAll)).withSpaces(SpaceGeneric),
		arrive.withSpaces(SpaceGeneric, SpaceShared))
}()

// mbarrierForms: barriers in shared memory that count arrivals, and the bytes of
// bulk copies (9.7.13.15).
var mbarrierForms = func() []Form {
	var forms []Form
	add := func(types TypeSet, shape []Slot, g ...Group) {
		forms = append(forms, Form{Types: one(types), Groups: g, Shape: shape, Class: trace.ClassAtomic}.withSpaces(SpaceGeneric, SpaceShared))
	}
	b64 := typesOf(B64)
	count := Slot{Name: "count", Rule: RuleB32, Accept: valueKinds}
	state := Slot{Name: "state", Accept: resultKinds, Write: true}
	given := Slot{Name: "state", Accept: registerOnly}
	parity := Slot{Name: "phaseParity", Rule: RuleB32, Accept: valueKinds}
	hint := Slot{Name: "suspendTimeHint", Rule: RuleB32, Accept: valueKinds}
	semantics := opt(ModRelease, ModRelaxed)
	acquire := opt(ModAcquire, ModRelaxed)
	scope := opt(ModCta, ModCluster)
	add(b64, []Slot{memory, count}, req(ModInit))
	add(b64, []Slot{memory}, req(ModInval))
	for _, g := range []Group{req(ModArrive), req(ModArriveDrop)} {
		add(b64, []Slot{state, memory}, g, semantics, scope)
		add(b64, []Slot{state, memory, count}, g, semantics, scope, opt(ModNoComplete))
		add(b64, []Slot{state, memory, {Name: "txCount", Rule: RuleB32, Accept: valueKinds}}, g, req(ModExpectTx), semantics, scope)
	}
	add(b64, []Slot{memory, {Name: "txCount", Rule: RuleB32, Accept: valueKinds}}, req(ModExpectTx, ModCompleteTx), opt(ModRelaxed), scope)
	add(b64, []Slot{dstPred, memory, given}, req(ModTestWait, ModTryWait), acquire, scope)
	add(b64, []Slot{dstPred, memory, given, hint}, req(ModTryWait), acquire, scope)
	add(b64, []Slot{dstPred, memory, parity}, req(ModTestWait, ModTryWait), req(ModParity), acquire, scope)
	add(b64, []Slot{dstPred, memory, parity, hint}, req(ModTryWait), req(ModParity), acquire, scope)
	forms = append(forms, Form{Types: one(b64), Groups: groups(req(ModPendingCount)), Shape: []Slot{dstB32, given}, Class: trace.ClassIntAdd}.withSpaces(SpaceGeneric))
	return forms
}()
