// SPDX-License-Identifier: Apache-2.0

package emulator

import "testing"

// mov.v4 moves each element to its own, as if all were read first; special
// registers that are vectors have a fourth element of zero (10.1).
func TestVectorsMoveAsAWhole(t *testing.T) {
	s := script{words: 256, block: dims(16, 2), body: `.reg .v4 .b32 v, %w<2>; .reg .v2 .b64 %long; .reg .v4 .u16 %short; .reg .b64 %d40;
		mov.u32 %r9, %tid.y; mad.lo.u32 %r1, %r9, 16, %r0; mad.wide.u32 %d3, %r1, 32, %d1;
		mov.v4.u32 v, %tid; mov.v4.u16 %short, %ntid; add.u32 v.w, v.w, 7;
		mov.v4.b32 {v.y, v.x, v.w, v.z}, v;
		mov.v4.b32 %w1, v; setp.lt.u32 %p1, %r0, 8; @%p1 mov.v4.u32 %w1, {5, %laneid, v.z, v.x};
		mov.b64 %d40, {%w1.x, %w1.y}; mov.v2.b64 %long, {%d40, %d3}; mov.b64 {%r2, %r3}, %long.x;
		st.global.v4.b32 [%d3], {%r2, %r3, %w1.z, %w1.w};
		cvt.u32.u16 %r4, %short.x; cvt.u32.u16 %r5, %short.y; cvt.u32.u16 %r6, %short.w; mov.u32 %r7, %ctaid.w;
		st.global.v4.b32 [%d3+16], {%r4, %r5, %r6, %r7}; ret;`}
	got := s.run(t)
	for i := range uint32(32) {
		x, y := i%16, i/16
		// v is (x, y, 0, 7), then with its pairs exchanged.
		want := [8]uint32{y, x, 7, 0, 16, 2, 0, 0}
		if x < 8 {
			want = [8]uint32{5, i, 7, y, 16, 2, 0, 0}
		}
		if v := [8]uint32(got[8*i:]); v != want {
			t.Fatalf("thread %d, %d: %v, want %v", x, y, v, want)
		}
	}
}

// Bytes are packed low one first, as halves and words are (9.7.9.4).
func TestBytesPackLowElementFirst(t *testing.T) {
	s := script{words: 64, body: `.reg .b8 %b<8>; mad.wide.u32 %d3, %r0, 8, %d1;
		cvt.u8.u32 %b0, %r0; add.u32 %r1, %r0, 200; cvt.u8.u32 %b1, %r1; mov.b32 %r2, 0x80ff7f01; mov.b32 {%b2, %b3, %b4, %b5}, %r2;
		mov.b32 %r3, {%b0, %b1, %b2, %b5}; mov.b16 %h1, {%b4, %b3}; mov.b16 {%b6, _}, %h1; cvt.u32.u8 %r4, %b6;
		cvt.u32.u16 %r5, %h1; shl.b32 %r4, %r4, 16; or.b32 %r5, %r5, %r4;
		st.global.v2.b32 [%d3], {%r3, %r5}; ret;`}
	got := s.run(t)
	for i := range uint32(32) {
		if want := [2]uint32{i | (i+200)&0xff<<8 | 0x01<<16 | 0x80<<24, 0xff7fff}; [2]uint32(got[2*i:]) != want {
			t.Fatalf("lane %d: %#x, want %#x", i, got[2*i:2*i+2], want)
		}
	}
}
