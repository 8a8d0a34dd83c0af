// SPDX-License-Identifier: Apache-2.0

package driver

// Format is the type of an array's channels (CUarray_format).
type Format uint32

// The formats.
const (
	FormatU8  Format = 0x01
	FormatU16 Format = 0x02
	FormatU32 Format = 0x03
	FormatS8  Format = 0x08
	FormatS16 Format = 0x09
	FormatS32 Format = 0x0a
	FormatF16 Format = 0x10
	FormatF32 Format = 0x20
)

// Bytes is the size of a channel.
func (f Format) Bytes() uint64 {
	switch f {
	case FormatU8, FormatS8:
		return 1
	case FormatU16, FormatS16, FormatF16:
		return 2
	}
	return 4
}

// ArrayShape says what an array is like. Height, Depth and Layers are zero where there are
// none.
type ArrayShape struct {
	Width, Height, Depth, Layers uint64 // texels
	Format                       Format
	Channels                     uint32
	// Surface and Gather say that surfaces are made of it, and that textures of it are
	// gathered from.
	Surface, Gather bool
}

// TexelBytes is the size of a texel.
func (s *ArrayShape) TexelBytes() uint64 { return uint64(s.Channels) * s.Format.Bytes() }

// Bytes is the size of all texels.
func (s *ArrayShape) Bytes() uint64 {
	return s.Width * max(s.Height, 1) * max(s.Depth, s.Layers, 1) * s.TexelBytes()
}

// flags are CUDA_ARRAY3D_*.
func (s *ArrayShape) flags() (f uint32) {
	const layered, surface, gather = 1, 2, 8
	if s.Layers > 0 {
		f |= layered
	}
	if s.Surface {
		f |= surface
	}
	if s.Gather {
		f |= gather
	}
	return f
}

// AddressMode is what a coordinate outside means (CUaddress_mode).
type AddressMode uint32

// The address modes.
const (
	AddressWrap AddressMode = iota
	AddressClamp
	AddressMirror
	AddressBorder
)

// Sampling says how a texture is read.
type Sampling struct {
	Modes [3]AddressMode // of the dimensions
	// Linear filters between texels, Normalized coordinates run from 0 to 1, and Integers
	// says that integers are not read as numbers of 0 to 1.
	Linear, Normalized, Integers bool
}
