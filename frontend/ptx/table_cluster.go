// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// clusterBarrierForms are barrier.cluster.arrive and .wait (9.7.13.3). Arriving
// orders memory unless it is relaxed.
var clusterBarrierForms = []Form{
	{Groups: groups(req(ModCluster), req(ModArrive), opt(ModRelease), opt(ModAligned)), Class: trace.ClassFence},
	{Groups: groups(req(ModCluster), req(ModArrive), req(ModRelaxed), opt(ModAligned)), Class: trace.ClassNop},
	{Groups: groups(req(ModCluster), req(ModWait), opt(ModAcquire), opt(ModAligned)), Class: trace.ClassBarrier},
}

// sharedAddress is an address in shared memory: with .shared::cluster that space's
// own, or a variable; without it a generic address in a register.
func sharedAddress(symbols bool) Slot {
	if symbols {
		return Slot{Name: "a", Accept: kindsOf(OperandRegister, OperandImmediate, OperandVariable)}
	}
	return Slot{Name: "a", Accept: registerOnly}
}

// mapaForms are mapa's (9.7.9.23), rankForms getctarank's (9.7.9.24).
var (
	mapaForms = clusterAddressForms(func(a Slot) []Slot { return []Slot{dst, a, srcB32} })
	rankForms = clusterAddressForms(func(a Slot) []Slot { return []Slot{dstB32, a} })
)

func clusterAddressForms(shape func(a Slot) []Slot) []Form {
	sizes := one(typesOf(U32, U64))
	return []Form{
		Form{Types: sizes, Shape: shape(sharedAddress(true)), Class: trace.ClassMove}.withSpaces(SpaceShared),
		Form{Types: sizes, Shape: shape(sharedAddress(false)), Class: trace.ClassMove}.withSpaces(SpaceGeneric),
	}
}

// gridForms are griddepcontrol's (9.7.13.13).
var gridForms = []Form{{Groups: groups(req(ModLaunchDependents, ModWait)), Class: trace.ClassNop}}
