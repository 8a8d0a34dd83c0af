// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/ptx"
	"go.starlark.net/starlark"
)

// texture is a texture on the device. As an argument it is its handle.
type texture struct {
	name   string
	handle uint64
	memory *buffer
}

func (t *texture) String() string        { return fmt.Sprintf("texture(%q)", t.name) }
func (t *texture) Type() string          { return "texture" }
func (t *texture) Freeze()               {}
func (t *texture) Truth() starlark.Bool  { return true }
func (t *texture) Hash() (uint32, error) { return uint32(t.handle), nil }

// Attr gives the name and the buffer that has the texels.
func (t *texture) Attr(name string) (starlark.Value, error) {
	switch name {
	case "name":
		return starlark.String(t.name), nil
	case "buffer":
		return t.memory, nil
	}
	return nil, nil
}

// AttrNames lists the attributes.
func (t *texture) AttrNames() []string { return []string{"buffer", "name"} }

// texelTypes are the element types that a channel can have.
var texelTypes = map[array.Type]ptx.Type{
	array.F32: ptx.F32, array.I8: ptx.S8, array.I16: ptx.S16, array.I32: ptx.S32, array.U8: ptx.U8, array.U16: ptx.U16, array.U32: ptx.U32,
}

var (
	filters      = map[string]bool{"point": false, "linear": true}
	addressModes = map[string]memory.AddressMode{"clamp": memory.AddressClamp, "wrap": memory.AddressWrap, "border": memory.AddressBorder, "mirror": memory.AddressMirror}
)

// gpu.texture(name, data, filter="point", address="clamp", normalized=False,
// channels=1, layered=False, stream=0) makes a texture of an array, which it copies to the
// device, or of a buffer. With more than one channel the last dimension of the
// shape is theirs; the first one of a layered texture counts its layers.
func (r *run) gpuTexture(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var data starlark.Value
	filter, address, channels := "point", "clamp", 1
	var normalized, layered bool
	var stream uint32
	if err := unpack(args, kwargs, "name", &name, "data", &data, "filter?", &filter, "address?", &address,
		"normalized?", &normalized, "channels?", &channels, "layered?", &layered, "stream?", &stream); err != nil {
		return nil, err
	}
	linear, ok := filters[filter]
	if !ok {
		return nil, fmt.Errorf(`filter %q is neither "point" nor "linear"`, filter)
	}
	mode, ok := addressModes[address]
	if !ok {
		return nil, fmt.Errorf(`address %q is none of "clamp", "wrap", "border" and "mirror"`, address)
	}
	texels, err := r.texels(name, data, stream)
	if err != nil {
		return nil, err
	}
	d := memory.Texture{Name: name, Address: texels.address, Channels: channels, Modes: memory.AllModes(mode), Linear: linear, Normalized: normalized}
	if d.Element, ok = texelTypes[texels.typ]; !ok {
		return nil, fmt.Errorf("a texture of %s: f32 and integers of 8, 16 and 32 bits are possible", texels.typ)
	}
	if err = setTextureSize(&d, texels.shape, layered); err != nil {
		return nil, err
	}
	handle, err := r.device.CreateTexture(d)
	return &texture{name: name, handle: handle, memory: texels}, err
}

// texels gives the buffer that a texture lies in.
func (r *run) texels(name string, data starlark.Value, stream uint32) (*buffer, error) {
	switch data := data.(type) {
	case *buffer:
		return data, data.usable()
	case *array.Array:
		v, err := r.gpuBuffer(starlark.Tuple{starlark.String(name), data, starlark.MakeUint(uint(stream))}, nil)
		if err != nil {
			return nil, err
		}
		return v.(*buffer), nil
	}
	return nil, fmt.Errorf("data: a texture is made of an array or a buffer, not of a %s", data.Type())
}

// setTextureSize takes the sides from a shape of (width,), (height, width) or
// (depth, height, width), with the layers before and the channels behind when
// there are several.
func setTextureSize(t *memory.Texture, shape []int, layered bool) error {
	sides := shape
	if t.Channels > 1 {
		if len(shape) == 0 || shape[len(shape)-1] != t.Channels {
			return fmt.Errorf("shape %v does not end in the %d channels", shape, t.Channels)
		}
		sides = shape[:len(shape)-1]
	}
	if layered {
		if len(sides) < 2 || sides[0] == 0 {
			return fmt.Errorf("shape %v does not begin with a number of layers", shape)
		}
		t.Layers, sides = sides[0], sides[1:]
	}
	for _, n := range sides[:max(len(sides)-1, 0)] {
		if n == 0 {
			return errors.New("a texture of no rows")
		}
	}
	switch n := len(sides); {
	case n == 1:
		t.Width = sides[0]
	case n == 2:
		t.Width, t.Height = sides[1], sides[0]
	case n == 3 && !layered:
		t.Width, t.Height, t.Depth = sides[2], sides[1], sides[0]
	default:
		return fmt.Errorf("shape %v has %d dimensions besides the channels and layers; a texture has 1 to 3, its layers 1 or 2", shape, n)
	}
	return nil
}

// gpu.bind(module, name, texture) binds a texture reference of a module.
func (r *run) gpuBind(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var m *module
	var name string
	var t *texture
	if err := unpack(args, kwargs, "module", &m, "name", &name, "texture", &t); err != nil {
		return nil, err
	}
	return starlark.None, m.loaded.BindTexture(name, t.handle)
}
