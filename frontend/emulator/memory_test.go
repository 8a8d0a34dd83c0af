// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
)

// With the check of bounds, buffers are apart, up to the end of the addresses.
func TestBuffersAreApartWhereBoundsAreChecked(t *testing.T) {
	d := NewDevice(Options{CheckBounds: true})
	d.Global.Within(memory.GlobalBase, memory.GlobalBase+BoundsGap+1024)
	for i, want := range []uint64{memory.GlobalBase, memory.GlobalBase + BoundsGap + 512} {
		if got, err := d.Allocate("b", 300); err != nil || got != want {
			t.Fatalf("buffer %d: 0x%x, %v, want 0x%x", i, got, err, want)
		}
		if past := want + 300; d.Global.Find(past, 1) != nil || d.Global.Find(past-1, 1) == nil {
			t.Errorf("buffer %d has other bytes than its own", i)
		}
	}
	if got, err := d.Allocate("last", 1); err == nil {
		t.Errorf("a buffer behind all addresses, at 0x%x", got)
	}
}

func TestGenericAddressesFindTheirSpaces(t *testing.T) {
	s := script{block: dims(64, 1), declarations: ".const .align 4 .b32 c[2] = {11, 22}; .global .align 4 .b32 g[2] = {33, 44};", body: `
		.shared .align 4 .b8 sh[256];
		.local .align 4 .b8 lo[16];
		mov.u64 %d3, sh; cvta.shared.u64 %d4, %d3;
		mad.wide.u32 %d4, %r0, 4, %d4;
		st.u32 [%d4], %r0;
		mov.u64 %d5, lo; cvta.local.u64 %d6, %d5;
		add.u32 %r1, %r0, 500;
		st.u32 [%d6+8], %r1;
		ld.local.u32 %r2, [%d5+8];
		cvta.to.shared.u64 %d7, %d4;
		ld.shared.u32 %r3, [%d7];
		mov.u64 %d8, c; cvta.const.u64 %d8, %d8; ld.u32 %r4, [%d8+4];
		mov.u64 %d9, g; cvta.global.u64 %d9, %d9; ld.u32 %r5, [%d9];
		ld.const.u32 %r6, [c]; ld.global.u32 %r7, [g+4];
		isspacep.shared %p1, %d4; isspacep.local %p2, %d6; isspacep.const %p3, %d8; isspacep.global %p4, %d9; isspacep.global %p5, %d4;
		add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; add.u32 %r2, %r2, %r6; add.u32 %r2, %r2, %r7;
		selp.u32 %r8, 1000, 0, %p1; add.u32 %r2, %r2, %r8;
		selp.u32 %r8, 2000, 0, %p2; add.u32 %r2, %r2, %r8;
		selp.u32 %r8, 4000, 0, %p3; add.u32 %r2, %r2, %r8;
		selp.u32 %r8, 8000, 0, %p4; add.u32 %r2, %r2, %r8;
		selp.u32 %r8, 16000, 0, %p5; add.u32 %r2, %r2, %r8;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(500 + 2*i + 22 + 33 + 11 + 44 + 15000) })
}

func TestLanesOfOneGenericLoadMayUseDifferentSpaces(t *testing.T) {
	s := script{input: []uint32{900}, body: `
		.shared .align 4 .b8 sh[4];
		st.shared.u32 [sh], 700;
		mov.u64 %d3, sh; cvta.shared.u64 %d3, %d3;
		and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;
		selp.u64 %d4, %d3, %d2, %p1;
		ld.u32 %r2, [%d4];
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return []uint32{700, 900}[i%2] })
}

