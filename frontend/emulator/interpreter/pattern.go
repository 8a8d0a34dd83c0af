// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"
	"math/bits"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// lanePattern is how the lanes of a base register lay to each other when a memory
// instruction took its addresses from it last. A tiled kernel reads many places
// with one register, loops come back, and thread blocks do the same as those before,
// so the pattern mostly holds still. Only the place of its lowest lane changes.
type lanePattern struct {
	mask  uint32 // zero for a pattern that is not known
	first uint32 // lowest lane of mask

	// strided says that lane i lies at start + i*stride from the lowest lane.
	strided       bool
	start, stride uint64
	// Lanes lie from low on, seen from the lowest lane, over span bytes to the start of the
	// one with the highest address. Field alignment has the bits that are set in some
	// distance.
	low, span, alignment uint64
	// compact patterns have all lanes near enough to each other for offsets.
	compact bool
	// near patterns lie in so few aligned words that vector registers hold them.
	near bool
	// full patterns are of all lanes, contiguous or not, with a stride; they need no
	// lanes.
	full  bool
	lanes *patternLanes
}

// patternLanes are the lanes of a pattern one by one.
type patternLanes struct {
	// offsets are the lanes' distances from the lowest address, zero for those that are
	// not in the mask.
	offsets [trace.WarpSize]uint32
	traced  wtape.AccessPattern
	run     uint64 // the run of a segment whose record refers to it
}

// maxPatternSpan bounds the offsets of a pattern.
const maxPatternSpan = math.MaxInt32 - lanes.NearBytes

// arrange finds the pattern of a memory instruction's lanes, and the address of the
// lowest active one. The mask is not empty.
func (c *warpContext) arrange(k *accessOperation, mask uint32) (p *lanePattern, base uint64) {
	p = &c.patterns[k.pattern]
	slot := c.at(k.base)
	if k.baseWide {
		a := lanes.Of[uint64](slot)
		if mask == lanes.FullMask && p.full && lanes.Affine(a) && p.restride(a[1]-a[0]) {
			return p, (a[0] + k.offset) & k.limit
		}
		if p.mask != mask || p.full || !lanes.Moved64(slot, &p.lanes.traced.Offsets, a[p.first&31], mask) {
			c.learn(p, a, mask)
		}
		return p, (a[p.first&31] + k.offset) & k.limit
	}
	a := lanes.Of[uint32](slot)
	if p.mask != mask || p.full || !lanes.Moved32(slot, &p.lanes.traced.Offsets, a[p.first&31], mask) {
		for i := range a {
			c.access.addresses[i] = uint64(a[i])
		}
		c.learn(p, &c.access.addresses, mask)
	}
	return p, (uint64(a[p.first&31]) + k.offset) & k.limit
}

// wraps reports whether lanes of a pattern lie beyond the addresses of the space, so that
// they have to be truncated one by one.
func (k *accessOperation) wraps(p *lanePattern, base uint64) bool {
	low := base + p.low
	return (low|(low+p.span))&^k.limit != 0
}

// restride makes a pattern of all lanes one with another stride; false if lanes may
// wrap around then.
func (p *lanePattern) restride(stride uint64) bool {
	if p.stride == stride {
		return true
	}
	if stride+maxSpan > 2*maxSpan {
		return false
	}
	p.setStride(stride, 0, trace.WarpSize-1)
	return true
}

// setStride notes the extent of lanes with a stride.
func (p *lanePattern) setStride(stride uint64, first, last int) {
	p.strided, p.start, p.stride = true, -uint64(first)*stride, stride
	distance := uint64(last-first) * stride
	p.low, p.span, p.alignment = 0, distance, stride
	if int64(stride) < 0 {
		p.low, p.span = distance, -distance
	}
	p.compact, p.near = p.span <= maxPatternSpan, false
}

// learn makes p the pattern of the lanes in mask.
func (c *warpContext) learn(p *lanePattern, a *[trace.WarpSize]uint64, mask uint32) {
	first, last := lanes.FirstLane(mask), 31-bits.LeadingZeros32(mask)
	p.mask, p.first, p.full = mask, uint32(first), false
	if stride := a[1] - a[0]; mask == lanes.FullMask && stride+maxSpan <= 2*maxSpan && lanes.Affine(a) {
		p.full = true
		p.setStride(stride, first, last)
		return
	}
	l := c.freshLanes(p)
	p.learnOffsets(l, a)
	stride, strided := findStride(&l.traced.Offsets, mask)
	if p.strided = strided; strided {
		p.start, p.stride = -uint64(first)*stride, stride
	}
}

// learnOffsets notes where the lanes lie one by one.
func (p *lanePattern) learnOffsets(l *patternLanes, a *[trace.WarpSize]uint64) {
	l.traced = wtape.AccessPattern{Mask: p.mask}
	base := a[p.first&31]
	var low, high int64
	offsets := &l.traced.Offsets
	if p.mask == lanes.FullMask {
		p.learnAllOffsets(l, a)
		return
	}
	for m := p.mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		offset := a[i] - base
		offsets[i] = offset
		low, high = min(low, int64(offset)), max(high, int64(offset))
	}
	p.low, p.span = uint64(low), uint64(high-low)
	p.alignment = uint64(low)
	p.compact = low > -maxPatternSpan && high < maxPatternSpan && p.span <= maxPatternSpan
	if p.near = false; !p.compact {
		return
	}
	l.offsets = [trace.WarpSize]uint32{}
	for m := p.mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		l.offsets[i] = uint32(offsets[i] - p.low)
		p.alignment |= offsets[i]
	}
	p.near = p.span <= lanes.NearBytes-4 && p.alignment&3 == 0
}

