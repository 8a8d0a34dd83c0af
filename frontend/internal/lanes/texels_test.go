// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

func TestAssemblyFindsTexelsAsGoDoes(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range 10 * vectorRounds {
			var slot [trace.WarpSize]uint64
			fillSlot(r, &slot) // special values, and any others
			x := *Of[uint32](unsafe.Pointer(&slot))
			for i := range x {
				if r.IntN(2) == 0 {
					x[i] = math.Float32bits(float32(4*r.Float64() - 2))
				}
			}
			scale := float64(1 + r.IntN(1<<r.IntN(29)))
			var below, share, wantBelow, wantShare [trace.WarpSize]int32
			betweenInGo(&wantBelow, &wantShare, &x, scale)
			v.between(unsafe.Pointer(&below), unsafe.Pointer(&share), unsafe.Pointer(&x), scale)
			if below != wantBelow || share != wantShare {
				t.Fatalf("coordinates %x times %v: got %d and %d, want %d and %d", x, scale, below, share, wantBelow, wantShare)
			}
		}
	})
}

func TestAssemblyBlendsTexelsAsGoDoes(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		finite := 0
		for range 10 * vectorRounds {
			var texels Corners
			var weights [2][trace.WarpSize]int32
			for k := range texels {
				var slot [trace.WarpSize]uint64
				fillSlot(r, &slot)
				texels[k] = *Of[uint32](unsafe.Pointer(&slot))
				for i := range texels[k] {
					if r.IntN(3) > 0 {
						texels[k][i] = math.Float32bits(float32(r.NormFloat64()) * float32(r.IntN(2)))
					}
				}
			}
			for i := range trace.WarpSize {
				weights[0][i], weights[1][i] = int32(r.IntN(257)), int32(r.IntN(257))
			}
			var got, want [trace.WarpSize]uint32
			lanes := blendInGo(&want, &texels, &weights)
			if l := v.blend(unsafe.Pointer(&got), unsafe.Pointer(&texels), unsafe.Pointer(&weights)); l != lanes {
				t.Fatalf("texels %x: finite lanes 0x%x, want 0x%x", texels, l, lanes)
			}
			finite += bits.OnesCount32(lanes)
			for m := lanes; m != 0; m &= m - 1 {
				if i := FirstLane(m); got[i] != want[i] {
					t.Fatalf("texels %x, weights %d, lane %d: got 0x%x, want 0x%x", texels, weights, i, got[i], want[i])
				}
			}
		}
		if finite < 10*vectorRounds {
			t.Errorf("%d sums were finite", finite)
		}
	})
}

func TestTexelsOfCoordinates(t *testing.T) {
	x := [trace.WarpSize]uint32{}
	for i, v := range []float32{0.5, 0, 1.25, -0.75, float32(math.Inf(1)), float32(math.NaN()), 3e9} {
		x[i] = math.Float32bits(v)
	}
	var below, share [trace.WarpSize]int32
	Between(&below, &share, &x, 2)
	const none = math.MinInt32
	for i, want := range [][2]int32{{0, 128}, {-1, 128}, {2, 0}, {-2, 0}, {none, none}, {none, none}, {none, 128}} {
		if got := [2]int32{below[i], share[i]}; got != want {
			t.Errorf("twice %v: the texel below and the share above are %d, want %d", math.Float32frombits(x[i]), got, want)
		}
	}
}
