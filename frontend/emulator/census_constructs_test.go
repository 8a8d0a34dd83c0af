// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// censusConstruct is a module with a kernel k whose 32 threads each store a
// word; %r0 is a thread's number and %d0 the address of its word.
type censusConstruct struct {
	header     string // ptxHeader when empty
	module     string // before the kernel
	parameters string // after the first
	bounds     string // between the parameters and the body
	body       string
	arguments  []byte // after the first
	shared     uint32
	texture    string // that is bound to texels of their own numbers
	height     uint32
	want       func(i int) uint32
	printed    string
}

func (c censusConstruct) check(t *testing.T) {
	if c.header == "" {
		c.header = ptxHeader
	}
	text := c.header + c.module + "\n.visible .entry k(\n\t.param .u64 k_param_0" + c.parameters + "\n)\n" + c.bounds + "{\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %d<16>;\n" +
		"ld.param.u64 %d1, [k_param_0]; mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d1, %d2;\n" + c.body + "\n}\n"
	var printed strings.Builder
	d := NewDevice(Options{Output: &printed})
	m, err := d.LoadModule(parse(t, "construct.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	if c.texture != "" {
		c.bind(t, d, m)
	}
	out := upload(t, d, "out", make([]uint32, 32))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), DynamicShared: c.shared, Arguments: append(pack(out), c.arguments...)}); err != nil {
		t.Fatal(err)
	}
	expect(t, download(t, d, out, 32), c.want)
	if printed.String() != c.printed {
		t.Errorf("printed %q, want %q", printed.String(), c.printed)
	}
}

