// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64) && !static

package driver

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Array is memory of the device in the order that textures and surfaces have it in.
type Array struct {
	device *Device
	shape  ArrayShape
	handle uintptr
}

// memcpy3D is CUDA_MEMCPY3D.
type memcpy3D struct {
	from, to struct {
		x, y, z, level uint64
		memory         uint32 // CUmemorytype
		_              uint32
		host           unsafe.Pointer
		device         uint64
		array          uintptr
		_              uintptr
		pitch, height  uint64
	}
	width, height, depth uint64
}

const memoryHost, memoryArray = 1, 3 // CUmemorytype

// resource is CUDA_RESOURCE_DESC.
type resource struct {
	kind  uint32 // CUresourcetype
	_     uint32
	value [16]uint64 // array: its handle; linear memory: address, format and channels, bytes
	flags uint32
	_     uint32
}

const resourceArray, resourceLinear = 0, 2

// textureDescription is CUDA_TEXTURE_DESC.
type textureDescription struct {
	modes                 [3]uint32
	filter                uint32
	flags                 uint32
	anisotropy, mipFilter uint32
	bias, lowest, highest float32
	border                [4]float32
	_                     [12]uint32
}

// CreateArray makes an array.
func (d *Device) CreateArray(s ArrayShape) (*Array, error) {
	a := &Array{device: d, shape: s}
	// CUDA_ARRAY3D_DESCRIPTOR
	descriptor := struct {
		width, height, depth    uint64
		format, channels, flags uint32
	}{s.Width, s.Height, s.Depth, uint32(s.Format), s.Channels, s.flags()}
	if s.Layers > 0 {
		descriptor.depth = s.Layers
	}
	err := d.do("cuArray3DCreate", func() int32 { return d.library.cuArray3DCreate(&a.handle, unsafe.Pointer(&descriptor)) })
	return a, err
}

// Release gives the array's memory back.
func (a *Array) Release() error {
	return a.device.do("cuArrayDestroy", func() int32 { return a.device.library.cuArrayDestroy(a.handle) })
}

// Write copies all texels to the array, row by row, Read from it.
func (a *Array) Write(from []byte) error { return a.copy(from, true) }
func (a *Array) Read(to []byte) error    { return a.copy(to, false) }

func (a *Array) copy(host []byte, write bool) error {
	if n := a.shape.Bytes(); uint64(len(host)) != n {
		return fmt.Errorf("BUG: %d bytes for an array of %d", len(host), n)
	}
	var c memcpy3D
	c.width, c.height, c.depth = a.shape.Width*a.shape.TexelBytes(), max(a.shape.Height, 1), max(a.shape.Depth, a.shape.Layers, 1)
	memory, array := &c.from, &c.to
	if !write {
		memory, array = array, memory
	}
	var pin runtime.Pinner
	pin.Pin(&host[0])
	defer pin.Unpin()
	memory.memory, memory.host, memory.pitch, memory.height = memoryHost, unsafe.Pointer(&host[0]), c.width, c.height
	array.memory, array.array = memoryArray, a.handle
	return a.device.do("cuMemcpy3D", func() int32 { return a.device.library.cuMemcpy3D(unsafe.Pointer(&c)) })
}

func (a *Array) resource() resource {
	return resource{kind: resourceArray, value: [16]uint64{uint64(a.handle)}}
}

// CreateTexture makes a texture object of an array.
func (a *Array) CreateTexture(s Sampling) (uint64, error) { return a.device.texture(a.resource(), s) }

// CreateLinearTexture makes a texture object of one dimension of memory.
func (d *Device) CreateLinearTexture(address uint64, f Format, channels uint32, bytes uint64, s Sampling) (uint64, error) {
	return d.texture(resource{kind: resourceLinear, value: [16]uint64{address, uint64(f) | uint64(channels)<<32, bytes}}, s)
}

func (d *Device) texture(r resource, s Sampling) (handle uint64, err error) {
	t := textureDescription{modes: [3]uint32{uint32(s.Modes[0]), uint32(s.Modes[1]), uint32(s.Modes[2])}}
	if s.Linear {
		t.filter = 1
	}
	if s.Integers {
		t.flags |= readAsInteger
	}
	if s.Normalized {
		t.flags |= normalizedCoordinates
	}
	err = d.do("cuTexObjectCreate", func() int32 { return d.library.cuTexObjectCreate(&handle, unsafe.Pointer(&r), unsafe.Pointer(&t), nil) })
	return handle, err
}

const readAsInteger, normalizedCoordinates = 1, 2 // CU_TRSF_*

// CreateSurface makes a surface object.
func (a *Array) CreateSurface() (handle uint64, err error) {
	r := a.resource()
	err = a.device.do("cuSurfObjectCreate", func() int32 { return a.device.library.cuSurfObjectCreate(&handle, unsafe.Pointer(&r)) })
	return handle, err
}

// ReleaseTexture and ReleaseSurface give objects back.
func (d *Device) ReleaseTexture(handle uint64) error {
	return d.do("cuTexObjectDestroy", func() int32 { return d.library.cuTexObjectDestroy(handle) })
}

func (d *Device) ReleaseSurface(handle uint64) error {
	return d.do("cuSurfObjectDestroy", func() int32 { return d.library.cuSurfObjectDestroy(handle) })
}
