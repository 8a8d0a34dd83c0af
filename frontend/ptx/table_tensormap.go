// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// tensormapForms change tensor maps in memory (9.7.9.26): tensormap.replace one
// field, tensormap.cp_fenceproxy a whole one, which it copies to global memory.
var tensormapForms = func() []Form {
	var forms []Form
	ord := Slot{Name: "ord", Rule: RuleB32, Accept: immediateOnly, Limit: 4}
	replace := func(fields Group, types TypeSet, more ...Slot) {
		forms = append(forms, Form{Types: one(types), Groups: groups(req(ModReplace), req(ModTile), fields, req(ModB1024)),
			Shape: append([]Slot{memory}, more...), Class: trace.ClassStore}.withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared))
	}
	value := Slot{Name: "new_val", Accept: valueKinds}
	replace(req(ModGlobalAddress), typesOf(B64), value)
	replace(req(ModRank), typesOf(B32), value)
	replace(req(ModBoxDim, ModGlobalDim, ModElementStride), typesOf(B32), ord, value)
	replace(req(ModGlobalStride), typesOf(B64), ord, value)
	replace(req(ModElemtype, ModInterleaveLayout, ModSwizzleMode, ModFillMode), typesOf(B32), Slot{Name: "new_val", Accept: immediateOnly, Limit: 15})
	size := Slot{Name: "size", Rule: RuleB32, Accept: immediateOnly, Limit: 128}
	return append(forms, Form{Groups: groups(req(ModCpFenceproxy), req(ModTensormapGeneric), req(ModRelease), req(ModCta, ModCluster, ModGpu, ModSys), req(ModSync), req(ModAligned)),
		Shape: []Slot{bulkGlobal, bulkSource, size}, Spaces: spacesOf(SpaceShared), Class: trace.ClassFence})
}()

// tensormapFences order changes of tensor maps with copies that use them
// (9.7.13.4).
var tensormapFences = func() []Form {
	scope := req(ModCta, ModCluster, ModGpu, ModSys)
	g := groups(req(ModProxy), req(ModTensormapGeneric), scope)
	return []Form{
		{Groups: append(g[:3:3], req(ModRelease)), Class: trace.ClassFence},
		{Groups: append(g[:3:3], req(ModAcquire)), Shape: []Slot{memory, {Name: "size", Rule: RuleB32, Accept: immediateOnly, Limit: 128}}, Class: trace.ClassFence},
	}
}()
