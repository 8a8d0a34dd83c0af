package emulator

import (
	"encoding/binary"
	"math"
)

// texel is what a fetch gives: four channels, as the bits of the result type.
type texel [4]uint32

// coordinate is a place along one side of a texture: the texel below it and
// the weight of the one above, in 256ths.
type coordinate struct {
	at     int
	weight int
}

// locate turns a coordinate into a place on a side of n texels (CUDA C++
// Programming Guide, "Texture Fetching"): the nearest texel is floor(x); linear
// filtering is between floor(x-0.5) and the next, with a weight that has 8 bits
// of fraction in 9 bits, so that it can be 1. The guide leaves the rounding of
// the weight open; here it is to nearest, halves up.
func (t *boundTexture) locate(x float32, n int) coordinate {
	v := float64(x)
	if t.Normalized {
		v *= float64(n) // exact: 24 bits times at most 29
	}
	v = bounded(v)
	if !t.Linear {
		return coordinate{at: int(math.Floor(v))}
	}
	below := math.Floor(v - 0.5)
	return coordinate{at: int(below), weight: int(math.Floor((v-0.5-below)*256 + 0.5))}
}

// share is the weight of the lower (0) or the upper (1) of two texels; exact.
func (p coordinate) share(upper int) float64 {
	if upper == 0 {
		return float64(256-p.weight) / 256
	}
	return float64(p.weight) / 256
}

// bounded makes any coordinate a number near the largest texture; NaN is 0.
func bounded(v float64) float64 {
	if v != v {
		return 0
	}
	return max(-4*maxTextureSide, min(4*maxTextureSide, v))
}

// inside applies the address mode to a texel's place on a side of n texels;
// ok is false where the border is.
func (t *boundTexture) inside(at, n int) (place int, ok bool) {
	if at >= 0 && at < n {
		return at, true
	}
	switch t.Mode {
	case AddressWrap:
		return ((at % n) + n) % n, true
	case AddressBorder:
		return max(0, min(at, n-1)), false
	}
	return max(0, min(at, n-1)), true
}

// texelOffset is where in memory a texel lies.
func (t *boundTexture) texelOffset(x, y int) uint64 {
	return t.offset + (uint64(y)*uint64(t.Width)+uint64(x))*uint64(t.texelBytes)
}

// at reads the texel that stands at x, y under the address mode; one outside a
// border is zeros. It gives the address that the texel has, or the nearest one.
func (t *boundTexture) at(x, y int, float bool) (v texel, address uint64) {
	x, okX := t.inside(x, t.Width)
	y, okY := t.inside(y, max(t.Height, 1))
	offset := t.texelOffset(x, y)
	address = t.memory.base + offset
	if okX && okY {
		v = t.read(t.memory.data[offset:][:t.texelBytes], float)
	}
	return v, address
}

// read decodes a texel as integers or as .f32.
func (t *boundTexture) read(b []byte, float bool) texel {
	var v texel
	if v[3] = 1; float {
		v[3] = math.Float32bits(1)
	}
	if t.elementBytes == 4 {
		for c := range t.Channels {
			v[c] = binary.LittleEndian.Uint32(b[4*c:])
		}
		return v
	}
	for c := range t.Channels {
		raw := extend(loadRaw(b[c*t.elementBytes:], t.elementBytes), 8*t.elementBytes, t.Element.Signed())
		if v[c] = uint32(raw); float {
			v[c] = math.Float32bits(t.normalized(int64(raw)))
		}
	}
	return v
}

// normalized maps an integer channel to 0 ... 1, a signed one to -1 ... 1; of
// its two lowest values both are -1.
func (t *boundTexture) normalized(raw int64) float32 {
	bits := 8 * t.elementBytes
	if t.Element.Signed() {
		return float32(max(-1, float64(raw)/float64(int64(1)<<(bits-1)-1)))
	}
	return float32(float64(raw) / float64(int64(1)<<bits-1))
}

// linear filters between two texels, or four: the weighted sum of the guide,
// in double precision, rounded once to .f32.
func (t *boundTexture) linear(x, y coordinate) (v texel, address uint64) {
	var sum [4]float64
	rows := 1
	if t.Height > 0 {
		rows = 2
	}
	for j := range rows {
		for i := range 2 {
			weight := x.share(i)
			if rows == 2 {
				weight *= y.share(j)
			}
			corner, at := t.at(x.at+i, y.at+j, true)
			if i == 0 && j == 0 {
				address = at
			}
			for c := range t.Channels {
				if weight != 0 { // 0 times infinity is no part of the result
					sum[c] += weight * float64(math.Float32frombits(corner[c]))
				}
			}
		}
	}
	v[3] = math.Float32bits(1) // weights add up to 1
	for c := range t.Channels {
		v[c] = math.Float32bits(float32(sum[c]))
	}
	return v, address
}

// texelAt is at for coordinates of type .s32, which know no address mode:
// outside there are zeros.
func (t *boundTexture) texelAt(x, y int, float bool) (v texel, address uint64) {
	v, address = t.at(max(0, min(x, t.Width-1)), max(0, min(y, max(t.Height, 1)-1)), float)
	if x < 0 || x >= t.Width || y < 0 || y >= max(t.Height, 1) {
		v = texel{}
	}
	return v, address
}
