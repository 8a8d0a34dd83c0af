// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"slices"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// compareStores tells the race checker of two lanes that store different values to one
// place. Each access is aligned to its size, so that two that overlap have one address.
func (c *warpContext) compareStores(k *accessOperation, mask uint32) {
	r := c.identity.Block.Races
	if !r.Wants(k.instruction) {
		return
	}
	c.locate(k, mask)
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		at := c.access.address(i)
		space, place := k.space, at
		if space == ptx.SpaceGeneric {
			space, place = genericSpace(at)
		}
		if space != ptx.SpaceGlobal && space != ptx.SpaceShared {
			continue // each thread has its own local memory
		}
		for n := m & (m - 1); n != 0; n &= n - 1 {
			j := lanes.FirstLane(n)
			if c.access.address(j) != at {
				continue
			}
			if mine, other := c.storedBy(k, i), c.storedBy(k, j); !slices.Equal(mine, other) {
				r.Differ(c.identity, &coexecution.StoredTwice{Kind: k.checked(), Space: space, Address: place, Lanes: [2]int{i, j}, Elements: [2][]uint64{mine, other}})
				return
			}
		}
	}
}

// storedBy gives the elements that a lane stores.
func (c *warpContext) storedBy(k *accessOperation, lane int) []uint64 {
	elements := make([]uint64, len(k.elements))
	for e := range k.elements {
		r := &k.elements[e]
		elements[e] = truncate(c.lane(r.slot, r.wide, lane), 8*k.width)
	}
	return elements
}
