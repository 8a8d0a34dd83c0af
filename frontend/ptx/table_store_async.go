// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Asynchronous stores and reductions: st.async (9.7.9.12) and red.async (9.7.13.7). Those
// to the shared memory of a thread block of the cluster tell their end to an mbarrier
// there; those that release write to global memory.

var (
	asyncBarrier = Slot{Name: "mbar", Rule: RuleNone, Accept: kindsOf(OperandAddress)}
	farScope     = req(ModGpu, ModSys)
)

// storeAsyncForms are st.async's.
var storeAsyncForms = []Form{
	Form{Types: one(bits32and64 | int32and64 | typesOf(F32, F64)), Groups: groups(req(ModAsync), opt(ModWeak), req(ModCompleteTxBytes)), Shape: append(storeShape[:2:2], asyncBarrier), Class: trace.ClassStore}.withVectors().withSpaces(SpaceGeneric, SpaceShared),
	Form{Types: one(memoryTypes), Groups: groups(req(ModAsync), req(ModRelease), farScope), Shape: storeShape, Class: trace.ClassStore}.withSpaces(SpaceGeneric, SpaceGlobal),
}

// reduceAsyncForms are red.async's.
var reduceAsyncForms = func() []Form {
	var forms []Form
	for _, r := range []struct {
		types     TypeSet
		operation Group
	}{
		{typesOf(U32), req(ModInc, ModDec)}, {int32, req(ModMin, ModMax)}, {typesOf(B32), req(ModAnd, ModOr, ModXor)}, {typesOf(U32, S32, U64), req(ModAdd)},
	} {
		forms = append(forms, Form{Types: one(r.types), Groups: groups(req(ModAsync), req(ModRelaxed), req(ModCluster), opt(ModCompleteTxBytes), r.operation), Shape: append(reduceShape[:2:2], asyncBarrier), Class: trace.ClassAtomic}.withSpaces(SpaceGeneric, SpaceShared))
	}
	return append(forms, Form{Types: one(int32and64), Groups: groups(req(ModAsync), req(ModRelease), farScope, req(ModAdd)), Shape: reduceShape, Class: trace.ClassAtomic}.
		withSpaces(SpaceGeneric, SpaceGlobal))
}()
