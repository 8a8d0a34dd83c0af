// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// fetchScript runs one tex in 32 lanes: texture over words, coordinates by
// lane. The four results of each lane come back.
type fetchScript struct {
	tex      string // mnemonic behind "tex."
	texture  memory.Texture
	data     []uint32
	x, y     func(lane int) float32 // or integers, when the mnemonic ends in .s32
	operand  string                 // the texture as written; a handle when empty
	bind     bool
	recorder Recorder
}

func (s *fetchScript) launch(t *testing.T) ([][4]uint32, error) {
	t.Helper()
	coordinates := "{%x}"
	if strings.HasPrefix(s.tex, "2d") {
		coordinates = "{%x, %y}"
	}
	if s.operand == "" {
		s.operand = "%handle"
	}
	text := ptxHeader + `.global .texref picture; .visible .entry kernel(.param .u64 out, .param .u64 in, .param .u64 tex) {
		.reg .b32 %r<8>; .reg .b32 %x; .reg .b32 %y; .reg .b64 %d<4>; .reg .b64 %handle;
		ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %handle, [tex];
		mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 16, %d1; mad.wide.u32 %d2, %r0, 8, %d2;
		ld.global.v2.u32 {%x, %y}, [%d2];
		tex.` + s.tex + " {%r1, %r2, %r3, %r4}, [" + s.operand + ", " + coordinates + `];
		st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4}; ret; }`
	d := NewDevice(Options{})
	m, err := d.LoadModule(parse(t, "tex.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("kernel")
	if err != nil {
		t.Fatal(err)
	}
	upload(t, d, "before", []uint32{0xdead})
	s.texture.Name, s.texture.Address = "picture", upload(t, d, "texels", s.data)
	handle, err := d.CreateTexture(s.texture)
	if err != nil {
		t.Fatal(err)
	}
	if s.bind {
		if err := m.BindTexture("picture", handle); err != nil {
			t.Fatal(err)
		}
		handle = 0
	}
	in := make([]uint32, 64)
	for lane := range 32 {
		in[2*lane] = s.coordinate(s.x, lane)
		in[2*lane+1] = s.coordinate(s.y, lane)
	}
	out := upload(t, d, "out", make([]uint32, 128))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(out, upload(t, d, "in", in), handle), Recorder: s.recorder}); err != nil {
		return nil, err
	}
	words := download(t, d, out, 128)
	results := make([][4]uint32, 32)
	for i := range results {
		results[i] = [4]uint32(words[4*i:])
	}
	return results, nil
}

func (s *fetchScript) coordinate(f func(int) float32, lane int) uint32 {
	switch {
	case f == nil:
		return 0
	case strings.HasSuffix(s.tex, ".s32"):
		return uint32(int32(f(lane)))
	}
	return math.Float32bits(f(lane))
}

// first checks the first channel of every lane, as .f32.
func (s *fetchScript) first(t *testing.T, want func(lane int) float64) {
	t.Helper()
	results, err := s.launch(t)
	if err != nil {
		t.Fatal(err)
	}
	for lane, v := range results {
		if got := float64(value(v[0])); got != want(lane) {
			t.Fatalf("tex.%s with %+v: lane %d (%v) reads %v, want %v", s.tex, s.texture, lane, s.x(lane), got, want(lane))
		}
	}
}

// ramp is a texture whose texel x, y is 10x + 1000y.
func ramp(width, height int) []uint32 {
	words := make([]uint32, width*max(height, 1))
	for i := range words {
		words[i] = math.Float32bits(float32(10*(i%width) + 1000*(i/width)))
	}
	return words
}

