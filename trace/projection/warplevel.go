// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// WarpLevel reports whether an instruction depends on which lanes of its warp execute it
// together. Such are exchanges between lanes (shfl, vote, match, redux, activemask),
// products of matrices, and barriers of a warp. Under a rule that runs lanes apart which
// were recorded together, hardware would compute something else than what is recorded.
func WarpLevel(in *trace.Instruction) bool {
	switch in.Class {
	case trace.ClassShuffle, trace.ClassTensor:
		return true
	case trace.ClassBarrier:
		return slices.Contains(in.Modifiers, "warp")
	}
	return false
}

// WarpLevel gives the first instruction of the kernel that depends on which lanes execute
// it together; false when there is none.
func (p *Plan) WarpLevel() (instruction int, ok bool) {
	i := slices.IndexFunc(p.kernel.Instructions, func(in trace.Instruction) bool { return WarpLevel(&in) })
	return i, i >= 0
}