func TestNarrowLoadsExtendByTheirType(t *testing.T) {
	s := script{block: dims(1, 1), input: []uint32{0x8081f0ff}, words: 8, body: `
		ld.global.u8 %r1, [%d2]; st.global.u32 [%d0], %r1;
		ld.global.s8 %r1, [%d2]; st.global.u32 [%d0+4], %r1;
		ld.global.s16 %r1, [%d2+2]; st.global.u32 [%d0+8], %r1;
		ld.global.s8 %h1, [%d2+1]; cvt.u32.u16 %r1, %h1; st.global.u32 [%d0+12], %r1;
		ld.global.s32 %d3, [%d2]; shr.u64 %d3, %d3, 32; cvt.u32.u64 %r1, %d3; st.global.u32 [%d0+16], %r1;
		ld.global.u32 %d3, [%d2]; shr.u64 %d3, %d3, 32; cvt.u32.u64 %r1, %d3; st.global.u32 [%d0+20], %r1;
		mov.u32 %r2, 0x12345678; st.global.u8 [%d0+24], %r2; st.global.u16 [%d0+26], %r2;
		mov.u64 %d4, 0x1122334455667788; st.global.u32 [%d0+28], %d4;
		ret;`}
	want := []uint32{0xff, 0xffffffff, 0xffff8081, 0xfff0, 0xffffffff, 0, 0x56780078, 0x55667788}
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}

func TestVectorAccessesMoveAllElements(t *testing.T) {
	s := script{block: dims(4, 1), words: 16, input: []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, body: `
		mad.wide.u32 %d3, %r0, 16, %d2;
		mad.wide.u32 %d4, %r0, 16, %d1;
		ld.global.v4.u32 {%r1, %r2, _, %r4}, [%d3];
		ld.global.v2.u64 {%d5, %d6}, [%d3];
		cvt.u32.u64 %r3, %d6;
		add.u32 %r1, %r1, 100;
		st.global.v4.u32 [%d4], {%r4, %r3, %r2, %r1};
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		v := uint32(i/4*4 + 4 - i%4)
		if i%4 == 3 {
			v += 100
		}
		return v
	})
}

// Eight words, or four doublewords, in one access (sm_100); two lanes read words
// 0 to 7 and 8 to 15, which come back in reverse order.
func TestAccessesOf256BitsMoveAllElements(t *testing.T) {
	input := make([]uint32, 16)
	for i := range input {
		input[i] = uint32(i + 1)
	}
	s := script{block: dims(2, 1), words: 16, input: input, body: `
		mad.wide.u32 %d3, %r0, 32, %d2;
		mad.wide.u32 %d4, %r0, 32, %d1;
		ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, _, %r7, _}, [%d3];
		ld.global.v4.b64 {_, _, %d5, %d6}, [%d3];
		mov.b64 {_, %r6}, %d5;
		mov.b64 {_, %r0}, %d6;
		st.global.v8.b32 [%d4], {%r0, %r7, %r6, %r5, %r4, %r3, %r2, %r1};
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(i/8*8 + 8 - i%8) })
}

func TestAccessesOf256BitsAreAligned(t *testing.T) {
	_, err := launchText(t, Options{}, `.entry k(.param .u64 out) {
	.reg .b64 %d<8>;
	ld.param.u64 %d1, [out];
	st.global.v4.b64 [%d1+16], {%d2, %d3, %d4, %d5};
	ret;
}`, 1)
	wantFault(t, err, coexecution.FaultMisaligned, "a multiple of 32")
}

