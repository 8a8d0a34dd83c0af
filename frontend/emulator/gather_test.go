// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// sampling is one tex or tld4 on %x, %y and %z of each lane, and on %r1 and %r2,
// which hold the whole part of %z and 1. It writes %v0 to %v3.
type sampling struct {
	line    string
	texture memory.Texture
	texels  []uint32
	place   func(lane int) [3]float64
	address uint64 // of the texels
	fetched [32]uint64
}

// run gives the four results of each lane.
func (s *sampling) run(t *testing.T) [][4]uint32 {
	t.Helper()
	d := NewDevice(Options{})
	k := kernelOf(t, d, "t.ptx", ptxHeader+`.entry k(.param .u64 out, .param .u64 in, .param .u64 tex) {
	.reg .b32 %r<8>; .reg .b32 %v<4>; .reg .f32 %x; .reg .f32 %y; .reg .f32 %z; .reg .b64 %d<4>; .reg .b64 %tex;
	ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %tex, [tex];
	mov.u32 %r0, %laneid; mad.wide.u32 %d1, %r0, 16, %d1; mad.wide.u32 %d2, %r0, 12, %d2;
	ld.global.f32 %x, [%d2]; ld.global.f32 %y, [%d2+4]; ld.global.f32 %z, [%d2+8]; cvt.rzi.u32.f32 %r1, %z; mov.u32 %r2, 1;
	`+s.line+`
	st.global.v4.b32 [%d1], {%v0, %v1, %v2, %v3}; ret; }`, "k")
	s.address = upload(t, d, "texels", s.texels)
	s.texture.Name, s.texture.Address = "t", s.address
	handle, err := d.CreateTexture(s.texture)
	if err != nil {
		t.Fatal(err)
	}
	var in []uint32
	for lane := range 32 {
		for _, v := range s.place(lane) {
			in = append(in, math.Float32bits(float32(v)))
		}
	}
	out, r := upload(t, d, "out", make([]uint32, 128)), &addressRecorder{}
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(out, upload(t, d, "in", in), handle), Recorder: r}); err != nil {
		t.Fatal(err)
	}
	s.fetched = r.all[len(r.all)-2] // before the store
	words := download(t, d, out, 128)
	results := make([][4]uint32, 32)
	for i := range results {
		results[i] = [4]uint32(words[4*i:])
	}
	return results
}

// Channel c of texel x, y of layer l is c + 10x + 100y + 1000l. The four of the
// footprint come counter-clockwise from the lower left, rows downwards: the
// order of Direct3D's Gather4.
func TestGathersGiveTheFootprintOfAFilter(t *testing.T) {
	const width, height, layers = 6, 5, 3
	var words []uint32
	for i := range width * height * layers {
		for c := range 4 {
			words = append(words, uint32(c+10*(i%width)+100*(i/width%height)+1000*(i/width/height)))
		}
	}
	place := func(lane int) [3]float64 {
		return [3]float64{float64(lane%9)*0.75 - 0.25, float64(lane%7)*0.875 - 0.375, float64(lane % 4)}
	}
	clamp := func(v, n int) int { return max(0, min(v, n-1)) }
	for _, form := range []struct {
		line    string
		layered bool
		dx, dy  int
	}{
		{"tld4.%s.2d.v4.%s.f32 {%%v0, %%v1, %%v2, %%v3}, [%%tex, {%%x, %%y}];", false, 0, 0},
		{"tld4.%s.2d.v4.%s.f32 {%%v0, %%v1, %%v2, %%v3}, [%%tex, {%%x, %%y}], {%%r2, -2};", false, 1, -2},
		{"tld4.%s.a2d.v4.%s.f32 {%%v0, %%v1, %%v2, %%v3}, [%%tex, {%%r1, %%x, %%y, %%y}];", true, 0, 0},
	} {
		for n, name := range []string{"r", "g", "b", "a"} {
			s := sampling{line: fmt.Sprintf(form.line, name, []string{"u32", "s32"}[n%2]), texels: words, place: place,
				texture: memory.Texture{Width: width, Height: height, Channels: 4, Element: ptx.U32}}
			if form.layered {
				s.texture.Layers = layers
			}
			for lane, got := range s.run(t) {
				p := place(lane)
				x, y, layer := int(math.Floor(p[0]-0.5))+form.dx, int(math.Floor(p[1]-0.5))+form.dy, 0
				if form.layered {
					layer = min(int(p[2]), layers-1)
				}
				value := func(x, y int) uint32 {
					return uint32(n + 10*clamp(x, width) + 100*clamp(y, height) + 1000*layer)
				}
				if want := [4]uint32{value(x, y+1), value(x+1, y+1), value(x+1, y), value(x, y)}; got != want {
					t.Fatalf("%s lane %d at %v: %v, want %v", s.line, lane, p, got, want)
				}
				texel := (layer*height+clamp(y, height))*width + clamp(x, width)
				if want := s.address + uint64(16*texel); s.fetched[lane] != want {
					t.Fatalf("%s lane %d at %v is recorded at %#x, want %#x", s.line, lane, p, s.fetched[lane], want)
				}
			}
		}
	}
}