func TestPointFetchesTakeTheTexelBelow(t *testing.T) {
	at := func(lane int) float32 { return float32(lane)*0.25 - 2 } // -2 ... 5.75
	floor := func(lane int) int { return int(math.Floor(float64(at(lane)))) }
	for mode, want := range map[memory.AddressMode]func(lane int) float64{
		memory.AddressClamp: func(lane int) float64 { return 10 * float64(max(0, min(4, floor(lane)))) },
		memory.AddressBorder: func(lane int) float64 {
			if n := floor(lane); n >= 0 && n < 5 {
				return 10 * float64(n)
			}
			return 0
		},
	} {
		s := fetchScript{tex: "1d.v4.f32.f32", texture: memory.Texture{Width: 5, Channels: 1, Element: ptx.F32, Modes: memory.AllModes(mode)}, data: ramp(5, 0), x: at}
		s.first(t, want)
	}
	// Normalised: eighths of a texture of 8, wrapped around.
	s := fetchScript{tex: "1d.v4.f32.f32", texture: memory.Texture{Width: 8, Channels: 1, Element: ptx.F32, Modes: memory.AllModes(memory.AddressWrap), Normalized: true}, data: ramp(8, 0),
		x: func(lane int) float32 { return float32(lane-16) / 8 }}
	s.first(t, func(lane int) float64 { return 10 * float64((lane+16)%8) })
}

// Halves in two channels: those of both signs, the least, the largest and the infinite.
func TestHalvesAreReadAsSinglePrecision(t *testing.T) {
	halves := map[uint32]float64{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 0x1p-24, 0x8001: -0x1p-24, 0x03ff: 0x1.ff8p-15, 0x7c00: math.Inf(1), 0x3555: 0x1.554p-2}
	var bits []uint32
	for b := range halves {
		bits = append(bits, b|0x4200<<16) // 3 in the other channel
	}
	at := func(lane int) float32 { return float32(lane % len(bits)) }
	for _, types := range []string{"f32.f32", "u32.f32"} { // a GPU gives the same bits for both
		s := fetchScript{tex: "1d.v4." + types, texture: memory.Texture{Width: len(bits), Channels: 2, Element: ptx.F16}, data: bits, x: at}
		s.first(t, func(lane int) float64 { return halves[bits[lane%len(bits)]&0xffff] })
	}
	for _, linear := range []bool{false, true} { // any NaN is PTX's
		s := fetchScript{tex: "1d.v4.f32.f32", texture: memory.Texture{Width: 2, Channels: 1, Element: ptx.F16, Linear: linear}, data: []uint32{0xfc01 | 0x7d23<<16}, x: func(int) float32 { return 1 }}
		results, err := s.launch(t)
		if err != nil || results[0][0] != 0x7fffffff {
			t.Errorf("a NaN is read as 0x%x (%v)", results[0][0], err)
		}
	}
	s := fetchScript{tex: "1d.v4.f32.f32", texture: memory.Texture{Width: 2, Channels: 1, Element: ptx.F16, Linear: true}, data: []uint32{0x3c00 | 0xc000<<16}, x: func(int) float32 { return 1 }}
	s.first(t, func(int) float64 { return -0.5 }) // between 1 and -2
}

// Between the centres of the outer texels, linear filtering of a ramp is the
// ramp: coordinates in 256ths give exact weights.
func TestLinearFilteringOfARampIsTheRamp(t *testing.T) {
	x := func(lane int) float32 { return 0.5 + float32(lane*37)/256 }
	y := func(lane int) float32 { return 0.5 + float32(lane*11)/256 }
	s := fetchScript{tex: "2d.v4.f32.f32", texture: memory.Texture{Width: 7, Height: 4, Channels: 1, Element: ptx.F32, Linear: true}, data: ramp(7, 4), x: x, y: y}
	s.first(t, func(lane int) float64 { return 10*float64(x(lane)-0.5) + 1000*float64(y(lane)-0.5) })
	one := fetchScript{tex: "1d.v4.f32.f32", texture: memory.Texture{Width: 7, Channels: 1, Element: ptx.F32, Linear: true}, data: ramp(7, 0), x: x}
	one.first(t, func(lane int) float64 { return 10 * min(6, float64(x(lane)-0.5)) })
}

func TestLinearWeightsHaveEightBitsOfFraction(t *testing.T) {
	data := []uint32{math.Float32bits(0), math.Float32bits(256)}
	s := fetchScript{tex: "1d.v4.f32.f32", texture: memory.Texture{Width: 2, Channels: 1, Element: ptx.F32, Linear: true}, data: data,
		x: func(lane int) float32 { return 0.5 + float32(lane)/(256*8) }}
	s.first(t, func(lane int) float64 { return math.Floor(float64(lane)/8 + 0.5) })
	nearlyOne := fetchScript{tex: s.tex, texture: s.texture, data: data, x: func(int) float32 { return 1.4999 }}
	nearlyOne.first(t, func(int) float64 { return 256 })
}

