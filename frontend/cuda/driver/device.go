// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64) && !static

package driver

import (
	"bytes"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/warptape/warptape/trace"
)

// Device is a GPU of the machine with a context of its own. All calls are made by
// one thread, to which the context belongs. It is not safe for concurrent use.
type Device struct {
	library *library
	calls   chan func()
	timeout time.Duration
	hangs   bool
	name    string
	id      [16]byte
	target  int
	// start and end are the events around what Function.Time times, made when it is first
	// called.
	start, end uintptr
	fail       func(call string) int32
}

// DefaultLibrary is the name of the vendor's driver library.
const DefaultLibrary = "libcuda.so.1"

// ownID is what the project's own driver library calls its device.
const ownID = "warptape device\x00"

// Open loads a driver library and takes its first device. The timeout is how long one call
// may take; for a synchronisation that is how long a kernel may take. Zero means for ever.
// Where there is no driver or no GPU the error says so, with ErrNoDevice behind it.
func Open(path string, timeout time.Duration) (*Device, error) { return OpenNumber(path, 0, timeout) }

// OpenNumber is Open for the device of a number.
func OpenNumber(path string, number int, timeout time.Duration) (*Device, error) {
	l, err := load(path)
	if err != nil {
		return nil, err
	}
	d := &Device{library: l, calls: make(chan func()), timeout: timeout}
	go func() {
		runtime.LockOSThread() // for ever: the context is the thread's
		for call := range d.calls {
			call()
		}
	}()
	if err := d.take(int32(number)); err != nil {
		close(d.calls)
		return nil, err
	}
	return d, nil
}

func (d *Device) take(ordinal int32) error {
	var number, count int32
	if err := d.do("cuInit", func() int32 { return d.library.cuInit(0) }); err != nil {
		return fmt.Errorf("%w: %w", ErrNoDevice, err)
	}
	if err := d.do("cuDeviceGetCount", func() int32 { return d.library.cuDeviceGetCount(&count) }); err != nil {
		return fmt.Errorf("%w: %w", ErrNoDevice, err)
	}
	if count == 0 {
		return fmt.Errorf("%w: the CUDA driver finds none in this machine", ErrNoDevice)
	}
	if err := d.do("cuDeviceGet", func() int32 { return d.library.cuDeviceGet(&number, ordinal) }); err != nil {
		return err
	}
	var name [256]byte
	if err := d.do("cuDeviceGetName", func() int32 { return d.library.cuDeviceGetName(&name[0], int32(len(name)), number) }); err != nil {
		return err
	}
	d.name = string(name[:max(bytes.IndexByte(name[:], 0), 0)])
	if err := d.do("cuDeviceGetUuid", func() int32 { return d.library.cuDeviceGetUuid(&d.id, number) }); err != nil {
		return err
	}
	var major, minor int32
	const capabilityMajor, capabilityMinor = 75, 76
	if err := d.do("cuDeviceGetAttribute", func() int32 {
		return max(d.library.cuDeviceGetAttribute(&major, capabilityMajor, number), d.library.cuDeviceGetAttribute(&minor, capabilityMinor, number))
	}); err != nil {
		return err
	}
	d.target = int(10*major + minor)
	var context uintptr
	if err := d.do("cuDevicePrimaryCtxRetain", func() int32 { return d.library.cuDevicePrimaryCtxRetain(&context, number) }); err != nil {
		return err
	}
	return d.do("cuCtxSetCurrent", func() int32 { return d.library.cuCtxSetCurrent(context) })
}

// Close lets the device's thread go, and unloads the library if it is the project's own. What
// was allocated on another device stays until the process ends.
func (d *Device) Close() {
	if d.hangs {
		return
	}
	if d.Own() {
		done := make(chan struct{})
		d.calls <- func() { d.library.unload(); close(done) }
		<-done
	}
	close(d.calls)
}

// Name is what the driver calls the device.
func (d *Device) Name() string { return d.name }

// Target is the device's compute capability: 70 for 7.0.
func (d *Device) Target() int { return d.target }

// Own reports whether the device is the project's own emulator, whose thread blocks run in
// ascending order, and which places variables as any recording has them.
func (d *Device) Own() bool { return string(d.id[:]) == ownID }

// Fail makes calls fail that a function gives an error for, by their names; its zero is for calls
// that are made, Hangs for those that do not come back. It is for tests.
func (d *Device) Fail(fail func(call string) int32) { d.fail = fail }