func TestModuleVariablesHoldTheirInitialisersAndAddresses(t *testing.T) {
	text := ptxHeader + `.global .align 4 .u32 table[4] = {10, 20, 30};
.global .align 8 .u64 pointer = table+8;
.const .align 4 .f32 scale = 0f40000000;
.visible .entry f(.param .u64 out) { .reg .b64 %d<4>; .reg .b32 %r<4>;
ld.param.u64 %d1, [out]; ld.global.u64 %d2, [pointer]; ld.global.u32 %r1, [%d2]; st.global.u32 [%d1], %r1;
ld.global.u32 %r2, [%d2+4]; st.global.u32 [%d1+4], %r2; ld.const.u32 %r3, [scale]; st.global.u32 [%d1+8], %r3; ret; }`
	d := NewDevice(Options{})
	m, err := d.LoadModule(parse(t, "v.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("f")
	if err != nil {
		t.Fatal(err)
	}
	table, n, err := m.Symbol("table")
	if err != nil || n != 16 {
		t.Fatalf("symbol table: %d bytes, %v", n, err)
	}
	scale, _, err := m.Symbol("scale")
	if err != nil || scale != memory.ConstWindowBase {
		t.Fatalf("symbol scale at %#x, %v", scale, err)
	}
	if err := d.Write(table+12, []byte{99}); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(scale, []byte{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	out := upload(t, d, "out", make([]uint32, 3))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(out)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint32{30, 99, 0x04030201}, download(t, d, out, 3)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if _, err := m.Kernel("g"); err == nil || err.Error() != `v.ptx has no kernel "g"; it has f` {
		t.Errorf("missing kernel: %v", err)
	}
	if _, _, err := m.Symbol("nothing"); err == nil {
		t.Error("a symbol that is not there was found")
	}
}

func TestParametersAreReadThroughRegistersAndAsStructs(t *testing.T) {
	text := ptxHeader + `.visible .entry f(.param .u64 out, .param .align 4 .b8 s[12], .param .u16 h) { .reg .b64 %d<4>; .reg .b32 %r<8>; .reg .b16 %h<2>;
ld.param.u64 %d1, [out]; mov.b64 %d2, s; mov.u32 %r0, %tid.x; mad.wide.u32 %d3, %r0, 4, %d2; ld.param.u32 %r1, [%d3];
ld.param.u16 %h1, [h]; cvt.u32.u16 %r2, %h1; ld.param.u32 %r3, [s+8]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
mad.wide.u32 %d1, %r0, 4, %d1; st.global.u32 [%d1], %r1; ret; }`
	d := NewDevice(Options{})
	k := kernelOf(t, d, "p.ptx", text, "f")
	if k.ParamBytes() != 22 || len(k.Params()) != 3 || k.Static().Name != "f" {
		t.Fatalf("%d bytes of %d parameters of %s", k.ParamBytes(), len(k.Params()), k.Static().Name)
	}
	out := upload(t, d, "out", make([]uint32, 3))
	arguments := append(pack(out, uint32(100), uint32(200), uint32(300)), 7, 0)
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(3, 1), Arguments: arguments}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint32{407, 507, 607}, download(t, d, out, 3)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestDynamicSharedMemoryStartsBehindTheStatic(t *testing.T) {
	s := script{shared: 128, declarations: ".extern .shared .align 16 .b8 dynamic[];", body: `
		.shared .align 4 .b8 fixed[20];
		mov.u32 %r1, dynamic; mov.u32 %r2, fixed;
		mad.lo.u32 %r3, %r0, 4, %r1;
		st.shared.u32 [%r3], %r0;
		ld.shared.u32 %r4, [%r3];
		mov.u32 %r5, %dynamic_smem_size;
		sub.u32 %r1, %r1, %r2;
		mad.lo.u32 %r1, %r1, 1000, %r4;
		mad.lo.u32 %r1, %r5, 100000, %r1;
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(12832000 + i) })
}

func TestThirtyTwoBitModulesAddressTheSameMemory(t *testing.T) {
	text := ".version 3.0\n.target sm_20\n.address_size 32\n" + `.visible .entry f(.param .u32 out) { .reg .b32 %r<6>;
ld.param.u32 %r1, [out]; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r2, 4, %r1; st.global.u32 [%r1], %r2; ret; }`
	d := NewDevice(Options{})
	k := kernelOf(t, d, "a32.ptx", text, "f")
	out := upload(t, d, "out", make([]uint32, 32))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(uint32(out))}); err != nil {
		t.Fatal(err)
	}
	expect(t, download(t, d, out, 32), func(i int) uint32 { return uint32(i) })
}

// accessRecorder writes down accesses.
type accessRecorder struct {
	discard
	lines []string
}

func (r *accessRecorder) Access(warp int, mask uint32, a *[32]uint64) {
	r.lines = append(r.lines, fmt.Sprintf("%d %08x list %#x %#x %#x", warp, mask, a[1], a[2], a[3]))
}

func (r *accessRecorder) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	if mask == 0 {
		base, stride = 0, 0
	}
	r.lines = append(r.lines, fmt.Sprintf("%d %08x %#x+%d", warp, mask, base, stride))
}

func TestRecordedAddressesAreThoseOfTheInstructionsSpace(t *testing.T) {
	r := &accessRecorder{}
	s := script{recorder: r, body: `
		.shared .align 4 .b8 pad[64];
		.shared .align 4 .b8 sh[128];
		.local .align 4 .b8 lo[16];
		mov.u32 %r1, sh; shl.b32 %r2, %r0, 2; add.u32 %r1, %r1, %r2;
		st.shared.u32 [%r1], %r0;
		cvt.u64.u32 %d3, %r1; cvta.shared.u64 %d3, %d3;
		ld.u32 %r3, [%d3];
		mov.u64 %d4, lo; st.local.u32 [%d4+4], %r0;
		setp.gt.u32 %p1, %r0, 2; @%p1 st.global.u32 [%d0], %r0;
		setp.gt.u32 %p2, %r0, 100; @%p2 st.global.u32 [%d0], %r0;
		sub.u32 %r4, 31, %r0; mad.wide.u32 %d5, %r4, 4, %d1; ld.global.u32 %r5, [%d5];
		mul.lo.u32 %r6, %r0, %r0; and.b32 %r6, %r6, 15; mad.wide.u32 %d6, %r6, 4, %d1; ld.global.u32 %r5, [%d6];
		st.shared.u32 [pad], 1;
		ret;`}
	s.run(t)
	want := []string{
		"0 ffffffff 0x0+0", "0 ffffffff 0x8+0", // the prologue's parameters
		"0 ffffffff 0x40+4", "0 ffffffff 0x40000040+4", "0 ffffffff 0x4+0",
		"0 fffffff8 0xc0000000+4", "0 00000000 0x0+0",
		"0 ffffffff 0xc000007c+-4", "0 ffffffff list 0xc0000004 0xc0000010 0xc0000024", "0 ffffffff 0x0+0",
	}
	if diff := cmp.Diff(want, r.lines); diff != "" {
		t.Errorf("accesses (-want +got):\n%s", diff)
	}
}

// Local memory starts as zeros in each thread block, also where threads of the block before have
// written: at places of their own, or by a store that writes global memory in other lanes.
func TestLocalMemoryOfEachThreadBlockStartsAsZeros(t *testing.T) {
	for _, write := range []string{
		`st.local.u32 [%r1], %r3;`,
		`cvt.u64.u32 %d4, %r1; cvta.local.u64 %d4, %d4; and.b32 %r6, %r0, 1; setp.eq.u32 %p1, %r6, 1; selp.b64 %d4, %d0, %d4, %p1; st.u32 [%d4], %r3;`,
	} {
		s := script{grid: dims(20, 1), options: Options{Workers: 1}, body: `.local .align 4 .b8 own[256];
			mov.u32 %r5, %ctaid.x; mul.lo.u32 %r5, %r5, 128; cvt.u64.u32 %d3, %r5; add.u64 %d0, %d0, %d3;
			mov.u32 %r1, own; mad.lo.u32 %r1, %r0, 4, %r1; ld.local.u32 %r2, [%r1]; not.b32 %r3, %r0; ` + write + ` st.global.u32 [%d0], %r2; ret;`}
		expect(t, s.run(t), func(int) uint32 { return 0 })
	}
}

// Lanes in one allocation may lie farther apart than offsets of 32 bits reach.
func TestLanesOfOneBufferLieFarApart(t *testing.T) {
	const stride = 160 << 20 // the lanes lie over five gigabytes; what is not touched takes no memory
	d := NewDevice(Options{GlobalBytes: 8 << 30})
	k := kernelOf(t, d, "far.ptx", ptxHeader+`.entry k(.param .u64 out, .param .u64 far) { .reg .b64 %d<6>; .reg .b32 %r<5>;
		ld.param.u64 %d1, [out]; ld.param.u64 %d2, [far]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 4, %d1; mad.wide.u32 %d3, %r1, 167772160, %d2;
		ld.global.u32 %r2, [%d3]; add.u32 %r2, %r2, 7; st.global.u32 [%d1], %r2; st.global.u32 [%d3+4], %r2; ret; }`, "k")
	out := upload(t, d, "out", make([]uint32, 32))
	far, err := d.Allocate("far", 32*stride)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(32) {
		if err := d.Write(far+i*stride, []byte{byte(i), 1, 0, 0}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(out, far)}); err != nil {
		t.Fatal(err)
	}
	want := func(i int) uint32 { return uint32(i) + 256 + 7 }
	expect(t, download(t, d, out, 32), want)
	for i := range 32 {
		if got := download(t, d, far+uint64(i)*stride+4, 1)[0]; got != want(i) {
			t.Errorf("lane %d stored %#x, want %#x", i, got, want(i))
		}
	}
}
