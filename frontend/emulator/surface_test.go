// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// surfaceScript runs instructions in 32 lanes, with %x, %y, %z of each lane from
// a table, %v its lane's value, and stores %r1.
type surfaceScript struct {
	code    string
	texture memory.Texture
	data    []uint32
	place   func(lane int) [3]int
	bind    bool
}

func (s *surfaceScript) launch(t *testing.T) (results, words []uint32, err error) {
	t.Helper()
	text := ptxHeader + `.global .surfref sheet; .visible .entry kernel(.param .u64 out, .param .u64 in, .param .u64 surf) {
		.reg .b32 %r<8>; .reg .b32 %x; .reg .b32 %y; .reg .b32 %z; .reg .b32 %v; .reg .b64 %d<6>; .reg .b64 %s; .reg .b16 %h<4>;
		ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %s, [surf]; mov.u32 %v, %tid.x; mov.u32 %r1, 0;
		mad.wide.u32 %d1, %v, 4, %d1; mad.wide.u32 %d2, %v, 16, %d2;
		ld.global.u32 %x, [%d2]; ld.global.u32 %y, [%d2+4]; ld.global.u32 %z, [%d2+8]; cvt.u64.u32 %d3, %v;
		` + s.code + `
		st.global.u32 [%d1], %r1; ret; }`
	d := NewDevice(Options{})
	m, err := d.LoadModule(parse(t, "surf.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("kernel")
	if err != nil {
		t.Fatal(err)
	}
	address := upload(t, d, "texels", s.data)
	s.texture.Name, s.texture.Address = "sheet", address
	handle, err := d.CreateTexture(s.texture)
	if err != nil {
		t.Fatal(err)
	}
	if s.bind {
		if err := m.BindTexture("sheet", handle); err != nil {
			t.Fatal(err)
		}
	}
	in := make([]uint32, 128)
	for lane := range 32 {
		for i, v := range s.place(lane) {
			in[4*lane+i] = uint32(int32(v))
		}
	}
	out := upload(t, d, "out", make([]uint32, 32))
	_, err = d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(out, upload(t, d, "in", in), handle)})
	return download(t, d, out, 32), download(t, d, address, len(s.data)), err
}

func count(n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = uint32(i) * 0x01010101
	}
	return words
}

// place (x in bytes, y, z) of a surface of 4-byte texels has the word of row
// (z*height + y) at x/4, in every shape.
func TestSurfaceLoadsReadTheWordAtTheirBytes(t *testing.T) {
	shapes := map[string]struct {
		code    string
		texture memory.Texture
		word    func(p [3]int) int
	}{
		"1d":  {"suld.b.1d.b32.trap {%r1}, [%s, {%x}];", memory.Texture{Width: 32}, func(p [3]int) int { return p[0] / 4 }},
		"1dr": {"suld.b.1d.cg.b32.trap %r1, [sheet, {%x}];", memory.Texture{Width: 32}, func(p [3]int) int { return p[0] / 4 }},
		"2d":  {"suld.b.2d.b32.trap %r1, [%s, {%x, %y}];", memory.Texture{Width: 8, Height: 4}, func(p [3]int) int { return p[1]*8 + p[0]/4 }},
		"3d":  {"suld.b.3d.b32.trap %r1, [%s, {%x, %y, %z, %z}];", memory.Texture{Width: 4, Height: 2, Depth: 4}, func(p [3]int) int { return p[2]*8 + p[1]*4 + p[0]/4 }},
		"a1d": {"suld.b.a1d.b32.trap %r1, [%s, {%z, %x}];", memory.Texture{Width: 8, Layers: 4}, func(p [3]int) int { return p[2]*8 + p[0]/4 }},
		"a2d": {"suld.b.a2d.b32.trap %r1, [%s, {%z, %x, %y, %y}];", memory.Texture{Width: 4, Height: 2, Layers: 4}, func(p [3]int) int { return p[2]*8 + p[1]*4 + p[0]/4 }},
	}
	for name, c := range shapes {
		c.texture.Channels, c.texture.Element = 1, ptx.U32
		width := c.texture.Width
		s := surfaceScript{code: c.code, texture: c.texture, data: count(32), bind: name == "1dr", place: func(lane int) [3]int {
			return [3]int{lane * 7 % width * 4, lane % max(c.texture.Height, 1), lane / 3 % max(c.texture.Depth, c.texture.Layers, 1)}
		}}
		if name == "1d" {
			s.code = "suld.b.1d.b32.trap %r1, [%s, {%x}];"
		}
		got, _, err := s.launch(t)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for lane, v := range got {
			if want := count(32)[c.word(s.place(lane))]; v != want {
				t.Fatalf("%s: lane %d at %v reads %#x, want %#x", name, lane, s.place(lane), v, want)
			}
		}
	}
}

