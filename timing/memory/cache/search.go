// SPDX-License-Identifier: Apache-2.0

package cache

// The ways of a set are looked through by four, which most sets are multiples of:
// the loop itself costs as much as a comparison.

// where is the place of a value; -1 without it.
func where(list []uint64, value uint64) int {
	i := 0
	for ; i < len(list)-3; i += 4 {
		if list[i] == value {
			return i
		}
		if list[i+1] == value {
			return i + 1
		}
		if list[i+2] == value {
			return i + 2
		}
		if list[i+3] == value {
			return i + 3
		}
	}
	for ; i < len(list); i++ {
		if list[i] == value {
			return i
		}
	}
	return -1
}

// least is the least of some values and another.
func least(list []uint64, first uint64) uint64 {
	i := 0
	for ; i < len(list)-3; i += 4 {
		first = min(first, list[i], list[i+1], list[i+2], list[i+3])
	}
	for ; i < len(list); i++ {
		first = min(first, list[i])
	}
	return first
}
