// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

func TestAsynchronousCopyFillsTheRestWithZeros(t *testing.T) {
	got, err := launchText(t, Options{}, `.global .align 16 .b32 source[64] = {11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34, 41, 42, 43, 44};
.entry k(.param .u64 out) {
	.shared .align 16 .b8 tile[512];
	.reg .b32 %r<20>; .reg .b64 %d<4>;
	mov.u32 %r0, %laneid; mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 16, %r1;
	mov.u64 %d1, source; mad.wide.u32 %d1, %r0, 16, %d1;
	mul.lo.u32 %r3, %r0, 4;
	cp.async.cg.shared.global [%r2], [%d1], 16, %r3;
	cp.async.commit_group;
	cp.async.wait_group 0;
	ld.param.u64 %d2, [out]; mad.wide.u32 %d2, %r0, 16, %d2;
	ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r2];
	st.global.v4.b32 [%d2], {%r4, %r5, %r6, %r7};
	ret;
}`, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := []uint32{0, 0, 0, 0, 21, 0, 0, 0, 31, 32, 0, 0, 41, 42, 43, 0}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("word %d: %d, want %d", i, got[i], want[i])
		}
	}
}

// A warp that produces and one that consumes, four times, by two mbarriers:
// the waiting warp lets the other one run.
func TestMbarriersPassWorkBetweenWarps(t *testing.T) {
	d := NewDevice(Options{MaxInstructions: 1 << 20})
	k := kernelOf(t, d, "k.ptx", ptxHeader+`.entry k(.param .u64 out) {
	.shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b32 box[32];
	.reg .b32 %r<20>; .reg .b64 %d<8>; .reg .pred %p<8>;
	mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; setp.eq.u32 %p1, %r0, 0;
	mov.u32 %r8, full; mov.u32 %r9, empty;
	@%p1 mbarrier.init.shared.b64 [%r8], 32;
	@%p1 mbarrier.init.shared.b64 [%r9], 32;
	bar.sync 0;
	mov.u32 %r2, box; mad.lo.u32 %r2, %r1, 4, %r2; mov.u32 %r3, 0; mov.u32 %r4, 0;
	setp.ge.u32 %p2, %r0, 32;
	@%p2 bra CONSUME;
PRODUCE: mad.lo.u32 %r5, %r3, 100, %r1; st.shared.b32 [%r2], %r5;
	mbarrier.arrive.shared.b64 %d1, [%r8];
	and.b32 %r6, %r3, 1;
WAIT1: mbarrier.try_wait.parity.shared.b64 %p3, [%r9], %r6;
	@!%p3 bra WAIT1;
	add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 4; @%p4 bra PRODUCE;
	bra END;
CONSUME: and.b32 %r6, %r3, 1;
WAIT2: mbarrier.test_wait.parity.shared.b64 %p3, [%r8], %r6;
	@!%p3 bra WAIT2;
	ld.shared.b32 %r5, [%r2]; add.u32 %r4, %r4, %r5;
	mbarrier.arrive.shared.b64 _, [%r9];
	add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 4; @%p4 bra CONSUME;
	ld.param.u64 %d2, [out]; mad.wide.u32 %d2, %r1, 4, %d2; st.global.b32 [%d2], %r4;
END: ret;
}`, "k")
	out := upload(t, d, "out", make([]uint32, 32))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: 64, Y: 1, Z: 1}, Arguments: pack(out)}); err != nil {
		t.Fatal(err)
	}
	for i, v := range download(t, d, out, 32) {
		if v != uint32(600+4*i) {
			t.Errorf("lane %d consumed %d, want %d", i, v, 600+4*i)
		}
	}
	if reasons := strings.Join(k.Static().TimingDependent, "; "); !strings.Contains(reasons, "mbarrier") {
		t.Errorf("not labelled as depending on timing: %q", reasons)
	}
}

func TestMbarrierOverArrivalIsAFault(t *testing.T) {
	_, err := launchText(t, Options{}, `.entry k(.param .u64 out) {
	.shared .align 8 .b64 b; .reg .b64 %d1;
	mbarrier.init.shared.b64 [b], 2;
	mbarrier.arrive.shared.b64 %d1, [b], 3;
	ret;
}`, 1)
	wantFault(t, err, coexecution.FaultBarrierDivergence, "3 arrive at an mbarrier that waits for 2 of 2")
}

// Two lanes add to the halves of a sum in half precision, and the rounding shows.
// In .f16, 2048 + 1 is 2048, and in .bf16, 256 + 1 is 256 (ties to even).
func TestHalfPrecisionAtomicsRound(t *testing.T) {
	got, err := launchText(t, Options{}, `.entry k(.param .u64 out) {
	.reg .b64 %d1; .reg .b32 %r<4>;
	ld.param.u64 %d1, [out];
	mov.b32 %r1, 0x3C006800; mov.b32 %r2, 0x3F804380;
	red.global.add.noftz.f16x2 [%d1], %r1;
	mov.b32 %r1, 0x3C003C00;
	atom.global.add.noftz.f16x2 %r3, [%d1], %r1;
	red.global.add.noftz.bf16x2 [%d1+8], %r2;
	mov.b32 %r2, 0x3F803F80;
	red.global.add.noftz.bf16x2 [%d1+8], %r2;
	st.global.b32 [%d1+4], %r3;
	ret;
}`, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != 0x40006800 || got[1] != 0x3C006800 || got[2] != 0x40004380 {
		t.Errorf("%#x", got[:3])
	}
}
