// SPDX-License-Identifier: Apache-2.0

package verification

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/trace"
)

// laneFlow follows the lanes of a warp through the control-flow graph. Lanes that
// are at the same block are kept together, so the work per visit is the number of
// groups that it touches.
type laneFlow struct{ groups []laneGroup }

// laneGroup is the lanes whose last visited block is block; NoBlock before the entry.
type laneGroup struct{ block, mask uint32 }

func (f *laneFlow) check(k *trace.Kernel, path, masks []uint32, lanes uint32) error {
	f.groups = append(f.groups[:0], laneGroup{trace.NoBlock, lanes})
	for v, id := range path {
		rest := f.groups[:0]
		for _, g := range f.groups {
			if g.mask&masks[v] != 0 && !mayFollow(k, g.block, id) {
				return fmt.Errorf("visit %d: lanes %08x go from %s to basic block %d, which does not follow it in kernel %q",
					v, g.mask&masks[v], describeBlock(g.block), id, k.Name)
			}
			if g.mask &^= masks[v]; g.mask != 0 {
				rest = append(rest, g)
			}
		}
		f.groups = append(rest, laneGroup{id, masks[v]})
	}
	for _, g := range f.groups {
		if g.block == trace.NoBlock {
			return fmt.Errorf("lanes %08x execute nothing", g.mask)
		}
	}
	return nil
}

func mayFollow(k *trace.Kernel, from, to uint32) bool {
	if from == trace.NoBlock {
		return to == 0
	}
	return slices.Contains(k.Blocks[from].Successors, to)
}

func describeBlock(id uint32) string {
	if id == trace.NoBlock {
		return "the start"
	}
	return fmt.Sprintf("basic block %d", id)
}
