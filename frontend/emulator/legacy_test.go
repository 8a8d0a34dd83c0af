// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math"
	"testing"
)

// With map_f64_to_f32, .f64 instructions compute in .f32, and use the lower
// halves of what lies in memory, whose strides and initial values have 64 bits
// (PTX ISA 11.1.2).
func TestDemotedDoublesComputeInSinglePrecision(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "old.ptx", `.version 1.4
.target sm_10, map_f64_to_f32
.global .f64 table[2] = {1.1, 2.2};
.entry k (.param .u64 out, .param .u64 in, .param .f64 scale) {
	.reg .f64 %d<6>; .reg .f32 %f<3>; .reg .u64 %a<4>; .reg .u32 %r<3>;
	ld.param.u64 %a1, [out]; ld.param.u64 %a2, [in]; ld.param.f64 %d5, [scale];
	cvt.u32.u16 %r1, %tid.x; mul.wide.u32 %a3, %r1, 8; add.u64 %a1, %a1, %a3; add.u64 %a2, %a2, %a3;
	ld.global.f64 %d1, [%a2]; ld.global.f64 %d2, [table+8];
	mad.rn.f64 %d3, %d1, %d2, 0d3FB999999999999A;
	mul.f64 %d3, %d3, %d5; cvt.rn.f32.f64 %f1, %d3; cvt.f64.f32 %d4, %f1;
	st.global.f64 [%a1], %d4; exit;
}`, "k")
	input := make([]uint32, 64)
	for i := range 32 {
		input[2*i], input[2*i+1] = math.Float32bits(float32(i)/3), 0xdeadbeef
	}
	marks := make([]uint32, 64)
	for i := range marks {
		marks[i] = 0x5a5a5a5a
	}
	out := upload(t, d, "out", marks)
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(out, upload(t, d, "in", input), float32(0.75), uint32(77))}); err != nil {
		t.Fatal(err)
	}
	got := download(t, d, out, 64)
	for i := range 32 {
		sum := float32(math.FMA(float64(float32(i)/3), float64(float32(2.2)), float64(float32(0.1)))) // the product is exact
		want := sum * 0.75
		if got[2*i] != math.Float32bits(want) || got[2*i+1] != 0x5a5a5a5a {
			t.Errorf("thread %d stores %v and %#x, want %v and nothing", i, math.Float32frombits(got[2*i]), got[2*i+1], want)
		}
	}
}

// On sm_1x .f32 instructions flush subnormal numbers, .f64 ones do not.
func TestOldTargetsFlushSubnormals(t *testing.T) {
	body := `.entry k (.param .u64 out) {
	.reg .f32 %f<9>; .reg .f64 %d<4>; .reg .b64 %a; .reg .b32 %r<5>; .reg .pred %p;
	ld.param.u64 %a, [out];
	mov.b32 %r1, 0x00400000; mov.b32 %f1, %r1; mov.f32 %f2, 0f3F800000;
	mul.f32 %f3, %f1, %f2; st.global.f32 [%a], %f3;
	neg.f32 %f4, %f1; st.global.f32 [%a+4], %f4;
	setp.gt.f32 %p, %f1, 0f00000000; selp.u32 %r2, 1, 0, %p; st.global.u32 [%a+8], %r2;
	cvt.f64.f32 %d1, %f1; cvt.rn.f32.f64 %f5, %d1; st.global.f32 [%a+12], %f5; exit;
}`
	for head, want := range map[string][4]uint32{
		".version 1.4\n.target sm_13\n": {0, 0x80000000, 0, 0x00400000},
		".version 2.0\n.target sm_13\n": {0, 0x80000000, 0, 0},
		".version 2.0\n.target sm_20\n": {0x00400000, 0x80400000, 1, 0x00400000},
	} {
		d := NewDevice(Options{})
		k := kernelOf(t, d, "old.ptx", head+body, "k")
		out := upload(t, d, "out", make([]uint32, 4))
		if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(out)}); err != nil {
			t.Fatal(err)
		}
		if got := [4]uint32(download(t, d, out, 4)); got != want {
			t.Errorf("%s: %#x, want %#x", head, got, want)
		}
	}
}
