// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// gpu is a device of the driver, with a context that is the thread's.
type gpu struct {
	*driver
	ordinal int
	name    string
	// major and minor are the compute capability.
	major, minor int32
	context      uintptr
	start, end   uintptr // events
	timer        clockMeter
}

// Attributes of devices and functions (CUDA Driver API, CUdevice_attribute and
// CUfunction_attribute).
const (
	attributeMajor         = 75
	attributeMinor         = 76
	attributeDynamicShared = 8
)

// openGPU opens a device for the calling thread, which must be locked.
func openGPU(d *driver, ordinal int) (*gpu, error) {
	g := &gpu{driver: d, ordinal: ordinal}
	var device int32
	if err := d.check("cuDeviceGet", d.cuDeviceGet(&device, int32(ordinal))); err != nil {
		return nil, err
	}
	name := make([]byte, 256)
	if err := d.check("cuDeviceGetName", d.cuDeviceGetName(&name[0], int32(len(name)), device)); err != nil {
		return nil, err
	}
	g.name, _, _ = strings.Cut(string(name), "\x00")
	if err := errors.Join(
		d.check("cuDeviceGetAttribute", d.cuDeviceGetAttribute(&g.major, attributeMajor, device)),
		d.check("cuDeviceGetAttribute", d.cuDeviceGetAttribute(&g.minor, attributeMinor, device)),
		d.check("cuCtxCreate", d.cuCtxCreate_v2(&g.context, 0, device)),
	); err != nil {
		return nil, err
	}
	if err := errors.Join(d.check("cuEventCreate", d.cuEventCreate(&g.start, 0)), d.check("cuEventCreate", d.cuEventCreate(&g.end, 0))); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *gpu) close() {
	g.timer.close(g)
	for _, event := range []uintptr{g.start, g.end} {
		if event != 0 {
			g.cuEventDestroy_v2(event)
		}
	}
	g.cuCtxDestroy_v2(g.context)
}

// load gives the driver PTX.
func (g *gpu) load(text []byte) (uintptr, error) {
	var module uintptr
	err := g.check("cuModuleLoadData", g.cuModuleLoadData(&module, zeroEnded(string(text))))
	return module, err
}

func (g *gpu) function(module uintptr, name string) (uintptr, error) {
	var function uintptr
	err := g.check("cuModuleGetFunction "+name, g.cuModuleGetFunction(&function, module, zeroEnded(name)))
	return function, err
}

func (g *gpu) allocate(bytes uint64) (uint64, error) {
	var address uint64
	err := g.check(fmt.Sprintf("cuMemAlloc of %d bytes", bytes), g.cuMemAlloc_v2(&address, max(bytes, 1)))
	return address, err
}

func (g *gpu) write(address uint64, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return g.check("cuMemcpyHtoD", g.cuMemcpyHtoD_v2(address, unsafe.Pointer(&data[0]), uint64(len(data))))
}

func (g *gpu) read(data []byte, address uint64) error {
	return g.check("cuMemcpyDtoH", g.cuMemcpyDtoH_v2(unsafe.Pointer(&data[0]), address, uint64(len(data))))
}

// shape is what a launch has beside its arguments.
type shape struct {
	grid, block [3]uint32
	shared      uint32
}

// Words of cuLaunchKernel's list of extra arguments (CUDA Driver API).
var (
	paramEnd, paramBuffer, paramSize = uintptr(0), uintptr(1), uintptr(2)
)

// launch starts a kernel with its packed arguments.
func (g *gpu) launch(function uintptr, s *shape, arguments []byte) error {
	size := uint64(len(arguments))
	// A list of words: what follows, and where it is. The arguments may be none.
	packed := append([]byte(nil), arguments...)
	packed = append(packed, 0)
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&packed[0])
	pins.Pin(&size)
	list := []uintptr{paramBuffer, uintptr(unsafe.Pointer(&packed[0])), paramSize, uintptr(unsafe.Pointer(&size)), paramEnd}
	pins.Pin(&list[0])
	code := g.cuLaunchKernel(function, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2], s.shared, 0, nil, (*unsafe.Pointer)(unsafe.Pointer(&list[0])))
	runtime.KeepAlive(packed)
	runtime.KeepAlive(list)
	return g.check("cuLaunchKernel", code)
}

// timed launches a kernel and gives the nanoseconds between the events around it.
func (g *gpu) timed(function uintptr, s *shape, arguments []byte) (float64, error) {
	if err := g.check("cuEventRecord", g.cuEventRecord(g.start, 0)); err != nil {
		return 0, err
	}
	if err := g.launch(function, s, arguments); err != nil {
		return 0, err
	}
	var milliseconds float32
	err := errors.Join(
		g.check("cuEventRecord", g.cuEventRecord(g.end, 0)),
		g.check("cuEventSynchronize", g.cuEventSynchronize(g.end)),
		g.check("cuEventElapsedTime", g.cuEventElapsedTime(&milliseconds, g.start, g.end)),
	)
	return float64(milliseconds) * 1e6, err
}
