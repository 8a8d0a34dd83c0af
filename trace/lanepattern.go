package trace

import "math/bits"

// lanePattern is the offsets of explicit lanes from the lowest active one, zero for
// those that are not active.
type lanePattern = [warpLanes]uint64

// patternPool keeps the lane patterns of the thread blocks that will be a chunk while they
// are recorded. Tiled kernels come to shared memory in the same few patterns again and
// again, so the pool looks for a pattern where one with the same outline was met last.
type patternPool struct {
	patterns lanePatterns
	block    int                         // patterns that there were before this thread block
	epoch    uint64                      // changes when numbers of patterns lose their meaning
	recent   [1 << patternPoolBits]int32 // 1 + number in patterns, 0 for none
}

const patternPoolBits = 6

// begin notes where the patterns of a thread block begin.
func (p *patternPool) begin() { p.block = p.patterns.count }

// drop forgets the patterns of the thread block, which is not stored.
func (p *patternPool) drop() {
	p.patterns.truncate(p.block)
	p.forget()
}

// exchange swaps the patterns with memory for others.
func (p *patternPool) exchange(memory *lanePatterns) {
	p.patterns, *memory = *memory, p.patterns
	p.patterns.truncate(0)
	p.forget()
}

// forget gives the numbers of patterns up.
func (p *patternPool) forget() {
	p.epoch++
	clear(p.recent[:])
}

// slot is where a pattern with the outline was met last: that is where the second and the
// last lane are, from the lowest.
func (p *patternPool) slot(mask uint32, second, last uint64) *int32 {
	outline := second*hashFactor + last + uint64(mask)
	return &p.recent[outline*hashFactor>>(64-patternPoolBits)]
}

// add returns the base and the number of the pattern of an execution. Of a pattern
// that has more lanes than the mask only those in the mask are meant.
func (p *patternPool) add(mask uint32, addresses *[warpLanes]uint64) (base uint64, number int32) {
	base = addresses[lane(mask)]
	recent := p.slot(mask, addresses[lane(mask&(mask-1))]-base, addresses[31-bits.LeadingZeros32(mask)&31]-base)
	if known := *recent - 1; known >= 0 && matchesPattern(p.patterns.at(known), mask, base, addresses) {
		return base, known
	}
	var pattern lanePattern
	for m := mask; m != 0; m &= m - 1 {
		pattern[lane(m)] = addresses[lane(m)] - base
	}
	return base, p.keep(recent, &pattern)
}

// addPattern is add for the offsets from the lowest lane, zero for lanes that are not in
// the mask.
func (p *patternPool) addPattern(mask uint32, offsets *lanePattern) (number int32) {
	recent := p.slot(mask, offsets[lane(mask&(mask-1))], offsets[31-bits.LeadingZeros32(mask)&31])
	if known := *recent - 1; known >= 0 && matchesPattern(p.patterns.at(known), mask, 0, offsets) {
		return known
	}
	return p.keep(recent, offsets)
}

func (p *patternPool) keep(recent *int32, pattern *lanePattern) (number int32) {
	number = p.patterns.add(pattern)
	*recent = number + 1
	return number
}

// matchesPattern tells whether the lanes in the mask are at a pattern.
func matchesPattern(p *lanePattern, mask uint32, base uint64, addresses *[warpLanes]uint64) bool {
	if mask == allWarpLanes {
		for l, offset := range p {
			if base+offset != addresses[l] {
				return false
			}
		}
		return true
	}
	for ; mask != 0; mask &= mask - 1 {
		if base+p[lane(mask)] != addresses[lane(mask)] {
			return false
		}
	}
	return true
}

// placePattern writes the addresses of a pattern at a base.
func placePattern(out *[warpLanes]uint64, base uint64, p *lanePattern) {
	for l, offset := range p {
		out[l] = base + offset
	}
}
