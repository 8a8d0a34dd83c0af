// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math/bits"

	"github.com/warptape/warptape/trace/samefloat"
)

// footprint estimates how many lines of memory a launch touches, and how many of
// them no launch before it has touched, by linear counting. A line sets the bit
// that its hash chooses, and the number of bits that stay clear tells the number
// of lines. One in eight lines is counted, so that it holds for launches of up to
// about 40 million lines (5 GB).
type footprint struct {
	present, ever []uint64
}

const (
	footprintBits = 1 << 22
	lineSampling  = 8
)

func newFootprint() footprint {
	return footprint{present: make([]uint64, footprintBits/64), ever: make([]uint64, footprintBits/64)}
}

// touch notes the line of an address.
func (f *footprint) touch(address uint64) {
	g := generator{address / lineBytes}
	h := g.next()
	if h%lineSampling != 0 {
		return
	}
	bit := h / lineSampling % footprintBits
	f.present[bit/64] |= 1 << (bit % 64)
}

// touchStrided notes the lines of lanes, one at least, at addresses a stride apart. Where lanes follow
// each other within a line, so do those between the first and the last.
func (f *footprint) touchStrided(mask uint32, base uint64, stride int64) {
	if -lineBytes < stride && stride < lineBytes {
		low := base + uint64(int64(bits.TrailingZeros32(mask))*stride)
		high := base + uint64(int64(bits.Len32(mask)-1)*stride)
		if stride < 0 {
			low, high = high, low
		}
		span := high - low // which may come round behind the last address
		for at := uint64(0); at < span; at += lineBytes {
			f.touch(low + at)
		}
		f.touch(high)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		f.touch(base + uint64(int64(bits.TrailingZeros32(mask))*stride))
	}
}

// take gives the estimates of the launch that ends, and begins the next one.
func (f *footprint) take() (lines, fresh float64) {
	set, before, after := 0, 0, 0
	for i, w := range f.present {
		set += bits.OnesCount64(w)
		before += bits.OnesCount64(f.ever[i])
		f.ever[i] |= w
		after += bits.OnesCount64(f.ever[i])
	}
	clear(f.present)
	return linearCount(set), max(0, linearCount(after)-linearCount(before))
}

// linearCount is the expected number of lines that set so many bits (Whang and
// others, A linear-time probabilistic counting algorithm, 1990).
func linearCount(set int) float64 {
	clear := max(1, footprintBits-set)
	return float64(-lineSampling * footprintBits * samefloat.Log(float64(clear)/footprintBits))
}
