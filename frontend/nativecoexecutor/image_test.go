// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// imageCall is a call of one of OpenCL's image functions.
type imageCall struct {
	name, kind string // "read_imagef", "2d_array"
	sampler    bool
	float      bool // coordinates
}

// mangled is the function's name as clang has it, and how many coordinates it takes.
func (c imageCall) mangled() (name string, coordinates int) {
	coordinates = map[string]int{"1d": 1, "1d_buffer": 1, "2d": 2, "1d_array": 2, "3d": 4, "2d_array": 4}[c.kind]
	access := "ro"
	if strings.HasPrefix(c.name, "write") {
		access = "wo"
	}
	image := "ocl_image" + c.kind + "_" + access
	name = fmt.Sprintf("_Z%d%s%d%s", len(c.name), c.name, len(image), image)
	if strings.HasPrefix(c.name, "get") {
		return name, 0
	}
	if c.sampler {
		name += "11ocl_sampler"
	}
	if coordinates > 1 {
		name += fmt.Sprintf("Dv%d_", coordinates)
	}
	name += map[bool]string{true: "f", false: "i"}[c.float]
	switch {
	case access == "ro":
	case strings.HasSuffix(c.name, "ui"):
		name += "Dv4_j"
	case strings.HasSuffix(c.name, "f"):
		name += "Dv4_f"
	default:
		name += "Dv4_i"
	}
	return name, coordinates
}

// texts are a declaration of the function, and a call with the words of %r4 to %r7 as coordinates
// and of %r10 to %r13 as value, which take the result.
func (c imageCall) texts() (declared, call string) {
	name, n := c.mangled()
	vector := func(words int) string {
		return fmt.Sprintf(".param .align %d .b8 %%s[%d]", 4*words, 4*words)
	}
	types, words := []string{".param .b64 %s"}, [][]string{{"%d3"}}
	if c.sampler {
		types, words = append(types, ".param .b64 %s"), append(words, []string{"%d4"})
	}
	list := []string{"%r4", "%r5", "%r6", "%r7"}
	switch {
	case n == 1:
		types, words = append(types, ".param .b32 %s"), append(words, list[:1])
	case n > 1:
		types, words = append(types, vector(n)), append(words, list[:n])
	}
	result := vector(4)
	switch {
	case strings.HasPrefix(c.name, "write"):
		types, words, result = append(types, vector(4)), append(words, []string{"%r10", "%r11", "%r12", "%r13"}), ""
	case c.name == "get_image_dim" && c.kind == "3d" || n > 0:
	case c.name == "get_image_dim":
		result = vector(2)
	case c.name == "get_image_array_size":
		result = ".param .b64 %s"
	default:
		result = ".param .b32 %s"
	}
	var b strings.Builder
	var params, arguments []string
	for i, t := range types {
		params, arguments = append(params, fmt.Sprintf(t, fmt.Sprint("p", i))), append(arguments, fmt.Sprint("a", i))
		fmt.Fprintf(&b, "\t"+t+";\n", arguments[i])
		for at, w := range words[i] {
			fmt.Fprintf(&b, "\tst.param.b%s [a%d+%d], %s;\n", map[byte]string{'d': "64", 'r': "32"}[w[1]], i, 4*at, w)
		}
	}
	if result == "" {
		return fmt.Sprintf(".extern .func %s(%s);", name, strings.Join(params, ", ")), fmt.Sprintf("{\n%s\tcall %s, (%s);\n}", &b, name, strings.Join(arguments, ", "))
	}
	fmt.Fprintf(&b, "\t"+result+";\n\tcall (r), %s, (%s);\n", "r", name, strings.Join(arguments, ", "))
	switch {
	case strings.Contains(result, ".b32"):
		b.WriteString("\tld.param.b32 %r10, [r];\n")
	case strings.Contains(result, ".b64"):
		b.WriteString("\tld.param.b64 %d5, [r];\n\tcvt.u32.u64 %r10, %d5;\n")
	case strings.Contains(result, "[8]"):
		b.WriteString("\tld.param.v2.b32 {%r10, %r11}, [r];\n")
	default:
		b.WriteString("\tld.param.v4.b32 {%r10, %r11, %r12, %r13}, [r];\n")
	}
	return fmt.Sprintf(".extern .func ("+result+") %s(%s);", "r", name, strings.Join(params, ", ")), "{\n" + b.String() + "}"
}

