// SPDX-License-Identifier: Apache-2.0

package trace

import "testing"

// The fullest SM of a slice gets as many thread blocks as the fullest SM of the machine,
// so that the last wave of a launch is not lost.
func TestTheFullestSMOfASliceIsThatOfTheMachine(t *testing.T) {
	up := func(a, b uint64) uint64 { return (a + b - 1) / b }
	for all := uint64(1); all <= 8; all++ {
		for kept := uint64(1); kept <= all; kept++ {
			for perPart := uint64(1); perPart <= 4; perPart++ {
				for grid := uint64(1); grid <= 300; grid++ {
					if got, want := up(SliceBlocks(grid, kept, all), kept*perPart), up(grid, all*perPart); got != want {
						t.Fatalf("%d thread blocks on %d/%d of %d SMs: %d on the fullest, want %d", grid, kept, all, all*perPart, got, want)
					}
				}
			}
		}
	}
}
