// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// driver is the CUDA driver's library: the functions that are needed, by their names
// there (CUDA Driver API reference).
type driver struct {
	handle uintptr

	cuInit               func(flags uint32) int32
	cuDriverGetVersion   func(version *int32) int32
	cuGetErrorName       func(code int32, name **byte) int32
	cuDeviceGetCount     func(count *int32) int32
	cuDeviceGet          func(device *int32, ordinal int32) int32
	cuDeviceGetName      func(name *byte, length int32, device int32) int32
	cuDeviceGetAttribute func(value *int32, attribute int32, device int32) int32
	cuCtxCreate_v2       func(context *uintptr, flags uint32, device int32) int32
	cuCtxDestroy_v2      func(context uintptr) int32
	cuCtxSynchronize     func() int32
	cuModuleLoadData     func(module *uintptr, image *byte) int32
	cuModuleUnload       func(module uintptr) int32
	cuModuleGetFunction  func(function *uintptr, module uintptr, name *byte) int32
	cuModuleGetGlobal_v2 func(address *uint64, bytes *uint64, module uintptr, name *byte) int32
	cuFuncSetAttribute   func(function uintptr, attribute int32, value int32) int32
	cuMemAlloc_v2        func(address *uint64, bytes uint64) int32
	cuMemFree_v2         func(address uint64) int32
	cuMemcpyHtoD_v2      func(to uint64, from unsafe.Pointer, bytes uint64) int32
	cuMemcpyDtoH_v2      func(to unsafe.Pointer, from uint64, bytes uint64) int32
	cuEventCreate        func(event *uintptr, flags uint32) int32
	cuEventDestroy_v2    func(event uintptr) int32
	cuEventRecord        func(event, stream uintptr) int32
	cuEventSynchronize   func(event uintptr) int32
	cuEventElapsedTime   func(milliseconds *float32, start, end uintptr) int32
	cuLaunchKernel       func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, parameters, extra *unsafe.Pointer) int32
}

// libraries are the names of the driver's library on Linux.
var libraries = []string{"libcuda.so.1", "libcuda.so"}

// ErrNoGPU says that there is no GPU, or no driver for one.
var ErrNoGPU = errors.New("no GPU is at hand: measure needs an NVIDIA GPU and its driver (libcuda.so.1); 'warptape replay' needs neither")

// openDriver loads the library and initialises it; file, if not empty, names it.
func openDriver(file string) (*driver, error) {
	names := libraries
	if file != "" {
		names = []string{file}
	}
	d := new(driver)
	var first error
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			d.handle, first = handle, nil
			break
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return nil, fmt.Errorf("%w (%v)", ErrNoGPU, first)
	}
	if err := d.bind(); err != nil {
		return nil, err
	}
	if code := d.cuInit(0); code != 0 {
		return nil, fmt.Errorf("%w (the driver says %s)", ErrNoGPU, d.name(code))
	}
	var count int32
	if err := d.check("cuDeviceGetCount", d.cuDeviceGetCount(&count)); err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, fmt.Errorf("%w (the driver has no device)", ErrNoGPU)
	}
	return d, nil
}

// bind finds the functions.
func (d *driver) bind() error {
	for name, function := range map[string]any{
		"cuInit": &d.cuInit, "cuDriverGetVersion": &d.cuDriverGetVersion, "cuGetErrorName": &d.cuGetErrorName,
		"cuDeviceGetCount": &d.cuDeviceGetCount, "cuDeviceGet": &d.cuDeviceGet, "cuDeviceGetName": &d.cuDeviceGetName, "cuDeviceGetAttribute": &d.cuDeviceGetAttribute,
		"cuCtxCreate_v2": &d.cuCtxCreate_v2, "cuCtxDestroy_v2": &d.cuCtxDestroy_v2, "cuCtxSynchronize": &d.cuCtxSynchronize,
		"cuModuleLoadData": &d.cuModuleLoadData, "cuModuleUnload": &d.cuModuleUnload, "cuModuleGetFunction": &d.cuModuleGetFunction, "cuModuleGetGlobal_v2": &d.cuModuleGetGlobal_v2,
		"cuFuncSetAttribute": &d.cuFuncSetAttribute,
		"cuMemAlloc_v2":      &d.cuMemAlloc_v2, "cuMemFree_v2": &d.cuMemFree_v2, "cuMemcpyHtoD_v2": &d.cuMemcpyHtoD_v2, "cuMemcpyDtoH_v2": &d.cuMemcpyDtoH_v2,
		"cuEventCreate": &d.cuEventCreate, "cuEventDestroy_v2": &d.cuEventDestroy_v2, "cuEventRecord": &d.cuEventRecord, "cuEventSynchronize": &d.cuEventSynchronize, "cuEventElapsedTime": &d.cuEventElapsedTime,
		"cuLaunchKernel": &d.cuLaunchKernel,
	} {
		symbol, err := purego.Dlsym(d.handle, name)
		if err != nil {
			return fmt.Errorf("the driver's library has no %s; it is too old: %w", name, err)
		}
		purego.RegisterFunc(function, symbol)
	}
	return nil
}

// name is the driver's name of an error: "CUDA_ERROR_NO_DEVICE".
func (d *driver) name(code int32) string {
	var text *byte
	if d.cuGetErrorName(code, &text) != 0 || text == nil {
		return fmt.Sprintf("error %d", code)
	}
	length := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), length)) != 0 {
		length++
	}
	return string(unsafe.Slice(text, length))
}

func (d *driver) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: the driver says %s", call, d.name(code))
}

// zeroEnded is a C string.
func zeroEnded(text string) *byte {
	b := append([]byte(text), 0)
	return &b[0]
}