// do makes a call on the device's thread.
func (d *Device) do(call string, f func() int32) error {
	if d.hangs {
		return fmt.Errorf("%s: %w", call, ErrHangs)
	}
	if d.fail != nil {
		switch code := d.fail(call); code {
		case 0:
		case Hangs:
			d.hangs = true
			return fmt.Errorf("%s does not come back: %w", call, ErrHangs)
		default:
			return d.failed(call, code)
		}
	}
	done := make(chan int32, 1)
	job := func() { done <- f() }
	var late <-chan time.Time
	if d.timeout > 0 {
		timer := time.NewTimer(d.timeout)
		defer timer.Stop()
		late = timer.C
	}
	d.calls <- job
	select {
	case code := <-done:
		if code == 0 {
			return nil
		}
		return d.failed(call, code)
	case <-late:
		d.hangs = true
		return fmt.Errorf("%s does not come back within %v: %w", call, d.timeout, ErrHangs)
	}
}

func (d *Device) failed(call string, code int32) error {
	e := &Error{Call: call, Code: code}
	named := make(chan struct{})
	d.calls <- func() {
		var name, words *byte
		if d.library.cuGetErrorName(code, &name) == 0 {
			e.Name = text(name)
		}
		if d.library.cuGetErrorString(code, &words) == 0 {
			e.Text = text(words)
		}
		close(named)
	}
	<-named
	return e
}

// Free tells how many bytes of memory are free.
func (d *Device) Free() (uint64, error) {
	var free, total uint64
	err := d.do("cuMemGetInfo", func() int32 { return d.library.cuMemGetInfo(&free, &total) })
	return free, err
}

// Allocate gives device memory.
func (d *Device) Allocate(n uint64) (uint64, error) {
	var p uint64
	err := d.do("cuMemAlloc", func() int32 { return d.library.cuMemAlloc(&p, n) })
	return p, err
}

// Release gives it back.
func (d *Device) Release(p uint64) error {
	return d.do("cuMemFree", func() int32 { return d.library.cuMemFree(p) })
}

// Write copies to the device, Read from it.
func (d *Device) Write(to uint64, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	defer runtime.KeepAlive(from)
	return d.do("cuMemcpyHtoD", func() int32 { return d.library.cuMemcpyHtoD(to, unsafe.Pointer(&from[0]), uint64(len(from))) })
}

func (d *Device) Read(to []byte, from uint64) error {
	if len(to) == 0 {
		return nil
	}
	defer runtime.KeepAlive(to)
	return d.do("cuMemcpyDtoH", func() int32 { return d.library.cuMemcpyDtoH(unsafe.Pointer(&to[0]), from, uint64(len(to))) })
}

// Clear sets bytes to zero.
func (d *Device) Clear(p, n uint64) error {
	if n == 0 {
		return nil
	}
	return d.do("cuMemsetD8", func() int32 { return d.library.cuMemsetD8(p, 0, n) })
}

// Module is a loaded module.
type Module struct {
	device *Device
	handle uintptr
}

// Options of the driver's compiler (CUjit_option).
const (
	jitErrorLog      = 5
	jitErrorLogBytes = 6
	logBytes         = 16 << 10
)

// Load compiles and loads PTX. The log of the driver's compiler is in the error.
func (d *Device) Load(ptx []byte) (*Module, error) {
	image := append(bytes.Clone(ptx), 0)
	log := make([]byte, logBytes)
	options := [2]int32{jitErrorLog, jitErrorLogBytes}
	values := [2]uintptr{uintptr(unsafe.Pointer(&log[0])), logBytes}
	m := &Module{device: d}
	var pin runtime.Pinner
	pin.Pin(&log[0])
	defer pin.Unpin()
	err := d.do("cuModuleLoadDataEx", func() int32 {
		return d.library.cuModuleLoadDataEx(&m.handle, unsafe.Pointer(&image[0]), 2, unsafe.Pointer(&options), unsafe.Pointer(&values))
	})
	if e, ok := err.(*Error); ok {
		e.Log = string(bytes.TrimRight(log[:max(bytes.IndexByte(log, 0), 0)], "\n"))
	}
	return m, err
}

// Unload gives the module's memory back.
func (m *Module) Unload() error {
	return m.device.do("cuModuleUnload", func() int32 { return m.device.library.cuModuleUnload(m.handle) })
}

// Symbol is the address of a variable.
func (m *Module) Symbol(name string) (uint64, error) {
	p, _, err := m.Variable(name)
	return p, err
}

// Variable is the address of a variable, and its bytes.
func (m *Module) Variable(name string) (p, n uint64, err error) {
	z := append([]byte(name), 0)
	err = m.device.do("cuModuleGetGlobal("+name+")", func() int32 { return m.device.library.cuModuleGetGlobal(&p, &n, m.handle, &z[0]) })
	return p, n, err
}