// imaged is a kernel in which each thread reads its coordinates and a sampler's number, calls
// the functions for the same image, and stores what they give. The kernel's ways part by what
// the last one gives, so that the trace has it.
func imaged(t testing.TB, random *rand.Rand, image memory.Texture, words func() uint32, sampler uint64, calls ...imageCall) run {
	t.Helper()
	var declared, code []string
	for _, c := range calls {
		d, call := c.texts()
		if len(declared) == 0 || declared[len(declared)-1] != d {
			declared = append(declared, d)
		}
		code = append(code, call, "st.global.v4.u32 [%d2], {%r10, %r11, %r12, %r13};\nadd.u64 %d2, %d2, 16;")
	}
	text := `.version 7.0
.target sm_70
.address_size 64
` + strings.Join(declared, "\n") + `
.visible .entry imaged(.param .u64 in, .param .u64 out, .param .u64 texels, .param .u64 image, .param .u64 sampler)
{
	.reg .pred %p<3>;
	.reg .b32 %r<20>;
	.reg .b64 %d<8>;
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	ld.param.u64 %d3, [image];
	ld.param.u64 %d4, [sampler];
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %ntid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r0, %r0, %r1, %r2;
	mad.wide.u32 %d1, %r0, 16, %d1;
	mad.wide.u32 %d2, %r0, ` + fmt.Sprint(16*len(calls)) + `, %d2;
	ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1];
	mov.u32 %r10, %r4;
	mov.u32 %r11, %r5;
	mul.lo.u32 %r12, %r5, 7;
	mov.u32 %r13, 1;
	` + strings.Join(code, "\n") + `
	and.b32 %r8, %r10, 1;
	setp.ne.u32 %p1, %r8, 0;
	@%p1 bra END;
	ld.global.u32 %r9, [%d1];
END:	ret;
}
`
	m, err := ptx.Parse("imaged.ptx", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	const grid, block = 2, 40
	in := make([]byte, grid*block*16)
	for at := 0; at < len(in); at += 4 {
		binary.LittleEndian.PutUint32(in[at:], words())
	}
	image.Name = "image"
	texels := make([]byte, image.Width*max(image.Height, 1)*max(image.Depth, image.Layers, 1)*image.Channels*image.Element.Bytes())
	for at := range texels {
		texels[at] = byte(random.Uint32())
		if at&3 == 3 {
			texels[at] &= 0x3f // no infinities and NaNs among .f32
		}
	}
	return run{module: m, kernel: "imaged", grid: trace.Dim3{X: grid, Y: 1, Z: 1}, block: trace.Dim3{X: block, Y: 1, Z: 1},
		buffers: [][]byte{in, make([]byte, len(in)*len(calls)), texels}, textures: []textured{{Texture: image, buffer: samplesTexels}},
		numbers: binary.LittleEndian.AppendUint64(nil, sampler)}
}

var imageKinds = map[string]string{"1d": "1d", "1d_buffer": "1d", "2d": "2d", "1d_array": "a1d", "3d": "3d", "2d_array": "a2d"}

// suffixOf is that of the functions for a type of elements.
func suffixOf(t ptx.Type, random *rand.Rand) string {
	switch {
	case t.Float() || t.Bits() < 32 && random.IntN(2) == 0:
		return "f"
	case t.Signed():
		return "i"
	}
	return "ui"
}

// OpenCL's image functions are part of the contaminated text: images of all kinds, functions and
// samplers, with coordinates inside, outside and no numbers, as the interpreter has them.
func TestImageFunctionsAreRecordedAlike(t *testing.T) {
	straight, segments := open(t, nativecoexecutor.Options{}), open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	for _, seed := range tracetest.Seeds(t, 100, 1) {
		random := rand.New(rand.NewPCG(seed, 30))
		for kind, geometry := range imageKinds {
			image := randomTexture(random, geometry)
			image.Modes, image.Linear, image.Normalized, image.Pitch = memory.AddressModes{}, false, false, 0
			image.BGRA = image.Channels == 4 && image.Element.Bits() == 8 && random.IntN(2) == 0
			suffix := suffixOf(image.Element, random)
			read := imageCall{name: "read_image" + suffix, kind: kind, sampler: kind != "1d_buffer", float: kind != "1d_buffer" && random.IntN(3) > 0}
			sampler := []uint64{0x10, 0x12, 0x14, 0x20, 0x22, 0x24}[random.IntN(6)]
			if read.float && random.IntN(2) == 0 {
				sampler = []uint64{0x11, 0x13, 0x15, 0x17, 0x19, 0x23, 0x25, 0x27, 0x29}[random.IntN(9)]
			}
			words := func() uint32 {
				v := random.Float32()*24 - 8
				if sampler&1 != 0 {
					v /= 6
				}
				switch {
				case random.IntN(30) == 0:
					return []uint32{0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 0x7fffffff, 0xffffffff}[random.IntN(6)]
				case read.float:
					return math.Float32bits(v)
				}
				return uint32(int32(v))
			}
			queries := []string{"get_image_width", "get_image_channel_data_type", "get_image_channel_order"}
			if image.Height > 0 {
				queries = append(queries, "get_image_height", "get_image_dim")
			}
			if image.Depth > 0 {
				queries = append(queries, "get_image_depth")
			}
			if image.Layers > 0 {
				queries = append(queries, "get_image_array_size")
			}
			r := imaged(t, random, image, words, sampler, imageCall{name: queries[random.IntN(len(queries))], kind: kind}, read)
			r.compare(t, straight)
			// Writes are inside only. Threads write in ascending order.
			sides := []int{image.Width, max(image.Height, 1), max(image.Depth, image.Layers, 1)}
			n := 0
			inside := func() uint32 {
				d := n % 4
				if n++; d == 3 {
					return random.Uint32()
				} else if d == 1 && kind == "1d_array" {
					d = 2
				}
				return uint32(random.IntN(sides[d]))
			}
			write := imageCall{name: "write_image" + suffix, kind: kind}
			w := imaged(t, random, image, inside, 0x10, write)
			for at := 12; at < len(w.buffers[0]); at += 16 { // %r10 and %r11 have the value
				binary.LittleEndian.PutUint32(w.buffers[0][at:], math.Float32bits(random.Float32()*3-1))
			}
			w.compare(t, straight)
			r.grid.X, r.block.X, w.grid.X, w.block.X = 1, 4, 1, 4
			r.compare(t, segments)
			w.compare(t, segments)
			if t.Failed() {
				t.Fatalf("seed %d, %+v of %+v, sampler 0x%x", seed, read, image, sampler)
			}
		}
	}
}

// Kernels that clang made of OpenCL C: pass has the number of a buffer, or -1 less the number of an
// image.
func TestKernelsWithImagesAreRecordedAlike(t *testing.T) {
	module := parse(t, "../emulator/testdata/images/images.ptx")
	random := rand.New(rand.NewPCG(1, 1))
	numbers := make([]byte, 4*256)
	for at := 0; at < len(numbers); at += 4 {
		binary.LittleEndian.PutUint32(numbers[at:], math.Float32bits(8*random.Float32()))
	}
	float := func(x memory.Texture) memory.Texture {
		x.Name, x.Channels, x.Element = "image", 1, ptx.F32
		return x
	}
	flat := func(width, height, channels int, element ptx.Type) memory.Texture {
		return memory.Texture{Name: "image", Width: width, Height: height, Channels: channels, Element: element}
	}
	all := map[string]struct {
		images  []memory.Texture
		pass    []int
		sampler uint64
		block   trace.Dim3
	}{
		"transpose_image": {[]memory.Texture{flat(8, 4, 1, ptx.F32), flat(4, 8, 1, ptx.F32)}, []int{-1, -2}, 0, trace.Dim3{X: 8, Y: 4, Z: 1}},
		"integers": {[]memory.Texture{flat(8, 4, 4, ptx.U8), flat(8, 4, 4, ptx.S16), flat(8, 4, 4, ptx.U8), flat(8, 4, 4, ptx.S16)}, []int{-1, -2, -3, -4}, 0,
			trace.Dim3{X: 8, Y: 4, Z: 1}},
		"sample_image": {[]memory.Texture{flat(8, 4, 1, ptx.F32)}, []int{-1, -100, 1, 0}, 0x24, trace.Dim3{X: 16, Y: 1, Z: 1}},
		"fetch_kinds": {[]memory.Texture{float(memory.Texture{Width: 8, Height: 4, Depth: 3}), float(memory.Texture{Width: 8}), float(memory.Texture{Width: 8, Height: 4, Layers: 3}),
			float(memory.Texture{Width: 8, Layers: 5}), float(memory.Texture{Width: 8})}, []int{-1, -2, -3, -4, -5, 0}, 0, trace.Dim3{X: 8, Y: 1, Z: 1}},
		"queries": {[]memory.Texture{flat(6, 5, 2, ptx.U16), float(memory.Texture{Width: 4, Height: 3, Depth: 2}), float(memory.Texture{Width: 2, Height: 2, Layers: 7})}, []int{-1, -2, -3, 0}, 0,
			trace.Dim3{X: 1, Y: 1, Z: 1}},
		"to_bytes": {[]memory.Texture{flat(8, 1, 4, ptx.U8)}, []int{-1, 1}, 0, trace.Dim3{X: 8, Y: 1, Z: 1}},
	}
	for _, kernel := range tracetest.Draw(t, slices.Sorted(maps.Keys(all)), tracetest.Fewer(2, len(all))) {
		c := all[kernel]
		r := run{module: module, kernel: kernel, grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: c.block, buffers: [][]byte{make([]byte, len(numbers)), numbers}}
		for i, image := range c.images {
			r.buffers = append(r.buffers, numbers)
			r.textures = append(r.textures, textured{Texture: image, buffer: 2 + i})
		}
		r.pass = func(buffers, images []uint64) (arguments []byte) {
			for _, n := range c.pass {
				v := c.sampler
				if n >= 0 {
					v = buffers[n]
				} else if n > -100 {
					v = images[-n-1]
				}
				arguments = binary.LittleEndian.AppendUint64(arguments, v)
			}
			return arguments
		}
		for _, mode := range tracetest.Draw(t, []contamination.Mode{contamination.Straight, contamination.Segments}, 1) {
			r.compare(t, open(t, nativecoexecutor.Options{Mode: mode, Foreign: true, MemoryBytes: 1 << 20}))
			r.compare(t, open(t, nativecoexecutor.Options{Mode: mode, LogBytes: 1 << 10, MemoryBytes: 1 << 20})) // straight through, for no thread block
		}
	}
}

// A call that is wrong is an error that names the kernel's line and what stands against it.
func TestWrongImageCallsAreSaid(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	flat := memory.Texture{Width: 4, Height: 4, Channels: 1, Element: ptx.F32}
	read := imageCall{name: "read_imagef", kind: "2d", sampler: true, float: true}
	zero := func() uint32 { return 0 }
	for name, c := range map[string]struct {
		image   memory.Texture
		sampler uint64
		words   func() uint32
		call    imageCall
		want    string
	}{
		"outside":    {flat, 0x10, func() uint32 { return 4 }, imageCall{name: "write_imagef", kind: "2d"}, "write_imagef at (4, 4, 0) of image image of 4 x 4 x 1 texels"},
		"dimensions": {memory.Texture{Width: 4, Channels: 1, Element: ptx.F32}, 0x10, zero, read, "read_imagef of 2 dimensions"},
		"element":    {memory.Texture{Width: 4, Height: 4, Channels: 1, Element: ptx.U32}, 0x10, zero, read, "read_imagef on image image of .u32"},
		"sampler":    {flat, 0x7777, zero, read, "0x7777 is no sampler"},
		"repeats":    {flat, 0x16, zero, read, "without normalised coordinates"},
		"integers":   {flat, 0x11, zero, imageCall{name: "read_imagef", kind: "2d", sampler: true}, "has normalised coordinates, those of the call are integers"},
	} {
		for _, mode := range []contamination.Mode{contamination.Straight, contamination.Segments} {
			d := open(t, nativecoexecutor.Options{Mode: mode})
			r := imaged(t, random, c.image, c.words, c.sampler, c.call)
			for _, o := range []emulator.Options{{}, {Coexecutor: d.Coexecutor}} {
				_, _, err := r.record(t, o)
				if err == nil || !strings.Contains(err.Error(), c.want) || o.Coexecutor != nil && (!errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), "imaged.ptx:")) {
					t.Errorf("%s, %s: %v, want %q", name, mode, err, c.want)
				}
			}
		}
	}
}