func TestLinearFilteringAtTheEdges(t *testing.T) {
	data := []uint32{math.Float32bits(8), math.Float32bits(16)}
	for _, test := range []struct {
		mode       memory.AddressMode
		normalized bool
		x          float32
		want       float64
	}{
		{memory.AddressClamp, false, 0, 8}, {memory.AddressClamp, false, -5, 8}, {memory.AddressClamp, false, 2, 16}, {memory.AddressClamp, false, 1, 12},
		{memory.AddressBorder, false, 0, 4}, {memory.AddressBorder, false, 0.25, 6}, {memory.AddressBorder, false, 2, 8}, {memory.AddressBorder, false, 3, 0},
		{memory.AddressWrap, true, 0, 12}, {memory.AddressWrap, true, 1, 12}, {memory.AddressWrap, true, 0.25, 8}, {memory.AddressWrap, true, -0.25, 16}, {memory.AddressWrap, true, 7.5, 12},
		{memory.AddressClamp, true, 0.5, 12}, {memory.AddressBorder, true, 0, 4},
	} {
		s := fetchScript{tex: "1d.v4.f32.f32", texture: memory.Texture{Width: 2, Channels: 1, Element: ptx.F32, Linear: true, Modes: memory.AllModes(test.mode), Normalized: test.normalized}, data: data,
			x: func(int) float32 { return test.x }}
		s.first(t, func(int) float64 { return test.want })
	}
}

// plainPlace is what an address mode makes of a texel's place on a side of n texels, step by step;
// -1 is the border.
func plainPlace(m memory.AddressMode, at, n int) int {
	switch m {
	case memory.AddressBorder:
		if at < 0 || at >= n {
			return -1
		}
	case memory.AddressWrap:
		for ; at < 0; at += n {
		}
		for ; at >= n; at -= n {
		}
	case memory.AddressMirror: // the edges' texels stand twice
		for at < 0 || at >= n {
			if at < 0 {
				at = -1 - at
			} else {
				at = 2*n - 1 - at
			}
		}
	default:
		at = max(0, min(at, n-1))
	}
	return at
}

// Every pair of address modes, on rows with gaps between them and without, by point and by linear
// filtering, against sums over texels that are looked up one by one.
func TestDimensionsHaveAddressModesOfTheirOwn(t *testing.T) {
	const width, height = 5, 3
	modes := []memory.AddressMode{memory.AddressClamp, memory.AddressBorder, memory.AddressWrap, memory.AddressMirror}
	for n := range 64 {
		by := memory.AddressModes{modes[n%4], modes[n/4%4]}
		linear, gap := n&16 != 0, 3*(n>>5&1)
		data := make([]uint32, (width+gap)*height-gap) // the last row has no gap behind it
		for i := range data {
			data[i] = math.Float32bits(float32(i*i%97 + 1))
		}
		texel := func(x, y int) float64 {
			if x, y = plainPlace(by[0], x, width), plainPlace(by[1], y, height); x < 0 || y < 0 {
				return 0
			}
			return float64(math.Float32frombits(data[y*(width+gap)+x]))
		}
		// In odd 32nds of a texel: weights are exact, and rounding moves no place to another texel.
		place := func(lane, step int) float64 { return float64(2*((lane*step)%224)-127) / 32 }
		want := func(lane int) float64 {
			x, y := place(lane, 37), place(lane, 91)
			if !linear {
				return texel(int(math.Floor(x)), int(math.Floor(y)))
			}
			left, top := math.Floor(x-0.5), math.Floor(y-0.5)
			a, b, i, j := x-0.5-left, y-0.5-top, int(left), int(top)
			return float64((1-a)*(1-b))*texel(i, j) + float64(a*(1-b))*texel(i+1, j) + float64((1-a)*b)*texel(i, j+1) + float64(a*b)*texel(i+1, j+1)
		}
		s := fetchScript{tex: "2d.v4.f32.f32", data: data, texture: memory.Texture{Width: width, Height: height, Channels: 1, Element: ptx.F32, Modes: by,
			Pitch: 4 * (width + gap), Linear: linear, Normalized: true},
			x: func(lane int) float32 { return float32(place(lane, 37) / width) }, y: func(lane int) float32 { return float32(place(lane, 91) / height) }}
		results, err := s.launch(t)
		if err != nil {
			t.Fatal(err)
		}
		for lane, v := range results {
			if got := float64(value(v[0])); math.Abs(got-want(lane)) > 1e-4*want(lane) {
				t.Fatalf("modes %d, linear %t, %d words between rows: %v, %v reads %v, want %v", by, linear, gap, place(lane, 37), place(lane, 91), got, want(lane))
			}
		}
	}
}

