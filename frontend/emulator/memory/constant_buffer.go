// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// Limits of constant buffers (5.1.3): each lies in one region of 64 KiB, and there
// are ten.
const (
	constantRegionBytes = 64 << 10
	constantRegions     = 10
)

// ConstantCopy copies the n bytes of global memory at address into constant memory
// and gives their place there, for a kernel that takes a pointer to constants
// (LoadedKernel.ConstantParams). The same bytes have the same place each time;
// kernels read what was there at the last copy.
func (d *Memory) ConstantCopy(name string, address, n uint64) (uint64, error) {
	if n > constantRegionBytes {
		return 0, fmt.Errorf("buffer %s has %d bytes; one that a kernel takes in constant memory has at most %d (PTX ISA 5.1.3): give the kernel a pointer to global memory", name, n, constantRegionBytes)
	}
	data, err := d.bytes("copy to constant memory", address, n)
	if err != nil {
		return 0, err
	}
	a := d.constantCopies[address]
	if a == nil || a.Bytes != n {
		if a, err = d.allocateConstant(name, n); err != nil {
			return 0, err
		}
		if d.constantCopies == nil {
			d.constantCopies = make(map[uint64]*Allocation)
		}
		d.constantCopies[address] = a
	}
	copy(a.Data, data)
	return a.Base - ConstWindowBase, nil
}

// allocateConstant gives a place in constant memory, if there is one that a copy
// of this size has left. Addresses of constants get to kernels by their arguments
// only, so that none is used after its time, and the window is not used up.
func (d *Memory) allocateConstant(name string, n uint64) (*Allocation, error) {
	for i, a := range d.constantLeft {
		if a.Bytes == n {
			d.constantLeft = slices.Delete(d.constantLeft, i, i+1)
			a.Name, a.Freed, a.Data = name, false, make([]byte, n, n+lanes.NearBytes)
			d.Constant.used += n
			return a, nil
		}
	}
	a, err := d.Constant.Allocate(name, n, AllocationAlign)
	if err == nil {
		a.ReadOnly = true
	}
	return a, err
}

// freeConstantCopy ends the copy of a buffer that is freed.
func (d *Memory) freeConstantCopy(address uint64) {
	if a := d.constantCopies[address]; a != nil {
		a.Freed, a.Data = true, nil
		d.Constant.used -= a.Bytes
		delete(d.constantCopies, address)
		d.constantLeft = append(d.constantLeft, a)
	}
}

// CheckConstantBuffers refuses more constant buffers for one launch than the
// regions hold, each in one of them: of the given sizes, the first that fits takes
// it.
func CheckConstantBuffers(sizes []uint64) error {
	var used [constantRegions]uint64
	for _, n := range sizes {
		placed := false
		for i := range used {
			if n <= constantRegionBytes-used[i] {
				used[i] += n
				placed = true
				break
			}
		}
		if !placed {
			return fmt.Errorf("the buffers in constant memory do not fit into its %d regions of %d bytes (PTX ISA 5.1.3)", constantRegions, constantRegionBytes)
		}
	}
	return nil
}
