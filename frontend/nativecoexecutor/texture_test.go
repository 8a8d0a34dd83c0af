// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Places of the buffers of a sampled kernel.
const (
	samplesIn = iota
	samplesOut
	samplesTexels
)

// sampled is a kernel in which each thread reads four words, coordinates, executes an access
// to a texture or surface, and stores what %r10 to %r13 are then. The text in code has %0
// for the first handle, which is in a register, and "picture" for the second one, which is
// bound.
func sampled(t testing.TB, random *rand.Rand, code string, words func() uint32, textures ...memory.Texture) run {
	t.Helper()
	text := `.version 7.0
.target sm_70
.address_size 64
.global .texref picture;
.visible .entry sampled(.param .u64 in, .param .u64 out, .param .u64 texels, .param .u64 first, .param .u64 second)
{
	.reg .pred %p<3>;
	.reg .b16 %h<6>;
	.reg .b32 %r<20>;
	.reg .f32 %f<6>;
	.reg .b64 %d<8>;
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	ld.param.u64 %d3, [first];
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %ntid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r0, %r0, %r1, %r2;
	mad.wide.u32 %d1, %r0, 16, %d1;
	mad.wide.u32 %d2, %r0, 16, %d2;
	ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1];
	mov.b32 %f1, %r4;
	mov.b32 %f2, %r5;
	mov.b32 %f3, %r6;
	and.b32 %r8, %r4, 3;
	setp.ne.u32 %p1, %r8, 0;
	mov.u32 %r10, 0;
	mov.u32 %r11, 0;
	mov.u32 %r12, 0;
	mov.u32 %r13, 0;
	` + strings.ReplaceAll(code, "%0", "%d3") + `
	st.global.v4.u32 [%d2], {%r10, %r11, %r12, %r13};
	ret;
}
`
	m, err := ptx.Parse("sampled.ptx", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	const grid, block = 2, 48
	in := make([]byte, grid*block*16)
	for at := 0; at < len(in); at += 4 {
		binary.LittleEndian.PutUint32(in[at:], words())
	}
	r := run{module: m, kernel: "sampled", grid: trace.Dim3{X: grid, Y: 1, Z: 1}, block: trace.Dim3{X: block, Y: 1, Z: 1}, buffers: [][]byte{in, make([]byte, len(in)), nil}}
	n := 4
	for i, x := range textures {
		x.Name = fmt.Sprint("texture", i)
		n = max(n, int(x.Address)+max(x.Pitch, x.Width*x.Channels*x.Element.Bytes())*max(x.Height, 1)*max(x.Depth, x.Layers, 1))
		list := textured{Texture: x, buffer: samplesTexels}
		if i == 1 {
			list.bound = "picture"
		}
		r.textures = append(r.textures, list)
	}
	r.numbers = make([]byte, 8*(2-len(textures))) // in the place of missing handles
	texels := make([]byte, n)
	for at := range texels {
		texels[at] = byte(random.Uint32())
		if at&3 == 3 {
			texels[at] &= 0x3f // no infinities and NaNs among .f32
		}
	}
	r.buffers[samplesTexels] = texels
	return r
}

var (
	textureElements = []ptx.Type{ptx.F32, ptx.F16, ptx.U8, ptx.S8, ptx.U16, ptx.S16, ptx.U32, ptx.S32}
	addressModes    = []memory.AddressMode{memory.AddressClamp, memory.AddressBorder, memory.AddressWrap, memory.AddressMirror}
	channelCounts   = []int{1, 2, 4}
	coordinateText  = map[string]string{"1d": "{F1}", "2d": "{F1, F2}", "3d": "{F1, F2, F3, F3}", "a1d": "{%r6, F1}", "a2d": "{%r6, F1, F2, F2}"}
)

// randomTexture is one of a geometry such as "a2d".
func randomTexture(random *rand.Rand, geometry string) memory.Texture {
	x := memory.Texture{Width: 1 + random.IntN(9), Channels: channelCounts[random.IntN(3)], Element: textureElements[random.IntN(len(textureElements))],
		Floats: random.IntN(3) == 0}
	x.Floats = x.Floats && x.Element.Bits() < 32 && x.Element != ptx.F16 // CUDA reads only those as numbers of 0 to 1
	if strings.HasSuffix(geometry, "2d") || geometry == "3d" {
		x.Height = 1 + random.IntN(7)
	}
	if geometry == "3d" {
		x.Depth = 1 + random.IntN(5)
	}
	if geometry[0] == 'a' {
		x.Layers = 1 + random.IntN(5)
	}
	for d := range x.Modes {
		x.Modes[d] = addressModes[random.IntN(4)]
	}
	x.Normalized = random.IntN(2) == 0 || x.Modes.NeedNormalized()
	if geometry == "2d" && random.IntN(2) == 0 {
		x.Pitch = (x.Width*x.Channels + random.IntN(9)) * x.Element.Bytes()
	}
	x.Linear = random.IntN(2) == 0 && (x.Element == ptx.F32 || x.Element.Bits() < 32)
	return x
}

// Fetches of all geometries with random textures and coordinates, some far outside, in both
// modes: by a handle and by a reference, some lanes guarded off.
func TestFetchesAreRecordedAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	straight, segments := open(t, nativecoexecutor.Options{}), open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	n := 0
	for range 2 {
		for _, geometry := range []string{"1d", "2d", "3d", "a1d", "a2d"} {
			for _, types := range []string{"f32.f32", "u32.f32", "s32.s32", "f32.s32"} {
				x, y := randomTexture(random, geometry), randomTexture(random, geometry)
				words := func() uint32 { return math.Float32bits((random.Float32()*3 - 1) * float32(1+random.IntN(9))) }
				coordinates := strings.ReplaceAll(coordinateText[geometry], "F", "%f")
				if strings.HasSuffix(types, ".s32") {
					coordinates = strings.NewReplacer("F1", "%r4", "F2", "%r5", "F3", "%r7").Replace(coordinateText[geometry])
					words = func() uint32 { return uint32(random.IntN(14) - 3) }
				}
				results := "{%r10, %r11, %r12, %r13}"
				code := fmt.Sprintf("tex.%s.v4.%s %s, [%%0, %s];\n@%%p1 tex.%s.v4.%s %s, [picture, %s];", geometry, types, results, coordinates, geometry, types, results, coordinates)
				if strings.HasSuffix(geometry, "2d") && types != "s32.s32" && types != "f32.s32" {
					code += fmt.Sprintf("\ntld4.%c.%s.v4.%s %s, [%%0, %s], {%%r6, 1};", "rgba"[random.IntN(4)], geometry, types, results, coordinates)
				}
				code += "\ntxq.width.b32 %r13, [%0];"
				if y.Pitch == 0 { // no surface has gaps between its rows
					code += " suq.height.b32 %r12, [picture];"
				}
				y.Address = 4 * uint64(random.IntN(3))
				if x.Width*max(x.Height, 1)*max(x.Depth, x.Layers, 1) > 0 {
					y.Address += 4096 // surfaces' arrays must not overlap
				}
				r := sampled(t, random, code, words, x, y)
				d := straight
				if n++; n%5 == 0 {
					d = segments
				}
				r.compare(t, d)
				if t.Failed() {
					t.Fatalf("%s\n%+v\n%+v", code, x, y)
				}
			}
		}
	}
}

