// SPDX-License-Identifier: Apache-2.0

package network

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// The links of a mesh are those between routers side by side, one each way, however many virtual channels
// a port has.
func TestLinksOfMeshesJoinNeighbours(t *testing.T) {
	const rows, columns = 3, 4
	for _, vcs := range []int{1, 2, 4} {
		f := fabric(Mesh(rows, columns, true, []int{0, 1, 2}, []int{9, 10, 11}),
			RouterConfig{VirtualChannels: vcs, BufferFlits: 1, RouterCycles: 1, LinkCycles: 1, Iterations: 1, InputQueue: 1, OutputQueue: 1, Classes: 1}, new(counters.Set), nil)
		seen := map[[2]int]bool{}
		for _, l := range f.Links() {
			row, column := l.From/columns-l.To/columns, l.From%columns-l.To%columns
			if row*row+column*column != 1 || seen[[2]int{l.From, l.To}] {
				t.Errorf("%d virtual channels: a link from %d to %d", vcs, l.From, l.To)
			}
			seen[[2]int{l.From, l.To}] = true
		}
		if want := 2 * (rows*(columns-1) + columns*(rows-1)); len(seen) != want {
			t.Errorf("%d virtual channels: %d links, want %d", vcs, len(seen), want)
		}
	}
}
