// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// imageFunction is one of OpenCL C's image functions.
type imageFunction struct{ memory.ImageFunction }

// imageFunctionNamed finds the image function of a name; nil for other names.
func imageFunctionNamed(name string) *imageFunction {
	if f := memory.ImageFunctionNamed(name); f != nil {
		return &imageFunction{*f}
	}
	return nil
}

// fits says what is wrong with a call's arguments or results; nil when nothing is.
func (f *imageFunction) fits(k *callOperation) error {
	sizes, results := f.ArgumentBytes(), 0
	if f.ResultBytes() > 0 {
		results = 1
	}
	if len(k.arguments) != len(sizes) || len(k.results) != results {
		return fmt.Errorf("function %s takes %d arguments and gives %d results, not %d and %d", f.Name, len(sizes), results, len(k.arguments), len(k.results))
	}
	for i, p := range k.arguments {
		if want := sizes[i]; want != 0 && p.bytes != want || want == 0 && p.bytes != 4 && p.bytes != 8 {
			return fmt.Errorf("argument %d of function %s has %d bytes", i+1, f.Name, p.bytes)
		}
	}
	if results == 1 && k.results[0].kind != passNothing && k.results[0].bytes != f.ResultBytes() {
		return fmt.Errorf("the result of function %s has %d bytes, not %d", f.Name, k.results[0].bytes, f.ResultBytes())
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
			c.setPlaceBytes(&k.results[0], frame, lane, result[:f.ResultBytes()])
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
	sampler := uint64(memory.SamplerNone)
	if f.Sampler {
		sampler, next = binary.LittleEndian.Uint64(arguments[1][:]), 2
	}
	var v memory.Texel
	switch {
	case f.Coordinates == 0:
		v = f.query(t)
	case strings.HasPrefix(f.Name, "write_"):
		value := &arguments[next+1]
		for i := range v {
			v[i] = binary.LittleEndian.Uint32(value[4*i:])
		}
		return result, f.write(t, f.Raw(&arguments[next]), v, lane)
	default:
		view, err := f.view(t, sampler, lane)
		if err != nil {
			return result, err
		}
		v = f.read(&view, f.Raw(&arguments[next]))
	}
	for i, word := range v {
		binary.LittleEndian.PutUint32(result[4*i:], word)
	}
	return result, nil
}

// view is the texture with the sampler's settings.
func (f *imageFunction) view(t *memory.BoundTexture, sampler uint64, lane int) (memory.BoundTexture, error) {
	view := *t
	if detail := f.SamplerAgainst(sampler); detail != "" {
		return view, &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultTexture, Space: ptx.SpaceTexture, Detail: detail}}
	}
	view.Modes, view.Normalized, view.Linear = memory.AllModes(f.SamplerMode(sampler)), sampler&memory.SamplerNormalized != 0, f.Filters(sampler)
	return view, nil
}

// read samples the image.
func (f *imageFunction) read(t *memory.BoundTexture, raw [3]uint32) memory.Texel {
	float := f.Name == "read_imagef"
	var places [3]memory.Coordinate
	sides := t.Sides()
	for d := range f.Dimensions {
		places[d] = memory.Coordinate{At: int(memory.Bounded(float64(int32(raw[d]))))}
		if f.Float {
			places[d] = t.Locate(math.Float32frombits(raw[d]), sides[d])
		}
	}
	if f.Layered { // the nearest layer
		layer := float64(int32(raw[2]))
		if f.Float {
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
	place, detail := f.Place(t, raw)
	if detail != "" {
		return &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Space: ptx.SpaceGlobal, Detail: detail}}
	}
	memory := t.Memory.Data[t.TexelOffset(place):]
	for i := range t.Channels {
		bits := uint64(v[i])
		switch {
		case t.Element == ptx.F32:
		case f.Name == "write_imagef" && t.Element != ptx.F16:
			bits = t.FromNormalized(math.Float32frombits(v[i]))
		default:
			bits = t.Channel(v[i])
		}
		lanes.StoreRaw(memory[t.ChannelAt(i)*t.ElementBytes:], t.ElementBytes, bits)
	}
	return nil
}

// query answers get_image_...; the channels' types and orders are OpenCL's
// numbers.
func (f *imageFunction) query(t *memory.BoundTexture) memory.Texel {
	switch f.Name {
	case "get_image_width":
		return memory.Texel{uint32(t.Width)}
	case "get_image_height":
		return memory.Texel{uint32(t.Height)}
	case "get_image_depth":
		return memory.Texel{uint32(t.Depth)}
	case "get_image_channel_data_type":
		return memory.Texel{t.ImageType()}
	case "get_image_channel_order":
		return memory.Texel{t.ImageOrder()}
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
	case f.Against(t) != "":
		fault.Detail = f.Against(t)
	default:
		return nil
	}
	return &laneFault{lane: lane, fault: fault}
}
