// SPDX-License-Identifier: Apache-2.0

package trace

import "math"

// WarpSize is the number of lanes of a recorded warp. Replays that model wider
// or narrower warps regroup the recorded lanes.
const WarpSize = 32

// LineBytes is the size of the memory segments by which statistics count: the line of
// the GPUs whose architectures are built in, and the largest coalesced transaction.
const LineBytes = 128

// Dim3 is a CUDA dimension triple in threads or thread blocks.
type Dim3 struct {
	X uint32 `json:"x"`
	Y uint32 `json:"y"`
	Z uint32 `json:"z"`
}

// Count is the number of elements of the index space, X*Y*Z.
func (d Dim3) Count() uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }

// place is the element of the index space with a number; X counts fastest.
func (d Dim3) place(number uint64) Dim3 {
	x, y := uint64(d.X), uint64(d.Y)
	return Dim3{X: uint32(number % x), Y: uint32(number / x % y), Z: uint32(number / x / y)}
}

// count is Count with a check: false when the product does not fit int64.
func (d Dim3) count() (uint64, bool) {
	xy := uint64(d.X) * uint64(d.Y)
	if d.Z != 0 && xy > math.MaxInt64/uint64(d.Z) {
		return 0, false
	}
	return xy * uint64(d.Z), true
}
