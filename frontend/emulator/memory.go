package emulator

import (
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/warptape/warptape/frontend/emulator/lanes"
)

// allocation is one buffer of device memory. Its data are nil once it is
// freed; addresses are never given out twice, so that a use after free is
// recognised for ever.
type allocation struct {
	name  string
	base  uint64
	bytes uint64
	data  []byte
	freed bool
	// readOnly is set for constant memory, which kernels cannot write.
	readOnly bool
	// fromKernel is set for memory that a kernel's malloc gave.
	fromKernel bool
	// claims has a claim for each piece, and saved the content before, while
	// thread blocks run at the same time; see footprint.
	claims []atomic.Uint32
	saved  []byte
}

// contains reports whether bytes bytes at address lie in the allocation.
func (a *allocation) contains(address, bytes uint64) bool {
	offset := address - a.base
	return offset <= a.bytes && a.bytes-offset >= bytes
}

// heap is a bump allocator over one range of addresses.
type heap struct {
	next, end   uint64
	limit, used uint64
	// allocations in ascending order of base, freed ones included.
	allocations []*allocation
}

// allocate places a buffer after all earlier ones; align is a power of two.
func (h *heap) allocate(name string, bytes, align uint64) (*allocation, error) {
	if bytes == 0 {
		return nil, fmt.Errorf("buffer %s: a buffer needs at least one byte", name)
	}
	base := (h.next + align - 1) &^ (align - 1)
	if bytes > h.limit-h.used || base > h.end || bytes > h.end-base {
		return nil, fmt.Errorf("buffer %s: %d bytes do not fit into the %d bytes of device memory, of which %d are in use",
			name, bytes, h.limit, h.used)
	}
	a := &allocation{name: name, base: base, bytes: bytes, data: make([]byte, bytes, bytes+lanes.NearBytes)}
	h.next = base + bytes
	h.used += bytes
	h.allocations = append(h.allocations, a)
	return a, nil
}

// release frees the buffer that starts at base.
func (h *heap) release(base uint64) error {
	a := h.below(base)
	if a == nil || a.base != base {
		return fmt.Errorf("free of 0x%x: no buffer starts there", base)
	}
	if a.freed {
		return fmt.Errorf("free of 0x%x: buffer %s was freed before", base, a.name)
	}
	a.freed, a.data = true, nil
	h.used -= a.bytes
	return nil
}

// below finds the last allocation that starts at or before address.
func (h *heap) below(address uint64) *allocation {
	i := sort.Search(len(h.allocations), func(i int) bool { return h.allocations[i].base > address })
	if i == 0 {
		return nil
	}
	return h.allocations[i-1]
}

// find gives the live allocation that holds bytes bytes at address, or nil.
func (h *heap) find(address, bytes uint64) *allocation {
	a := h.below(address)
	if a == nil || a.freed || !a.contains(address, bytes) {
		return nil
	}
	return a
}

// describe tells, for a faulting access, what lies near its address.
func (h *heap) describe(address, bytes uint64) (detail string, freed bool) {
	a := h.below(address)
	if a == nil {
		if len(h.allocations) == 0 {
			return "no buffer is allocated", false
		}
		first := h.allocations[0]
		return fmt.Sprintf("%d bytes before the start of buffer %s (%d bytes)", first.base-address, first.name, first.bytes), false
	}
	offset := address - a.base
	if a.freed && offset < a.bytes {
		return fmt.Sprintf("offset %d of buffer %s (%d bytes), which was freed", offset, a.name, a.bytes), true
	}
	return pastEnd(offset, bytes, a.bytes, "buffer "+a.name), false
}

// pastEnd tells how far an access goes past the end of a memory.
func pastEnd(start, bytes, size uint64, what string) string {
	if int64(start) < 0 {
		return fmt.Sprintf("%d bytes before the start of %s (%d bytes)", -start, what, size)
	}
	return fmt.Sprintf("%d bytes past the end of %s (%d bytes)", start+bytes-size, what, size)
}