// The trace has the addresses of a texture's rows, gaps and all.
func TestFetchesOfRowsWithGapsAreWhereTheRowsAre(t *testing.T) {
	const width, height, pitch = 4, 8, 52
	r := &addressRecorder{}
	s := fetchScript{tex: "2d.v4.u32.s32", texture: memory.Texture{Width: width, Height: height, Channels: 1, Element: ptx.U32, Pitch: pitch}, data: make([]uint32, pitch/4*height), recorder: r,
		x: func(lane int) float32 { return float32(lane % width) }, y: func(lane int) float32 { return float32(lane / width) }}
	for i := range s.data {
		s.data[i] = uint32(i)
	}
	results, err := s.launch(t)
	if err != nil {
		t.Fatal(err)
	}
	for lane, v := range results {
		want, got := uint64(lane/width*pitch+lane%width*4), r.all[len(r.all)-2][lane] // the last is the store
		if uint64(4*v[0]) != want || got != s.texture.Address+want {
			t.Fatalf("lane %d reads word %d at 0x%x, want byte %d of 0x%x", lane, v[0], got, want, s.texture.Address)
		}
	}
}

func TestChannelsThatAreMissingReadZeroAndOne(t *testing.T) {
	one := fetchScript{tex: "1d.v4.u32.s32", texture: memory.Texture{Width: 4, Channels: 1, Element: ptx.U32}, data: []uint32{7, 8, 9, 10}, x: func(lane int) float32 { return float32(lane % 4) }}
	results, err := one.launch(t)
	if err != nil {
		t.Fatal(err)
	}
	for lane, v := range results {
		if want := [4]uint32{uint32(7 + lane%4), 0, 0, 1}; v != want {
			t.Fatalf("lane %d reads %v, want %v", lane, v, want)
		}
	}
	four := fetchScript{tex: "1d.v4.f32.s32", texture: memory.Texture{Width: 1, Channels: 2, Element: ptx.F32}, data: []uint32{math.Float32bits(3), math.Float32bits(4)}, x: func(int) float32 { return 0 }}
	if results, err = four.launch(t); err != nil {
		t.Fatal(err)
	}
	if want := [4]uint32{math.Float32bits(3), math.Float32bits(4), 0, math.Float32bits(1)}; results[5] != want {
		t.Errorf("two channels read as %x, want %x", results[5], want)
	}
}

func TestNarrowIntegersReadAsIntegersOrNormalised(t *testing.T) {
	word := []uint32{0x80ff7f01} // bytes 0x01 0x7f 0xff 0x80
	for _, test := range []struct {
		tex     string
		element ptx.Type
		want    [4]float64
	}{
		{"1d.v4.f32.s32", ptx.U8, [4]float64{1. / 255, 127. / 255, 1, 128. / 255}},
		{"1d.v4.f32.s32", ptx.S8, [4]float64{1. / 127, 1, -1. / 127, -1}},
		{"1d.v4.u32.s32", ptx.U8, [4]float64{1, 127, 255, 128}},
		{"1d.v4.s32.s32", ptx.S8, [4]float64{1, 127, -1, -128}},
	} {
		s := fetchScript{tex: test.tex, texture: memory.Texture{Width: 1, Channels: 4, Element: test.element}, data: word, x: func(int) float32 { return 0 }}
		results, err := s.launch(t)
		if err != nil {
			t.Fatal(err)
		}
		for c, bits := range results[3] {
			got := float64(int32(bits))
			want := test.want[c]
			if strings.HasPrefix(test.tex, "1d.v4.f32") {
				got, want = float64(value(bits)), float64(float32(want))
			}
			if got != want {
				t.Errorf("tex.%s of .%s: channel %d is %v, want %v", test.tex, test.element, c, got, want)
			}
		}
	}
}

