// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64) && !static

package driver

import (
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library has the driver's functions (cuda.h).
type library struct {
	handle uintptr

	cuInit                   func(flags uint32) int32
	cuGetErrorName           func(e int32, name **byte) int32
	cuGetErrorString         func(e int32, text **byte) int32
	cuDeviceGetCount         func(n *int32) int32
	cuDeviceGet              func(d *int32, n int32) int32
	cuDeviceGetName          func(name *byte, n int32, d int32) int32
	cuDeviceGetUuid          func(id *[16]byte, d int32) int32
	cuDeviceGetAttribute     func(v *int32, a int32, d int32) int32
	cuDevicePrimaryCtxRetain func(c *uintptr, d int32) int32
	cuCtxSetCurrent          func(c uintptr) int32
	cuCtxSynchronize         func() int32
	cuMemGetInfo             func(free, total *uint64) int32
	cuMemAlloc               func(p *uint64, n uint64) int32
	cuMemFree                func(p uint64) int32
	cuMemcpyHtoD             func(to uint64, from unsafe.Pointer, n uint64) int32
	cuMemcpyDtoH             func(to unsafe.Pointer, from, n uint64) int32
	cuMemsetD8               func(p uint64, v uint8, n uint64) int32
	cuModuleLoadDataEx       func(m *uintptr, image unsafe.Pointer, n uint32, options, values unsafe.Pointer) int32
	cuModuleUnload           func(m uintptr) int32
	cuModuleGetFunction      func(f *uintptr, m uintptr, name *byte) int32
	cuModuleGetGlobal        func(p, n *uint64, m uintptr, name *byte) int32
	cuArray3DCreate          func(a *uintptr, descriptor unsafe.Pointer) int32
	cuArrayDestroy           func(a uintptr) int32
	cuMemcpy3D               func(copy unsafe.Pointer) int32
	cuTexObjectCreate        func(t *uint64, resource, description, view unsafe.Pointer) int32
	cuTexObjectDestroy       func(t uint64) int32
	cuSurfObjectCreate       func(s *uint64, resource unsafe.Pointer) int32
	cuSurfObjectDestroy      func(s uint64) int32
	cuFuncSetAttribute       func(f uintptr, a, v int32) int32
	cuEventCreate            func(event *uintptr, flags uint32) int32
	cuEventRecord            func(event, stream uintptr) int32
	cuEventSynchronize       func(event uintptr) int32
	cuEventElapsedTime       func(milliseconds *float32, start, end uintptr) int32
	cuLaunchKernel           func(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, parameters, extra unsafe.Pointer) int32

	cuLaunchCooperativeKernel func(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, parameters unsafe.Pointer) int32
}

// load opens a driver library and finds its functions.
func load(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("%w: no CUDA driver is installed (%v)", ErrNoDevice, err)
	}
	l := &library{handle: handle}
	for _, f := range []struct {
		to   any
		name string
	}{
		{&l.cuInit, "cuInit"}, {&l.cuGetErrorName, "cuGetErrorName"}, {&l.cuGetErrorString, "cuGetErrorString"},
		{&l.cuDeviceGetCount, "cuDeviceGetCount"}, {&l.cuDeviceGet, "cuDeviceGet"}, {&l.cuDeviceGetName, "cuDeviceGetName"},
		{&l.cuDeviceGetUuid, "cuDeviceGetUuid"}, {&l.cuDeviceGetAttribute, "cuDeviceGetAttribute"},
		{&l.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"}, {&l.cuCtxSetCurrent, "cuCtxSetCurrent"},
		{&l.cuCtxSynchronize, "cuCtxSynchronize"}, {&l.cuMemGetInfo, "cuMemGetInfo_v2"}, {&l.cuMemAlloc, "cuMemAlloc_v2"},
		{&l.cuMemFree, "cuMemFree_v2"}, {&l.cuMemcpyHtoD, "cuMemcpyHtoD_v2"}, {&l.cuMemcpyDtoH, "cuMemcpyDtoH_v2"},
		{&l.cuMemsetD8, "cuMemsetD8_v2"}, {&l.cuModuleLoadDataEx, "cuModuleLoadDataEx"}, {&l.cuModuleUnload, "cuModuleUnload"},
		{&l.cuModuleGetFunction, "cuModuleGetFunction"}, {&l.cuModuleGetGlobal, "cuModuleGetGlobal_v2"},
		{&l.cuArray3DCreate, "cuArray3DCreate_v2"}, {&l.cuArrayDestroy, "cuArrayDestroy"}, {&l.cuMemcpy3D, "cuMemcpy3D_v2"},
		{&l.cuTexObjectCreate, "cuTexObjectCreate"}, {&l.cuTexObjectDestroy, "cuTexObjectDestroy"},
		{&l.cuSurfObjectCreate, "cuSurfObjectCreate"}, {&l.cuSurfObjectDestroy, "cuSurfObjectDestroy"},
		{&l.cuFuncSetAttribute, "cuFuncSetAttribute"}, {&l.cuEventCreate, "cuEventCreate"}, {&l.cuEventRecord, "cuEventRecord"},
		{&l.cuEventSynchronize, "cuEventSynchronize"}, {&l.cuEventElapsedTime, "cuEventElapsedTime"}, {&l.cuLaunchKernel, "cuLaunchKernel"},
		{&l.cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel"},
	} {
		address, err := purego.Dlsym(handle, f.name)
		if err != nil {
			return nil, fmt.Errorf("%w: %s is no CUDA driver: %v", ErrNoDevice, path, err)
		}
		purego.RegisterFunc(f.to, address)
	}
	return l, nil
}

// text is a string that the driver owns.
func text(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// unload unloads the project's own library, which ends its session first.
func (l *library) unload() {
	if address, err := purego.Dlsym(l.handle, "warptape_leave"); err == nil {
		var leave func()
		purego.RegisterFunc(&leave, address)
		leave()
	}
	purego.Dlclose(l.handle)
}
