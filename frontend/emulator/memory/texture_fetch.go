// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// Texel is what a fetch gives: four channels, as the bits of the result type.
type Texel [4]uint32

// Coordinate is a place along one side of a texture: the texel below it and
// the weight of the one above, in 256ths.
type Coordinate struct {
	At     int
	weight int
}

// Locate turns a coordinate into a place on a side of n texels (CUDA C++
// Programming Guide, "Texture Fetching"). The nearest texel is floor(x); linear
// filtering is between floor(x-0.5) and the next. Its weight has 8 bits of
// fraction in 9 bits, so that it can be 1. The guide leaves the rounding of the
// weight open; here it is to nearest, halves up.
func (t *BoundTexture) Locate(x float32, n int) Coordinate {
	if t.Linear {
		return t.Between(x, n)
	}
	return Coordinate{At: int(math.Floor(t.scaled(x, n)))}
}

// scaled is a coordinate in texels.
func (t *BoundTexture) scaled(x float32, n int) float64 {
	v := float64(x)
	if t.Normalized {
		v *= float64(n) // exact: 24 bits times at most 29
	}
	return Bounded(v)
}

// Between is the place of a coordinate between two texels, as a linear filter
// takes them.
func (t *BoundTexture) Between(x float32, n int) Coordinate {
	v := t.scaled(x, n)
	below := math.Floor(v - 0.5)
	return Coordinate{At: int(below), weight: int(math.Floor(float64((v-0.5-below)*256) + 0.5))}
}

// share is the weight of the lower (0) or the upper (1) of two texels; exact.
func (p Coordinate) share(upper int) float64 {
	if upper == 0 {
		return float64(256-p.weight) / 256
	}
	return float64(p.weight) / 256
}

// Bounded makes any coordinate a number near the largest texture; NaN is 0.
func Bounded(v float64) float64 {
	if v != v {
		return 0
	}
	return max(-4*maxTextureSide, min(4*maxTextureSide, v))
}

// inside applies a dimension's address mode to a texel's place along its n texels; ok
// is false where the border is.
func (t *BoundTexture) inside(dimension, at, n int) (place int, ok bool) {
	if at >= 0 && at < n {
		return at, true
	}
	switch t.Modes[dimension] {
	case AddressWrap:
		if place = at + n; at >= 0 {
			place = at - n
		}
		if place < 0 || place >= n { // not a neighbour of the texture: two divisions
			place = ((at % n) + n) % n
		}
		return place, true
	case AddressMirror:
		if place = ((at % (2 * n)) + 2*n) % (2 * n); place >= n {
			place = 2*n - 1 - place
		}
		return place, true
	case AddressBorder:
		return max(0, min(at, n-1)), false
	}
	return max(0, min(at, n-1)), true
}

// Sides are the numbers of texels along the dimensions; layers stand in the
// last one.
func (t *BoundTexture) Sides() [3]int {
	return [3]int{t.Width, max(t.Height, 1), max(t.Depth, t.Layers, 1)}
}

// TexelOffset is where in memory a texel lies.
func (t *BoundTexture) TexelOffset(p [3]int) uint64 {
	s := t.Sides()
	row := uint64(p[2])*uint64(s[1]) + uint64(p[1])
	return t.Offset + row*uint64(t.RowBytes) + uint64(p[0])*uint64(t.TexelBytes)
}

// At reads the texel that stands at a place under the address mode; one outside
// a border is zeros. It gives the address that the texel has, or the nearest one.
// Layers are clamped.
func (t *BoundTexture) At(p [3]int, float bool) (v Texel, address uint64) {
	seen := true
	for d, n := range t.Sides() {
		ok := true
		if d == 2 && t.Layers > 0 {
			p[d] = max(0, min(p[d], n-1))
		} else {
			p[d], ok = t.inside(d, p[d], n)
		}
		seen = seen && ok
	}
	offset := t.TexelOffset(p)
	address = t.Memory.Base + offset
	if seen {
		v = t.read(t.Memory.Data[offset:][:t.TexelBytes], float)
	}
	return v, address
}

// read decodes a texel as integers or as .f32.
func (t *BoundTexture) read(b []byte, float bool) Texel {
	var v Texel
	if v[3] = 1; float {
		v[3] = math.Float32bits(1)
	}
	if t.ElementBytes == 4 {
		for c := range t.Channels {
			v[c] = binary.LittleEndian.Uint32(b[4*c:])
		}
		return v
	}
	if t.Element == ptx.F16 {
		for c := range t.Channels {
			v[c] = canonical(lanes.HalfValue(uint32(binary.LittleEndian.Uint16(b[2*c:]))))
		}
		return v
	}
	for c := range t.Channels {
		raw := lanes.Extend(lanes.LoadRaw(b[t.ChannelAt(c)*t.ElementBytes:], t.ElementBytes), 8*t.ElementBytes, t.Element.Signed())
		if v[c] = uint32(raw); float {
			v[c] = math.Float32bits(t.normalized(int64(raw)))
		}
	}
	return v
}

