// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"unsafe"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// littleEndian reports whether registers and memory have the same byte order,
// so that whole warps can be copied.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func runLoad(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*accessOperation)
	if k.pattern >= 0 && mask != 0 {
		p, base := c.arrange(k, mask)
		if k.wraps(p, base) {
			c.locate(k, mask)
			c.trace(k, mask)
			return c.loadLocated(k, mask)
		}
		c.tracePattern(k, p, base)
		if data := c.reach(k, p, base); data != nil {
			for e := range k.elements {
				if k.elements[e].slot != sink {
					c.loadPattern(k, e, data, p)
				}
			}
			return nil
		}
		c.locate(k, mask)
		return c.loadLocated(k, mask)
	}
	c.locate(k, mask)
	c.trace(k, mask)
	if mask == 0 {
		return nil
	}
	return c.loadLocated(k, mask)
}

// loadLocated loads from the located addresses.
func (c *warpContext) loadLocated(k *accessOperation, mask uint32) error {
	if k.whole && mask == lanes.FullMask && c.access.strided && c.loadWhole(k) {
		return nil
	}
	data, ok := c.window(k, mask)
	if !ok {
		return c.loadSlowly(k, mask)
	}
	for e := range k.elements {
		if k.elements[e].slot != sink {
			c.loadElement(k, e, data, mask)
		}
	}
	return nil
}

// row gives the bytes of an access by all lanes that is one piece without gaps, or
// that of one address. It gives nil for other accesses, and for one that needs a
// closer look. It asks once for the whole warp.
func (c *warpContext) row(k *accessOperation) []byte {
	s, n := &c.access, k.bytes
	switch s.stride {
	case 0:
	case k.bytes:
		n *= trace.WarpSize
	default:
		return nil
	}
	if s.base&(k.bytes-1) != 0 {
		return nil
	}
	space, start := k.space, s.base
	if space == ptx.SpaceGeneric {
		space, start = genericSpace(s.base)
		if last, _ := genericSpace(s.base + n - 1); last != space {
			return nil
		}
	}
	if space == ptx.SpaceLocal { // its lanes lie apart
		return nil
	}
	data := c.span(k, space, start, n)
	if a := s.touched; data != nil && a != nil && c.launch.Footprint != nil && !c.launch.Touch(a, s.touchedAt, n, k.write) {
		return nil // each lane finds out again
	}
	return data
}

// loadWhole loads a row; false leaves it to others.
func (c *warpContext) loadWhole(k *accessOperation) bool {
	data := c.row(k)
	if data == nil {
		return false
	}
	d := c.at(k.elements[0].slot)
	switch {
	case c.access.stride == 0 && k.width == 4:
		lanes.Broadcast(d, binary.LittleEndian.Uint32(data))
	case c.access.stride == 0:
		lanes.Broadcast(d, binary.LittleEndian.Uint64(data))
	case k.width == 4:
		*lanes.Of[uint32](d) = *lanes.Of[uint32](unsafe.Pointer(&data[:lanes.NarrowSlot][0]))
	default:
		*lanes.Of[uint64](d) = *lanes.Of[uint64](unsafe.Pointer(&data[:lanes.WideSlot][0]))
	}
	return true
}

// storeWhole stores a row without a gap.
func (c *warpContext) storeWhole(k *accessOperation) bool {
	if c.access.stride != k.bytes {
		return false
	}
	data := c.row(k)
	if data == nil {
		return false
	}
	s := c.at(k.elements[0].slot)
	if k.width == 4 {
		*lanes.Of[uint32](unsafe.Pointer(&data[:lanes.NarrowSlot][0])) = *lanes.Of[uint32](s)
	} else {
		*lanes.Of[uint64](unsafe.Pointer(&data[:lanes.WideSlot][0])) = *lanes.Of[uint64](s)
	}
	return true
}

// contiguous reports whether all 32 lanes access one piece of memory without
// gaps.
func (c *warpContext) contiguous(k *accessOperation, mask uint32) bool {
	s := &c.access
	return mask == lanes.FullMask && littleEndian && s.strided && s.stride == k.bytes && len(k.elements) == 1 && s.offsets[1]-s.offsets[0] == k.bytes
}

