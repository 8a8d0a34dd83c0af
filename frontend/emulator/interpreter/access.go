// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// accessState is a context's working space for memory instructions.
type accessState struct {
	// The lane addresses of the instruction at hand: base + i*stride in lane i
	// if strided, else in addresses. Lanes that take no part hold anything.
	strided   bool
	base      uint64
	stride    uint64
	addresses [trace.WarpSize]uint64
	// offsets are the lanes' places in the bytes that window found.
	offsets [trace.WarpSize]uint64
	// near are offsets of a pattern with a stride.
	near [trace.WarpSize]uint32
	// touched is the allocation that span found bytes of, at place touchedAt, if it
	// may have to be claimed.
	touched   *memory.Allocation
	touchedAt uint64
	// cached has the allocation that each memory instruction used last.
	cached []*memory.Allocation
}

// locate computes the lane addresses of an access.
func (c *warpContext) locate(k *accessOperation, mask uint32) {
	s := &c.access
	switch {
	case !k.hasBase || mask == 0:
		s.strided, s.base, s.stride = true, k.offset, 0
	case k.baseWide:
		a := lanes.Of[uint64](c.at(k.base))
		if mask == lanes.FullMask && s.locateFull(a, k) {
			return
		}
		for i := range a {
			s.addresses[i] = (a[i] + k.offset) & k.limit
		}
		s.findStride(mask)
	default:
		a := lanes.Of[uint32](c.at(k.base))
		for i := range a {
			s.addresses[i] = (uint64(a[i]) + k.offset) & k.limit
		}
		s.findStride(mask)
	}
}

// locateFull is locate for 64-bit addresses and 32 active lanes with a stride; false if they
// have none, or some wrap around.
func (s *accessState) locateFull(a *[trace.WarpSize]uint64, k *accessOperation) bool {
	if !lanes.Affine(a) {
		return false
	}
	s.strided, s.base, s.stride = true, (a[0]+k.offset)&k.limit, a[1]-a[0]
	last := s.base + (trace.WarpSize-1)*s.stride
	return last&^k.limit == 0 && (k.limit == math.MaxUint64 || !s.wild())
}

// findStride looks for a common stride of the addresses of the lanes in mask.
func (s *accessState) findStride(mask uint32) {
	first := lanes.FirstLane(mask)
	rest := mask & (mask - 1)
	s.strided, s.base, s.stride = true, s.addresses[first], 0
	if rest == 0 {
		return
	}
	second := lanes.FirstLane(rest)
	distance := int64(second - first)
	difference := int64(s.addresses[second] - s.addresses[first])
	if difference%distance != 0 {
		s.strided = false
		return
	}
	stride := uint64(difference / distance)
	base := s.addresses[first] - uint64(first)*stride
	for m := rest; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		if s.addresses[i] != base+uint64(i)*stride {
			s.strided = false
			return
		}
	}
	s.base, s.stride = base, stride
}

// address is lane i's address.
func (s *accessState) address(i int) uint64 {
	if s.strided {
		return s.base + uint64(i)*s.stride
	}
	return s.addresses[i]
}

// trace adds the lane addresses to the record.
func (c *warpContext) trace(k *accessOperation, mask uint32) {
	if !k.traced || !c.launch.Recording {
		return
	}
	s := &c.access
	a := c.record.NextAccess()
	a.Mask, a.Strided, a.Pattern = mask, s.strided, nil
	if s.strided {
		a.Base, a.Stride = s.base, int64(s.stride)
	} else {
		a.Addresses = s.addresses
	}
}

// window finds the bytes that all lanes of the located access lie in, if they
// lie in one piece of memory, are aligned, and nothing else stands against the
// access. Lane i's are at offsets[i]. Else ok is false, and the lanes have to
// be looked at one by one.
func (c *warpContext) window(k *accessOperation, mask uint32) (data []byte, ok bool) {
	s := &c.access
	low, high, alignment := s.extent(mask)
	if alignment&(k.bytes-1) != 0 || s.wild() {
		return nil, false
	}
	space, start := k.space, low
	if space == ptx.SpaceGeneric {
		space, start = genericSpace(low)
		if other, _ := genericSpace(high); other != space {
			return nil, false
		}
	}
	data = c.span(k, space, start, high-low+k.bytes)
	if data == nil {
		return nil, false
	}
	if space == ptx.SpaceLocal {
		s.place(low-start, c.program.localBytes)
	} else {
		s.place(low, 0)
	}
	if a := s.touched; a != nil && c.launch.Footprint != nil && !c.touchLanes(k, a, s.touchedAt, mask) {
		return nil, false // each lane finds out again
	}
	return data, true
}

// place computes the lanes' offsets from origin; each lane's memory starts
// laneBytes after that of the lane before.
func (s *accessState) place(origin, laneBytes uint64) {
	if s.strided {
		offset, stride := s.base-origin, s.stride+laneBytes
		for i := range &s.offsets {
			s.offsets[i] = offset
			offset += stride
		}
		return
	}
	for i := range &s.offsets {
		s.offsets[i] = s.addresses[i] - origin
		origin -= laneBytes
	}
}