func TestIntegerCoordinatesOutsideReadZeros(t *testing.T) {
	s := fetchScript{tex: "2d.v4.f32.s32", texture: memory.Texture{Width: 5, Height: 3, Channels: 1, Element: ptx.F32, Linear: true}, data: ramp(5, 3),
		x: func(lane int) float32 { return float32(lane%8 - 1) }, y: func(lane int) float32 { return float32(lane/8 - 1 + lane%8/2) }}
	s.first(t, func(lane int) float64 {
		x, y := float64(s.x(lane)), float64(s.y(lane))
		if x < 0 || x > 4 || y < 0 || y > 2 {
			return 0
		}
		return 10*x + 1000*y
	})
}

func TestTexturesAreReachedBySymbolToo(t *testing.T) {
	s := fetchScript{tex: "1d.v4.f32.s32", texture: memory.Texture{Width: 32, Channels: 1, Element: ptx.F32}, data: ramp(32, 0), x: func(lane int) float32 { return float32(lane) }}
	s.operand, s.bind = "picture", true
	s.first(t, func(lane int) float64 { return 10 * float64(lane) })
}

// The trace has the word that holds the texel: below the place for filtering,
// and of bytes the word around them.
func TestFetchesRecordTheTexelsAddress(t *testing.T) {
	r := &addressRecorder{}
	s := fetchScript{tex: "2d.v4.f32.f32", texture: memory.Texture{Width: 6, Height: 4, Channels: 4, Element: ptx.U8, Linear: true}, data: make([]uint32, 24), recorder: r,
		x: func(lane int) float32 { return 1 + float32(lane%4) }, y: func(lane int) float32 { return 1 + float32(lane%3) }}
	if _, err := s.launch(t); err != nil {
		t.Fatal(err)
	}
	fetch := r.all[len(r.all)-2] // before the store
	for lane, got := range fetch {
		if want := s.texture.Address + uint64(4*(lane%4+6*(lane%3))); got != want {
			t.Fatalf("lane %d reads at %#x, want %#x", lane, got, want)
		}
	}
	r.all = nil
	bytes := fetchScript{tex: "1d.v4.u32.s32", texture: memory.Texture{Width: 24, Channels: 1, Element: ptx.U8}, data: make([]uint32, 6), recorder: r, x: func(lane int) float32 { return float32(lane * lane) }}
	if _, err := bytes.launch(t); err != nil {
		t.Fatal(err)
	}
	for lane, got := range r.all[len(r.all)-2] {
		if want := bytes.texture.Address + uint64(min(lane*lane, 23)&^3); got != want {
			t.Fatalf("lane %d reads at %#x, want %#x", lane, got, want)
		}
	}
}

func TestWildCoordinatesStayInside(t *testing.T) {
	wild := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, 1e-45, 4e9, -4e9}
	for _, texture := range []memory.Texture{
		{Width: 3, Height: 3, Channels: 1, Element: ptx.F32, Modes: memory.AllModes(memory.AddressWrap), Normalized: true, Linear: true},
		{Width: 3, Height: 3, Channels: 1, Element: ptx.F32, Modes: memory.AllModes(memory.AddressWrap), Normalized: true},
		{Width: 3, Height: 3, Channels: 1, Element: ptx.F32, Linear: true},
		{Width: 3, Height: 3, Channels: 1, Element: ptx.F32, Modes: memory.AllModes(memory.AddressBorder), Linear: true},
	} {
		s := fetchScript{tex: "2d.v4.f32.f32", texture: texture, data: ramp(3, 3), x: func(lane int) float32 { return wild[lane%8] }, y: func(lane int) float32 { return wild[lane/8%8] }}
		results, err := s.launch(t)
		if err != nil {
			t.Fatal(err)
		}
		for lane, v := range results {
			if got := value(v[0]); !(got >= 0 && got <= 2020) {
				t.Errorf("%+v: lane %d reads %v, which no filter of the texels is", texture, lane, got)
			}
		}
	}
}

