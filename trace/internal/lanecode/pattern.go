// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanevector"
)

// Pattern is the offsets of explicit lanes from the lowest active one, zero for
// those that are not active.
type Pattern = [WarpLanes]uint64

// PatternPool keeps the lane patterns of the thread blocks that will be a chunk while they
// are recorded. Tiled kernels come to shared memory in the same few patterns again and
// again, so the pool looks for a pattern where one with the same outline was met last.
type PatternPool struct {
	patterns Patterns
	block    int                         // patterns that there were before this thread block
	Epoch    uint64                      // changes when numbers of patterns lose their meaning
	recent   [1 << patternPoolBits]int32 // 1 + number in patterns, 0 for none
}

const patternPoolBits = 6

// Begin notes where the patterns of a thread block begin.
func (p *PatternPool) Begin() { p.block = p.patterns.count }

// Drop forgets the patterns of the thread block, which is not stored.
func (p *PatternPool) Drop() {
	p.patterns.Truncate(p.block)
	p.forget()
}

// Exchange swaps the patterns with memory for others.
func (p *PatternPool) Exchange(memory *Patterns) {
	p.patterns, *memory = *memory, p.patterns
	p.patterns.Truncate(0)
	p.forget()
}

// CopyEarlier copies the patterns that there were before this thread block.
func (p *PatternPool) CopyEarlier(to *Patterns) {
	to.Truncate(0)
	for n := range p.block {
		to.Add(p.patterns.At(int32(n)))
	}
}

// forget gives the numbers of patterns up.
func (p *PatternPool) forget() {
	p.Epoch++
	clear(p.recent[:])
}

// slot is where a pattern with the outline was met last: that is where the second and the
// last lane are, from the lowest.
func (p *PatternPool) slot(mask uint32, second, last uint64) *int32 {
	outline := second*columns.HashFactor + last + uint64(mask)
	return &p.recent[outline*columns.HashFactor>>(64-patternPoolBits)]
}

// Add returns the base and the number of the pattern of an execution. Of a pattern
// that has more lanes than the mask only those in the mask are meant.
func (p *PatternPool) Add(mask uint32, addresses *[WarpLanes]uint64) (base uint64, number int32) {
	base = addresses[Lane(mask)]
	recent := p.slot(mask, addresses[Lane(mask&(mask-1))]-base, addresses[31-bits.LeadingZeros32(mask)&31]-base)
	if known := *recent - 1; known >= 0 && matchesPattern(p.patterns.At(known), mask, base, addresses) {
		return base, known
	}
	var pattern Pattern
	for m := mask; m != 0; m &= m - 1 {
		pattern[Lane(m)] = addresses[Lane(m)] - base
	}
	return base, p.keep(recent, &pattern)
}

// AddPattern is add for the offsets from the lowest lane, zero for lanes that are not in
// the mask.
func (p *PatternPool) AddPattern(mask uint32, offsets *Pattern) (number int32) {
	recent := p.slot(mask, offsets[Lane(mask&(mask-1))], offsets[31-bits.LeadingZeros32(mask)&31])
	if known := *recent - 1; known >= 0 && matchesPattern(p.patterns.At(known), mask, 0, offsets) {
		return known
	}
	return p.keep(recent, offsets)
}

func (p *PatternPool) keep(recent *int32, pattern *Pattern) (number int32) {
	number = p.patterns.Add(pattern)
	*recent = number + 1
	return number
}

// matchesPattern tells whether the lanes in the mask are at a pattern.
func matchesPattern(p *Pattern, mask uint32, base uint64, addresses *[WarpLanes]uint64) bool {
	if mask == AllWarpLanes {
		if base == 0 {
			return *p == *addresses
		}
		for l, offset := range p {
			if base+offset != addresses[l] {
				return false
			}
		}
		return true
	}
	for ; mask != 0; mask &= mask - 1 {
		if base+p[Lane(mask)] != addresses[Lane(mask)] {
			return false
		}
	}
	return true
}

// PlacePattern writes the addresses of a pattern at a base.
func PlacePattern(out *[WarpLanes]uint64, base uint64, p *Pattern) {
	lanevector.Place(out, p, base)
}

// PlaceStride writes the addresses of a stride at a base.
func PlaceStride(out *[WarpLanes]uint64, base uint64, stride int32) {
	lanevector.PlaceStride(out, base, uint64(int64(stride)))
}
