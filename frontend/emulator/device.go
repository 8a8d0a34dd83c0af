package emulator

import (
	"fmt"
	"io"

	"github.com/warptape/warptape/trace"
)

// Options configure a Device.
type Options struct {
	// Coexecutor runs segments; nil takes the interpreter.
	Coexecutor Coexecutor
	// MaxInstructions is the number of warp instructions that one launch may
	// execute before it is stopped with a FaultBudget; zero means no limit.
	MaxInstructions uint64
	// GlobalBytes limits global memory; zero means DefaultGlobalBytes.
	GlobalBytes uint64
	// CheckShared makes reads of shared memory that no thread of the block has
	// written a fault. It costs time on every shared access.
	CheckShared bool
	// CheckRaces reports accesses to shared memory that no barrier orders, after
	// the launch that had them. It costs more time still.
	CheckRaces bool
	// CheckGlobalRaces does the same for global memory, between the threads of
	// each thread block.
	CheckGlobalRaces bool
	// Watch, if not nil, writes what one thread of each launch computes.
	Watch *Watch
	// Workers is the number of cores that run the thread blocks of a launch; zero
	// means one. Results, traces and faults do not depend on it. Recorder,
	// Progress and Output are only ever used by one goroutine at a time. Checks for
	// races and Watch make it one core.
	Workers int
	// MinTogether is the number of warp instructions that a launch must have for several
	// cores to run it; zero means DefaultMinTogether.
	MinTogether uint64
	// Output takes what kernels print; nil drops it.
	Output io.Writer
}

// DefaultGlobalBytes is the size of global memory unless Options say otherwise.
const DefaultGlobalBytes = 4 << 30

// DefaultMinTogether is about ten milliseconds of one core: another one has to begin with
// memory that is not in its caches, and to watch what it touches.
const DefaultMinTogether = 1 << 18

// Device is an emulated GPU: memory, loaded modules and the scheduler that
// runs launches. It is not safe for concurrent use.
type Device struct {
	options  Options
	global   heap
	constant heap
	launches uint64
	// heapUsed counts the bytes that kernels have by malloc.
	heapUsed uint64
	// constantCopies are the buffers that kernels took in constant memory, by their
	// global addresses.
	constantCopies map[uint64]*allocation
	// constantLeft are the places of copies whose buffers were freed.
	constantLeft []*allocation
	// textures by handle, which counts from 1.
	textures []*boundTexture
}

// NewDevice makes a device with empty memory.
func NewDevice(opts Options) *Device {
	if opts.Coexecutor == nil {
		opts.Coexecutor = Interpreter{}
	}
	if opts.GlobalBytes == 0 {
		opts.GlobalBytes = DefaultGlobalBytes
	}
	if opts.MinTogether == 0 {
		opts.MinTogether = DefaultMinTogether
	}
	return &Device{
		options:  opts,
		global:   heap{next: GlobalBase, end: 1 << 47, limit: opts.GlobalBytes},
		constant: heap{next: ConstWindowBase, end: ConstWindowBase + WindowBytes, limit: WindowBytes},
	}
}

// Allocate makes a zeroed buffer of global memory, AllocationAlign-aligned and
// directly after the one before, and gives its device address. The name
// appears in faults.
func (d *Device) Allocate(name string, bytes uint64) (uint64, error) {
	a, err := d.global.allocate(name, bytes, AllocationAlign)
	if err != nil {
		return 0, err
	}
	return a.base, nil
}

// Free releases the buffer that starts at address.
func (d *Device) Free(address uint64) error {
	d.freeConstantCopy(address)
	return d.global.release(address)
}

// Write copies data to device memory at address, a global address or that of
// a .const variable; all of it must lie inside one buffer.
func (d *Device) Write(address uint64, data []byte) error {
	dst, err := d.bytes("copy to the device", address, uint64(len(data)))
	copy(dst, data)
	return err
}

// Read copies device memory at address into dst.
func (d *Device) Read(address uint64, dst []byte) error {
	src, err := d.bytes("copy from the device", address, uint64(len(dst)))
	copy(dst, src)
	return err
}

// Fill sets n bytes at address to value.
func (d *Device) Fill(address uint64, value byte, n uint64) error {
	dst, err := d.bytes("fill", address, n)
	for i := range dst {
		dst[i] = value
	}
	return err
}

// bytes gives the n bytes at address as the host sees them.
func (d *Device) bytes(what string, address, n uint64) ([]byte, error) {
	h := d.heapOf(address)
	a := h.find(address, n)
	if a == nil {
		detail, _ := h.describe(address, n)
		return nil, fmt.Errorf("%s of %d bytes at 0x%x: %s", what, n, address, detail)
	}
	offset := address - a.base
	return a.data[offset : offset+n : offset+n], nil
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
func (d *Device) Buffers() []Buffer {
	var list []Buffer
	for _, h := range []*heap{&d.constant, &d.global} {
		for _, a := range h.allocations {
			if !a.freed {
				list = append(list, Buffer{a.name, a.base, a.bytes, a.readOnly})
			}
		}
	}
	return list
}

// Textures lists the textures that were made; a texture's handle is its place,
// counted from 1.
func (d *Device) Textures() []Texture {
	list := make([]Texture, len(d.textures))
	for i, t := range d.textures {
		list[i] = t.Texture
	}
	return list
}

func (d *Device) heapOf(address uint64) *heap {
	if inWindow(address, ConstWindowBase) {
		return &d.constant
	}
	return &d.global
}

// WarpSize is the number of lanes that the device runs together.
const WarpSize = trace.WarpSize
