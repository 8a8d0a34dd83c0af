// SPDX-License-Identifier: Apache-2.0

package cache

// UseWays leaves lines so many of a set's ways from now on, one to all: the rest of the array is
// something else's. The ways that it gives and takes are empty. A line on its way into one that
// it takes is not found any more, as if its sectors came for nothing.
func (t *Tags) UseWays(n int) {
	if n == t.open {
		return
	}
	t.Uncertain()
	for first := 0; first <= int(t.setMask)*t.ways; first += t.ways {
		for i := first + min(n, t.open); i < first+t.ways; i++ {
			t.Empty(i)
			if t.table.on() {
				t.table.remove(i, t.tags[i])
			}
		}
	}
	clear(t.floors) // of other ways
	t.open, t.last, t.lastTag = n, 0, t.tags[0]
}
