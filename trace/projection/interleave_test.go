// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// Of the paths that can run, the two at the lowest instructions take turns, however they lie in the list.
func TestTheTwoLowestPathsTakeTurns(t *testing.T) {
	kernel := &trace.Kernel{}
	plan := &Plan{kernel: kernel}
	for b := range uint32(4) {
		kernel.Blocks = append(kernel.Blocks, trace.BasicBlock{First: 10 * b, Count: 10})
		plan.from = append(plan.from, 10*b)
	}
	for _, blocks := range [][]uint32{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
		for parked := range 4 { // block 0 is none of them
			w := &Warp{rule: Interleaved, plan: plan}
			var rest []uint32 // in the order of instructions
			for _, b := range blocks {
				w.paths = append(w.paths, path{block: b, parked: b == uint32(parked)})
			}
			for b := range uint32(4) {
				if b > 0 && b != uint32(parked) {
					rest = append(rest, b)
				}
			}
			for turn := range 4 {
				slot := 0
				at := w.interleave(&slot)
				if want := rest[turn%2]; at < 0 || w.paths[at].block != want || slot != turn%2 {
					t.Errorf("paths %v without %d, turn %d: path %d in slot %d, want that of block %d in slot %d", blocks, parked, turn, at, slot, want, turn%2)
				}
			}
		}
	}
}
