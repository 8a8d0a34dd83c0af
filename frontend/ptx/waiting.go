// SPDX-License-Identifier: Apache-2.0

package ptx

// WaitsAtMbarrier reports whether an instruction asks whether a phase of an mbarrier has
// completed: mbarrier.test_wait or try_wait (9.7.13.15).
func (in *Instruction) WaitsAtMbarrier() bool {
	return in.Op == OpMbarrier && (in.Mods.Has(ModTestWait) || in.Mods.Has(ModTryWait))
}

// MultipliesGroups reports whether an instruction is a product of warpgroups:
// wgmma.mma_async (9.7.15).
func (in *Instruction) MultipliesGroups() bool {
	return in.Op == OpWgmma && in.Mods.Has(ModMmaAsync)
}