// extent gives the lowest and the highest address of the lanes in mask, and
// bits that are zero in all addresses.
func (s *accessState) extent(mask uint32) (low, high, alignment uint64) {
	if s.strided {
		a, b := s.address(lanes.FirstLane(mask)), s.address(31-bits.LeadingZeros32(mask))
		return min(a, b), max(a, b), a | b | s.stride
	}
	low = ^uint64(0)
	if mask == lanes.FullMask {
		for _, a := range &s.addresses {
			low, high, alignment = min(low, a), max(high, a), alignment|a
		}
		return low, high, alignment
	}
	for m := mask; m != 0; m &= m - 1 {
		a := s.addresses[lanes.FirstLane(m)]
		low, high, alignment = min(low, a), max(high, a), alignment|a
	}
	return low, high, alignment
}

// maxSpan bounds the distance of neighbouring lanes and of all lanes for which
// window looks at all. Below it, the lanes of a stride lie between the first
// and the last; beyond, they might have wrapped around.
const maxSpan = 1 << 46

// wild reports whether the stride is so large that lanes may wrap around.
func (s *accessState) wild() bool {
	return s.strided && s.stride+maxSpan > 2*maxSpan
}

// span gives the bytes of a space from start on, n of them; for local memory
// those of the whole warp. It gives nil if they are not all there, may not be
// written, or need a closer look.
func (c *warpContext) span(k *accessOperation, space ptx.Space, start, n uint64) []byte {
	c.access.touched = nil
	if n > maxSpan {
		return nil
	}
	switch space {
	case ptx.SpaceGlobal:
		if c.checksGlobal {
			return nil
		}
		return c.spanOf(k, &c.launch.Memory.Global, start, n)
	case ptx.SpaceConst:
		return c.spanOf(k, &c.launch.Memory.Constant, start+memory.ConstWindowBase, n)
	case ptx.SpaceShared:
		b := c.identity.Block
		if b.Initialised != nil || b.Races != nil || start > uint64(len(b.Shared)) || uint64(len(b.Shared))-start < n {
			return nil
		}
		return b.Shared[start : start+n]
	case ptx.SpaceLocal:
		if size := c.program.localBytes; start > size || size-start < n {
			return nil
		}
		c.dirty = c.dirty || k.write
		return c.localMemory()
	case ptx.SpaceParam:
		a := c.launch.Arguments
		if k.write || start > uint64(len(a)) || uint64(len(a))-start < n {
			return nil
		}
		return a[start : start+n]
	}
	return nil
}

func (c *warpContext) spanOf(k *accessOperation, h *memory.Heap, start, n uint64) []byte {
	a := c.access.cached[k.cache]
	if a == nil || !a.Contains(start, n) {
		if a = h.Find(start, n); a == nil || a.ReadOnly && k.write {
			return nil
		}
		c.access.cached[k.cache] = a
	}
	offset := start - a.Base
	c.access.touched, c.access.touchedAt = a, offset
	return a.Data[offset : offset+n]
}

// genericSpace gives the space that a generic address lies in, and the
// address in there.
func genericSpace(address uint64) (ptx.Space, uint64) {
	switch {
	case address >= memory.GlobalBase:
		return ptx.SpaceGlobal, address
	case memory.InWindow(address, memory.SharedWindowBase):
		return ptx.SpaceShared, address - memory.SharedWindowBase
	case memory.InWindow(address, memory.LocalWindowBase):
		return ptx.SpaceLocal, address - memory.LocalWindowBase
	case memory.InWindow(address, memory.ConstWindowBase):
		return ptx.SpaceConst, address - memory.ConstWindowBase
	case memory.InWindow(address, memory.ParamWindowBase):
		return ptx.SpaceParam, address - memory.ParamWindowBase
	}
	return ptx.SpaceGlobal, address
}

// resolve gives the bytes of lane i alone, or its fault.
func (c *warpContext) resolve(k *accessOperation, i int) ([]byte, error) {
	address := c.access.address(i)
	space, start := k.space, address
	if space == ptx.SpaceGeneric {
		space, start = genericSpace(address)
	}
	if err := c.checkAddress(k, i, space, start, k.bytes); err != nil {
		return nil, err
	}
	return c.resolveIn(k, i, space, start)
}

// checkAddress refuses the null page, and addresses that are no multiple of a power
// of two.
func (c *warpContext) checkAddress(k *accessOperation, i int, space ptx.Space, start, alignment uint64) error {
	switch {
	case space == ptx.SpaceGlobal && start < memory.NullBytes:
		return c.accessFault(k, coexecution.FaultNull, i, "the first page of memory is never mapped")
	case start&(alignment-1) != 0:
		return c.accessFault(k, coexecution.FaultMisaligned, i, fmt.Sprintf("the address must be a multiple of %d", alignment))
	}
	return nil
}