// Function is a kernel.
type Function struct {
	device *Device
	handle uintptr
}

// Function finds a kernel.
func (m *Module) Function(name string) (*Function, error) {
	f := &Function{device: m.device}
	z := append([]byte(name), 0)
	err := m.device.do("cuModuleGetFunction("+name+")", func() int32 { return m.device.library.cuModuleGetFunction(&f.handle, m.handle, &z[0]) })
	return f, err
}

// What a kernel may have without asking, and the attribute by which it asks.
const (
	usualShared      = 48 << 10
	maxDynamicShared = 8
)

// Launch starts a kernel; arguments is the packed parameter space.
func (f *Function) Launch(grid, block trace.Dim3, shared uint32, arguments []byte) error {
	d := f.device
	if err := f.allow(shared); err != nil {
		return err
	}
	arguments = append(bytes.Clone(arguments), 0) // so that there is a first byte
	size := uint64(len(arguments) - 1)
	const end, bufferPointer, bufferSize = 0, 1, 2 // CU_LAUNCH_PARAM_*
	var pin runtime.Pinner
	pin.Pin(&arguments[0])
	pin.Pin(&size)
	defer pin.Unpin()
	extra := [5]uintptr{bufferPointer, uintptr(unsafe.Pointer(&arguments[0])), bufferSize, uintptr(unsafe.Pointer(&size)), end}
	packed := unsafe.Pointer(&extra)
	if size == 0 {
		packed = nil
	}
	return d.do("cuLaunchKernel", func() int32 {
		return d.library.cuLaunchKernel(f.handle, grid.X, grid.Y, grid.Z, block.X, block.Y, block.Z, shared, 0, nil, packed)
	})
}

// allow lets a kernel have dynamic shared memory: CUDA gives more than the usual amount only
// on request.
func (f *Function) allow(shared uint32) error {
	if shared <= usualShared {
		return nil
	}
	d := f.device
	return d.do("cuFuncSetAttribute", func() int32 { return d.library.cuFuncSetAttribute(f.handle, maxDynamicShared, int32(shared)) })
}

// LaunchCooperative is Launch for thread blocks that wait for each other. places are those of
// the parameters in the arguments.
func (f *Function) LaunchCooperative(grid, block trace.Dim3, shared uint32, arguments []byte, places []uint32) error {
	d := f.device
	if err := f.allow(shared); err != nil {
		return err
	}
	arguments = append(bytes.Clone(arguments), 0)
	parameters := make([]unsafe.Pointer, len(places)+1)
	var pin runtime.Pinner
	pin.Pin(&arguments[0])
	defer pin.Unpin()
	for i, at := range places {
		parameters[i] = unsafe.Pointer(&arguments[at])
	}
	return d.do("cuLaunchCooperativeKernel", func() int32 {
		return d.library.cuLaunchCooperativeKernel(f.handle, grid.X, grid.Y, grid.Z, block.X, block.Y, block.Z, shared, 0, unsafe.Pointer(&parameters[0]))
	})
}

// Time starts a kernel as Launch does, waits for its end, and gives the nanoseconds between
// the events around it.
func (f *Function) Time(grid, block trace.Dim3, shared uint32, arguments []byte) (float64, error) {
	d := f.device
	if err := d.events(); err != nil {
		return 0, err
	}
	if err := d.do("cuEventRecord", func() int32 { return d.library.cuEventRecord(d.start, 0) }); err != nil {
		return 0, err
	}
	if err := f.Launch(grid, block, shared, arguments); err != nil {
		return 0, err
	}
	if err := d.do("cuEventRecord", func() int32 { return d.library.cuEventRecord(d.end, 0) }); err != nil {
		return 0, err
	}
	if err := d.do("cuEventSynchronize", func() int32 { return d.library.cuEventSynchronize(d.end) }); err != nil {
		return 0, err
	}
	var milliseconds float32
	err := d.do("cuEventElapsedTime", func() int32 { return d.library.cuEventElapsedTime(&milliseconds, d.start, d.end) })
	return float64(milliseconds) * 1e6, err
}

// events makes the two events, once.
func (d *Device) events() error {
	for _, event := range []*uintptr{&d.start, &d.end} {
		if *event != 0 {
			continue
		}
		if err := d.do("cuEventCreate", func() int32 { return d.library.cuEventCreate(event, 0) }); err != nil {
			return err
		}
	}
	return nil
}

// Synchronize waits until the device has done everything.
func (d *Device) Synchronize() error {
	return d.do("cuCtxSynchronize", func() int32 { return d.library.cuCtxSynchronize() })
}