// Lanes -8 ... 23 on a row of 16 bytes: what lies outside by the three modes.
func TestSurfaceModesOutside(t *testing.T) {
	byteOf := func(data []uint32, i int) uint32 { return data[i/4] >> (8 * (i % 4)) & 255 }
	bytes := []uint32{0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c}
	texture := memory.Texture{Width: 16, Channels: 1, Element: ptx.U8}
	place := func(lane int) [3]int { return [3]int{lane - 8} }
	for mode, want := range map[string]func(x int) uint32{
		"clamp": func(x int) uint32 { return uint32(0x10 + max(0, min(15, x))) },
		"zero": func(x int) uint32 {
			if x < 0 || x > 15 {
				return 0
			}
			return uint32(0x10 + x)
		},
	} {
		s := surfaceScript{code: "suld.b.1d.b8." + mode + " %h1, [%s, {%x}]; cvt.u32.u16 %r1, %h1;", texture: texture, data: bytes, place: place}
		got, _, err := s.launch(t)
		if err != nil {
			t.Fatal(err)
		}
		for lane, v := range got {
			if v != want(lane-8) {
				t.Fatalf("suld.%s at %d: %#x, want %#x", mode, lane-8, v, want(lane-8))
			}
		}
		s.code = "cvt.u16.u32 %h1, %v; sust.b.1d.b8." + mode + " [%s, {%x}], %h1;"
		_, words, err := s.launch(t)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 16 {
			expected := uint32(i + 8)
			if mode == "clamp" && i == 15 {
				expected = 31 // lanes go up, the last one stays
			}
			if v := byteOf(words, i); v != expected {
				t.Fatalf("sust.%s: byte %d is %d, want %d", mode, i, v, expected)
			}
		}
	}
	s := surfaceScript{code: "suld.b.1d.b8.trap %h1, [%s, {%x}];", texture: texture, data: bytes, place: place}
	var f *coexecution.Fault
	if _, _, err := s.launch(t); !errors.As(err, &f) || f.Kind != coexecution.FaultOutOfBounds {
		t.Errorf("suld.trap outside: %v", err)
	}
	s = surfaceScript{code: "suld.b.1d.b32.trap %r1, [%s, {%x}];", texture: texture, data: bytes, place: func(int) [3]int { return [3]int{2} }}
	if _, _, err := s.launch(t); !errors.As(err, &f) || f.Kind != coexecution.FaultMisaligned {
		t.Errorf("suld.b32 at byte 2: %v", err)
	}
	s = surfaceScript{code: "suld.b.2d.b32.trap %r1, [%s, {%x, %y}];", texture: texture, data: bytes, place: func(int) [3]int { return [3]int{0} }}
	if _, _, err := s.launch(t); !errors.As(err, &f) || f.Kind != coexecution.FaultTexture {
		t.Errorf("suld.2d of one dimension: %v", err)
	}
}

// A formatted store converts to texels, and its coordinates count whole ones; a
// vector store moves bytes as they are.
func TestSurfaceStoresFormatTexels(t *testing.T) {
	place := func(lane int) [3]int { return [3]int{lane} }
	s := surfaceScript{code: "add.u32 %r2, %v, 250; neg.s32 %r3, %v; sust.p.1d.v2.b32.trap [%s, {%x}], {%r2, %v};", texture: memory.Texture{Width: 32, Channels: 2, Element: ptx.U8}, data: make([]uint32, 16), place: place}
	_, words, err := s.launch(t)
	if err != nil {
		t.Fatal(err)
	}
	for lane := range 32 {
		if got, want := words[lane/2]>>(16*(lane%2))&0xffff, uint32(min(255, 250+lane)|lane<<8); got != want {
			t.Fatalf("texel %d is %#x, want %#x", lane, got, want)
		}
	}
	s = surfaceScript{code: "shl.b32 %x, %x, 3; not.b32 %r2, %v; sust.b.1d.v2.b32.trap [%s, {%x}], {%v, %r2};", texture: memory.Texture{Width: 32, Channels: 2, Element: ptx.F32}, data: make([]uint32, 64), place: place}
	if _, words, err = s.launch(t); err != nil {
		t.Fatal(err)
	}
	for lane := range uint32(32) {
		if words[2*lane] != lane || words[2*lane+1] != ^lane {
			t.Fatalf("texel %d is %#x", lane, words[2*lane:2*lane+2])
		}
	}
}

// All lanes reduce into two words: the results are those of the sums, extremes
// and unions of the lanes' numbers.
func TestSurfaceReductionsReduce(t *testing.T) {
	for _, c := range []struct {
		op   string
		unit int
		want [2]uint32
	}{
		{"b.add.1d.u32", 4, [2]uint32{100 + 240, 100 + 256}}, {"b.add.1d.s32", 4, [2]uint32{100 + 240, 100 + 256}},
		{"b.min.1d.u32", 4, [2]uint32{0, 1}}, {"b.max.1d.s32", 4, [2]uint32{100, 100}},
		{"b.or.1d.b32", 4, [2]uint32{100 | 30, 100 | 31}}, {"b.and.1d.b32", 4, [2]uint32{0, 0}},
		{"p.add.1d.b32", 1, [2]uint32{100 + 240, 100 + 256}}, {"p.min.1d.b32", 1, [2]uint32{0, 1}},
	} {
		s := surfaceScript{code: fmt.Sprintf("sured.%s.trap [%%s, {%%x}], %%v;", c.op), texture: memory.Texture{Width: 2, Channels: 1, Element: ptx.S32}, data: []uint32{100, 100},
			place: func(lane int) [3]int { return [3]int{lane % 2 * c.unit} }}
		_, words, err := s.launch(t)
		if err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		if [2]uint32(words) != c.want {
			t.Errorf("sured.%s gives %v, want %v", c.op, words, c.want)
		}
	}
	s := surfaceScript{code: "neg.s64 %d3, %d3; sured.b.min.1d.s64.trap [%s, {%x}], %d3;", texture: memory.Texture{Width: 2, Channels: 1, Element: ptx.S32}, data: []uint32{0, 0}, place: func(int) [3]int { return [3]int{} }}
	_, words, err := s.launch(t)
	if v := int64(uint64(words[0]) | uint64(words[1])<<32); err != nil || v != -31 {
		t.Errorf("sured.min.s64 gives %d, %v", v, err)
	}
}

