// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/ptx"
	"go.starlark.net/starlark"
)

// tensorTypes are the element types of tensor maps by the buffer's.
var tensorTypes = map[array.Type]ptx.Type{
	array.U8: ptx.U8, array.I8: ptx.U8, array.U16: ptx.U16, array.I16: ptx.U16, array.U32: ptx.U32, array.I32: ptx.S32,
	array.U64: ptx.U64, array.I64: ptx.S64, array.F32: ptx.F32, array.F64: ptx.F64,
}

// tensorElements are those that a program names because no array has them, or
// because their sign counts.
var tensorElements = map[string]memory.TensorElement{
	"u8": {Type: ptx.U8}, "u16": {Type: ptx.U16}, "u32": {Type: ptx.U32}, "s32": {Type: ptx.S32}, "u64": {Type: ptx.U64}, "s64": {Type: ptx.S64},
	"f16": {Type: ptx.F16}, "bf16": {Type: ptx.BF16}, "f32": {Type: ptx.F32}, "f64": {Type: ptx.F64}, "tf32": {Type: ptx.TF32},
	"f32.ftz": {Type: ptx.F32, Flush: true}, "tf32.ftz": {Type: ptx.TF32, Flush: true},
}

// gpu.tensor_map(buffer, box=None, shape=None, strides=None, element_strides=None,
// element=None, swizzle=0, interleave="none", fill="zero", offset=0, lower=None,
// upper=None, channels=0, pixels=0) is the bytes of a tensor map. A kernel takes
// them as a parameter of 128 bytes. Lists have the outermost dimension first, as
// shapes do. channels and pixels make it one for im2col mode, with the corners of
// the bounding box.
func (r *run) gpuTensorMap(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var b *buffer
	var box, shape, strides, elementStrides, lower, upper starlark.Value
	var offset uint64
	var channels, pixels uint32
	element, interleave, fill := "", "none", "zero"
	m := memory.TensorMap{}
	if err := unpack(args, kwargs, "buffer", &b, "box?", &box, "shape?", &shape, "strides?", &strides, "element_strides?", &elementStrides,
		"element?", &element, "swizzle?", &m.Swizzle, "interleave?", &interleave, "fill?", &fill, "offset?", &offset,
		"lower?", &lower, "upper?", &upper, "channels?", &channels, "pixels?", &pixels); err != nil {
		return nil, err
	}
	if err := b.usable(); err != nil {
		return nil, err
	}
	var err error
	if m.Element, err = tensorElement(b, element); err != nil {
		return nil, err
	}
	if m.FillNaN = fill == "nan"; !m.FillNaN && fill != "zero" {
		return nil, fmt.Errorf(`fill %q is neither "zero" nor "nan"`, fill)
	}
	if interleave != "none" {
		return nil, fmt.Errorf(`interleave %q: only "none" is supported; lay the slices of channels out as a dimension of their own`, interleave)
	}
	m.Address = b.address + offset
	if err := setTensorSize(&m, b, shape, strides, elementStrides); err != nil {
		return nil, err
	}
	switch {
	case channels != 0 || pixels != 0:
		m.Im2col = &memory.Im2col{Channels: channels, Pixels: pixels}
		m.Im2col.Lower, err = outermostFirst[int](lower, "lower", make([]int, max(len(m.Sizes)-2, 0)))
		if err == nil {
			m.Im2col.Upper, err = outermostFirst[int](upper, "upper", make([]int, max(len(m.Sizes)-2, 0)))
		}
	default:
		m.Box, err = outermostFirst[uint32](box, "box", nil)
	}
	if err != nil {
		return nil, err
	}
	encoded, err := m.Encode()
	return starlark.Bytes(encoded), err
}

// tensorElement is the named element type, or that of a buffer.
func tensorElement(b *buffer, name string) (memory.TensorElement, error) {
	typ, ok := tensorTypes[b.typ]
	t := memory.TensorElement{Type: typ}
	if name != "" {
		t, ok = tensorElements[name]
	}
	if !ok {
		return t, fmt.Errorf("element %q of %s: a tensor map has u8, u16, u32, s32, u64, s64, f16, bf16, f32, f32.ftz, tf32, tf32.ftz or f64", name, b)
	}
	return t, nil
}

// setTensorSize sets sizes and strides: those of the buffer's shape where nothing else
// is said.
func setTensorSize(m *memory.TensorMap, b *buffer, shape, strides, elementStrides starlark.Value) error {
	sizes := make([]uint64, len(b.shape))
	for i, n := range b.shape {
		sizes[len(sizes)-1-i] = uint64(n)
	}
	var err error
	if m.Sizes, err = outermostFirst(shape, "shape", sizes); err != nil {
		return err
	}
	if len(m.Sizes) == 0 || len(m.Sizes) > 5 {
		return fmt.Errorf("a tensor of %d dimensions; 1 to 5 are possible", len(m.Sizes))
	}
	dense := make([]uint64, len(m.Sizes)-1)
	bytes := uint64(m.Element.Type.Bytes())
	for i := range dense {
		bytes *= m.Sizes[i]
		dense[i] = bytes
	}
	if m.Strides, err = outermostFirst(strides, "strides", dense); err != nil {
		return err
	}
	ones := slices.Repeat([]uint32{1}, len(m.Sizes))
	m.ElementStrides, err = outermostFirst(elementStrides, "element_strides", ones)
	return err
}

// outermostFirst reads a list of numbers and turns it round; without one it gives
// what else holds.
func outermostFirst[T int | uint32 | uint64](v starlark.Value, name string, otherwise []T) ([]T, error) {
	if v == nil || v == starlark.None {
		if otherwise == nil {
			return nil, fmt.Errorf("%s is missing", name)
		}
		return otherwise, nil
	}
	list, ok := v.(starlark.Sequence)
	if !ok || list.Len() > 8 {
		return nil, errors.New(name + " is a list of up to five numbers, the outermost first")
	}
	var numbers []T
	it := list.Iterate()
	defer it.Done()
	for x := starlark.Value(nil); it.Next(&x); {
		var n T
		if err := starlark.AsInt(x, &n); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		numbers = append(numbers, n)
	}
	slices.Reverse(numbers)
	return numbers, nil
}
