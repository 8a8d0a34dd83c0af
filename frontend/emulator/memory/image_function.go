// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/warptape/warptape/frontend/ptx"
)

// ImageFunction is one of OpenCL C's image functions (OpenCL C 1.2, 6.12.14),
// which clang leaves external under their mangled names:
// _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f. An image is a texture's
// handle, a sampler the number of its initialiser (CLK_...).
type ImageFunction struct {
	Name       string // "read_imagef"
	Dimensions int    // of a layer
	Layered    bool
	Sampler    bool
	// Coordinates is the number of elements of that argument; of three
	// dimensions there are four.
	Coordinates int
	Float       bool // coordinates are .f32
}

// imageName takes a mangled name apart: the function, the image's kind, whether
// there is a sampler, and the coordinates' vector length and type. What follows is
// the value that write_image takes.
var imageName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^_Z\d+(read_image(?:f|i|ui)|write_image(?:f|i|ui)|get_image_(?:width|height|depth|channel_data_type|channel_order|dim|array_size))` +
		`\d+ocl_image(1d_buffer|1d_array|2d_array|1d|2d|3d)_(?:ro|wo|rw)(11ocl_sampler)?(?:Dv(\d)_)?([if])?`)
})

// ImageFunctionNamed finds the image function of a name; nil for other names.
func ImageFunctionNamed(name string) *ImageFunction {
	m := imageName().FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	f := &ImageFunction{Name: m[1], Layered: strings.HasSuffix(m[2], "_array"), Dimensions: int(m[2][0] - '0'), Sampler: m[3] != "", Float: m[5] == "f", Coordinates: 1}
	if m[4] != "" {
		f.Coordinates = int(m[4][0] - '0')
	}
	if m[5] == "" {
		f.Coordinates = 0
	}
	wanted := f.Dimensions
	if f.Layered {
		wanted++
	}
	if query := strings.HasPrefix(f.Name, "get_"); query != (f.Coordinates == 0) || !query && f.Coordinates < wanted {
		return nil
	}
	return f
}

// Writes reports whether the function stores a texel.
func (f *ImageFunction) Writes() bool { return strings.HasPrefix(f.Name, "write_") }

// ArgumentBytes are the sizes of the arguments; an image and a sampler have the
// size of an address, which is 0 here.
func (f *ImageFunction) ArgumentBytes() []int {
	sizes := []int{0}
	if f.Sampler {
		sizes = append(sizes, 0)
	}
	if f.Coordinates > 0 {
		sizes = append(sizes, 4*f.Coordinates)
	}
	if f.Writes() {
		sizes = append(sizes, 16)
	}
	return sizes
}

// ResultBytes is the size of the result, zero without one.
func (f *ImageFunction) ResultBytes() int {
	switch {
	case f.Writes():
		return 0
	case strings.HasPrefix(f.Name, "read_"), f.Name == "get_image_dim" && f.Dimensions == 3:
		return 16
	case f.Name == "get_image_dim", f.Name == "get_image_array_size": // int2, size_t
		return 8
	}
	return 4
}

// Raw are the bits of the coordinates, the layer in the last one.
func (f *ImageFunction) Raw(b *[16]byte) (raw [3]uint32) {
	for i := range f.Dimensions {
		raw[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if f.Layered {
		raw[2] = binary.LittleEndian.Uint32(b[4*f.Dimensions:])
	}
	return raw
}

// The bits of a sampler: coordinates are normalised, address mode, filter (OpenCL
// headers, CLK_...). Without a sampler coordinates are integers inside.
const (
	SamplerNormalized  = 0x01
	SamplerAddressMask = 0x0e
	SamplerLinear      = 0x20
	SamplerFilterMask  = 0x30
	SamplerNone        = 0x10
	samplerBits        = 6
)

// samplerModes are the address modes: none, clamp to edge, clamp, repeat, mirrored
// repeat. Without a mode nothing may lie outside; there the edge is as good.
var samplerModes = map[uint64]AddressMode{0: AddressClamp, 2: AddressClamp, 4: AddressBorder, 6: AddressWrap, 8: AddressMirror}

// SamplerMode is a sampler's address mode.
func (f *ImageFunction) SamplerMode(sampler uint64) AddressMode {
	return samplerModes[sampler&SamplerAddressMask]
}

// Filters reports whether the function filters between texels with a sampler.
func (f *ImageFunction) Filters(sampler uint64) bool {
	return f.CanFilter() && sampler&SamplerFilterMask == SamplerLinear
}

// CanFilter reports whether it does so with some sampler.
func (f *ImageFunction) CanFilter() bool { return f.Name == "read_imagef" && f.Float }

// SamplerAgainst says what stands against a sampler; empty when nothing does.
func (f *ImageFunction) SamplerAgainst(sampler uint64) string {
	mode, known := samplerModes[sampler&SamplerAddressMask]
	switch normalized := sampler&SamplerNormalized != 0; {
	case !known || sampler>>samplerBits != 0 || sampler&SamplerFilterMask == SamplerFilterMask:
		return fmt.Sprintf("0x%x is no sampler; the host program passes the sum of the CLK_ numbers", sampler)
	case (mode == AddressWrap || mode == AddressMirror) && !normalized:
		return fmt.Sprintf("sampler 0x%x repeats an image without normalised coordinates", sampler)
	case normalized && !f.Float:
		return fmt.Sprintf("sampler 0x%x has normalised coordinates, those of the call are integers", sampler)
	}
	return ""
}

// Against says what stands against a call on an image; empty when nothing does.
func (f *ImageFunction) Against(t *BoundTexture) string {
	switch {
	case f.Dimensions != t.Dimensions() || f.Layered != (t.Layers > 0):
		return fmt.Sprintf("%s of %d dimensions (layers: %t) on image %s, which has %d and %d layers", f.Name, f.Dimensions, f.Layered, t.Name, t.Dimensions(), t.Layers)
	case f.Coordinates > 0 && !f.Suits(t.Element):
		return fmt.Sprintf("%s on image %s of .%s", f.Name, t.Name, t.Element)
	}
	return ""
}

// Suits reports whether the function is for images of the type: f for numbers and
// normalised integers, i for signed and ui for unsigned integers.
func (f *ImageFunction) Suits(t ptx.Type) bool {
	switch {
	case strings.HasSuffix(f.Name, "ui"):
		return t.Unsigned() || t.Untyped()
	case strings.HasSuffix(f.Name, "f"):
		return t == ptx.F32 || t.Bits() < 32
	}
	return t.Signed()
}

// Place is where a function writes, and what stands against it.
func (f *ImageFunction) Place(t *BoundTexture, raw [3]uint32) (place [3]int, why string) {
	sides := t.Sides()
	for d, n := range sides {
		place[d] = int(int32(raw[d]))
		if place[d] < 0 || place[d] >= n {
			return place, fmt.Sprintf("%s at (%d, %d, %d) of image %s of %d x %d x %d texels", f.Name, int32(raw[0]), int32(raw[1]), int32(raw[2]), t.Name, sides[0], sides[1], sides[2])
		}
	}
	return place, ""
}

// ChannelTypes are the OpenCL numbers of elements.
var (
	ChannelTypes = map[ptx.Type]uint32{
		ptx.S8: 0x10d7, ptx.S16: 0x10d8, ptx.S32: 0x10d9,
		ptx.U8: 0x10da, ptx.U16: 0x10db, ptx.U32: 0x10dc, ptx.B8: 0x10da, ptx.B16: 0x10db, ptx.B32: 0x10dc,
		ptx.F16: 0x10dd, ptx.F32: 0x10de,
	}
	// channelOrders are those of one, two and four channels (CL_R, CL_RG, CL_RGBA).
	channelOrders = map[int]uint32{1: 0x10b0, 2: 0x10b2, 4: 0x10b5}
	// normalizedTypes are those of integers that are read as numbers.
	normalizedTypes = map[ptx.Type]uint32{ptx.S8: 0x10d0, ptx.S16: 0x10d1, ptx.U8: 0x10d2, ptx.U16: 0x10d3}
)

// channelOrderBGRA is CL_BGRA.
const channelOrderBGRA = 0x10b6

// ImageOrder is the OpenCL number of the order of an image's channels.
func (t *BoundTexture) ImageOrder() uint32 {
	if t.BGRA {
		return channelOrderBGRA
	}
	return channelOrders[t.Channels]
}

// ImageType is the OpenCL number of an image's elements.
func (t *BoundTexture) ImageType() uint32 {
	if n, ok := normalizedTypes[t.Element]; ok && t.Floats {
		return n
	}
	return ChannelTypes[t.Element]
}