// canonical are a number's bits. A conversion makes any NaN the one of PTX, as cvt does: what
// processors make of its payload differs.
func canonical(v float32) uint32 {
	if v != v {
		v = lanes.Canonical32
	}
	return math.Float32bits(v)
}

// normalized maps an integer channel to 0 ... 1, a signed one to -1 ... 1; of
// its two lowest values both are -1.
func (t *BoundTexture) normalized(raw int64) float32 {
	bits := 8 * t.ElementBytes
	if t.Element.Signed() {
		return float32(max(-1, float64(raw)/float64(int64(1)<<(bits-1)-1)))
	}
	return float32(float64(raw) / float64(int64(1)<<bits-1))
}

// Interpolate filters between two texels, or four, or eight: the weighted sum of the
// guide, in double precision, rounded once to .f32.
func (t *BoundTexture) Interpolate(c [3]Coordinate) (v Texel, address uint64) {
	if v, address, ok := t.bilinear(&c); ok {
		return v, address
	}
	return t.interpolate(c)
}

func (t *BoundTexture) interpolate(c [3]Coordinate) (v Texel, address uint64) {
	var sum [4]float64
	filtered := [3]bool{true, t.Height > 0, t.Depth > 0}
	for corner := range 8 {
		place, weight, used := [3]int{}, 1.0, true
		for d := range place {
			upper := corner >> d & 1
			place[d] = c[d].At + upper
			if filtered[d] {
				weight *= c[d].share(upper)
			} else {
				used = used && upper == 0
			}
		}
		if !used {
			continue
		}
		texel, at := t.At(place, true)
		if corner == 0 {
			address = at
		}
		for n := range t.Channels {
			if weight != 0 { // 0 times infinity is no part of the result
				sum[n] += float64(weight * float64(math.Float32frombits(texel[n])))
			}
		}
	}
	v[3] = math.Float32bits(1) // weights add up to 1
	for n := range t.Channels {
		v[n] = canonical(float32(sum[n]))
	}
	return v, address
}

// Gather gives one channel of the four texels between which a place lies, and the
// address of the one with the lowest coordinates. The order is counter-clockwise
// from the lower left one (9.7.10.4), rows counting downwards.
func (t *BoundTexture) Gather(c [3]Coordinate, channel int, float bool) (v Texel, address uint64) {
	for i, corner := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		var read Texel
		read, address = t.At([3]int{c[0].At + corner[0], c[1].At + corner[1], c[2].At}, float)
		v[i] = read[channel]
	}
	return v, address // the last is the upper left
}

// TexelAt is at for coordinates of type .s32, which know no address mode:
// outside there are zeros.
func (t *BoundTexture) TexelAt(p [3]int, float bool) (v Texel, address uint64) {
	near, outside := p, false
	for d, n := range t.Sides() {
		near[d] = max(0, min(p[d], n-1))
		outside = outside || near[d] != p[d] && !(d == 2 && t.Layers > 0)
	}
	if v, address = t.At(near, float); outside {
		v = Texel{}
	}
	return v, address
}

// Channel converts a word to the texture's element: integers are limited to
// what it holds (9.7.11.2 leaves it open), .f32 stays or is rounded to .f16.
func (t *BoundTexture) Channel(v uint32) uint64 {
	if t.Element == ptx.F16 {
		return uint64(lanes.HalfRounded(math.Float32frombits(v)))
	}
	if t.Element == ptx.F32 || t.ElementBytes == 4 {
		return uint64(v)
	}
	signed := t.Element.Signed()
	return uint64(lanes.ClampBits(lanes.ExtendWord(v, signed), 8*t.ElementBytes, signed))
}

// ChannelAt is where in a texel a channel lies: 0 is red.
func (t *BoundTexture) ChannelAt(channel int) int {
	if t.BGRA && channel%2 == 0 {
		return 2 - channel
	}
	return channel
}

// Dimensions of one layer.
func (t *BoundTexture) Dimensions() int {
	switch {
	case t.Depth > 0:
		return 3
	case t.Height > 0:
		return 2
	}
	return 1
}

// FromNormalized is the integer that stands for a number of 0 ... 1 or -1 ... 1.
func (t *BoundTexture) FromNormalized(v float32) uint64 {
	low, scale := 0.0, float64(uint64(1)<<(8*t.ElementBytes)-1)
	if t.Element.Signed() {
		low, scale = -1, float64(uint64(1)<<(8*t.ElementBytes-1)-1)
	}
	if v != v {
		return 0
	}
	return uint64(int64(math.RoundToEven(max(low, min(1, float64(v))) * scale)))
}
