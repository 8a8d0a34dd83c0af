// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"math"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/frontend/ptx"
)

// elements are the types of texels by cudaChannelFormatKind and bits.
var elements = map[[2]uint32]ptx.Type{
	{0, 8}: ptx.S8, {0, 16}: ptx.S16, {0, 32}: ptx.S32,
	{1, 8}: ptx.U8, {1, 16}: ptx.U16, {1, 32}: ptx.U32,
	{2, 16}: ptx.F16, {2, 32}: ptx.F32,
}

// modes are the address modes by cudaTextureAddressMode.
var modes = []memory.AddressMode{memory.AddressWrap, memory.AddressClamp, memory.AddressMirror, memory.AddressBorder}

// texture makes a texture.
func (s *session) texture(q *wire.Texture) ([]byte, error) {
	element, ok := elements[[2]uint32{q.Format, q.Bits}]
	if !ok || max(q.Modes[0], q.Modes[1], q.Modes[2]) >= uint32(len(modes)) || q.Pitch > math.MaxInt32 {
		return nil, refuse(errInvalidTexture, "texture %s: channels of %d bits of kind %d, address modes %d, rows of %d bytes", q.Name, q.Bits, q.Format, q.Modes, q.Pitch)
	}
	var by memory.AddressModes
	for d, m := range q.Modes {
		by[d] = modes[m]
		if !q.Normalized && (by[d] == memory.AddressWrap || by[d] == memory.AddressMirror) {
			by[d] = memory.AddressClamp // CUDA C++ Programming Guide, "Texture Memory"
		}
	}
	t := memory.Texture{
		Name: q.Name, Address: q.Address, Width: int(q.Width), Height: int(q.Height), Depth: int(q.Depth), Layers: int(q.Layers),
		Channels: int(q.Channels), Element: element, Modes: by, Pitch: int(q.Pitch), Linear: q.Linear, Normalized: q.Normalized,
		Floats: q.Floats && !element.Float(), BGRA: q.BGRA,
	}
	handle, err := s.device.CreateTexture(t)
	if err != nil {
		return nil, refuse(errInvalidTexture, "%w", err)
	}
	return wire.AppendNumbers(nil, handle), nil
}

// bind makes a reference of a module stand for a texture.
func (s *session) bind(q *wire.Bind) error {
	m, err := s.module(q.Module)
	if err != nil {
		return err
	}
	if err := m.loaded.BindTexture(m.inText(q.Name), q.Handle); err != nil {
		return refuse(errInvalidTexture, "%w", err)
	}
	return nil
}
