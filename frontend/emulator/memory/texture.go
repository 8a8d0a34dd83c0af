// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/ptx"
)

// AddressMode says what a texture coordinate outside of the texture means
// (CUDA C++ Programming Guide, "Texture Memory").
type AddressMode uint8

// The address modes.
const (
	// AddressClamp takes the nearest texel of the edge.
	AddressClamp AddressMode = iota
	// AddressWrap repeats the texture; it needs normalised coordinates.
	AddressWrap
	// AddressBorder takes zeros.
	AddressBorder
	// AddressMirror repeats the texture, every other time mirrored; it needs
	// normalised coordinates.
	AddressMirror
)

// AddressModes has an address mode for each dimension. A texture ignores the modes of the
// dimensions that it lacks.
type AddressModes [3]AddressMode

// AllModes is one mode in all dimensions.
func AllModes(m AddressMode) AddressModes { return AddressModes{m, m, m} }

// NeedNormalized reports whether a mode repeats the texture, which is defined for normalised
// coordinates alone.
func (m AddressModes) NeedNormalized() bool {
	return slices.Contains(m[:], AddressWrap) || slices.Contains(m[:], AddressMirror)
}

// Texture describes a texture: an array of texels of one to three dimensions in global
// memory, or several layers of one or two dimensions. Rows lie behind each other. GPUs
// permute the texels of an array so that neighbours of both dimensions are close. Their
// permutation is not documented, and here there is none.
type Texture struct {
	Name    string
	Address uint64
	// Width, Height and Depth in texels; Height is zero for one dimension, Depth
	// for less than three.
	Width, Height, Depth int
	// Layers is the number of layers of an array of textures, zero for others.
	Layers int
	// Pitch is the number of bytes from one row to the next of a texture of two dimensions; zero
	// where rows have no gaps between them.
	Pitch int
	// Channels is 1, 2 or 4. Missing ones read as 0, the last as 1.
	Channels int
	// Element is the type of a channel: .f32, .f16, or an integer of 8 to 32 bits. A tex
	// gives .f16 as .f32. One with .f32 results reads integers of 8 and 16 bits as numbers
	// of 0 ... 1 or -1 ... 1.
	Element ptx.Type
	// BGRA says that four channels of 8 bits lie in that order, as OpenCL's images of CL_BGRA.
	BGRA  bool
	Modes AddressModes
	// Linear filters between texels; else the nearest below is taken.
	Linear bool
	// Normalized coordinates run from 0 to 1 over the texture, others count
	// texels. Coordinates of type .s32 always count texels, without filtering,
	// and read zeros outside.
	Normalized bool
	// Floats makes a tex with integer results give the bits of the .f32 that it would
	// have, as CUDA's textures do that are read as normalised numbers. Their fetches are
	// typed by the element.
	Floats bool
}

// maxTextureSide is the most texels of one side of a texture: that of
// one-dimensional ones on linear memory (CUDA C++ Programming Guide, technical
// specifications).
const maxTextureSide = 1 << 28

// maxTextureLayers is the most layers, and maxTextureTexels bounds all sides
// together.
const (
	MaxTextureLayers = 2048
	maxTextureTexels = 1 << 40
)

// maxTexturePitch is the most bytes from row to row (cudaDeviceProp::memPitch).
const maxTexturePitch = 1<<31 - 1

// BoundTexture is a texture of a device.
type BoundTexture struct {
	Texture
	Memory       *Allocation
	TexelBytes   int
	ElementBytes int
	Offset       uint64 // of the first texel in memory
	RowBytes     int    // from one row to the next
	flat         bool   // .f32 texels in one plane
}