// resolveIn gives the bytes of lane i alone at an address in a space.
func (c *warpContext) resolveIn(k *accessOperation, i int, space ptx.Space, start uint64) ([]byte, error) {
	switch space {
	case ptx.SpaceShared:
		return c.resolveShared(k, i, start)
	case ptx.SpaceLocal:
		return c.resolveLocal(k, i, start)
	case ptx.SpaceParam:
		a := c.launch.Arguments
		if k.write {
			return nil, c.accessFault(k, coexecution.FaultReadOnly, i, "kernel parameters cannot be written")
		}
		return c.within(k, i, a, start, "parameters")
	case ptx.SpaceConst:
		return c.resolveHeap(k, i, &c.launch.Memory.Constant, start+memory.ConstWindowBase)
	}
	return c.resolveHeap(k, i, &c.launch.Memory.Global, start)
}

// within gives the bytes of an access to a small memory, if they are inside.
func (c *warpContext) within(k *accessOperation, i int, whole []byte, start uint64, what string) ([]byte, error) {
	size := uint64(len(whole))
	if start <= size && size-start >= k.bytes {
		return whole[start : start+k.bytes], nil
	}
	return nil, c.accessFault(k, coexecution.FaultOutOfBounds, i, memory.PastEnd(start, k.bytes, size, what))
}

func (c *warpContext) resolveShared(k *accessOperation, i int, start uint64) ([]byte, error) {
	b := c.identity.Block
	if start&coexecution.ClusterRankMask != 0 {
		var err error
		if b, err = c.clusterBlock(k, i, start); err != nil {
			return nil, err
		}
		start &= coexecution.ClusterPlaceMask
	}
	data, err := c.within(k, i, b.Shared, start, "the thread block's shared memory")
	if err != nil {
		return nil, err
	}
	if b.Races != nil && b == c.identity.Block {
		b.Races.Access(c.identity, k.checked(), i, ptx.SpaceShared, start)
	}
	if b.Initialised == nil {
		return data, nil
	}
	for at := start; at < start+k.bytes; at++ {
		word, bit := &b.Initialised[at/64], uint64(1)<<(at%64)
		switch {
		case k.write:
			*word |= bit
		case *word&bit == 0:
			return nil, c.accessFault(k, coexecution.FaultUninitialisedShared, i,
				fmt.Sprintf("no thread of the block has written byte %d of shared memory", at))
		}
	}
	return data, nil
}

// localMemory is the local memory of the warp's threads; kernels that only
// reserve it never pay for it.
func (c *warpContext) localMemory() []byte {
	if c.local == nil {
		c.local = make([]byte, c.program.localBytes*trace.WarpSize)
	}
	return c.local
}

func (c *warpContext) resolveLocal(k *accessOperation, i int, start uint64) ([]byte, error) {
	size := c.program.localBytes
	own := c.localMemory()[uint64(i)*size : uint64(i+1)*size]
	c.dirty = c.dirty || k.write
	return c.within(k, i, own, start, "the thread's local memory")
}

func (c *warpContext) resolveHeap(k *accessOperation, i int, h *memory.Heap, start uint64) ([]byte, error) {
	a := h.Find(start, k.bytes)
	if a == nil {
		detail, freed := h.Describe(start, k.bytes)
		kind := coexecution.FaultOutOfBounds
		if freed {
			kind = coexecution.FaultUseAfterFree
		}
		return nil, c.accessFault(k, kind, i, detail)
	}
	if k.write && a.ReadOnly {
		return nil, c.accessFault(k, coexecution.FaultReadOnly, i, fmt.Sprintf("variable %s is constant", a.Name))
	}
	if r := c.identity.Block.Races; r != nil && h == &c.launch.Memory.Global {
		r.Access(c.identity, k.checked(), i, ptx.SpaceGlobal, start)
	}
	offset := start - a.Base
	if c.launch.Footprint != nil && !c.launch.Touch(a, offset, k.bytes, k.write) {
		return nil, coexecution.ErrOrder
	}
	return a.Data[offset : offset+k.bytes], nil
}

// checked is what a race checker has to know of an access.
func (k *accessOperation) checked() coexecution.CheckedKind {
	return coexecution.CheckedKind{Instruction: k.instruction, Verb: k.verb, Bytes: k.bytes, Write: k.write, Atomic: k.atomic, Copy: k.copies}
}

func (c *warpContext) accessFault(k *accessOperation, kind coexecution.FaultKind, i int, detail string) error {
	access := fmt.Sprintf("%s of %d bytes", k.verb, k.bytes)
	if k.space != ptx.SpaceGlobal && k.space != ptx.SpaceGeneric {
		access = k.space.String() + " " + access
	}
	return &laneFault{lane: i, fault: coexecution.Fault{Kind: kind, Access: access, Address: c.access.address(i), Space: k.space, Detail: detail}}
}
