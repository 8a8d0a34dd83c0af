// SPDX-License-Identifier: Apache-2.0

package cache

// floors are, of each group of ways of a set, a rank that none of them is below. Uses only
// raise ranks, so that a floor stands until one of its ways is lowered; it may be too low. The
// lowest rank of a set is then found without looking at most of its ways. Nil: the cache has
// too few.
type floors []uint64

// floorWays is the ways of a group.
const floorWays = 16

func newFloors(lines int) floors { return make(floors, (lines+floorWays-1)/floorWays) }

// stride is how many line indexes a set of so many ways takes: groups begin with a set.
func stride(ways int) int {
	if ways <= manyWays {
		return ways
	}
	return (ways + floorWays - 1) / floorWays * floorWays
}

// lower tells that line index i has a rank now that may be below the one that it had.
func (f floors) lower(i int, rank uint64) {
	floor := &f[i/floorWays]
	*floor = min(*floor, rank)
}

// lowest is the lowest rank of the line indexes from first on and before end, awaited if there
// is none below.
func (f floors) lowest(rank []uint64, first, end int) uint64 {
	groups := f[first/floorWays : (end+floorWays-1)/floorWays]
	for {
		group, floor := 0, groups[0]
		for g, v := range groups {
			if v < floor {
				group, floor = g, v
			}
		}
		if floor >= awaited {
			return awaited
		}
		from := first + group*floorWays
		found := least(rank[from:min(from+floorWays, end)], awaited)
		if found == floor {
			return floor
		}
		groups[group] = found
	}
}
