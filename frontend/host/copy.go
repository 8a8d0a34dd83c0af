// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/trace"
)

// gpu.write(buffer, data, start=0, stream=0, after=[]) copies an array to the
// elements of a buffer from start on.
func (r *run) gpuWrite(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var b *buffer
	var data *array.Array
	var start int
	var o order
	if err := unpack(args, kwargs, "buffer", &b, "data", &data, "start?", &start, "stream?", &o.stream, "after?", &o.after); err != nil {
		return nil, err
	}
	e, err := o.event()
	if err != nil {
		return nil, err
	}
	return r.copyToDevice(b, start, data, e)
}

func (r *run) copyToDevice(b *buffer, start int, data *array.Array, e trace.HostEvent) (starlark.Value, error) {
	if data.ElementType() != b.typ {
		return nil, fmt.Errorf("an array of %s does not go into buffer %s: convert it with %s(...)", data.ElementType(), b, b.typ)
	}
	address, err := b.part(start, data.Len())
	if err != nil {
		return nil, err
	}
	r.space.Work(uint64(data.Len()))
	bytes := data.Bytes()
	if err := r.device.Write(address, bytes); err != nil {
		return nil, err
	}
	e.Kind = trace.EventCopyToDevice
	return r.recordCopy(b, address, data.ByteSize(), e)
}

// recordCopy records a copy between a buffer and the host array that belongs to
// it, which the first copy allocates.
func (r *run) recordCopy(b *buffer, address, bytes uint64, e trace.HostEvent) (starlark.Value, error) {
	if err := r.placeOnHost(b); err != nil {
		return nil, err
	}
	e.Name, e.Address, e.HostAddress, e.Bytes = b.name, address, b.hostAddress+address-b.address, bytes
	return r.record(e)
}

// placeOnHost allocates the host array of a buffer that has none.
func (r *run) placeOnHost(b *buffer) error {
	if b.hostAddress != 0 {
		return nil
	}
	b.hostAddress = r.host.allocate(b.bytes())
	_, err := r.record(trace.HostEvent{Kind: trace.EventHostAllocate, Name: b.name, HostAddress: b.hostAddress, Bytes: b.bytes()})
	return err
}

// gpu.read(buffer, start=0, count=None, stream=0, after=[], keep=True) copies elements of
// a buffer into a new array, all of them by default. With keep=False the copy is recorded
// and its elements are not looked at: the result is None.
func (r *run) gpuRead(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var b *buffer
	var start int
	var count starlark.Value = starlark.None
	var o order
	keep := true
	if err := unpack(args, kwargs, "buffer", &b, "start?", &start, "count?", &count, "stream?", &o.stream, "after?", &o.after, "keep?", &keep); err != nil {
		return nil, err
	}
	e, err := o.event()
	if err != nil {
		return nil, err
	}
	shape := b.shape
	if count != starlark.None || start != 0 {
		n := b.elements() - start
		if count != starlark.None {
			if n, err = starlark.AsInt32(count); err != nil {
				return nil, fmt.Errorf("count: %w", err)
			}
		}
		shape = []int{n}
	}
	return r.copyToHost(b, start, shape, keep, e)
}

func (r *run) copyToHost(b *buffer, start int, shape []int, keep bool, e trace.HostEvent) (starlark.Value, error) {
	n, err := array.Elements(shape)
	if err != nil {
		return nil, err
	}
	address, err := b.part(start, n)
	if err != nil {
		return nil, err
	}
	e.Kind = trace.EventCopyToHost
	if !keep {
		_, err := r.recordCopy(b, address, uint64(n)*uint64(b.typ.Bytes()), e)
		return starlark.None, err
	}
	if err := r.wholeResults(b); err != nil {
		return nil, err
	}
	out, err := array.New(r.space, b.typ, shape...)
	if err != nil {
		return nil, err
	}
	if err := out.FillBytes(func(dst []byte) error { return r.device.Read(address, dst) }); err != nil {
		return nil, err
	}
	if _, err := r.recordCopy(b, address, out.ByteSize(), e); err != nil {
		return nil, err
	}
	return out, nil
}

// gpu.fill(buffer, byte, stream=0, after=[]) sets every byte of a buffer.
func (r *run) gpuFill(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var b *buffer
	var value uint8
	var o order
	if err := unpack(args, kwargs, "buffer", &b, "byte", &value, "stream?", &o.stream, "after?", &o.after); err != nil {
		return nil, err
	}
	e, err := o.event()
	if err != nil {
		return nil, err
	}
	if err := b.usable(); err != nil {
		return nil, err
	}
	if err := r.device.Fill(b.address, value, b.bytes()); err != nil {
		return nil, err
	}
	e.Kind, e.Name, e.Address, e.Bytes = trace.EventFill, b.name, b.address, b.bytes()
	return r.record(e)
}