func (c censusConstruct) bind(t *testing.T, d *Device, m *Module) {
	t.Helper()
	data := make([]uint32, 32)
	for i := range data {
		data[i] = uint32(i)
	}
	width := uint32(32)
	if c.height > 0 {
		width /= c.height
	}
	handle, err := d.CreateTexture(memory.Texture{Name: c.texture, Address: upload(t, d, "texels", data), Width: int(width), Height: int(c.height), Channels: 1, Element: ptx.U32})
	if err == nil {
		err = m.BindTexture(c.texture, handle)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const oldHeader = ".version 1.4\n.target sm_10, map_f64_to_f32\n"

// littleWords are the bytes of 32-bit words.
func littleWords(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = append(b, pack(w)...)
	}
	return b
}

func constant(v uint32) func(int) uint32 { return func(int) uint32 { return v } }

var censusConstructs = map[string]censusConstruct{
	"float-literals": {body: "add.rn.f32 %r1, 0f3FC00000, 0fBF000000; st.global.f32 [%d0], %r1; ret;", want: constant(0x3f800000)},
	"double-literals": {body: "mov.f64 %d3, 0d3FF8000000000000; add.rn.f64 %d3, %d3, 0dBFE0000000000000; cvt.rn.f32.f64 %r1, %d3; st.global.f32 [%d0], %r1; ret;",
		want: constant(0x3f800000)},
	"single-registers": {body: ".reg .b32 temp;\n.reg .f32 \tf1, f2;\nmov.b32 temp, %r0; cvt.rn.f32.u32 f1, temp; add.f32 f2, f1, f1; cvt.rzi.u32.f32 %r1, f2; st.global.u32 [%d0], %r1; ret;",
		want: func(i int) uint32 { return uint32(2 * i) }},
	"local-depot": {body: ".local .align 8 .b8 \t__local_depot0[16];\n.reg .b64 \t%SP;\n.reg .b64 \t%SPL;\nmov.u64 \t%SPL, __local_depot0;\ncvta.local.u64 \t%SP, %SPL;\n" +
		"st.u32 [%SP+4], %r0; add.u64 %d3, %SPL, 8; st.local.u32 [%d3], 100; ld.local.u32 %r1, [%SPL+4]; ld.u32 %r2, [%SP+8]; add.u32 %r1, %r1, %r2; st.global.u32 [%d0], %r1; ret;",
		want: func(i int) uint32 { return uint32(i + 100) }},
	"loc-in-body": {module: ".file\t1 \"/src\" \"kernel.cu\"\n", body: "$L__func_begin0:\n.loc\t1 7 12\n\tst.global.u32 [%d0], %r0;\n\t.loc 1 8 0, function_name $L__info_string0, inlined_at 1 3 5\n$L__tmp1:\n\tret;\n$L__func_end0:",
		want: number32},
	"file": {module: "\t.file\t1 \"/home/someone/a file.cu\", 1426287108, 17404\n\t.file 2 \"b.h\"\n", body: "st.global.u32 [%d0], 3; ret;", want: constant(3)},
	"dwarf-sections": {body: "$L__func_begin0:\nst.global.u32 [%d0], 4; ret;\n}\n\t.section\t.debug_abbrev\n\t{\n.b8 1                                   // Abbreviation Code\n.b8 17\n.b8 0\n\t}\n\t.section\t.debug_info\n\t{\n" +
		".b32 99                                 // Length of Unit\n.b8 2, 0\n.b32 .debug_abbrev\n.b64 $L__func_begin0\n\t}\n\t.section .debug_loc {\t}\n.visible .entry other() { ret;",
		want: constant(4)},
	"shared-in-body": {body: "// demoted variable\n.shared .align 4 .b8 _ZZ4tile[128];\nmov.u64 %d3, _ZZ4tile; add.u64 %d4, %d3, %d2; st.shared.u32 [%d4], %r0; bar.sync 0; xor.b32 %r1, %r0, 1; mul.wide.u32 %d4, %r1, 4; add.u64 %d4, %d3, %d4; ld.shared.u32 %r2, [%d4]; st.global.u32 [%d0], %r2; ret;",
		want: func(i int) uint32 { return uint32(i ^ 1) }},
	"nested-scopes": {body: "mov.u32 %r1, 1;\n{\n.reg .b32 %r1; .reg .b32 temp;\nmov.u32 %r1, 50;\n{ .reg .b32 temp; mov.u32 temp, %r1; add.u32 %r2, temp, 1; }\nmov.u32 temp, %r2; mov.u32 %r3, temp;\n}\nadd.u32 %r1, %r1, %r3; st.global.u32 [%d0], %r1; ret;",
		want: constant(52)},
	"module-global-array":    {module: ".global .align 4 .b8 cells[128];", body: "mov.u64 %d3, cells; add.u64 %d4, %d3, %d2; st.global.u32 [%d4], %r0; ld.global.u32 %r1, [%d4]; st.global.u32 [%d0], %r1; ret;", want: number32},
	"pragma-at-module-scope": {module: ".pragma \"nounroll\";\n", body: "st.global.u32 [%d0], 5; ret;", want: constant(5)},
	"pragma-in-body":         {body: "mov.u32 %r1, 0;\nLOOP:\n.pragma \"nounroll\";\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 6; @%p1 bra LOOP; st.global.u32 [%d0], %r1; ret;", want: constant(6)},
	"call-arguments": {module: ".func  (.param .b32 func_retval0) sum(.param .b32 sum_param_0, .param .align 8 .b8 sum_param_1[16])\n{ .reg .b32 %r<4>; ld.param.u32 %r1, [sum_param_0]; ld.param.u32 %r2, [sum_param_1+12]; add.s32 %r3, %r1, %r2; st.param.b32 [func_retval0+0], %r3; ret; }",
		body: "{ // callseq 0, 0\n.reg .b32 temp_param_reg;\n.param .b32 param0;\nst.param.b32 \t[param0+0], %r0;\n.param .align 8 .b8 param1[16];\nst.param.b32 [param1+12], 1000;\n.param .b32 retval0;\ncall.uni (retval0), \nsum, \n(\nparam0, \nparam1\n);\nld.param.b32 \t%r1, [retval0+0];\n} // callseq 0\nst.global.u32 [%d0], %r1; ret;",
		want: func(i int) uint32 { return uint32(i + 1000) }},
	"const-array-initialised": {module: ".const .align 4 .b8 weights[8] = {1, 0, 0, 0, 2, 1, 0, 0};\n.const .u32 more[2] = {5, 6};", body: "ld.const.u32 %r1, [weights+4]; ld.const.u32 %r2, [more+4]; add.u32 %r1, %r1, %r2; st.global.u32 [%d0], %r1; ret;",
		want: constant(258 + 6)},
	"const-array":            {module: ".const .align 4 .b8 zeros[8];", body: "ld.const.u32 %r1, [zeros+4]; add.u32 %r1, %r1, %r0; st.global.u32 [%d0], %r1; ret;", want: number32},
	"const-scalar":           {module: ".const .align 4 .u32 factor = 3;", body: "ld.const.u32 %r1, [factor]; mul.lo.u32 %r1, %r1, %r0; st.global.u32 [%d0], %r1; ret;", want: func(i int) uint32 { return uint32(3 * i) }},
	"const-through-register": {module: ".const .align 4 .u32 table[4] = {9, 8, 7, 6};", body: "mov.u64 %d3, table; and.b32 %r1, %r0, 3; mul.wide.u32 %d4, %r1, 4; add.s64 %d3, %d3, %d4; ld.const.u32 %r1, [%d3]; st.global.u32 [%d0], %r1; ret;", want: func(i int) uint32 { return uint32(9 - i%4) }},
	"parameter-with-offset":  {parameters: ",\n\t.param .align 4 .b8 k_param_1[12]", arguments: littleWords(1, 2, 3), body: "ld.param.u32 %r1, [k_param_1+8]; ld.param.u32 %r2, [k_param_1]; mad.lo.u32 %r1, %r1, 10, %r2; st.global.u32 [%d0], %r1; ret;", want: constant(31)},
	"struct-parameter":       {parameters: ",\n\t.param .align 8 .b8 k_param_1[16]", arguments: littleWords(4, 0, 6, 7), body: "ld.param.u64 %d3, [k_param_1]; ld.param.v2.u32 {%r1, %r2}, [k_param_1+8]; cvt.u32.u64 %r3, %d3; mad.lo.u32 %r1, %r1, %r2, %r3; st.global.u32 [%d0], %r1; ret;", want: constant(46)},
	"parameter-through-register": {parameters: ",\n\t.param .align 4 .b8 k_param_1[16]", arguments: littleWords(10, 11, 12, 13),
		body: "mov.b64 %d3, k_param_1; and.b32 %r1, %r0, 3; mul.wide.u32 %d4, %r1, 4; add.s64 %d3, %d3, %d4; ld.param.u32 %r1, [%d3]; st.global.u32 [%d0], %r1; ret;", want: func(i int) uint32 { return uint32(10 + i%4) }},
	"texture-references": {module: ".global .texref picture;\n.global .samplerref sampler;\n.global .surfref surface;", body: "st.global.u32 [%d0], 8; ret;", want: constant(8)},
	"tex-variables":      {header: oldHeader, module: ".tex .u64 picture;", body: "st.global.u32 [%d0], 8; exit;", want: constant(8)},
	"tex-1d-by-symbol":   {module: ".global .texref picture;", texture: "picture", body: "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [picture, {%r0}]; st.global.u32 [%d0], %r1; ret;", want: number32},
	"tex-2d-by-symbol": {module: ".global .texref picture;", texture: "picture", height: 4,
		body: "and.b32 %r1, %r0, 7; shr.u32 %r2, %r0, 3; cvt.rn.f32.u32 %r1, %r1; cvt.rn.f32.u32 %r2, %r2; tex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [picture, {%r1, %r2}]; st.global.u32 [%d0], %r3; ret;", want: number32},
	"negated-guard":        {body: "setp.ge.u32 %p1, %r0, 8; @!%p1 bra LOW; st.global.u32 [%d0], 1; ret; LOW: st.global.u32 [%d0], 2; ret;", want: func(i int) uint32 { return [2]uint32{2, 1}[min(i/8, 1)] }},
	"guarded-instructions": {body: "setp.ge.u32 %p1, %r0, 8; mov.u32 %r1, 1; @%p1 add.u32 %r1, %r1, 2; @!%p1 mul.lo.u32 %r1, %r1, 9; st.global.u32 [%d0], 0; @%p1 st.global.u32 [%d0], %r1; ret;", want: func(i int) uint32 { return [2]uint32{0, 3}[min(i/8, 1)] }},
	"global-array-initialised": {module: ".global .align 1 .b8 $str[4] = {104, 105, 33, 0};\n.global .align 8 .u64 pointers[2] = {$str, generic($str)+1};",
		body: "ld.global.u64 %d3, [pointers]; ld.global.u8 %r1, [%d3]; ld.global.u64 %d3, [pointers+8]; ld.u8 %r2, [%d3]; shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, %r2; st.global.u32 [%d0], %r1; ret;", want: constant(104 | 105<<8)},
	"module-shared-array":  {module: ".shared .align 4 .b8 tile[128];", body: "mov.u64 %d3, tile; add.u64 %d3, %d3, %d2; st.shared.u32 [%d3], %r0; ld.shared.u32 %r1, [%d3]; st.global.u32 [%d0], %r1; ret;", want: number32},
	"module-shared-scalar": {module: ".shared .align 4 .u32 total;", body: "setp.ne.u32 %p1, %r0, 31; @%p1 bra DONE; st.shared.u32 [total], %r0; DONE: bar.sync 0; ld.shared.u32 %r1, [total]; st.global.u32 [%d0], %r1; ret;", want: constant(31)},
	"dynamic-shared":       {module: ".extern .shared .align 16 .b8 dynamic[];", shared: 128, body: "mov.u64 %d3, dynamic; add.u64 %d3, %d3, %d2; st.shared.u32 [%d3], %r0; ld.shared.u32 %r1, [%d3]; st.global.u32 [%d0], %r1; ret;", want: number32},
	"global-scalar":        {module: ".global .align 4 .u32 counter;", body: "atom.global.add.u32 %r1, [counter], 1; bar.sync 0; ld.global.u32 %r2, [counter]; st.global.u32 [%d0], %r2; ret;", want: constant(32)},
	"function":             {module: ".func (.param .b32 r) half(.param .b32 x);\n.visible .func (.param .b32 r) half(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; shr.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }", body: "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r0; call (r), half, (x); ld.param.b32 %r1, [r]; } st.global.u32 [%d0], %r1; ret;", want: func(i int) uint32 { return uint32(i / 2) }},
	"vprintf": {module: ".extern .func  (.param .b32 func_retval0) vprintf\n(\n.param .b64 vprintf_param_0,\n.param .b64 vprintf_param_1\n)\n;\n.global .align 1 .b8 $str[7] = {104, 105, 32, 37, 117, 10, 0};",
		body: ".local .align 8 .b8 depot[8]; setp.gt.u32 %p1, %r0, 1; @%p1 bra DONE; mov.u64 %d3, depot; cvta.local.u64 %d3, %d3; st.u32 [%d3], %r0; mov.u64 %d4, $str; cvta.global.u64 %d4, %d4; { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d4; st.param.b64 [b], %d3; call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; } DONE: st.global.u32 [%d0], 1; ret;",
		want: constant(1), printed: "hi 0\nhi 1\n"},
	"malloc-and-free": {module: ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);",
		body: "{ .param .b64 n; .param .b64 p; st.param.b64 [n], 16; call.uni (p), malloc, (n); ld.param.b64 %d3, [p]; } st.u32 [%d3+8], %r0; bar.sync 0; ld.u32 %r1, [%d3+8]; { .param .b64 p; st.param.b64 [p], %d3; call.uni free, (p); } st.global.u32 [%d0], %r1; ret;", want: number32},
	"launch-bounds": {bounds: ".maxntid 32, 1, 1\n.minnctapersm 2\n.maxnreg 64\n", module: ".visible .entry exact() .reqntid 16, 2, 1 { ret; }", body: "st.global.u32 [%d0], 9; ret;", want: constant(9)},
	"mov-pack":      {body: "mov.b64 %d3, {%r0, 7}; mov.b64 {%r1, %r2}, %d3; mov.b32 {%h1, %h2}, %r1; mov.b32 %r3, {%h2, %h1}; add.u32 %r3, %r3, %r2; st.global.u32 [%d0], %r3; ret;", want: func(i int) uint32 { return uint32(i<<16 + 7) }},
	"warp-size":     {body: "mov.u32 %r1, WARP_SZ; add.u32 %r1, %r1, WARP_SZ; st.global.u32 [%d0], %r1; ret;", want: constant(64)},
}