// CreateTexture makes a texture of memory that is allocated already, and gives
// its handle, never zero: what kernels find in a register, and what
// Module.BindTexture takes. A texture that is impossible, or larger than the
// buffer at its address, is refused.
func (d *Memory) CreateTexture(t Texture) (handle uint64, err error) {
	if err := t.check(); err != nil {
		return 0, fmt.Errorf("texture %s: %w", t.Name, err)
	}
	texel := t.Channels * t.Element.Bytes()
	row := max(t.Pitch, t.Width*texel)
	rows := uint64(max(t.Height, 1)) * uint64(max(t.Depth, t.Layers, 1))
	bytes := (rows-1)*uint64(row) + uint64(t.Width*texel) // no gap behind the last row
	a := d.Global.Find(t.Address, bytes)
	if a == nil {
		detail, _ := d.Global.Describe(t.Address, bytes)
		return 0, fmt.Errorf("texture %s of %d bytes at 0x%x: %s", t.Name, bytes, t.Address, detail)
	}
	b := &BoundTexture{Texture: t, Memory: a, TexelBytes: texel, ElementBytes: t.Element.Bytes(), Offset: t.Address - a.Base, RowBytes: row}
	b.flat = t.Element == ptx.F32 && t.Height > 0 && t.Depth == 0 && t.Layers == 0
	d.textures = append(d.textures, b)
	return uint64(len(d.textures)), nil
}

func (t *Texture) check() error {
	switch {
	case t.Width < 1 || t.Width > maxTextureSide || t.Height < 0 || t.Height > maxTextureSide:
		return fmt.Errorf("%d x %d texels; a side has 1 to %d", t.Width, t.Height, maxTextureSide)
	case t.Depth < 0 || t.Depth > maxTextureSide || t.Depth > 0 && (t.Height == 0 || t.Layers > 0) || t.Layers < 0 || t.Layers > MaxTextureLayers:
		return fmt.Errorf("%d texels deep in %d layers; a depth needs a height and no layers; there are at most %d layers", t.Depth, t.Layers, MaxTextureLayers)
	case max(uint64(t.Width)*uint64(max(t.Height, 1)), 1) > maxTextureTexels/uint64(max(t.Depth, t.Layers, 1)):
		return fmt.Errorf("more than %d texels", maxTextureTexels)
	case t.Channels != 1 && t.Channels != 2 && t.Channels != 4:
		return fmt.Errorf("%d channels; 1, 2 or 4 are possible", t.Channels)
	case t.Element != ptx.F32 && t.Element != ptx.F16 && (t.Element.Float() || t.Element.Bits() < 8 || t.Element.Bits() > 32):
		return fmt.Errorf("elements of .%s; .f32, .f16 and integers of 8, 16 and 32 bits are possible", t.Element)
	case t.BGRA && (t.Channels != 4 || t.Element.Bits() != 8):
		return fmt.Errorf("%d channels of .%s in the order BGRA; that has four of 8 bits", t.Channels, t.Element)
	case t.Linear && t.Element.Bits() == 32 && t.Element != ptx.F32:
		return fmt.Errorf("linear filtering needs .f32, .f16, 8-bit or 16-bit elements, not .%s", t.Element)
	case t.Pitch != 0 && (t.Height == 0 || t.Depth > 0 || t.Layers > 0):
		return fmt.Errorf("a pitch of %d bytes; a texture of two dimensions without layers can have one", t.Pitch)
	case t.Pitch != 0 && (t.Pitch < t.Width*t.Channels*t.Element.Bytes() || t.Pitch%t.Element.Bytes() != 0 || t.Pitch > maxTexturePitch):
		return fmt.Errorf("a pitch of %d bytes; it is a multiple of an element's %d bytes, at least a row's %d and at most %d",
			t.Pitch, t.Element.Bytes(), t.Width*t.Channels*t.Element.Bytes(), maxTexturePitch)
	case t.Modes.NeedNormalized() && !t.Normalized:
		return fmt.Errorf("wrapping and mirroring need normalised coordinates")
	}
	return nil
}

// Texture finds a texture by its handle; nil when there is none.
func (d *Memory) Texture(handle uint64) *BoundTexture {
	if handle-1 < uint64(len(d.textures)) {
		return d.textures[handle-1]
	}
	return nil
}