// Functions that the project's own device provides and no driver does are refused on others, by
// name; those of drivers, and those that the text gets, are not.
func TestFunctionsThatNoDriverHasAreRefused(t *testing.T) {
	own, foreign := open(t, nativecoexecutor.Options{}), open(t, nativecoexecutor.Options{Foreign: true})
	for name, refused := range map[string]bool{"__nv_sinf": true, "printf": true, "vprintf": false, "malloc": false} {
		types := map[string][2]string{"__nv_sinf": {".b32", ".b32"}, "malloc": {".b64", ".b64"}}[name]
		text := ".version 7.0\n.target sm_70\n.address_size 64\n"
		if types[0] != "" {
			text += fmt.Sprintf(".extern .func (.param %s r) %s(.param %s a);\n.entry k() {\n.param %s r; .param %s a;\ncall (r), %s, (a); ret; }\n", types[0], name, types[1], types[0], types[1], name)
		} else {
			text += fmt.Sprintf(".extern .func (.param .b32 r) %s(.param .b64 a, .param .b64 b);\n.entry k() {\n.param .b32 r; .param .b64 a; .param .b64 b;\ncall (r), %s, (a, b); ret; }\n", name, name)
		}
		m, err := ptx.Parse("calls.ptx", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		k, err := contaminator.Contaminate(m.Kernels[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := own.Load(k); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := foreign.Load(k); (err != nil) != refused || refused && !strings.Contains(err.Error(), "calls.ptx:7:1: call cannot be contaminated: no driver has function "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
