// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"math"
)

// bilinear filters between four texels of .f32 of a flat texture. It is what interpolate
// gives, without its loops over dimensions. ok is false where it does not apply: for other
// textures, and beside a border of zeros.
func (t *BoundTexture) bilinear(c *[3]Coordinate) (v Texel, address uint64, ok bool) {
	if !t.flat {
		return v, 0, false
	}
	left, ok0 := t.inside(0, c[0].At, t.Width)
	right, ok1 := t.inside(0, c[0].At+1, t.Width)
	upper, ok2 := t.inside(1, c[1].At, t.Height)
	lower, ok3 := t.inside(1, c[1].At+1, t.Height)
	if !(ok0 && ok1 && ok2 && ok3) {
		return v, 0, false
	}
	first, second := t.Offset+uint64(upper*t.RowBytes), t.Offset+uint64(lower*t.RowBytes)
	offsets := [4]uint64{
		first + uint64(left*t.TexelBytes), first + uint64(right*t.TexelBytes),
		second + uint64(left*t.TexelBytes), second + uint64(right*t.TexelBytes),
	}
	weights := [4]float64{
		float64(c[0].share(0) * c[1].share(0)), float64(c[0].share(1) * c[1].share(0)),
		float64(c[0].share(0) * c[1].share(1)), float64(c[0].share(1) * c[1].share(1)),
	}
	v[3] = math.Float32bits(1)
	for n := range t.Channels {
		sum := 0.0
		for corner, offset := range offsets {
			if weight := weights[corner]; weight != 0 { // 0 times infinity is no part of the result
				texel := binary.LittleEndian.Uint32(t.Memory.Data[offset+uint64(4*n):])
				sum += float64(weight * float64(math.Float32frombits(texel)))
			}
		}
		v[n] = canonical(float32(sum))
	}
	return v, t.Memory.Base + offsets[0], true
}
