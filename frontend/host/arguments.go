// SPDX-License-Identifier: Apache-2.0

package host

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/ptx"
	"go.starlark.net/starlark"
)

// packArguments lays the arguments of a launch out in the kernel's parameter
// space (5.1.6), checking each against its parameter. Of a buffer for a pointer to
// constants, constant memory gets a copy.
func packArguments(d *emulator.Device, k *kernel, arguments *starlark.List) ([]byte, error) {
	params := k.loaded.Params()
	if arguments.Len() != len(params) {
		return nil, fmt.Errorf("it takes %d arguments (%s), got %d", len(params), describeParams(params), arguments.Len())
	}
	var packed []byte
	constants, sizes := k.loaded.ConstantParams(), []uint64(nil)
	for i, p := range params {
		v := arguments.Index(i)
		if b, ok := v.(*buffer); ok && constants[i] {
			copied, err := constantCopy(d, b)
			if err != nil {
				return nil, fmt.Errorf("argument %d (%s): %w", i, describeParam(p), err)
			}
			v, sizes = copied, append(sizes, b.bytes())
		}
		bytes, err := argumentBytes(p, v)
		if err != nil {
			return nil, fmt.Errorf("argument %d (%s): %w", i, describeParam(p), err)
		}
		packed = append(packed, make([]byte, int(p.Offset)-len(packed))...)
		packed = append(packed, bytes...)
	}
	return packed, memory.CheckConstantBuffers(sizes)
}

// constantCopy is a buffer as a kernel finds it in constant memory. A variable of
// a module lies there itself.
func constantCopy(d *emulator.Device, b *buffer) (*buffer, error) {
	if err := b.usable(); err != nil {
		return nil, err
	}
	place := *b
	if b.address-memory.ConstWindowBase < memory.WindowBytes {
		place.address -= memory.ConstWindowBase
		return &place, nil
	}
	var err error
	place.address, err = d.ConstantCopy(b.name, b.address, b.bytes())
	return &place, err
}

func describeParams(params []*ptx.Param) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = describeParam(p)
	}
	return strings.Join(all, ", ")
}

func describeParam(p *ptx.Param) string {
	if int(p.Bytes) != p.Type.Bytes() {
		return fmt.Sprintf(".%s %s[%d]", p.Type, p.Name, int(p.Bytes)/max(1, p.Type.Bytes()))
	}
	return fmt.Sprintf(".%s %s", p.Type, p.Name)
}

// argumentBytes gives the bytes of one argument, as long as the parameter is.
func argumentBytes(p *ptx.Param, v starlark.Value) ([]byte, error) {
	switch v := v.(type) {
	case *buffer:
		return addressBytes(p, v)
	case *texture:
		if p.Type.Float() || p.Bytes != 8 && p.Bytes != 4 {
			return nil, fmt.Errorf("%s has a handle, which the parameter cannot hold", v)
		}
		return binary.LittleEndian.AppendUint64(nil, v.handle)[:p.Bytes], nil
	case *array.Array:
		return arrayBytes(p, v)
	case starlark.Bytes:
		if len(v) != int(p.Bytes) {
			return nil, fmt.Errorf("%d bytes for a parameter of %d", len(v), p.Bytes)
		}
		return []byte(v), nil
	case starlark.Int:
		return intBytes(p, v)
	case starlark.Float:
		return floatBytes(p, float64(v))
	}
	return nil, fmt.Errorf("a %s cannot be an argument: give a buffer, a texture, a number, a typed scalar such as i32(n), an array or bytes", v.Type())
}

func addressBytes(p *ptx.Param, b *buffer) ([]byte, error) {
	if err := b.usable(); err != nil {
		return nil, err
	}
	if p.Type.Float() || p.Bytes != 8 && p.Bytes != 4 || p.Bytes == 4 && b.address > math.MaxUint32 {
		return nil, fmt.Errorf("buffer %s has an address, which the parameter cannot hold", b)
	}
	return binary.LittleEndian.AppendUint64(nil, b.address)[:p.Bytes], nil
}

// arrayBytes passes a typed scalar, or a struct or array by value.
func arrayBytes(p *ptx.Param, a *array.Array) ([]byte, error) {
	if a.ByteSize() != uint64(p.Bytes) {
		return nil, fmt.Errorf("%s has %d bytes, the parameter has %d", a, a.ByteSize(), p.Bytes)
	}
	if !p.Type.Untyped() && (a.ElementType().Bytes() != p.Type.Bytes() || a.ElementType().Float() != p.Type.Float()) {
		return nil, fmt.Errorf("%s is no .%s", a, p.Type)
	}
	return a.AppendBytes(nil), nil
}

func intBytes(p *ptx.Param, v starlark.Int) ([]byte, error) {
	if p.Type.Float() {
		return nil, fmt.Errorf("%v is an int: write %v.0", v, v)
	}
	if int(p.Bytes) != p.Type.Bytes() || p.Bytes > 8 {
		return nil, fmt.Errorf("%v is a number, but the parameter has %d bytes: give bytes or an array", v, p.Bytes)
	}
	bits := 8 * uint(p.Bytes)
	if i, ok := v.Int64(); ok && i >= -1<<(bits-1) && (bits == 64 || i < 1<<bits) {
		return binary.LittleEndian.AppendUint64(nil, uint64(i))[:p.Bytes], nil
	}
	if u, ok := v.Uint64(); ok && bits == 64 {
		return binary.LittleEndian.AppendUint64(nil, u), nil
	}
	return nil, fmt.Errorf("%v does not fit into %d bits", v, bits)
}

func floatBytes(p *ptx.Param, f float64) ([]byte, error) {
	switch {
	case p.Type == ptx.F32 && p.Bytes == 4:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f))), nil
	case p.Type == ptx.F64 && p.Bytes == 8:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)), nil
	}
	return nil, fmt.Errorf("%v is a float: convert it, for instance with i32(...) or f32(...)", starlark.Float(f))
}
