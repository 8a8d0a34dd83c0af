// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"strings"
	"testing"
)

// What trips emulators, each with its section of the PTX ISA and with results
// written out by hand. The bodies run in one thread and store words at %d0.
var traps = []struct {
	name, body string
	want       []uint32
}{
	{"9.4.1 ld.u8 zero-fills wide registers", "mov.u32 %r1, 0x80ff; st.global.u32 [%d2], %r1; ld.global.u8 %r2, [%d2]; ld.global.s8 %r3, [%d2+1]; OUT %r2; OUT %r3;", []uint32{0xff, 0xffffff80}},
	{"9.4.1 ld.b8 zero-fills, ld.s8 sign-fills 64 bits", "mov.u32 %r1, 0x80; st.global.u32 [%d2], %r1; ld.global.b8 %d5, [%d2]; ld.global.s8 %d6, [%d2]; shr.u64 %d5, %d5, 8; shr.u64 %d6, %d6, 32; cvt.u32.u64 %r2, %d5; cvt.u32.u64 %r3, %d6; OUT %r2; OUT %r3;", []uint32{0, 0xffffffff}},
	{"9.4.1 st chops a wider register", "mov.u32 %r1, -1; st.global.u32 [%d2], %r1; mov.u32 %r2, 0x12345678; st.global.u8 [%d2+1], %r2; ld.global.u32 %r3, [%d2]; OUT %r3;", []uint32{0xffff78ff}},
	{"9.7.9.21 float to int clamps", "mov.f32 %r1, 0f4F800000; cvt.rzi.s32.f32 %r2, %r1; cvt.rzi.u32.f32 %r3, %r1; mov.f32 %r1, 0fBF800000; cvt.rzi.u32.f32 %r4, %r1; OUT %r2; OUT %r3; OUT %r4;", []uint32{0x7fffffff, 0xffffffff, 0}},
	{"9.7.9.21 NaN to int is 0, to 64 bits the top bit", "mov.f32 %r1, 0f7FC00000; cvt.rni.s32.f32 %r2, %r1; cvt.rni.s64.f32 %d5, %r1; shr.u64 %d5, %d5, 32; cvt.u32.u64 %r3, %d5; mov.f64 %d6, 0d7FF8000000000000; cvt.rni.s32.f64 %r4, %d6; OUT %r2; OUT %r3; OUT %r4;", []uint32{0, 0x80000000, 0x80000000}},
	{"9.7.9.21 int to int chops and extends", "mov.u32 %r1, 0x1fe; cvt.s8.u32 %r2, %r1; cvt.u8.u32 %r3, %r1; cvt.sat.s8.s32 %r4, %r1; cvt.sat.u8.s32 %r5, -5; OUT %r2; OUT %r3; OUT %r4; OUT %r5;", []uint32{0xfffffffe, 0xfe, 127, 0}},
	{"9.7.9.21 rounding to an integer is by its mode", "mov.f32 %r1, 0fC0200000; cvt.rni.s32.f32 %r2, %r1; cvt.rzi.s32.f32 %r3, %r1; cvt.rmi.s32.f32 %r4, %r1; cvt.rpi.s32.f32 %r5, %r1; OUT %r2; OUT %r3; OUT %r4; OUT %r5;", []uint32{0xfffffffe, 0xfffffffe, 0xfffffffd, 0xfffffffe}},
	{"9.7.9.21 float .sat takes NaN to +0", "mov.f32 %r1, 0fFFC00000; cvt.sat.f32.f32 %r2, %r1; mov.f32 %r1, 0fBF800000; cvt.sat.f32.f32 %r3, %r1; OUT %r2; OUT %r3;", []uint32{0, 0}},
	{"9.7.9.21 int to float rounds by its mode", "mov.u32 %r1, 16777217; cvt.rn.f32.u32 %r2, %r1; cvt.rp.f32.u32 %r3, %r1; OUT %r2; OUT %r3;", []uint32{0x4b800000, 0x4b800001}},
	{"9.7.8.8 shifts clamp, they do not mask", "mov.u32 %r1, 0x80000001; shl.b32 %r2, %r1, 32; shr.u32 %r3, %r1, 33; shr.s32 %r4, %r1, 255; shl.b32 %r5, %r1, 0xffffffff; OUT %r2; OUT %r3; OUT %r4; OUT %r5;", []uint32{0, 0, 0xffffffff, 0}},
	{"9.7.8.7 shf clamps or wraps", "mov.u32 %r1, 0x11111111; mov.u32 %r2, 0x22222222; shf.l.clamp.b32 %r3, %r1, %r2, 40; shf.l.wrap.b32 %r4, %r1, %r2, 36; shf.r.clamp.b32 %r5, %r1, %r2, 33; OUT %r3; OUT %r4; OUT %r5;", []uint32{0x11111111, 0x22222221, 0x22222222}},
	{"9.7.1.3 mul.hi minds the sign", "mov.u32 %r1, -2; mul.hi.s32 %r2, %r1, 3; mul.hi.u32 %r3, %r1, 3; mad.hi.sat.s32 %r4, 0x7fffffff, 0x7fffffff, 0x7fffffff; OUT %r2; OUT %r3; OUT %r4;", []uint32{0xffffffff, 2, 0x7fffffff}},
	{"9.7.1.5 mul24.hi gives bits 47 to 16", "mov.u32 %r1, 0xff800001; mul24.hi.u32 %r2, %r1, %r1; mul24.hi.s32 %r3, %r1, 2; OUT %r2; OUT %r3;", []uint32{0x40000100, 0xffffff00}},
	{"9.7.1.8 division by zero and of INT_MIN by -1 goes on", "mov.u32 %r1, 0; mov.u32 %r2, 0x80000000; div.u32 %r3, %r2, %r1; rem.s32 %r4, %r2, %r1; div.s32 %r5, %r2, -1; rem.s32 %r6, %r2, -1; OUT %r5; OUT %r6;", []uint32{0x80000000, 0}},
	{"9.7.1.9 rem takes the dividend's sign", "mov.u32 %r1, -7; rem.s32 %r2, %r1, 3; div.s32 %r3, %r1, 3; OUT %r2; OUT %r3;", []uint32{0xffffffff, 0xfffffffe}},
	{"9.7.3.11 min and max prefer numbers and order zeros", "mov.f32 %r1, 0f7FC00001; mov.f32 %r2, 0f80000000; min.f32 %r3, %r1, %r2; max.f32 %r4, %r2, 0f00000000; min.f32 %r5, 0f00000000, %r2; min.f32 %r6, %r1, %r1; OUT %r3; OUT %r4; OUT %r5; OUT %r6;", []uint32{0x80000000, 0, 0x80000000, 0x7fffffff}},
	{"9.3.1.2 ordered comparisons are false on NaN, ne too", "mov.f32 %r1, 0f7FC00000; setp.ne.f32 %p1, %r1, %r1; setp.neu.f32 %p2, %r1, %r1; setp.nan.f32 %p3, %r1, 0f00000000; setp.num.f32 %p4, %r1, 0f00000000; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 1, 0, %p4; OUT %r2; OUT %r3; OUT %r4; OUT %r5;", []uint32{0, 1, 1, 0}},
	{"9.7.6 setp p|q combines both senses with c", "setp.eq.u32 %p3, 0, 0; setp.lt.and.u32 %p1|%p2, 1, 2, !%p3; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 1, 0, %p2; setp.lt.or.u32 %p1|%p2, 1, 2, !%p3; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 1, 0, %p2; OUT %r2; OUT %r3; OUT %r4; OUT %r5;", []uint32{0, 0, 1, 0}},
	{"9.7.3 .ftz flushes inputs and results with their sign, .sat takes NaN to 0", "mov.f32 %r1, 0f80000001; add.f32 %r2, %r1, 0f00000000; add.ftz.f32 %r3, %r1, %r1; mul.ftz.f32 %r4, 0f80800000, 0f3F000000; mov.f32 %r5, 0f7FC00000; add.sat.f32 %r5, %r5, %r5; OUT %r2; OUT %r3; OUT %r4; OUT %r5;", []uint32{0x80000001, 0x80000000, 0x80000000, 0}},
	{"9.7.9.7 prmt replicates signs and has six modes", "mov.u32 %r1, 0x33221180; mov.u32 %r2, 0x77665544; prmt.b32 %r3, %r1, %r2, 0x8470; prmt.b32.f4e %r4, %r1, %r2, 3; prmt.b32.b4e %r5, %r1, %r2, 1; prmt.b32.rc8 %r6, %r1, %r2, 2; prmt.b32.ecl %r7, %r1, %r2, 2; prmt.b32.ecr %r8, %r1, %r2, 1; prmt.b32.rc16 %r9, %r1, %r2, 1; OUT %r3; OUT %r4; OUT %r5; OUT %r6; OUT %r7; OUT %r8; OUT %r9;", []uint32{0xff447780, 0x66554433, 0x66778011, 0x22222222, 0x33222222, 0x11111180, 0x33223322}},
	{"9.7.1.19 bfe and bfi at the edges", "mov.u32 %r1, 0x80000000; bfe.u32 %r2, %r1, 4, 0; bfe.s32 %r3, %r1, 31, 8; bfe.s32 %r4, %r1, 40, 4; bfi.b32 %r5, -1, %r1, 32, 4; bfi.b32 %r6, -1, %r1, 28, 8; bfe.u32 %r7, %r1, 0x11f, 1; OUT %r2; OUT %r3; OUT %r4; OUT %r5; OUT %r6; OUT %r7;", []uint32{0, 0xffffffff, 0xffffffff, 0x80000000, 0xf0000000, 1}},
	{"9.7.8.6 lop3 counts a as the high bit", "lop3.b32 %r2, 0xf0, 0xcc, 0xaa, 0x80; lop3.b32 %r3, 0xf0, 0xcc, 0xaa, 0xf0; lop3.b32 %r4, 0xf0, 0xcc, 0xaa, 0xca; OUT %r2; OUT %r3; OUT %r4;", []uint32{0x80, 0xf0, 0xca}},
	{"9.7.9.19 the parameter window lies in global space", "cvta.param.u64 %d5, in; isspacep.global %p1, %d2; isspacep.shared %p2, %d2; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 1, 0, %p2; OUT %r2; OUT %r3;", []uint32{1, 0}},
	{"9.7.13.5 inc and dec wrap at their bound", "mov.u32 %r1, 5; st.global.u32 [%d2], %r1; atom.global.inc.u32 %r2, [%d2], 5; ld.global.u32 %r3, [%d2]; atom.global.dec.u32 %r4, [%d2], 7; ld.global.u32 %r5, [%d2]; mov.u32 %r6, 9; st.global.u32 [%d2], %r6; atom.global.dec.u32 %r6, [%d2], 7; ld.global.u32 %r7, [%d2]; OUT %r3; OUT %r5; OUT %r7;", []uint32{0, 7, 7}},
	{"9.7.13.5 float atomics flush in global memory, not in shared", ".shared .align 4 .b32 s; mov.u32 %r1, 0x400000; st.global.u32 [%d2], %r1; st.shared.u32 [s], %r1; red.global.add.f32 [%d2], 0f80000000; red.shared.add.f32 [s], 0f80000000; ld.global.u32 %r2, [%d2]; ld.shared.u32 %r3, [s]; OUT %r2; OUT %r3;", []uint32{0, 0x400000}},
	{"9.7.12.2 a false guard has no effect and no fault", "setp.ne.u32 %p1, 0, 0; mov.u64 %d5, 0; mov.u32 %r2, 3; @%p1 ld.global.u32 %r2, [%d5]; @%p1 bra E; OUT %r2; E:", []uint32{3}},
	{"9.7.8 popc, clz, bfind and brev of zero", "mov.u32 %r1, 0; popc.b32 %r2, %r1; clz.b32 %r3, %r1; bfind.u32 %r4, %r1; bfind.shiftamt.u32 %r5, %r1; bfind.s32 %r6, -1; OUT %r2; OUT %r3; OUT %r4; OUT %r5; OUT %r6;", []uint32{0, 32, 0xffffffff, 0xffffffff, 0xffffffff}},
}

func TestTraps(t *testing.T) {
	for _, c := range traps {
		t.Run(c.name, func(t *testing.T) {
			body := c.body
			for i := range c.want {
				body = strings.Replace(body, "OUT ", fmt.Sprintf("st.global.u32 [%%d0+%d], ", 4*i), 1)
			}
			s := script{block: dims(1, 1), words: 8, input: make([]uint32, 4), body: body + " ret;"}
			words := s.run(t)
			for i, want := range c.want {
				if words[i] != want {
					t.Errorf("result %d is %#x, want %#x", i, words[i], want)
				}
			}
		})
	}
}
