package emulator

import "github.com/warptape/warptape/frontend/emulator/lanes"

// touchLanes touches what the lanes in mask access; their places in data, which
// starts at offset of the allocation, are known.
func (c *warpContext) touchLanes(k *accessOperation, a *allocation, offset uint64, mask uint32) bool {
	f := c.launch.footprint
	if f.noting || a.claims == nil {
		return c.launch.touch(a, offset, k.bytes, k.write)
	}
	for ; mask != 0; mask &= mask - 1 {
		if !c.launch.touch(a, offset+c.access.offsets[lanes.FirstLane(mask)], k.bytes, k.write) {
			return false
		}
	}
	return true
}