// loadElement loads element e of every lane in mask from its offset in data.
func (c *warpContext) loadElement(k *accessOperation, e int, data []byte, mask uint32) {
	r := &k.elements[e]
	d, at := c.at(r.slot), data[e*k.width:]
	offsets := &c.access.offsets
	switch {
	case k.width == 4 && !r.wide:
		z := lanes.Of[uint32](d)
		switch {
		case c.contiguous(k, mask):
			*z = *lanes.Of[uint32](unsafe.Pointer(&data[offsets[0] : offsets[0]+lanes.NarrowSlot][0]))
		case mask == lanes.FullMask && c.uniform():
			lanes.Broadcast(d, binary.LittleEndian.Uint32(at[offsets[0]:]))
		case mask == lanes.FullMask:
			for i := range z {
				z[i] = binary.LittleEndian.Uint32(at[offsets[i]:])
			}
		default:
			for ; mask != 0; mask &= mask - 1 {
				i := lanes.FirstLane(mask)
				z[i] = binary.LittleEndian.Uint32(at[offsets[i]:])
			}
		}
	case k.width == 8 && r.wide:
		z := lanes.Of[uint64](d)
		switch {
		case c.contiguous(k, mask):
			*z = *lanes.Of[uint64](unsafe.Pointer(&data[offsets[0] : offsets[0]+lanes.WideSlot][0]))
		case mask == lanes.FullMask && c.uniform():
			lanes.Broadcast(d, binary.LittleEndian.Uint64(at[offsets[0]:]))
		default:
			for ; mask != 0; mask &= mask - 1 {
				i := lanes.FirstLane(mask)
				z[i] = binary.LittleEndian.Uint64(at[offsets[i]:])
			}
		}
	default:
		for ; mask != 0; mask &= mask - 1 {
			i := lanes.FirstLane(mask)
			c.setLane(r.slot, r.wide, i, k.extend(lanes.LoadRaw(at[offsets[i]:], k.width), r))
		}
	}
}

// uniform reports whether all lanes access the same bytes.
func (c *warpContext) uniform() bool {
	s := &c.access
	return s.strided && s.stride == 0 && s.offsets[0] == s.offsets[1]
}

// extend widens a loaded element to its register (9.4.1).
func (k *accessOperation) extend(raw uint64, r *element) uint64 {
	return truncate(lanes.Extend(raw, 8*k.width, k.signed), r.registerBits)
}

// loadSlowly loads lane by lane, up to the first fault.
func (c *warpContext) loadSlowly(k *accessOperation, mask uint32) error {
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		b, err := c.resolve(k, i)
		if err != nil {
			return err
		}
		for e := range k.elements {
			if r := &k.elements[e]; r.slot != sink {
				c.setLane(r.slot, r.wide, i, k.extend(lanes.LoadRaw(b[e*k.width:], k.width), r))
			}
		}
	}
	return nil
}

func runStore(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*accessOperation)
	if c.identity.Block.Races != nil {
		c.compareStores(k, mask)
	}
	if k.pattern >= 0 && mask != 0 {
		p, base := c.arrange(k, mask)
		if k.wraps(p, base) {
			c.locate(k, mask)
			c.trace(k, mask)
			return c.storeLocated(k, mask)
		}
		c.tracePattern(k, p, base)
		if data := c.reach(k, p, base); data != nil {
			for e := range k.elements {
				c.storePattern(k, e, data, p)
			}
			return nil
		}
		c.locate(k, mask)
		return c.storeLocated(k, mask)
	}
	c.locate(k, mask)
	c.trace(k, mask)
	if mask == 0 {
		return nil
	}
	return c.storeLocated(k, mask)
}

// storeLocated stores to the located addresses.
func (c *warpContext) storeLocated(k *accessOperation, mask uint32) error {
	if k.whole && mask == lanes.FullMask && c.access.strided && c.storeWhole(k) {
		return nil
	}
	data, ok := c.window(k, mask)
	if !ok {
		return c.storeSlowly(k, mask)
	}
	for e := range k.elements {
		c.storeElement(k, e, data, mask)
	}
	return nil
}

// storeElement stores element e of every lane in mask. Where lanes write to
// the same place, the highest lane wins.
func (c *warpContext) storeElement(k *accessOperation, e int, data []byte, mask uint32) {
	r := &k.elements[e]
	s, at := c.at(r.slot), data[e*k.width:]
	offsets := &c.access.offsets
	switch {
	case k.width == 4 && !r.wide && c.contiguous(k, mask):
		*lanes.Of[uint32](unsafe.Pointer(&data[offsets[0] : offsets[0]+lanes.NarrowSlot][0])) = *lanes.Of[uint32](s)
	case k.width == 8 && r.wide && c.contiguous(k, mask):
		*lanes.Of[uint64](unsafe.Pointer(&data[offsets[0] : offsets[0]+lanes.WideSlot][0])) = *lanes.Of[uint64](s)
	case k.width == 4 && !r.wide:
		x := lanes.Of[uint32](s)
		for ; mask != 0; mask &= mask - 1 {
			i := lanes.FirstLane(mask)
			binary.LittleEndian.PutUint32(at[offsets[i]:], x[i])
		}
	default:
		for ; mask != 0; mask &= mask - 1 {
			i := lanes.FirstLane(mask)
			lanes.StoreRaw(at[offsets[i]:], k.width, c.lane(r.slot, r.wide, i))
		}
	}
}

func (c *warpContext) storeSlowly(k *accessOperation, mask uint32) error {
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		b, err := c.resolve(k, i)
		if err != nil {
			return err
		}
		for e := range k.elements {
			r := &k.elements[e]
			lanes.StoreRaw(b[e*k.width:], k.width, c.lane(r.slot, r.wide, i))
		}
	}
	return nil
}
