// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
)

// touchLanes touches what the lanes in mask access; their places in data, which
// starts at offset of the allocation, are known.
func (c *warpContext) touchLanes(k *accessOperation, a *memory.Allocation, offset uint64, mask uint32) bool {
	f := c.launch.Footprint
	if f.Noting || a.Claims == nil {
		return c.launch.Touch(a, offset, k.bytes, k.write)
	}
	for ; mask != 0; mask &= mask - 1 {
		if !c.launch.Touch(a, offset+c.access.offsets[lanes.FirstLane(mask)], k.bytes, k.write) {
			return false
		}
	}
	return true
}
