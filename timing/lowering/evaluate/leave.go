// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
)

// leaves checks that an operation that ends a block has a condition where the recorded
// instruction has one, and there alone. A branch that all lanes take, where parts of the block
// meet, would otherwise leave lanes behind.
func (c *checker) leaves(op *ir.Op) error {
	if op.Effect != ir.Ends || op.Guard.Kind != ir.Reg {
		return nil
	}
	if int(op.Origin) < len(c.k.Instructions) && c.k.Instructions[op.Origin].Guard.Present {
		return nil
	}
	return fmt.Errorf("instruction %d: %s leaves the block under a condition that the recorded program does not have", op.Origin, op.Code.Name)
}

// chosen checks that the predicate of an operation in an optional part holds where the thread comes
// to the part, and not where the branch around it leads elsewhere. At the cut end of a way it is not known
// which of both the branch does.
func (c *checker) chosen(b *ir.Block, op *ir.Op, taken []bool) error {
	part := &b.Parts[op.Part]
	if !part.Optional || op.Unmasked || op.Mask > 0 || op.Guard.Kind != ir.Reg || !taken[op.Part] && (c.cut || !c.parts(b, op.Part, taken)) {
		return nil
	}
	guard := c.source(&op.Guard, 1)
	if guard.unknown || guard.bits[0]&1 != 0 == taken[op.Part] {
		return nil
	}
	return fmt.Errorf("its predicate is %d, and the thread comes to block %d: %v", guard.bits[0]&1, part.Block, taken[op.Part])
}

// parts reports whether the thread comes to a branch that may lead to a part.
func (c *checker) parts(b *ir.Block, part uint16, taken []bool) bool {
	for p := range b.Parts[:part] {
		if taken[p] && slices.Contains(c.k.Blocks[b.Parts[p].Block].Successors, b.Parts[part].Block) {
			return true
		}
	}
	return false
}
