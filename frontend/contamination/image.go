// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// OpenCL's image functions are external in what clang makes, and no driver has them. An image of
// a recording is a part of global memory. So the text gets each of these functions, which read
// and write its texels there as the interpreter does. The host tells in a table what images there
// are. What stands against a call is left in the table's head, and the host says it.

// The places of the table's fields in bytes. Its head is what the first wrong call leaves.
const (
	ImagesWrong    = 0  // u32: 1 where a call was wrong
	ImagesFunction = 4  // u32: the number of its function (ptx.Function)
	ImagesHandle   = 8  // u64
	ImagesSampler  = 16 // u64
	ImagesAt       = 24 // 3 u32: the coordinates
	ImagesCount    = 36 // u32: rows, that of handle 0 as well
	ImagesHead     = 64
)

// The fields of an image's row, whose place is that of its handle. A row of zeros is no image.
const (
	ImageAddress = 0  // u64: the first texel
	ImageSides   = 8  // 3 u32: texels along the dimensions, the layers last
	ImageHeight  = 20 // u32: as queries give it
	ImageDepth   = 24 // u32
	ImageLayers  = 28 // u32
	ImageChans   = 32 // u32
	ImageElement = 36 // u32: bytes of a channel
	ImageFlags   = 40 // u32: see ImageSigned
	ImageShape   = 44 // u32: see ImageShapeOf
	ImageSuits   = 48 // u32: bits of the functions' types: f, i, ui
	ImageType    = 52 // u32: as queries give it
	ImageOrder   = 56 // u32
	ImageTexel   = 60 // u32: bytes of a texel
	ImageRow     = 64
)

// What the channels of an image are.
const (
	ImageSigned = 1 << iota // signed integers
	ImageHalf               // .f16
	ImageBGRA               // in that order
)

// ImageShapeOf is a number of an image's dimensions and layers; never zero.
func ImageShapeOf(dimensions int, layered bool) uint32 {
	if layered {
		return uint32(dimensions) | 4
	}
	return uint32(dimensions)
}

// samplerInitializer makes a sampler of its number.
const samplerInitializer = "__translate_sampler_initializer"

// imaging reports whether a function is one of OpenCL's images or samplers, which the text gets.
func imaging(f *ptx.Function) bool {
	return !f.Defined && (f.Name == samplerInitializer || memory.ImageFunctionNamed(f.Name) != nil)
}

// Images reports whether a kernel calls image functions.
func Images(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool {
		return slices.ContainsFunc(in.Callees(k.PTX.Module), func(f *ptx.Function) bool { return imaging(f) && f.Name != samplerInitializer })
	})
}

// Provides reports whether contaminated text gets a function that a kernel calls.
func Provides(f *ptx.Function) bool { return allocator(f) || imaging(f) }

// unfit says why an image function is not one that the text can get; empty if it is.
func unfit(f *ptx.Function) string {
	sizes, result := []int{4}, -1 // of the initialiser
	if image := memory.ImageFunctionNamed(f.Name); image != nil {
		sizes, result = image.ArgumentBytes(), image.ResultBytes()
	} else if len(f.Returns) == 1 && f.Returns[0].Variable != nil && f.Returns[0].Variable.Bytes == 8 {
		result = 8
	}
	ok := len(f.Params) == len(sizes) && len(f.Returns) == min(max(result, 0), 1) && result >= 0
	for i, p := range f.Params {
		ok = ok && p.Variable != nil && (int(p.Variable.Bytes) == sizes[i] || sizes[i] == 0 && (p.Variable.Bytes == 4 || p.Variable.Bytes == 8))
	}
	for _, r := range f.Returns {
		ok = ok && r.Variable != nil && int(r.Variable.Bytes) == result
	}
	if ok {
		return ""
	}
	return "function " + f.Name + " is declared otherwise than clang declares it; declare its parameters and result in .param, of OpenCL C's sizes"
}

// declareImages puts the functions in the place of their declarations.
func (r *rewriter) declareImages(k *contaminator.Kernel) {
	for i := range k.PTX.Body {
		for _, f := range k.PTX.Body[i].Callees(k.PTX.Module) {
			if !imaging(f) || r.imaging[f.Name] {
				continue
			}
			r.imaging[f.Name] = true
			w := &imageWriter{ImageFunction: memory.ImageFunctionNamed(f.Name), function: f, control: fmt.Sprintf("%s_control+%d", r.name(), ControlImages)}
			for n, at := range r.declarationsOf(f.Name) {
				text := "/* left out: another declaration of " + f.Name + " */"
				if n == 0 {
					text = w.write()
				}
				r.edits = append(r.edits, edit{at[0], at[1], text})
			}
		}
	}
}

