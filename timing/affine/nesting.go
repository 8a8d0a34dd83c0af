// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/trace"
)

// PaperStackDepth is the depth of the affine SIMT stack, and the number of divergent
// condition registers, in the paper (section 4.8, Table 1).
const PaperStackDepth = 8

// nest finds the blocks that the affine SIMT stack does not reach (section 4.5). They
// are inside more divergent branches than it has entries, an entry for each join at
// which threads wait for others (deviation D70). Branches that all threads take the
// same way need none. It reports whether there are more of them than before.
func (a *analysis) nest() bool {
	waiting := make([][]uint32, len(a.k.Blocks)) // joins, at most one more than entries
	parting := make([]bool, len(a.k.Blocks))
	for _, b := range a.g.order {
		parting[b] = len(a.k.Blocks[b].Successors) > 1 && !a.together(b)
	}
	for changed := true; changed; {
		changed = false
		for _, b := range a.g.order {
			for _, c := range a.control[b] {
				if parting[c] && a.addJoins(&waiting[b], &a.k.Blocks[c]) {
					changed = true
				}
				for _, join := range waiting[c] {
					if a.addWait(&waiting[b], join) {
						changed = true
					}
				}
			}
		}
	}
	more := false
	for b := range waiting {
		if len(waiting[b]) > a.depth && !a.deep[b] {
			a.deep[b], more = true, true
		}
	}
	return more
}

// addJoins adds the blocks at which threads wait that part at the end of block c.
func (a *analysis) addJoins(at *[]uint32, c *trace.BasicBlock) bool {
	if len(c.Joins) == 0 {
		return a.addWait(at, c.PostDominator)
	}
	changed := false
	for _, join := range c.Joins {
		changed = a.addWait(at, join) || changed
	}
	return changed
}

// addWait adds a join to those of a block, as long as the stack can hold them
// and for one more; false when nothing changed.
func (a *analysis) addWait(at *[]uint32, join uint32) bool {
	if len(*at) > a.depth || slices.Contains(*at, join) {
		return false
	}
	*at = append(*at, join)
	return true
}

// tooDeep is the reason of what the affine SIMT stack does not reach.
func (a *analysis) tooDeep() string {
	return fmt.Sprintf("nested deeper than the affine SIMT stack of %d entries (section 4.5, Table 1)", a.depth)
}

// needsDeep says why nothing of a kernel can be decoupled: the affine stream has all its
// barriers, and has to know which threads have exited.
func (a *analysis) needsDeep() string {
	for i := range a.k.Instructions {
		in := &a.k.Instructions[i]
		if a.deep[a.g.blockOf[i]] && (in.Class == trace.ClassBarrier || in.Class == trace.ClassExit) {
			return fmt.Sprintf("line %d (%s), which the affine warp has to follow, is %s", in.Line, in.Name(), a.tooDeep())
		}
	}
	return ""
}