// A gather without offsets behind one with offsets: it has none.
func TestGathersWithoutOffsetsAreRecordedAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	x := memory.Texture{Width: 16, Height: 16, Channels: 1, Element: ptx.F32}
	words := func() uint32 { return math.Float32bits(random.Float32() * 16) }
	results := "{%r10, %r11, %r12, %r13}"
	code := "tld4.r.2d.v4.f32.f32 " + results + ", [%0, {%f1, %f2}], {3, 5};\ntld4.r.2d.v4.f32.f32 " + results + ", [%0, {%f1, %f2}];"
	r := sampled(t, random, code, words, x)
	r.compare(t, open(t, nativecoexecutor.Options{}))
}

// Surfaces: loads, stores and reductions, inside and outside, by bytes and by texels.
func TestSurfacesAreRecordedAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	d := open(t, nativecoexecutor.Options{})
	coordinates := map[string]string{"1d": "{%r4}", "2d": "{%r4, %r5}", "3d": "{%r4, %r5, %r6, %r6}", "a1d": "{%r6, %r4}", "a2d": "{%r6, %r4, %r5, %r5}"}
	for _, geometry := range []string{"1d", "2d", "3d", "a1d", "a2d"} {
		for _, mode := range []string{"clamp", "zero"} {
			x := randomTexture(random, geometry)
			x.Linear, x.Channels, x.Element, x.Pitch = false, 1, ptx.U32, 0 // no surface has gaps between its rows
			x.Width += 4
			words := func() uint32 { return 4 * uint32(random.IntN(12)-2) }
			at := coordinates[geometry]
			code := fmt.Sprintf(`suld.b.%[1]s.b32.%[2]s %%r10, [%%0, %[3]s];
	@%%p1 sust.b.%[1]s.b32.%[2]s [picture, %[3]s], %%r7;
	sured.b.add.%[1]s.u32.%[2]s [%%0, %[3]s], 3;
	shr.u32 %%r4, %%r4, 2;
	@!%%p1 sust.p.%[1]s.b32.%[2]s [%%0, %[3]s], %%r5;
	shl.b32 %%r4, %%r4, 2;`, geometry, mode, at)
			if geometry == "2d" { // so much is logged that thread blocks are run again
				code = strings.Repeat(code+"\n", 24)
			}
			r := sampled(t, random, code, words, x, x)
			r.compare(t, d)
			if t.Failed() {
				t.Fatalf("%s\n%+v", code, x)
			}
		}
	}
	if d.Counts.Repeated == 0 {
		t.Errorf("no thread block was run again: %+v", d.Counts)
	}
}

