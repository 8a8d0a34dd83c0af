// SPDX-License-Identifier: Apache-2.0

package coexecution

import "github.com/warptape/warptape/frontend/ptx"

// KindOfBarrier is how a warp meets the barrier of an instruction (9.7.13.1).
func KindOfBarrier(in *ptx.Instruction) BarrierKind {
	switch {
	case in.Mods.Has(ptx.ModArrive):
		return BarrierArrive
	case in.Mods.Has(ptx.ModPopc):
		return BarrierRedPopc
	case in.Mods.Has(ptx.ModRed) && in.Mods.Has(ptx.ModAnd):
		return BarrierRedAnd
	case in.Mods.Has(ptx.ModRed):
		return BarrierRedOr
	}
	return BarrierSync
}
