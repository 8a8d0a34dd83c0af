// SPDX-License-Identifier: Apache-2.0

package cache

import "testing"

// A segment is the least of the aligned 32, 64 and 128 bytes that has all bytes: all sets of quarters are tried
// against the sizes one after the other.
func TestSegmentsAreTheLeastThatHoldAll(t *testing.T) {
	for mask := 1; mask < 16; mask++ {
		var b Bytes
		low, high := BlockBytes, 0
		for q := range 4 {
			if mask>>q&1 != 0 {
				at := q*32 + 7*q // somewhere in the quarter
				b[at/64] |= 1 << (at % 64)
				low, high = min(low, at), max(high, at)
			}
		}
		first, size := Segment(b)
		for _, want := range []int{32, 64, 128} {
			if low/want == high/want {
				if first != low/want*want || size != want {
					t.Errorf("quarters %04b: %d bytes from %d, want %d from %d", mask, size, first, want, low/want*want)
				}
				break
			}
		}
	}
}