// imageWriter writes the text of one function.
type imageWriter struct {
	*memory.ImageFunction // nil of the initialiser
	function              *ptx.Function
	control               string // where the table's address is
	b                     strings.Builder
	labels                int
}

func (w *imageWriter) line(format string, a ...any) {
	fmt.Fprintf(&w.b, "\t"+format+"\n", a...)
}

// place writes a label, or the first lines of the text.
func (w *imageWriter) place(format string, a ...any) { fmt.Fprintf(&w.b, format+"\n", a...) }

func (w *imageWriter) label(what string) string {
	w.labels++
	return fmt.Sprintf("%s%d", what, w.labels)
}

// typeOf declares a parameter or result.
func typeOf(v *ptx.Variable, name string) string {
	if v.Bytes > uint64(v.Type.Bytes()) {
		return fmt.Sprintf(".param .align %d .b8 %s[%d]", v.Align, name, v.Bytes)
	}
	return fmt.Sprintf(".param .b%d %s", 8*v.Bytes, name)
}

func (w *imageWriter) write() string {
	var results, params []string
	for _, r := range w.function.Returns {
		results = append(results, typeOf(r.Variable, "result"))
	}
	for i, p := range w.function.Params {
		params = append(params, typeOf(p.Variable, fmt.Sprintf("argument%d", i)))
	}
	if w.ImageFunction == nil {
		w.place("// added: a sampler is the number that it is made of")
	} else if w.Coordinates == 0 {
		w.place("// added: %s from the host's table of images", w.Name)
	} else {
		w.place("// added: %s on texels in global memory", w.Name)
	}
	head := ".func "
	if len(results) > 0 {
		head += "(" + results[0] + ") "
	}
	w.place("%s%s(%s)\n{", head, w.function.Name, strings.Join(params, ", "))
	switch {
	case w.ImageFunction == nil:
		w.line(".reg .b64 %%sampler;")
		w.line("ld.param.u32 %%sampler, [argument0];")
		w.line("st.param.b64 [result], %%sampler;")
	case w.Coordinates == 0:
		w.begin()
		w.query()
	case w.Writes():
		w.begin()
		w.store()
	default:
		w.begin()
		w.read()
	}
	w.line("ret;")
	w.place("}")
	return w.b.String()
}

// begin takes the arguments and finds the image's row, of an image for which the function is.
func (w *imageWriter) begin() {
	w.line(".reg .pred %%p, %%q, %%half;")
	w.line(".reg .b16 %%h;")
	w.line(".reg .b32 %%c<3>, %%side<3>, %%at<3>, %%v<4>, %%channels, %%element, %%flags, %%swap, %%place, %%t, %%u;")
	w.line(".reg .b64 %%images, %%row, %%image, %%sampler, %%texel, %%d, %%e;")
	w.line(".reg .f32 %%f;")
	w.line(".reg .f64 %%x, %%y, %%scale, %%low;")
	w.line("ld.param.u%d %%image, [argument0];", 8*w.function.Params[0].Variable.Bytes)
	next := 1
	if w.Sampler {
		w.line("ld.param.u%d %%sampler, [argument1];", 8*w.function.Params[1].Variable.Bytes)
		next = 2
	} else {
		w.line("mov.u64 %%sampler, %d;", memory.SamplerNone)
	}
	for d := range 3 {
		from := d
		if d == 2 && w.Layered {
			from = w.Dimensions
		}
		if w.Coordinates > 0 && (d < w.Dimensions || d == 2 && w.Layered) {
			w.line("ld.param.b32 %%c%d, [argument%d+%d];", d, next, 4*from)
		} else {
			w.line("mov.u32 %%c%d, 0;", d)
		}
	}
	if w.Writes() {
		for c := range 4 {
			w.line("ld.param.b32 %%v%d, [argument%d+%d];", c, next+1, 4*c)
		}
	}
	w.line("// the image's row, of an image for which the function is")
	w.line("ld.global.u64 %%images, [%s];", w.control)
	w.line("ld.global.u32 %%t, [%%images+%d];", ImagesCount)
	w.line("cvt.u64.u32 %%d, %%t;")
	w.line("setp.lt.u64 %%p, %%image, %%d;")
	w.line("selp.b64 %%d, %%image, 0, %%p;")
	w.line("mul.lo.u64 %%d, %%d, %d;", ImageRow)
	w.line("add.u64 %%row, %%images, %%d;")
	w.line("add.u64 %%row, %%row, %d;", ImagesHead)
	w.line("ld.global.u32 %%t, [%%row+%d];", ImageShape)
	w.line("setp.ne.u32 %%p, %%t, %d;", ImageShapeOf(w.Dimensions, w.Layered))
	w.line("@%%p bra WRONG;")
	if w.Coordinates > 0 {
		w.line("ld.global.u32 %%t, [%%row+%d];", ImageSuits)
		w.line("and.b32 %%t, %%t, %d;", SuitsBit(w.ImageFunction))
		w.line("setp.eq.u32 %%p, %%t, 0;")
		w.line("@%%p bra WRONG;")
		for d := range 3 {
			w.line("ld.global.u32 %%side%d, [%%row+%d];", d, ImageSides+4*d)
		}
		w.line("ld.global.u32 %%channels, [%%row+%d];", ImageChans)
		w.line("ld.global.u32 %%element, [%%row+%d];", ImageElement)
		w.line("ld.global.u32 %%flags, [%%row+%d];", ImageFlags)
		w.line("and.b32 %%swap, %%flags, %d;", ImageBGRA)
		w.line("shr.u32 %%swap, %%swap, 1;") // what the numbers of red and blue differ by
	}
}