func TestQueriesGiveTheTexture(t *testing.T) {
	layered := memory.Texture{Width: 4, Height: 2, Layers: 2, Channels: 2, Element: ptx.S16}
	volume := memory.Texture{Width: 4, Height: 2, Depth: 2, Channels: 1, Element: ptx.F32, Modes: memory.AllModes(memory.AddressBorder), Linear: true, Normalized: true}
	three := volume
	three.Modes = memory.AddressModes{memory.AddressWrap, memory.AddressMirror, memory.AddressClamp}
	for _, c := range []struct {
		query   string
		texture memory.Texture
		want    uint32
	}{
		{"txq.width", layered, 4}, {"txq.height", layered, 2}, {"txq.array_size", layered, 2}, {"txq.channel_order", layered, 0x10b2}, {"txq.channel_data_type", layered, 0x10d8},
		{"txq.depth", volume, 2}, {"txq.normalized_coords", volume, 1}, {"txq.filter_mode", volume, 1}, {"txq.addr_mode_1", volume, 4}, {"txq.num_mipmap_levels", volume, 1},
		{"txq.force_unnormalized_coords", volume, 0}, {"txq.filter_mode", layered, 0}, {"txq.addr_mode_0", layered, 3}, {"txq.addr_mode_0", three, 0}, {"txq.addr_mode_1", three, 1}, {"txq.addr_mode_2", three, 3},
		{"suq.width", volume, 4}, {"suq.depth", volume, 2}, {"suq.array_size", layered, 2}, {"suq.channel_data_type", volume, 0x10de}, {"suq.memory_layout", volume, 0},
	} {
		s := surfaceScript{code: c.query + ".b32 %r1, [%s];", texture: c.texture, data: make([]uint32, 32), place: func(int) [3]int { return [3]int{} }}
		got, _, err := s.launch(t)
		if err != nil || got[0] != c.want || got[31] != c.want {
			t.Errorf("%s of %+v: %#x, %v, want %#x", c.query, c.texture, got[0], err, c.want)
		}
	}
	s := surfaceScript{code: "txq.level.height.b32 %r1, [sheet], 0;", texture: layered, bind: true, data: make([]uint32, 32), place: func(int) [3]int { return [3]int{} }}
	if got, _, err := s.launch(t); err != nil || got[5] != 2 {
		t.Errorf("txq.level of a variable: %d, %v", got[5], err)
	}
	s.bind = false
	var f *coexecution.Fault
	if _, _, err := s.launch(t); !errors.As(err, &f) || f.Kind != coexecution.FaultTexture {
		t.Errorf("txq of nothing: %v", err)
	}
}

// Blocks that read and write one texel, and blocks with a texel each, give the
// same on one core and on several.
func TestSurfacesKeepTheOrderOfBlocks(t *testing.T) {
	run := func(workers int, place string) []uint32 {
		d := NewDevice(Options{Workers: workers, MinTogether: fewTogether})
		k := kernelOf(t, d, "surf.ptx", ptxHeader+`.visible .entry kernel(.param .u64 surf) {
			.reg .b32 %r<8>; .reg .b64 %s; .reg .pred %p<2>;
			ld.param.u64 %s, [surf]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 200;
			WORK: sub.u32 %r2, %r2, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra WORK;
			`+place+`
			suld.b.1d.b32.trap %r4, [%s, {%r3}]; mad.lo.u32 %r4, %r4, 3, %r1; sust.b.1d.b32.trap [%s, {%r3}], %r4; ret; }`, "kernel")
		address := upload(t, d, "texels", count(96))
		handle, err := d.CreateTexture(memory.Texture{Name: "sheet", Address: address, Width: 96, Channels: 1, Element: ptx.U32})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(96, 1), Block: dims(1, 1), Arguments: pack(handle)}); err != nil {
			t.Fatal(err)
		}
		return download(t, d, address, 96)
	}
	for _, place := range []string{"mov.u32 %r3, 0;", "shl.b32 %r3, %r1, 2;", "and.b32 %r3, %r1, 7; shl.b32 %r3, %r3, 2;"} {
		if one, many := run(1, place), run(4, place); !slices.Equal(one, many) {
			t.Errorf("%s\n1: %v\n4: %v", place, one, many)
		}
	}
}
