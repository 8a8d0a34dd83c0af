// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/trace"
)

// gpu.buffer(name, data, stream=0) makes a device buffer with the elements of
// an array: a host array, an allocation and a copy.
func (r *run) gpuBuffer(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var data *array.Array
	var stream uint32
	if err := unpack(args, kwargs, "name", &name, "data", &data, "stream?", &stream); err != nil {
		return nil, err
	}
	b, err := r.allocate(name, data.ElementType(), data.Shape())
	if err != nil {
		return nil, err
	}
	_, err = r.copyToDevice(b, 0, data, trace.HostEvent{Stream: stream})
	return b, err
}

// gpu.alloc(name, dtype, shape) makes a device buffer of zeros.
func (r *run) gpuAlloc(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var t array.Type
	var shape starlark.Value
	if err := unpack(args, kwargs, "name", &name, "dtype", &t, "shape", &shape); err != nil {
		return nil, err
	}
	dims, err := array.Dimensions(shape)
	if err != nil {
		return nil, err
	}
	return r.allocate(name, t, dims)
}

func (r *run) allocate(name string, t array.Type, shape []int) (*buffer, error) {
	n, err := array.Elements(shape)
	if err != nil {
		return nil, err
	}
	b := &buffer{name: name, typ: t, shape: shape}
	b.address, err = r.device.Allocate(name, uint64(n)*uint64(t.Bytes()))
	if err != nil {
		return nil, err
	}
	_, err = r.record(trace.HostEvent{Kind: trace.EventAllocate, Name: name, Address: b.address, Bytes: b.bytes()})
	return b, err
}

// gpu.symbol(module, name, dtype) is a variable of the module as a buffer.
func (r *run) gpuSymbol(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var m *module
	var name string
	var t array.Type
	if err := unpack(args, kwargs, "module", &m, "name", &name, "dtype", &t); err != nil {
		return nil, err
	}
	address, bytes, err := m.loaded.Symbol(name)
	if err != nil {
		return nil, err
	}
	if bytes%uint64(t.Bytes()) != 0 {
		return nil, fmt.Errorf("variable %s has %d bytes, which is no number of %s", name, bytes, t)
	}
	return &buffer{name: name, typ: t, shape: []int{int(bytes / uint64(t.Bytes()))}, address: address}, nil
}

// gpu.free(buffer) gives a buffer's memory back.
func (r *run) gpuFree(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var b *buffer
	if err := unpack(args, kwargs, "buffer", &b); err != nil {
		return nil, err
	}
	if err := b.usable(); err != nil {
		return nil, err
	}
	if err := r.device.Free(b.address); err != nil {
		return nil, err
	}
	b.freed = true
	return r.record(trace.HostEvent{Kind: trace.EventFree, Name: b.name, Address: b.address})
}
