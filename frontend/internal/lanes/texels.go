// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// Between finds the texels that a linear filter takes for coordinates of .f32; scale turns these into
// texels. The one below is the floor of the coordinate less a half. The share of
// the one above is what is left, in 256ths, rounded to nearest and halves up. Where no int32
// holds a number, it is the least one.
func Between(below, share *[trace.WarpSize]int32, x *[trace.WarpSize]uint32, scale float64) {
	if host.between != nil {
		host.between(unsafe.Pointer(below), unsafe.Pointer(share), unsafe.Pointer(x), scale)
		return
	}
	betweenInGo(below, share, x, scale)
}

func betweenInGo(below, share *[trace.WarpSize]int32, x *[trace.WarpSize]uint32, scale float64) {
	for i, bits := range x {
		v := float64(float64(math.Float32frombits(bits))*scale) - 0.5
		floor := math.Floor(v)
		below[i] = truncated(floor)
		share[i] = truncated(float64((v-floor)*256) + 0.5)
	}
}

// truncated is a number without its fraction, or the least int32.
func truncated(v float64) int32 {
	if !(v > math.MinInt32-1 && v < math.MaxInt32+1) { // NaN, too
		return math.MinInt32
	}
	return int32(v)
}

// Corners are the four .f32 texels of each lane's filter in two dimensions: the lower row before
// the upper one, and in a row the left texel before the right one.
type Corners [4][trace.WarpSize]uint32

// Blend sets d to the weighted sums of texels, in double precision and rounded once. weights
// has the shares of the right and of the upper places in 256ths. It gives the lanes whose sums
// are finite; d means nothing in others.
func Blend(d *[trace.WarpSize]uint32, texels *Corners, weights *[2][trace.WarpSize]int32) (finite uint32) {
	if host.blend != nil {
		return host.blend(unsafe.Pointer(d), unsafe.Pointer(texels), unsafe.Pointer(weights))
	}
	return blendInGo(d, texels, weights)
}

func blendInGo(d *[trace.WarpSize]uint32, texels *Corners, weights *[2][trace.WarpSize]int32) (finite uint32) {
	for i := range d {
		w, h := weights[0][i], weights[1][i]
		corners := [4]int32{(256 - w) * (256 - h), w * (256 - h), (256 - w) * h, w * h}
		sum := 0.0 // so that zeros do not make it negative
		for k, weight := range corners {
			sum += float64(float64(weight) * float64(math.Float32frombits(texels[k][i])))
		}
		if sum-sum == 0 {
			finite |= 1 << i
		}
		d[i] = math.Float32bits(float32(sum * (1.0 / 65536))) // a power of two changes no rounding
	}
	return finite
}
