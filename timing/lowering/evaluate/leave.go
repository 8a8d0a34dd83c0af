// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"

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