// A filtered texture gathers unfiltered texels. As .f32, bytes are numbers up to 1.
// A channel that is missing reads 0, the last one 1. Outside of a border are zeros,
// in missing channels too.
func TestGathersOfFloatsAreUnfiltered(t *testing.T) {
	bytes := []uint32{51<<0 | 102<<8 | 153<<16 | 204<<24} // 2 x 2 texels of one channel
	for name, want := range map[string]func(inside bool) float32{
		"r": nil,
		"g": func(bool) float32 { return 0 },
		"a": func(inside bool) float32 {
			if inside {
				return 1
			}
			return 0
		},
	} {
		s := sampling{line: "tld4." + name + ".2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%tex, {%x, %y}];", texels: bytes,
			texture: memory.Texture{Width: 2, Height: 2, Channels: 1, Element: ptx.U8, Modes: memory.AllModes(memory.AddressBorder), Linear: true},
			place:   func(lane int) [3]float64 { return [3]float64{float64(lane % 4), float64(lane / 4 % 4)} }}
		for lane, got := range s.run(t) {
			for i, corner := range [4][2]int{{-1, 0}, {0, 0}, {0, -1}, {-1, -1}} {
				x, y := lane%4+corner[0], lane/4%4+corner[1]
				inside := x >= 0 && x < 2 && y >= 0 && y < 2
				expected := float32(0)
				switch {
				case want != nil:
					expected = want(inside)
				case inside:
					expected = float32(x+2*y+1) / 5
				}
				if v := math.Float32frombits(got[i]); v != expected {
					t.Fatalf("%s lane %d texel %d (%d, %d): %v, want %v", s.line, lane, i, x, y, v, expected)
				}
			}
		}
	}
}

// There is one level: base, a level and gradients fetch the same.
func TestGradientsAndLevelsChooseTheOnlyLevel(t *testing.T) {
	for _, dimension := range []struct {
		name, coordinates, gradient string
		texture                     memory.Texture
	}{
		{"1d", "{%x}", "{%y}", memory.Texture{Width: 16}},
		{"2d", "{%x, %y}", "{%y, %z}", memory.Texture{Width: 4, Height: 4}},
		{"3d", "{%x, %y, %z, %z}", "{%y, %z, %x, %x}", memory.Texture{Width: 4, Height: 2, Depth: 2}},
		{"a1d", "{%r1, %x}", "{%z}", memory.Texture{Width: 8, Layers: 2}},
		{"a2d", "{%r1, %x, %y, %y}", "{%z, %x}", memory.Texture{Width: 2, Height: 4, Layers: 2}},
	} {
		var plain [][4]uint32
		for i, form := range []string{"tex.%s", "tex.base.%s", "tex.level.%s", "tex.grad.%s"} {
			line := fmt.Sprintf(form, dimension.name) + ".v4.f32.f32 {%v0, %v1, %v2, %v3}, [%tex, " + dimension.coordinates + "]"
			switch i {
			case 2:
				line += ", %z"
			case 3:
				line += ", " + dimension.gradient + ", " + dimension.gradient
			}
			s := sampling{line: line + ";", texture: dimension.texture, texels: ramp(16, 0),
				place: func(lane int) [3]float64 { return [3]float64{float64(lane) / 3, float64(lane) / 7, float64(lane % 3)} }}
			s.texture.Channels, s.texture.Element, s.texture.Linear = 1, ptx.F32, true
			got := s.run(t)
			if plain == nil {
				plain = got
			}
			for lane := range got {
				if got[lane] != plain[lane] {
					t.Errorf("%s lane %d: %v, want %v", s.line, lane, got[lane], plain[lane])
				}
			}
		}
	}
}
