// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"unsafe"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// loadPattern loads element e of every lane of a pattern; data begins at the lowest
// address and ends behind the highest lane.
func (c *warpContext) loadPattern(k *accessOperation, e int, data []byte, p *lanePattern) {
	r := &k.elements[e]
	d, at := c.at(r.slot), data[e*k.width:]
	narrow := k.width == 4 && !r.wide
	switch {
	case !narrow && (k.width != 8 || !r.wide):
		c.loadOdd(k, r, at, p)
	case p.full && p.stride == uint64(k.width) && len(at) >= k.width*trace.WarpSize && littleEndian:
		if narrow {
			*lanes.Of[uint32](d) = *lanes.Of[uint32](unsafe.Pointer(&at[:lanes.NarrowSlot][0]))
		} else {
			*lanes.Of[uint64](d) = *lanes.Of[uint64](unsafe.Pointer(&at[:lanes.WideSlot][0]))
		}
	case p.full && p.stride == 0 && narrow:
		lanes.Broadcast(d, binary.LittleEndian.Uint32(at))
	case p.full && p.stride == 0:
		lanes.Broadcast(d, binary.LittleEndian.Uint64(at))
	case narrow:
		lanes.Gather32(d, at, p.expand(&c.access.near), p.near, p.mask)
	default:
		lanes.Gather64(d, at, p.expand(&c.access.near), p.mask)
	}
}

// loadOdd loads elements that are extended.
func (c *warpContext) loadOdd(k *accessOperation, r *element, at []byte, p *lanePattern) {
	if k.width <= 2 && !r.wide && r.registerBits >= 8*k.width {
		z := lanes.Of[uint32](c.at(r.slot))
		if k.width == 1 {
			loadBytes(z, at, p.expand(&c.access.near), p.mask)
		} else {
			loadHalves(z, at, p.expand(&c.access.near), p.mask)
		}
		if k.signed {
			extendLanes(z, 32-8*k.width, r.registerBits, p.mask)
		}
		return
	}
	for m := p.mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		c.setLane(r.slot, r.wide, i, k.extend(lanes.LoadRaw(at[p.offset(i):], k.width), r))
	}
}

func loadBytes(z *[trace.WarpSize]uint32, at []byte, offsets *[trace.WarpSize]uint32, mask uint32) {
	if mask == lanes.FullMask {
		for i, offset := range offsets {
			z[i] = uint32(at[offset])
		}
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		z[i] = uint32(at[offsets[i]])
	}
}

func loadHalves(z *[trace.WarpSize]uint32, at []byte, offsets *[trace.WarpSize]uint32, mask uint32) {
	if mask == lanes.FullMask {
		for i, offset := range offsets {
			z[i] = uint32(binary.LittleEndian.Uint16(at[offset:]))
		}
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		z[i] = uint32(binary.LittleEndian.Uint16(at[offsets[i]:]))
	}
}

// extendLanes spreads the sign of numbers with so many bits above them over a register.
func extendLanes(z *[trace.WarpSize]uint32, above, registerBits int, mask uint32) {
	register := uint32(truncate(1<<32-1, registerBits))
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		z[i] = uint32(int32(z[i]<<above)>>above) & register
	}
}

// storePattern stores element e of every lane of a pattern. Where lanes write to the
// same place, the highest lane wins.
func (c *warpContext) storePattern(k *accessOperation, e int, data []byte, p *lanePattern) {
	r := &k.elements[e]
	s, at := c.at(r.slot), data[e*k.width:]
	switch {
	case k.width == 4 && !r.wide:
		if p.full && p.stride == 4 && littleEndian {
			*lanes.Of[uint32](unsafe.Pointer(&at[:lanes.NarrowSlot][0])) = *lanes.Of[uint32](s)
			return
		}
		x := lanes.Of[uint32](s)
		if p.mask == lanes.FullMask {
			for i, offset := range p.expand(&c.access.near) {
				binary.LittleEndian.PutUint32(at[offset:], x[i])
			}
			return
		}
		for m := p.mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			binary.LittleEndian.PutUint32(at[p.offset(i):], x[i])
		}
	case k.width == 8 && r.wide && p.full && p.stride == 8 && littleEndian:
		*lanes.Of[uint64](unsafe.Pointer(&at[:lanes.WideSlot][0])) = *lanes.Of[uint64](s)
	case k.width == 2 && !r.wide:
		x, offsets := lanes.Of[uint32](s), p.expand(&c.access.near)
		for m := p.mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			binary.LittleEndian.PutUint16(at[offsets[i]:], uint16(x[i]))
		}
	default:
		for m := p.mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			lanes.StoreRaw(at[p.offset(i):], k.width, c.lane(r.slot, r.wide, i))
		}
	}
}
