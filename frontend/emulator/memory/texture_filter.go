// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math"
	"unsafe"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// words are one register's lanes.
type words = [trace.WarpSize]uint32

// Filter does the linear fetches of a warp's lanes from a flat texture together. Its fields
// are the working space.
type Filter struct {
	// sides has where, in bytes, the texels of each dimension lie between which a lane
	// filters: the lower and the upper one.
	sides [2]struct{ low, high words }
	// below is what a dimension's lower texels count, weights what the upper ones weigh.
	below   [trace.WarpSize]int32
	weights [2][trace.WarpSize]int32
	offsets words
	corners lanes.Corners
	sums    [4]words // by channel
}

// Filters reports whether a Filter serves a fetch from the texture.
func (t *BoundTexture) Filters(f *Fetch) bool {
	return t.flat && t.Linear && (f.Float || t.Floats) && f.Dimensions == 2 && !f.Texels && !f.Gather && !f.Layered &&
		t.Height*t.RowBytes <= math.MaxInt32 // loops over lanes take offsets of 32 bits
}

// Fetch is BoundTexture.Fetch for the lanes in mask. It returns the lanes that it leaves out, and
// writes none of their results: lanes at a border, lanes far outside, and lanes with a texel that
// is not finite, since a weight of 0 does not remove such a texel. Addresses are valid for the
// lanes that it fetches. A result may share a coordinate's register.
func (f *Filter) Fetch(t *BoundTexture, x, y *words, mask uint32, results *[4]*words, addresses *[trace.WarpSize]uint64) (left uint32) {
	done := f.locate(t, 0, x, mask)
	done &= f.locate(t, 1, y, mask)
	for c := range t.Channels {
		f.gather(t.Memory.Data[t.Offset+uint64(4*c):], done)
		done &= lanes.Blend(&f.sums[c], &f.corners, &f.weights)
	}
	for c, result := range results {
		v := &missing[c]
		if c < t.Channels {
			v = &f.sums[c]
		}
		lanes.Keep(unsafe.Pointer(result), unsafe.Pointer(v), false, done)
	}
	first := t.Memory.Base + t.Offset
	for i := range addresses {
		addresses[i] = first + uint64(f.sides[0].low[i]+f.sides[1].low[i])
	}
	return mask &^ done
}

// missing are the channels that a texture lacks, in all lanes.
var missing = func() (channels [4]words) {
	for i := range channels[3] {
		channels[3][i] = math.Float32bits(1)
	}
	return channels
}()

// locate finds the texels of one dimension for the coordinates of the lanes in mask. It gives
// the lanes that have both.
func (f *Filter) locate(t *BoundTexture, dimension int, x *words, mask uint32) (found uint32) {
	n, bytes, scale := t.Width, t.TexelBytes, 1.0
	if dimension == 1 {
		n, bytes = t.Height, t.RowBytes
	}
	if t.Normalized {
		scale = float64(n)
	}
	lanes.Between(&f.below, &f.weights[dimension], x, scale) // as BoundTexture.Between
	s := &f.sides[dimension]
	found = mask
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		at := int(f.below[i])
		if uint(at) < uint(n-1) {
			s.low[i] = uint32(at * bytes)
			s.high[i] = s.low[i] + uint32(bytes)
			continue
		}
		low, ok := t.inside(dimension, at, n)
		high, ok2 := t.inside(dimension, at+1, n)
		if !ok || !ok2 || at < -maxTextureSide || at > maxTextureSide {
			found &^= 1 << i
		}
		s.low[i], s.high[i] = uint32(low*bytes), uint32(high*bytes)
	}
	return found
}

// gather reads the texels of the lanes in mask.
func (f *Filter) gather(texels []byte, mask uint32) {
	for corner := range f.corners {
		across, down := &f.sides[0].low, &f.sides[1].low
		if corner&1 != 0 {
			across = &f.sides[0].high
		}
		if corner&2 != 0 {
			down = &f.sides[1].high
		}
		for i := range f.offsets {
			f.offsets[i] = across[i] + down[i]
		}
		lanes.Gather32(unsafe.Pointer(&f.corners[corner]), texels, &f.offsets, false, mask)
	}
}
