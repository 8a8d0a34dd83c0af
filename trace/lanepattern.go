package trace

import "math/bits"

// lanePattern is the offsets of explicit lanes from the lowest active one, zero for
// those that are not active.
type lanePattern = [WarpSize]uint64

// patternPool keeps the lane patterns of a thread block while it is recorded. Tiled
// kernels come to shared memory in the same few patterns again and again, so the
// pool looks for a pattern where one with the same outline was met last.
type patternPool struct {
	patterns []lanePattern
	recent   [1 << patternPoolBits]int32 // 1 + number in patterns, 0 for none
}

const patternPoolBits = 6

func (p *patternPool) reset() {
	p.patterns = p.patterns[:0]
	clear(p.recent[:])
}

// add returns the base and the number of the pattern of an execution. Of a pattern
// that has more lanes than the mask only those in the mask are meant.
func (p *patternPool) add(mask uint32, addresses *[WarpSize]uint64) (base uint64, number int32) {
	base = addresses[lane(mask)]
	rest := mask & (mask - 1)
	outline := addresses[lane(rest)] - base
	outline = outline*hashFactor + addresses[31-bits.LeadingZeros32(mask)&31] - base + uint64(mask)
	recent := &p.recent[outline*hashFactor>>(64-patternPoolBits)]
	if known := *recent - 1; known >= 0 && matchesPattern(&p.patterns[known], mask, base, addresses) {
		return base, known
	}
	var pattern lanePattern
	for m := mask; m != 0; m &= m - 1 {
		pattern[lane(m)] = addresses[lane(m)] - base
	}
	p.patterns = append(p.patterns, pattern)
	*recent = int32(len(p.patterns))
	return base, *recent - 1
}

// matchesPattern tells whether the lanes in the mask are at a pattern.
func matchesPattern(p *lanePattern, mask uint32, base uint64, addresses *[WarpSize]uint64) bool {
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
func placePattern(out *[WarpSize]uint64, base uint64, p *lanePattern) {
	for l, offset := range p {
		out[l] = base + offset
	}
}
