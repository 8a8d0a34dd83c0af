// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// imageFunction is one of OpenCL C's image functions (OpenCL C 1.2, 6.12.14),
// which clang leaves external under their mangled names:
// _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f. An image is a texture's
// handle, a sampler the number of its initialiser (CLK_...).
type imageFunction struct {
	name       string // "read_imagef"
	dimensions int    // of a layer
	layered    bool
	sampler    bool
	// coordinates is the number of elements of that argument; of three
	// dimensions there are four.
	coordinates int
	float       bool // coordinates are .f32
}

// imageName takes a mangled name apart: the function, the image's kind, whether
// there is a sampler, and the coordinates' vector length and type. What follows is
// the value that write_image takes.
var imageName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^_Z\d+(read_image(?:f|i|ui)|write_image(?:f|i|ui)|get_image_(?:width|height|depth|channel_data_type|channel_order|dim|array_size))` +
		`\d+ocl_image(1d_buffer|1d_array|2d_array|1d|2d|3d)_(?:ro|wo|rw)(11ocl_sampler)?(?:Dv(\d)_)?([if])?`)
})

// imageFunctionNamed finds the image function of a name; nil for other names.
func imageFunctionNamed(name string) *imageFunction {
	m := imageName().FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	f := &imageFunction{name: m[1], layered: strings.HasSuffix(m[2], "_array"), dimensions: int(m[2][0] - '0'), sampler: m[3] != "", float: m[5] == "f", coordinates: 1}
	if m[4] != "" {
		f.coordinates = int(m[4][0] - '0')
	}
	if m[5] == "" {
		f.coordinates = 0
	}
	wanted := f.dimensions
	if f.layered {
		wanted++
	}
	if query := strings.HasPrefix(f.name, "get_"); query != (f.coordinates == 0) || !query && f.coordinates < wanted {
		return nil
	}
	return f
}

// argumentBytes are the sizes of the arguments; an image and a sampler have the
// size of an address, which is 0 here.
func (f *imageFunction) argumentBytes() []int {
	sizes := []int{0}
	if f.sampler {
		sizes = append(sizes, 0)
	}
	if f.coordinates > 0 {
		sizes = append(sizes, 4*f.coordinates)
	}
	if strings.HasPrefix(f.name, "write_") {
		sizes = append(sizes, 16)
	}
	return sizes
}

func (f *imageFunction) resultBytes() int {
	switch {
	case strings.HasPrefix(f.name, "write_"):
		return 0
	case strings.HasPrefix(f.name, "read_"), f.name == "get_image_dim" && f.dimensions == 3:
		return 16
	case f.name == "get_image_dim", f.name == "get_image_array_size": // int2, size_t
		return 8
	}
	return 4
}

// fits says what is wrong with a call's arguments or results; nil when nothing is.
func (f *imageFunction) fits(k *callOperation) error {
	sizes, results := f.argumentBytes(), 0
	if f.resultBytes() > 0 {
		results = 1
	}
	if len(k.arguments) != len(sizes) || len(k.results) != results {
		return fmt.Errorf("function %s takes %d arguments and gives %d results, not %d and %d", f.name, len(sizes), results, len(k.arguments), len(k.results))
	}
	for i, p := range k.arguments {
		if want := sizes[i]; want != 0 && p.bytes != want || want == 0 && p.bytes != 4 && p.bytes != 8 {
			return fmt.Errorf("argument %d of function %s has %d bytes", i+1, f.name, p.bytes)
		}
	}
	if results == 1 && k.results[0].kind != passNothing && k.results[0].bytes != f.resultBytes() {
		return fmt.Errorf("the result of function %s has %d bytes, not %d", f.name, k.results[0].bytes, f.resultBytes())
	}
	return nil
}

// callImage executes an image function for the lanes in mask, ascending.
func (c *warpContext) callImage(k *callOperation, f *imageFunction, frame uint64, mask uint32) error {
	for m := mask; m != 0; m &= m - 1 {
		lane := lanes.FirstLane(m)
		var arguments [4][16]byte
		for i := range k.arguments {
			c.placeBytes(&k.arguments[i], frame, lane, arguments[i][:])
		}
		result, err := f.run(c, lane, &arguments)
		if err != nil {
			return err
		}
		if len(k.results) > 0 {
			c.setPlaceBytes(&k.results[0], frame, lane, result[:f.resultBytes()])
		}
	}
	return nil
}

// placeBytes reads what a call passes, of any size, and setPlaceBytes writes it.
func (c *warpContext) placeBytes(p *passPlace, frame uint64, lane int, b []byte) {
	if p.kind == passMemory {
		copy(b, c.frameBytes(lane, frame+p.offset, min(p.bytes, len(b))))
		return
	}
	binary.LittleEndian.PutUint64(b, c.readPlace(p, frame, lane))
}

func (c *warpContext) setPlaceBytes(p *passPlace, frame uint64, lane int, b []byte) {
	if p.kind == passMemory {
		copy(c.frameBytes(lane, frame+p.offset, min(p.bytes, len(b))), b)
		c.dirty = true
		return
	}
	var raw [8]byte
	copy(raw[:], b)
	c.writePlace(p, frame, lane, binary.LittleEndian.Uint64(raw[:]))
}

// run executes the function for one lane.
func (f *imageFunction) run(c *warpContext, lane int, arguments *[4][16]byte) ([16]byte, error) {
	var result [16]byte
	handle := binary.LittleEndian.Uint64(arguments[0][:])
	t := c.launch.Memory.Texture(handle)
	if err := f.fault(t, handle, lane); err != nil {
		return result, err
	}
	next := 1
	sampler := uint64(samplerNone)
	if f.sampler {
		sampler, next = binary.LittleEndian.Uint64(arguments[1][:]), 2
	}
	var v memory.Texel
	switch {
	case f.coordinates == 0:
		v = f.query(t)
	case strings.HasPrefix(f.name, "write_"):
		value := &arguments[next+1]
		for i := range v {
			v[i] = binary.LittleEndian.Uint32(value[4*i:])
		}
		return result, f.write(t, f.raw(&arguments[next]), v, lane)
	default:
		view, err := f.view(t, sampler, lane)
		if err != nil {
			return result, err
		}
		v = f.read(&view, f.raw(&arguments[next]))
	}
	for i, word := range v {
		binary.LittleEndian.PutUint32(result[4*i:], word)
	}
	return result, nil
}

// raw are the bits of the coordinates, the layer in the last one.
func (f *imageFunction) raw(b *[16]byte) (raw [3]uint32) {
	for i := range f.dimensions {
		raw[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if f.layered {
		raw[2] = binary.LittleEndian.Uint32(b[4*f.dimensions:])
	}
	return raw
}

// The bits of a sampler: coordinates are normalised, address mode, filter (OpenCL
// headers, CLK_...). Without a sampler coordinates are integers inside.
const (
	samplerNormalized  = 0x01
	samplerAddressMask = 0x0e
	samplerLinear      = 0x20
	samplerFilterMask  = 0x30
	samplerNone        = 0x10
)

// samplerModes are the address modes: none, clamp to edge, clamp, repeat, mirrored
// repeat. Without a mode nothing may lie outside; there the edge is as good.
var samplerModes = map[uint64]memory.AddressMode{0: memory.AddressClamp, 2: memory.AddressClamp, 4: memory.AddressBorder, 6: memory.AddressWrap, 8: memory.AddressMirror}

// view is the texture with the sampler's settings.
func (f *imageFunction) view(t *memory.BoundTexture, sampler uint64, lane int) (memory.BoundTexture, error) {
	view := *t
	mode, known := samplerModes[sampler&samplerAddressMask]
	view.Mode, view.Normalized, view.Linear = mode, sampler&samplerNormalized != 0, sampler&samplerFilterMask == samplerLinear && f.name == "read_imagef" && f.float
	detail := ""
	switch {
	case !known || sampler>>6 != 0 || sampler&samplerFilterMask == samplerFilterMask:
		detail = fmt.Sprintf("0x%x is no sampler; the host program passes the sum of the CLK_ numbers", sampler)
	case (mode == memory.AddressWrap || mode == memory.AddressMirror) && !view.Normalized:
		detail = fmt.Sprintf("sampler 0x%x repeats an image without normalised coordinates", sampler)
	case view.Normalized && !f.float:
		detail = fmt.Sprintf("sampler 0x%x has normalised coordinates, those of the call are integers", sampler)
	default:
		return view, nil
	}
	return view, &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultTexture, Space: ptx.SpaceTexture, Detail: detail}}
}

// read samples the image.
func (f *imageFunction) read(t *memory.BoundTexture, raw [3]uint32) memory.Texel {
	float := f.name == "read_imagef"
	var places [3]memory.Coordinate
	sides := t.Sides()
	for d := range f.dimensions {
		places[d] = memory.Coordinate{At: int(memory.Bounded(float64(int32(raw[d]))))}
		if f.float {
			places[d] = t.Locate(math.Float32frombits(raw[d]), sides[d])
		}
	}
	if f.layered { // the nearest layer
		layer := float64(int32(raw[2]))
		if f.float {
			layer = math.RoundToEven(float64(math.Float32frombits(raw[2])))
		}
		places[2] = memory.Coordinate{At: int(memory.Bounded(layer))}
	}
	var v memory.Texel
	if t.Linear {
		v, _ = t.Interpolate(places)
	} else {
		v, _ = t.At([3]int{places[0].At, places[1].At, places[2].At}, float)
	}
	if t.Channels < 4 { // also of the border
		if v[3] = 1; float {
			v[3] = math.Float32bits(1)
		}
	}
	return v
}

// write stores a texel; integers are limited to what the image's type holds, and
// normalised numbers rounded to nearest (OpenCL 1.2, 8.3).
func (f *imageFunction) write(t *memory.BoundTexture, raw [3]uint32, v memory.Texel, lane int) error {
	var place [3]int
	for d, n := range t.Sides() {
		place[d] = int(int32(raw[d]))
		if place[d] < 0 || place[d] >= n {
			return &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Space: ptx.SpaceGlobal,
				Detail: fmt.Sprintf("%s at (%d, %d, %d) of image %s of %d x %d x %d texels", f.name, int32(raw[0]), int32(raw[1]), int32(raw[2]), t.Name, t.Sides()[0], t.Sides()[1], t.Sides()[2])}}
		}
	}
	memory := t.Memory.Data[t.TexelOffset(place):]
	for i := range t.Channels {
		bits := uint64(v[i])
		switch {
		case t.Element == ptx.F32:
		case f.name == "write_imagef":
			bits = t.FromNormalized(math.Float32frombits(v[i]))
		default:
			bits = t.Channel(v[i])
		}
		lanes.StoreRaw(memory[i*t.ElementBytes:], t.ElementBytes, bits)
	}
	return nil
}

// query answers get_image_...; the channels' types and orders are OpenCL's
// numbers.
func (f *imageFunction) query(t *memory.BoundTexture) memory.Texel {
	switch f.name {
	case "get_image_width":
		return memory.Texel{uint32(t.Width)}
	case "get_image_height":
		return memory.Texel{uint32(t.Height)}
	case "get_image_depth":
		return memory.Texel{uint32(t.Depth)}
	case "get_image_channel_data_type":
		if n, ok := normalizedTypes[t.Element]; ok && t.Floats {
			return memory.Texel{n}
		}
		return memory.Texel{channelTypes[t.Element]}
	case "get_image_channel_order":
		return memory.Texel{channelOrders[t.Channels]}
	case "get_image_array_size":
		return memory.Texel{uint32(t.Layers)}
	}
	return memory.Texel{uint32(t.Width), uint32(t.Height), uint32(t.Depth)}
}

// fault says what stands against a call on t; nil when nothing does.
func (f *imageFunction) fault(t *memory.BoundTexture, handle uint64, lane int) error {
	fault := coexecution.Fault{Kind: coexecution.FaultTexture, Space: ptx.SpaceTexture}
	switch {
	case t == nil:
		return unbound(handle, lane)
	case t.Memory.Freed:
		fault.Kind, fault.Detail = coexecution.FaultUseAfterFree, fmt.Sprintf("the memory of image %s was freed", t.Name)
	case f.dimensions != t.Dimensions() || f.layered != (t.Layers > 0):
		fault.Detail = fmt.Sprintf("%s of %d dimensions (layers: %t) on image %s, which has %d and %d layers", f.name, f.dimensions, f.layered, t.Name, t.Dimensions(), t.Layers)
	case f.coordinates > 0 && !f.suits(t.Element):
		fault.Detail = fmt.Sprintf("%s on image %s of .%s", f.name, t.Name, t.Element)
	default:
		return nil
	}
	return &laneFault{lane: lane, fault: fault}
}

// suits reports whether the function is for images of the type: f for numbers and
// normalised integers, i for signed and ui for unsigned integers.
func (f *imageFunction) suits(t ptx.Type) bool {
	switch {
	case strings.HasSuffix(f.name, "ui"):
		return t.Unsigned() || t.Untyped()
	case strings.HasSuffix(f.name, "f"):
		return t == ptx.F32 || t.Bits() < 32
	}
	return t.Signed()
}