// A texture wider than an array is on linear memory.
func TestAWideTextureIsOnLinearMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	x := memory.Texture{Width: 200000, Channels: 1, Element: ptx.F32}
	words := func() uint32 { return uint32(random.IntN(210000)) }
	r := sampled(t, random, "tex.1d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%0, {%r4}];", words, x)
	r.compare(t, open(t, nativecoexecutor.Options{}))
}

// What a GPU leaves undefined, and what it does not have, are errors.
func TestWrongTexturesAreErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	x := memory.Texture{Width: 8, Height: 8, Channels: 1, Element: ptx.F32}
	inside := func() uint32 { return uint32(random.IntN(8)) }
	fetch := "tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%0, {%r4, %r5}];"
	other := x
	other.Width, other.Address = 4, 16
	for what, c := range map[string]struct {
		code, want string
		textures   []memory.Texture
	}{
		"a store below a texture": {fetch + " ld.param.u64 %d4, [texels]; st.global.u32 [%d4], %r0;", "undefined on GPUs", []memory.Texture{x}},
		"no such handle":          {"add.u64 %d3, %d3, 7; " + fetch, "no texture", []memory.Texture{x}},
		"overlapping shapes":      {"suld.b.2d.b32.clamp %r10, [%0, {%r4, %r5}];", "another shape", []memory.Texture{x, other}},
	} {
		r := sampled(t, random, c.code, inside, c.textures...)
		d := open(t, nativecoexecutor.Options{})
		_, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
		if !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error()+d.said.String(), c.want) {
			t.Errorf("%s: %v\n%s", what, err, d.said)
		}
	}
}

// A coordinate that is changed in the log is another trace, or an error.
func TestAnAlteredCoordinateIsSeen(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	x := memory.Texture{Width: 64, Height: 64, Channels: 1, Element: ptx.F32}
	words := func() uint32 { return uint32(random.IntN(60)) }
	r := sampled(t, random, "tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%0, {%r4, %r5}];", words, x)
	want, _, err := r.record(t, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	altered := 0
	d := open(t, nativecoexecutor.Options{Alter: func(log []byte) {
		records, err := contamination.ReadLog(log, 1<<20, nil)
		if err != nil {
			t.Fatal(err)
		}

		for at, i := 0, 0; i < len(records); i++ {
			n := map[contamination.Kind]int{contamination.KindVisit: 8, contamination.KindGuard: 16, contamination.KindStrided: 24}[records[i].Kind]
			if records[i].Kind == contamination.KindList {

				log[at+8] ^= 2 // the first lane's first coordinate
				altered++
				return
			}
			at += n
		}
	}})
	got, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
	if altered == 0 || err == nil && bytes.Equal(got, want) {
		t.Errorf("%d coordinates were changed, and no check has seen it", altered)
	}
}
