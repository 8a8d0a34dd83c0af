// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// words are one register's lanes.
type words = [trace.WarpSize]uint32

// Filter does the linear fetches of a warp's lanes from a flat texture together. Its fields
// are the working space.
type Filter struct {
	across, down filterSide
}

// filterSide has the texels of one dimension between which each lane filters.
type filterSide struct {
	low, high [trace.WarpSize]int // their places in bytes
	weight    [trace.WarpSize]int // of the upper one, in 256ths
}

// Filters reports whether a Filter serves a fetch from the texture.
func (t *BoundTexture) Filters(f *Fetch) bool {
	return t.flat && t.Linear && (f.Float || t.Floats) && f.Dimensions == 2 && !f.Texels && !f.Gather && !f.Layered
}

// Fetch is BoundTexture.Fetch for the lanes in mask. It leaves some of them out, and gives
// them: those beside a border, those far away, and those with texels that are not finite.
// It does not touch their results. A result may stand in a coordinate's register.
func (f *Filter) Fetch(t *BoundTexture, x, y *words, mask uint32, results *[4]*words, addresses *[trace.WarpSize]uint64) (left uint32) {
	done := f.across.locate(t, 0, x, mask)
	done = f.down.locate(t, 1, y, done)
	if t.Channels == 1 {
		done = f.readOne(t.Memory.Data[t.Offset:], done, results[0])
	} else {
		done = f.read(t, done, results)
	}
	first := t.Memory.Base + t.Offset
	for m := done; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		addresses[i] = first + uint64(f.across.low[i]+f.down.low[i])
		for c := t.Channels; c < len(results); c++ {
			results[c][i] = missing[c]
		}
	}
	return mask &^ done
}

// missing are the channels that a texture lacks.
var missing = Texel{3: math.Float32bits(1)}

// locate finds the texels for the coordinates of the lanes in mask. It gives the lanes that
// have both.
func (s *filterSide) locate(t *BoundTexture, dimension int, x *words, mask uint32) (found uint32) {
	n, bytes, scale := t.Width, t.TexelBytes, 1.0
	if dimension == 1 {
		n, bytes = t.Height, t.RowBytes
	}
	if t.Normalized {
		scale = float64(n)
	}
	found = mask
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		v := float64(float64(math.Float32frombits(x[i]))*scale) - 0.5
		if !(v > -maxTextureSide && v < maxTextureSide) { // NaN, too
			found &^= 1 << i
			continue
		}
		below := math.Floor(v)
		at := int(below)
		s.weight[i] = int(float64((v-below)*256) + 0.5) // as Between rounds it
		if uint(at) < uint(n-1) {
			s.low[i], s.high[i] = at*bytes, (at+1)*bytes
			continue
		}
		low, ok := t.inside(dimension, at, n)
		high, ok2 := t.inside(dimension, at+1, n)
		if !ok || !ok2 {
			found &^= 1 << i
		}
		s.low[i], s.high[i] = low*bytes, high*bytes
	}
	return found
}

// readOne filters the only channel for the lanes in mask. It gives those with a result.
func (f *Filter) readOne(texels []byte, mask uint32, result *words) (done uint32) {
	done = mask
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		sum := f.sum(texels, i)
		if sum-sum != 0 {
			done &^= 1 << i
			continue
		}
		result[i] = math.Float32bits(float32(sum))
	}
	return done
}

// read is readOne for all channels.
func (f *Filter) read(t *BoundTexture, mask uint32, results *[4]*words) (done uint32) {
	done = mask
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		var sums [4]float64
		all := 0.0
		for c := range t.Channels {
			sums[c] = f.sum(t.Memory.Data[t.Offset+uint64(4*c):], i)
			all += sums[c] - sums[c]
		}
		if all != 0 {
			done &^= 1 << i
			continue
		}
		for c := range t.Channels {
			results[c][i] = math.Float32bits(float32(sums[c]))
		}
	}
	return done
}

// sum filters a channel for lane i. Weights count 65536ths, and their power of two, which
// changes no rounding, goes last. A texel that is not finite makes the sum so: a weight of 0
// would have to leave it out.
func (f *Filter) sum(texels []byte, i int) float64 {
	across, down := &f.across, &f.down
	upper, lower := texels[down.low[i]:], texels[down.high[i]:]
	left, right := across.low[i], across.high[i]
	w, h := across.weight[i], down.weight[i]
	sum := 0.0 // so that zeros do not make it negative
	sum += float64(float64((256-w)*(256-h)) * number(upper[left:]))
	sum += float64(float64(w*(256-h)) * number(upper[right:]))
	sum += float64(float64((256-w)*h) * number(lower[left:]))
	sum += float64(float64(w*h) * number(lower[right:]))
	return sum * (1.0 / 65536)
}

// number reads a texel of .f32.
func number(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}
