// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace/hugepages"
)

// Allocation is one buffer of device memory. Its data are nil once it is
// freed; addresses are never given out twice, so that a use after free is
// recognised for ever.
type Allocation struct {
	Name  string
	Base  uint64
	Bytes uint64
	Data  []byte
	Freed bool
	// OfHost is set for memory of the host that kernels can reach; it takes none of the device's.
	OfHost bool
	// ReadOnly is set for constant memory, which kernels cannot write.
	ReadOnly bool
	// FromKernel is set for memory that a kernel's malloc gave.
	FromKernel bool
	// Claims has a claim for each piece, and saved the content before, while
	// thread blocks run at the same time; see footprint.
	Claims []atomic.Uint32
	Saved  []byte
}

// Contains reports whether bytes bytes at address lie in the allocation.
func (a *Allocation) Contains(address, bytes uint64) bool {
	offset := address - a.Base
	return offset <= a.Bytes && a.Bytes-offset >= bytes
}

// Store gives buffers their bytes, so that another process can have these bytes, too.
type Store interface {
	// Take gives n zeroed bytes with room for lanes.NearBytes behind them.
	Take(n uint64) ([]byte, error)
	// Give takes the bytes of a freed buffer back.
	Give(data []byte)
}

// Heap is a bump allocator over one range of addresses.
type Heap struct {
	next, end   uint64
	limit, used uint64
	// hostUsed is what buffers of the host have; they may have as much as the device has.
	hostUsed uint64
	// Gap is the number of bytes behind each buffer that belong to none, so that an access beyond
	// the buffer finds no other one.
	Gap uint64
	// Store, if not nil, gives the bytes of buffers in the place of Go's own memory.
	Store Store
	// Allocations in ascending order of base, freed ones included.
	Allocations []*Allocation
}

// Within moves an empty heap to other addresses.
func (h *Heap) Within(base, end uint64) { h.next, h.end = base, end }

// Allocate places a buffer after all earlier ones; align is a power of two.
func (h *Heap) Allocate(name string, bytes, align uint64) (*Allocation, error) {
	return h.place(&Allocation{Name: name, Bytes: bytes}, align, &h.used)
}

// AllocateOfHost places memory of the host among the buffers, whose account is its own.
func (h *Heap) AllocateOfHost(name string, bytes, align uint64) (*Allocation, error) {
	return h.place(&Allocation{Name: name, Bytes: bytes, OfHost: true}, align, &h.hostUsed)
}

// place gives a buffer its address and bytes, on one of the accounts.
func (h *Heap) place(a *Allocation, align uint64, used *uint64) (*Allocation, error) {
	name, bytes := a.Name, a.Bytes
	if bytes == 0 {
		return nil, fmt.Errorf("buffer %s: a buffer needs at least one byte", name)
	}
	base := (h.next + align - 1) &^ (align - 1)
	if bytes > h.limit-*used || base > h.end || bytes > h.end-base {
		of := "device memory"
		if a.OfHost {
			of = "host memory that a program can have for its device, as many as the device has itself"
		}
		return nil, fmt.Errorf("buffer %s: %d bytes do not fit into the %d bytes of %s; %d of them are in use",
			name, bytes, h.limit, of, *used)
	}
	data, err := h.take(bytes)
	if err != nil {
		return nil, fmt.Errorf("buffer %s: %w", name, err)
	}
	a.Base, a.Data = base, data
	h.next = base + bytes + min(h.Gap, h.end-base-bytes)
	*used += bytes
	h.Allocations = append(h.Allocations, a)
	return a, nil
}

func (h *Heap) take(bytes uint64) ([]byte, error) {
	if h.Store != nil {
		return h.Store.Take(bytes)
	}
	return hugepages.Back(make([]byte, bytes, bytes+lanes.NearBytes)), nil
}

// Next is where a buffer of an alignment would begin.
func (h *Heap) Next(align uint64) uint64 { return AlignUp(h.next, align) }

// Used is the number of bytes that the device's live buffers have.
func (h *Heap) Used() uint64 { return h.used }

// Release frees the buffer that starts at base.
func (h *Heap) Release(base uint64) error {
	a := h.Below(base)
	if a == nil || a.Base != base {
		return fmt.Errorf("free of 0x%x: no buffer starts there", base)
	}
	if a.Freed {
		return fmt.Errorf("free of 0x%x: buffer %s was freed before", base, a.Name)
	}
	if h.Store != nil {
		h.Store.Give(a.Data)
	}
	a.Freed, a.Data = true, nil
	if a.OfHost {
		h.hostUsed -= a.Bytes
	} else {
		h.used -= a.Bytes
	}
	return nil
}

// Below finds the last allocation that starts at or before address.
func (h *Heap) Below(address uint64) *Allocation {
	i := sort.Search(len(h.Allocations), func(i int) bool { return h.Allocations[i].Base > address })
	if i == 0 {
		return nil
	}
	return h.Allocations[i-1]
}

// Find gives the live allocation that holds bytes bytes at address, or nil.
func (h *Heap) Find(address, bytes uint64) *Allocation {
	a := h.Below(address)
	if a == nil || a.Freed || !a.Contains(address, bytes) {
		return nil
	}
	return a
}

// Describe tells, for a faulting access, what lies near its address.
func (h *Heap) Describe(address, bytes uint64) (detail string, freed bool) {
	a := h.Below(address)
	if a == nil {
		if len(h.Allocations) == 0 {
			return "no buffer is allocated", false
		}
		first := h.Allocations[0]
		return fmt.Sprintf("%d bytes before the start of buffer %s (%d bytes)", first.Base-address, first.Name, first.Bytes), false
	}
	offset := address - a.Base
	if a.Freed && offset < a.Bytes {
		return fmt.Sprintf("offset %d of buffer %s (%d bytes), which was freed", offset, a.Name, a.Bytes), true
	}
	return PastEnd(offset, bytes, a.Bytes, "buffer "+a.Name), false
}

// PastEnd tells how far an access reaches beyond the end of a memory.
func PastEnd(start, bytes, size uint64, what string) string {
	if int64(start) < 0 {
		return fmt.Sprintf("%d bytes before the start of %s (%d bytes)", -start, what, size)
	}
	return fmt.Sprintf("%d bytes past the end of %s (%d bytes)", start+bytes-size, what, size)
}