// SuitsBit is the bit of ImageSuits for functions of a type.
func SuitsBit(f *memory.ImageFunction) uint32 {
	switch {
	case strings.HasSuffix(f.Name, "ui"):
		return 4
	case strings.HasSuffix(f.Name, "f"):
		return 1
	}
	return 2
}

// wrong leaves what was wrong in the table's head, the first time. The function gives zeros.
func (w *imageWriter) wrong() {
	w.place("WRONG:")
	w.line("atom.global.exch.b32 %%t, [%%images+%d], 1;", ImagesWrong)
	w.line("setp.ne.u32 %%p, %%t, 0;")
	w.line("@%%p bra ZERO;")
	w.line("mov.u32 %%t, %d;", w.function.Number)
	w.line("st.global.u32 [%%images+%d], %%t;", ImagesFunction)
	w.line("st.global.u64 [%%images+%d], %%image;", ImagesHandle)
	w.line("st.global.u64 [%%images+%d], %%sampler;", ImagesSampler)
	for d := range 3 {
		w.line("st.global.u32 [%%images+%d], %%c%d;", ImagesAt+4*d, d)
	}
	w.place("ZERO:")
}

// give writes the result's words, and the end of wrong calls, which give zeros.
func (w *imageWriter) give(words int) {
	give := func() {
		if words == 1 {
			w.line("st.param.b32 [result], %%v0;")
			return
		}
		if v := w.function.Returns[0].Variable; v.Bytes == 8 && v.Type.Bytes() == 8 {
			w.line("mov.b64 %%d, {%%v0, %%v1};")
			w.line("st.param.b64 [result], %%d;")
			return
		}
		for n := range words {
			w.line("st.param.b32 [result+%d], %%v%d;", 4*n, n)
		}
	}
	give()
	w.line("ret;")
	w.wrong()
	for n := range words {
		w.line("mov.u32 %%v%d, 0;", n)
	}
	give()
}

// query gives what is asked of the image.
func (w *imageWriter) query() {
	fields := map[string][]int{"get_image_width": {ImageSides}, "get_image_height": {ImageHeight}, "get_image_depth": {ImageDepth}, "get_image_channel_data_type": {ImageType},
		"get_image_channel_order": {ImageOrder}, "get_image_array_size": {ImageLayers}, "get_image_dim": {ImageSides, ImageHeight, ImageDepth}}[w.Name]
	words := w.ResultBytes() / 4
	for n := range words {
		if n < len(fields) {
			w.line("ld.global.u32 %%v%d, [%%row+%d];", n, fields[n])
		} else {
			w.line("mov.u32 %%v%d, 0;", n)
		}
	}
	w.give(words)
}
