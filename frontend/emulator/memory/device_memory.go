// SPDX-License-Identifier: Apache-2.0

package memory

import "fmt"

// KernelHeapBytes is what kernels can have by malloc together, CUDA's default
// (CUDA C++ Programming Guide, "Heap Memory Allocation").
const KernelHeapBytes = 8 << 20

// Memory is what a device remembers from launch to launch: global and constant
// memory, and textures of them. It is not safe for concurrent use by the host; kernels
// share its bytes.
type Memory struct {
	Global   Heap
	Constant Heap
	// HeapUsed counts the bytes that kernels have by malloc.
	HeapUsed uint64
	// constantCopies are the buffers that kernels took in constant memory, by their
	// global addresses.
	constantCopies map[uint64]*Allocation
	// constantLeft are the places of copies whose buffers were freed.
	constantLeft []*Allocation
	// textures by handle, which counts from 1.
	textures []*BoundTexture
}

// New makes empty memory with room for so many bytes in global memory.
func New(globalBytes uint64) *Memory {
	return &Memory{
		Global:   Heap{next: GlobalBase, end: 1 << 47, limit: globalBytes},
		Constant: Heap{next: ConstWindowBase, end: ConstWindowBase + WindowBytes, limit: WindowBytes},
	}
}

// Allocate makes a zeroed buffer of global memory, AllocationAlign-aligned and
// directly after the one before, and gives its device address. The name
// appears in faults.
func (d *Memory) Allocate(name string, bytes uint64) (uint64, error) {
	a, err := d.Global.Allocate(name, bytes, AllocationAlign)
	if err != nil {
		return 0, err
	}
	return a.Base, nil
}

// AllocateFor makes a buffer that a kernel asks for by malloc.
func (d *Memory) AllocateFor(kernel string, bytes uint64) (*Allocation, error) {
	a, err := d.Global.Allocate("malloc in "+kernel, bytes, AllocationAlign)
	if err == nil {
		a.FromKernel = true
	}
	return a, err
}

// Free releases the buffer that starts at address.
func (d *Memory) Free(address uint64) error {
	d.freeConstantCopy(address)
	return d.Global.Release(address)
}

// Write copies data to device memory at address, a global address or that of
// a .const variable; all of it must lie inside one buffer.
func (d *Memory) Write(address uint64, data []byte) error {
	dst, err := d.bytes("copy to the device", address, uint64(len(data)))
	copy(dst, data)
	return err
}

// Read copies device memory at address into dst.
func (d *Memory) Read(address uint64, dst []byte) error {
	src, err := d.bytes("copy from the device", address, uint64(len(dst)))
	copy(dst, src)
	return err
}

// Fill sets n bytes at address to value.
func (d *Memory) Fill(address uint64, value byte, n uint64) error {
	dst, err := d.bytes("fill", address, n)
	for i := range dst {
		dst[i] = value
	}
	return err
}

// bytes gives the n bytes at address as the host sees them.
func (d *Memory) bytes(what string, address, n uint64) ([]byte, error) {
	h := d.heapOf(address)
	a := h.Find(address, n)
	if a == nil {
		detail, _ := h.Describe(address, n)
		return nil, fmt.Errorf("%s of %d bytes at 0x%x: %s", what, n, address, detail)
	}
	offset := address - a.Base
	return a.Data[offset : offset+n : offset+n], nil
}

// Buffer is a buffer or a module's variable in device memory.
type Buffer struct {
	Name    string
	Address uint64
	Bytes   uint64
	// Constant says that kernels cannot write it.
	Constant bool
}

// Buffers lists what lives in device memory, constant memory first, each by
// address.
func (d *Memory) Buffers() []Buffer {
	var list []Buffer
	for _, h := range []*Heap{&d.Constant, &d.Global} {
		for _, a := range h.Allocations {
			if !a.Freed {
				list = append(list, Buffer{a.Name, a.Base, a.Bytes, a.ReadOnly})
			}
		}
	}
	return list
}

// Textures lists the textures that were made; a texture's handle is its place,
// counted from 1.
func (d *Memory) Textures() []Texture {
	list := make([]Texture, len(d.textures))
	for i, t := range d.textures {
		list[i] = t.Texture
	}
	return list
}

func (d *Memory) heapOf(address uint64) *Heap {
	if InWindow(address, ConstWindowBase) {
		return &d.Constant
	}
	return &d.Global
}