// learnAllOffsets is learnOffsets for all lanes.
func (p *lanePattern) learnAllOffsets(l *patternLanes, a *[trace.WarpSize]uint64) {
	low, high, set := lanes.Spread(&l.offsets, &l.traced.Offsets, a)
	p.low, p.span = uint64(low), uint64(high-low)
	p.alignment = uint64(low) | set
	p.compact = low > -maxPatternSpan && high < maxPatternSpan && p.span <= maxPatternSpan
	p.near = p.compact && p.span <= lanes.NearBytes-4 && p.alignment&3 == 0
}

// findStride looks for a common stride of the offsets of the lanes in mask.
func findStride(offsets *[trace.WarpSize]uint64, mask uint32) (stride uint64, ok bool) {
	first := lanes.FirstLane(mask)
	rest := mask & (mask - 1)
	if rest == 0 {
		return 0, true
	}
	second := lanes.FirstLane(rest)
	distance := int64(second - first)
	difference := int64(offsets[second])
	if difference%distance != 0 {
		return 0, false
	}
	stride = uint64(difference / distance)
	for m := rest & (rest - 1); m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		if offsets[i] != uint64(i-first)*stride {
			return 0, false
		}
	}
	return stride, true
}

// freshLanes gives a pattern lanes that no record refers to.
func (c *warpContext) freshLanes(p *lanePattern) *patternLanes {
	l := p.lanes
	if l != nil && l.run != c.runs {
		return l
	}
	if l != nil {
		c.referred = append(c.referred, l)
	}
	if n := len(c.spare); n > 0 {
		l, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		l = new(patternLanes)
	}
	p.lanes = l
	return l
}

// startRun makes the lanes that only the last run's record referred to spare ones.
func (c *warpContext) startRun() {
	c.runs++
	c.spare = append(c.spare, c.referred...)
	c.referred = c.referred[:0]
}

// tracePattern adds an access to the record.
func (c *warpContext) tracePattern(k *accessOperation, p *lanePattern, base uint64) {
	if !k.traced || !c.launch.Recording {
		return
	}
	a := c.record.NextAccess()
	a.Mask, a.Strided, a.Pattern = p.mask, p.strided, nil
	if p.strided {
		a.Base, a.Stride = base+p.start, int64(p.stride)
		return
	}
	p.lanes.run = c.runs
	a.Base, a.Pattern = base, &p.lanes.traced
}

// reach gives the bytes from the lowest address of a pattern to the end of the element at
// the highest one. It gives nil if they do not lie in one piece of memory, are not aligned,
// or the lanes need to be looked at one by one.
func (c *warpContext) reach(k *accessOperation, p *lanePattern, base uint64) []byte {
	low := base + p.low
	high := low + p.span
	if !p.compact || high < low || (low|p.alignment)&(k.bytes-1) != 0 {
		return nil
	}
	space, start := k.space, low
	if space == ptx.SpaceGeneric {
		space, start = genericSpace(low)
		if other, _ := genericSpace(high); other != space {
			return nil
		}
	}
	if space == ptx.SpaceLocal { // its lanes lie apart
		return nil
	}
	data := c.span(k, space, start, p.span+k.bytes)
	if a := c.access.touched; data != nil && a != nil && c.launch.Footprint != nil && !c.touchPattern(k, p, a) {
		return nil // each lane finds out again
	}
	return data
}

// touchPattern touches what the lanes of a pattern access in an allocation.
func (c *warpContext) touchPattern(k *accessOperation, p *lanePattern, a *memory.Allocation) bool {
	f, at := c.launch.Footprint, c.access.touchedAt
	if f.Noting || a.Claims == nil {
		return c.launch.Touch(a, at, k.bytes, k.write)
	}
	if p.full && p.stride+k.bytes <= 2*k.bytes || p.span+k.bytes <= 1<<f.Shift {
		return c.launch.Touch(a, at, p.span+k.bytes, k.write) // without gaps, or with none that is a piece
	}
	for m := p.mask; m != 0; m &= m - 1 {
		if !c.launch.Touch(a, at+p.offset(lanes.FirstLane(m)), k.bytes, k.write) {
			return false
		}
	}
	return true
}

// offset is lane i's distance from the lowest address.
func (p *lanePattern) offset(i int) uint64 {
	if p.full {
		return uint64(i)*p.stride - p.low
	}
	return uint64(p.lanes.offsets[i&31])
}

// expand computes all offsets of a full pattern.
func (p *lanePattern) expand(offsets *[trace.WarpSize]uint32) *[trace.WarpSize]uint32 {
	if !p.full {
		return &p.lanes.offsets
	}
	at := uint32(-p.low)
	for i := range offsets {
		offsets[i] = at
		at += uint32(p.stride)
	}
	return offsets
}
