// SPDX-License-Identifier: Apache-2.0

package chunks

import "testing"

// A chunk is written from 131,072 warp instructions, 4,096 thread blocks or 524,288 warps on.
func TestChunksAreFullFromTheirLimitsOn(t *testing.T) {
	for _, c := range []struct {
		instructions  uint64
		blocks, warps int
		full          bool
	}{
		{0, 0, 0, false}, {131071, 4095, 524287, false}, {131072, 1, 1, true}, {1, 4096, 1, true}, {1, 1, 524288, true},
	} {
		r := &Raw{WarpInstructions: c.instructions}
		r.Blocks, r.WarpPath = append(r.Blocks, make([]uint64, c.blocks)...), append(r.WarpPath, make([]uint32, c.warps)...)
		if got := r.Full(); got != c.full {
			t.Errorf("%d instructions, %d blocks and %d warps: %t", c.instructions, c.blocks, c.warps, got)
		}
	}
}