func TestFetchesThatCannotBeAreFaults(t *testing.T) {
	flat := memory.Texture{Width: 4, Channels: 1, Element: ptx.F32}
	zero := func(int) float32 { return 0 }
	for _, test := range []struct {
		script fetchScript
		want   string
	}{
		{fetchScript{tex: "1d.v4.f32.s32", operand: "picture", x: zero, texture: flat}, "no texture is bound"},
		{fetchScript{tex: "1d.v4.f32.s32", operand: "%d2", x: zero, texture: flat}, "is no texture's handle"},
		{fetchScript{tex: "2d.v4.f32.s32", x: zero, texture: flat}, "tex.2d of texture picture, which has 1 dimension"},
	} {
		test.script.data = make([]uint32, 4)
		_, err := test.script.launch(t)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "texture") {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func TestATextureIsBoundToAReferenceAlone(t *testing.T) {
	d := NewDevice(Options{})
	address := upload(t, d, "small", make([]uint32, 4))
	m, err := d.LoadModule(parse(t, "t.ptx", ptxHeader+".global .texref a, b; .global .u32 c; .visible .entry k() { ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	handle, err := d.CreateTexture(memory.Texture{Name: "t", Address: address, Width: 4, Channels: 1, Element: ptx.F32})
	if err != nil || m.BindTexture("b", handle) != nil {
		t.Fatal(err)
	}
	if err := m.BindTexture("c", handle); err == nil || !strings.Contains(err.Error(), `no .texref or .surfref variable "c"`) {
		t.Error(err)
	}
	if err := m.BindTexture("a", handle+1); err == nil || !strings.Contains(err.Error(), "no texture of this device") {
		t.Error(err)
	}
	if _, _, err := m.Symbol("b"); err == nil {
		t.Error("a texture reference passes for a variable in memory")
	}
}

func TestFetchesFromFreedMemoryAreFaults(t *testing.T) {
	d := NewDevice(Options{})
	address := upload(t, d, "texels", make([]uint32, 4))
	handle, err := d.CreateTexture(memory.Texture{Name: "picture", Address: address, Width: 4, Channels: 1, Element: ptx.F32})
	if err != nil {
		t.Fatal(err)
	}
	k := kernelOf(t, d, "t.ptx", ptxHeader+`.visible .entry kernel(.param .u64 tex) { .reg .b64 %h; .reg .b32 %r<5>; ld.param.u64 %h, [tex];
		mov.u32 %r0, 0; tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%h, {%r0}]; ret; }`, "kernel")
	if err := d.Free(address); err != nil {
		t.Fatal(err)
	}
	_, err = d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(handle)})
	if err == nil || !strings.Contains(err.Error(), "use-after-free") || !strings.Contains(err.Error(), "the memory of texture picture was freed") {
		t.Error(err)
	}
}

// BenchmarkTextureFetch isolates bilinear filtering: 32 lanes of four texels.
func BenchmarkTextureFetch(b *testing.B) {
	text := ptxHeader + `.visible .entry kernel(.param .u64 tex) { .reg .b64 %h; .reg .b32 %r<3>; .reg .f32 %f<8>; .reg .pred %p;
		ld.param.u64 %h, [tex]; mov.u32 %r0, %tid.x; and.b32 %r0, %r0, 31; cvt.rn.f32.u32 %f0, %r0; mov.u32 %r1, 0;
		LOOP: ` + strings.Repeat("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%h, {%f0, %f0}];\n", 64) + `
		add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 16; @%p bra LOOP; ret; }`
	d := NewDevice(Options{})
	k := kernelOf(b, d, "tex.ptx", text, "kernel")
	handle, err := d.CreateTexture(memory.Texture{Name: "t", Address: upload(b, d, "texels", ramp(64, 64)), Width: 64, Height: 64, Channels: 1, Element: ptx.F32, Linear: true})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkLaunch(b, d, LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(256, 1), Arguments: pack(handle), Recorder: &discard{}})
}

// Texel x, y of plane z is 10x + 1000y + 100000z; each lane asks for a place in
// every dimension, in planes of a volume or in layers.
func TestVolumesAndLayersFetchFromTheirPlanes(t *testing.T) {
	const width, height, planes = 4, 3, 5
	texels := make([]uint32, width*height*planes)
	for i := range texels {
		texels[i] = math.Float32bits(float32(10*(i%width) + 1000*(i/width%height) + 100000*(i/width/height)))
	}
	cases := []struct {
		tex     string
		texture memory.Texture
		want    func(x, y, z float64) float64
	}{
		{"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%tex, {%f5, %f6, %f7, %f7}];", memory.Texture{Width: width, Height: height, Depth: planes},
			func(x, y, z float64) float64 { return 10*math.Floor(x) + 1000*math.Floor(y) + 100000*math.Floor(z) }},
		{"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%tex, {%f5, %f6, %f7}];", memory.Texture{Width: width, Height: height, Depth: planes, Linear: true},
			func(x, y, z float64) float64 { return 10*(x-0.5) + 1000*(y-0.5) + 100000*(z-0.5) }},
		{"cvt.rzi.u32.f32 %r1, %f7; tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%tex, {%r1, %f5, %f6, %f6}];", memory.Texture{Width: width, Height: height, Layers: planes, Linear: true},
			func(x, y, z float64) float64 { return 10*(x-0.5) + 1000*(y-0.5) + 100000*math.Floor(z) }},
		{"cvt.rzi.u32.f32 %r1, %f7; tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%tex, {%r1, %f5}];", memory.Texture{Width: width, Layers: height * planes},
			func(x, _, z float64) float64 {
				n := math.Floor(z)
				return 10*math.Floor(x) + 1000*math.Mod(n, height) + 100000*math.Floor(n/height)
			}},
		{"tex.level.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%tex, {%f5, %f6, %f7, %f7}], 0f00000000;", memory.Texture{Width: width, Height: height, Depth: planes},
			func(x, y, z float64) float64 { return 10*math.Floor(x) + 1000*math.Floor(y) + 100000*math.Floor(z) }},
	}
	for _, c := range cases {
		d := NewDevice(Options{})
		k := kernelOf(t, d, "t.ptx", ptxHeader+`.entry k(.param .u64 out, .param .u64 in, .param .u64 tex) {
	.reg .b32 %r<4>; .reg .f32 %f<9>; .reg .b64 %d<4>; .reg .b64 %tex;
	ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %tex, [tex];
	mov.u32 %r0, %laneid; mad.wide.u32 %d1, %r0, 4, %d1; mad.wide.u32 %d2, %r0, 12, %d2;
	ld.global.f32 %f5, [%d2]; ld.global.f32 %f6, [%d2+4]; ld.global.f32 %f7, [%d2+8];
	`+c.tex+`
	st.global.f32 [%d1], %f1; ret; }`, "k")
		c.texture.Name, c.texture.Channels, c.texture.Element = "t", 1, ptx.F32
		c.texture.Address = upload(t, d, "texels", texels)
		handle, err := d.CreateTexture(c.texture)
		if err != nil {
			t.Fatal(err)
		}
		var in []uint32
		place := func(lane int) (x, y, z float64) {
			return 0.5 + float64(lane%4)*0.75, 0.5 + float64(lane%3)*0.75, 0.5 + float64(lane%5)*0.75
		}
		for lane := range 32 {
			x, y, z := place(lane)
			in = append(in, math.Float32bits(float32(x)), math.Float32bits(float32(y)), math.Float32bits(float32(z)))
		}
		out := upload(t, d, "out", make([]uint32, 32))
		if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(out, upload(t, d, "in", in), handle)}); err != nil {
			t.Fatal(err)
		}
		for lane, v := range download(t, d, out, 32) {
			x, y, z := place(lane)
			if got, want := float64(value(v)), c.want(x, y, z); got != want {
				t.Fatalf("%s lane %d (%v, %v, %v): %v, want %v", c.tex, lane, x, y, z, got, want)
			}
		}
	}
}
