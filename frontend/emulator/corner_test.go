// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math"
	"math/bits"
	"testing"

	"github.com/warptape/warptape/trace"
)

func TestShuffleInAPartlyActiveWarp(t *testing.T) {
	s := script{body: `
		mov.u32 %r2, 900;
		setp.lt.u32 %p1, %r0, 16;
		@%p1 shfl.sync.down.b32 %r2|%p2, %r0, 4, 0x1f, 0xffff;
		selp.u32 %r3, 100, 0, %p2;
		add.u32 %r2, %r2, %r3;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 16 {
			return uint32(i + 4 + 100)
		}
		return 900
	})
}

func TestFencesHintsAndPausesChangeNothing(t *testing.T) {
	s := script{body: `
		membar.gl; fence.acq_rel.gpu; bar.warp.sync 0xffffffff; nanosleep.u32 100; prefetch.global.L1 [%d0]; prefetchu.L1 [%d0];
		st.volatile.global.u32 [%d0], %r0;
		ld.relaxed.gpu.global.u32 %r1, [%d0];
		ldu.global.u32 %r2, [%d0];
		add.u32 %r1, %r1, %r2;
		st.global.cg.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(2 * i) })
}

// Policies and eviction priorities change nothing, wherever they may stand.
func TestCachePoliciesChangeNothing(t *testing.T) {
	s := script{declarations: ".shared .align 16 .b8 tile[1024];", input: []uint32{7}, body: `
		createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d10, 0.5; createpolicy.fractional.L2::evict_first.b64 %d11;
		createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d12, [%d1], 64, 128; mov.b64 %d14, 77; createpolicy.cvt.L2.b64 %d13, %d14;
		st.global.L1::no_allocate.L2::cache_hint.u32 [%d0], %r0, %d10;
		ld.global.ca.L2::cache_hint.L2::256B.u32 %r1, [%d0], %d11; ld.global.nc.L1::evict_last.L2::evict_first.L2::cache_hint.v2.u32 {%r2, %r3}, [%d1], %d12;
		ld.volatile.global.L2::64B.u32 %r4, [%d0]; ld.relaxed.gpu.global.L2::cache_hint.u32 %r5, [%d0], %d13;
		mov.u32 %r6, tile; mad.lo.u32 %r6, %r0, 16, %r6;
		cp.async.ca.shared.global.L2::cache_hint.L2::128B [%r6], [%d0], 4, %d10; cp.async.ca.shared.global.L2::cache_hint [%r6+4], [%d0], 4, 0, %d10; cp.async.wait_all;
		ld.shared.v2.u32 {%r7, %r8}, [%r6];
		atom.global.add.L2::cache_hint.u32 %r9, [%d0], 1000, %d11; red.relaxed.gpu.global.add.L2::cache_hint.u32 [%d0], 100, %d12;
		atom.cas.L2::cache_hint.b32 %r10, [%d0], %r0, %r0, %d10;
		add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r7; add.u32 %r1, %r1, %r8; add.u32 %r1, %r1, %r9; add.u32 %r1, %r1, %r10; add.u32 %r1, %r1, %r3;
		cvt.u32.u64 %r11, %d13; add.u32 %r1, %r1, %r11; st.global.u32 [%d0], %r1; ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(6*i + 1100 + 1 + 77) })
}

func TestLocalMemoryIsCleanInEveryBlock(t *testing.T) {
	s := script{grid: dims(4, 1), words: 32, body: `
		.local .align 8 .b8 mine[32];
		mov.u64 %d3, mine;
		and.b32 %r1, %r0, 3;
		mad.wide.u32 %d4, %r1, 8, %d3;
		ld.local.u64 %d5, [%d4];
		cvt.u64.u32 %d6, %r0;
		add.u64 %d6, %d6, %d5;
		st.local.u64 [%d4], %d6;
		ld.local.v2.u32 {%r2, %r3}, [%d4];
		add.u32 %r2, %r2, %r3;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(i) })
}

func TestBlocksHaveTheirPlaceInTheGrid(t *testing.T) {
	s := script{grid: trace.Dim3{X: 2, Y: 3, Z: 2}, block: trace.Dim3{X: 2, Y: 2, Z: 2}, words: 12 * 8, body: `
		mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mov.u32 %r6, %nctaid.z;
		mad.lo.u32 %r7, %r3, %r5, %r2; mad.lo.u32 %r7, %r7, %r4, %r1;
		mov.u32 %r8, %tid.y; mov.u32 %r9, %tid.z; mov.u32 %r10, %ntid.z; mov.u32 %r11, %ntid.x;
		mad.lo.u32 %r12, %r9, 2, %r8; mad.lo.u32 %r12, %r12, 2, %r0;
		mad.lo.u32 %r13, %r7, 8, %r12;
		mad.wide.u32 %d3, %r13, 4, %d1;
		mul.lo.u32 %r14, %r6, %r10; mul.lo.u32 %r14, %r14, %r11;
		mov.u32 %r15, %nsmid; mov.u32 %r16, %smid; mov.u32 %r17, %gridid; mov.u32 %r18, %total_smem_size;
		add.u32 %r15, %r15, %r16; add.u32 %r15, %r15, %r17; add.u32 %r15, %r15, %r18;
		mul.lo.u32 %r14, %r14, 1000; mad.lo.u32 %r14, %r15, 100000, %r14;
		add.u32 %r13, %r13, %r14;
		st.global.u32 [%d3], %r13;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(i + 8000 + 200000) })
}

func TestWideAndGenericAtomics(t *testing.T) {
	s := script{block: dims(32, 1), words: 32, input: []uint32{0, 0, 0, 0, 0, 0x3ff00000, 0, 0}, body: `
		.shared .align 8 .b8 s[16];
		mov.u64 %d3, s; cvta.shared.u64 %d3, %d3;
		st.u32 [%d3], 0; st.u32 [%d3+4], 0;
		sub.u32 %r1, 5, %r0; cvt.s64.s32 %d4, %r1;
		red.global.min.s64 [%d2], %d4;
		atom.global.exch.b64 %d5, [%d2+8], %d4;
		mov.b64 %d6, 0d3fe0000000000000; atom.global.add.f64 %d7, [%d2+16], %d6;
		and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; add.u64 %d8, %d2, 24; selp.b64 %d9, %d3, %d8, %p1;
		mov.f32 %r3, 0f00000001; red.add.f32 [%d9], %r3;
		bar.sync 0;
		ld.global.u64 %d10, [%d2]; cvt.u32.u64 %r4, %d10;
		ld.global.u64 %d11, [%d2+8]; cvt.u32.u64 %r5, %d11;
		ld.global.f64 %d12, [%d2+16]; cvt.rzi.u32.f64 %r6, %d12;
		ld.u32 %r7, [%d3]; ld.global.u32 %r8, [%d2+24];
		sub.u32 %r4, 0, %r4; sub.u32 %r5, 0, %r5;
		mad.lo.u32 %r4, %r5, 100, %r4; mad.lo.u32 %r4, %r6, 10000, %r4; mad.lo.u32 %r4, %r7, 1000000, %r4; mad.lo.u32 %r4, %r8, 100000000, %r4;
		st.global.u32 [%d0], %r4;
		ret;`}
	// Subnormal sums stay in shared memory (16 lanes) and vanish in global memory.
	expect(t, s.run(t), func(int) uint32 { return 26 + 2600 + 17*10000 + 16*1000000 })
}

func TestIndexedBranchPastItsTableFaults(t *testing.T) {
	s := script{body: `TABLE: .branchtargets A, B; brx.idx %r0, TABLE; A: ret; B: ret;`}
	f := s.fault(t)
	if want := "brx.idx with index 2 into a list of 2 targets"; f.Detail != want || f.Thread.X != 2 {
		t.Errorf("thread %d: %q, want thread 2: %q", f.Thread.X, f.Detail, want)
	}
}

func TestSixtyFourBitMultiplyCarryChain(t *testing.T) {
	const a, b, c = 0xfedcba9876543210, 0x8123456789abcdef, 0xf000000000000001
	s := script{block: dims(1, 1), words: 6, body: `
		mov.u64 %d3, 0xfedcba9876543210; mov.u64 %d4, 0x8123456789abcdef; mov.u64 %d5, 0xf000000000000001;
		mad.lo.cc.u64 %d6, %d3, %d4, %d5; madc.hi.u64 %d7, %d3, %d4, 0; madc.hi.s64 %d8, %d3, %d4, 0;
		mov.b64 {%r1, %r2}, %d6; mov.b64 {%r3, %r4}, %d7; mov.b64 {%r5, %r6}, %d8;
		st.global.u32 [%d0], %r1; st.global.u32 [%d0+4], %r2; st.global.u32 [%d0+8], %r3; st.global.u32 [%d0+12], %r4; st.global.u32 [%d0+16], %r5; st.global.u32 [%d0+20], %r6;
		ret;`}
	high, low := bits.Mul64(a, b)
	low, carry := bits.Add64(low, c, 0)
	signed := high - a - b // both factors are negative as signed numbers
	want := []uint64{low, high + carry, signed + carry}
	expect(t, s.run(t), func(i int) uint32 { return uint32(want[i/2] >> (32 * (i % 2))) })
}

func TestSelectionsOfEveryWidthAndSense(t *testing.T) {
	s := script{body: `
		setp.lt.u32 %p1, %r0, 10; not.pred %p2, %p1;
		mov.u64 %d3, 0x100000000; mov.u64 %d4, 0x200000000;
		selp.b64 %d5, %d3, %d4, %p1;
		slct.b64.s32 %d6, %d3, %d4, %r9;
		add.u64 %d5, %d5, %d6; shr.u64 %d5, %d5, 32; cvt.u32.u64 %r1, %d5;
		mov.u16 %h1, 100; selp.b16 %h2, %h1, 7, %p2; cvt.u32.u16 %r2, %h2;
		set.lt.u32.u32 %r3, %r0, 10; and.b32 %r3, %r3, 1000;
		add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 10 {
			return 2 + 7 + 1000
		}
		return 3 + 100
	})
}

func TestReduxOfAllKinds(t *testing.T) {
	want := map[string]uint32{"add.u32": 31 * 16, "min.u32": 0, "max.s32": 31, "and.b32": 0, "or.b32": 31, "xor.b32": 0}
	for op, w := range want {
		s := script{body: "redux.sync." + op + " %r1, %r0, -1; st.global.u32 [%d0], %r1; ret;"}
		expect(t, s.run(t), func(int) uint32 { return w })
	}
}

func TestBarrierKindsDoNotMix(t *testing.T) {
	s := script{block: dims(64, 1), body: `
		setp.lt.u32 %p1, %r0, 32;
		@%p1 bra REDUCE;
		bar.sync 0;
		ret;
	REDUCE:
		bar.red.popc.u32 %r1, 0, %p1;
		ret;`}
	if f := s.fault(t); f.Detail != "bar.red meets bar.sync or bar.arrive at the active barrier 0" {
		t.Errorf("detail %q", f.Detail)
	}
}

func TestRoundingsThatNeedAllTheirDigits(t *testing.T) {
	// a*b is just above, or just below, the middle of two single-precision
	// numbers, by less than double precision can tell next to c.
	cases := []struct {
		a, b, c float32
		want    float32
	}{
		{0x1p-80, 0x1p-80, 0x1.000002p0, 0x1.000002p0},
		{0x1.000002p0, 0x1.000002p0, 0x1p60, 0x1p60},
		{0x1p-12, 0x1p-12, 0x1p0, 0x1p0},               // the tie goes to even
		{0x1.000002p-12, 0x1p-12, 0x1p0, 0x1.000002p0}, // above the tie
		{0x1p-12, 0x1p-12, 0x1.000002p0, 0x1.000004p0}, // the tie goes up to even
		{0x1p-75, 0x1p-75, 0x1p-149, 2 * 0x1p-149},     // one and a half smallest subnormals, to even
		{0x1.fffffep-76, 0x1p-75, 0x1p-149, 0x1p-149},  // below one and a half
		{0x1p-76, 0x1p-75, 0x1p-149, 0x1p-149},         // one and a quarter
	}
	for _, c := range cases {
		s := script{block: dims(1, 1), input: []uint32{math.Float32bits(c.a), math.Float32bits(c.b), math.Float32bits(c.c)}, body: `
			ld.global.u32 %r1, [%d2]; ld.global.u32 %r2, [%d2+4]; ld.global.u32 %r3, [%d2+8];
			fma.rn.f32 %r4, %r1, %r2, %r3; st.global.u32 [%d0], %r4; ret;`}
		if got := value(s.run(t)[0]); got != c.want {
			t.Errorf("%x * %x + %x = %x, want %x", c.a, c.b, c.c, got, c.want)
		}
	}
}

// cnot sees all bits of its operand (PTX ISA 9.7.8.5).
func TestCnotSeesAllBits(t *testing.T) {
	s := script{body: "shl.b32 %r1, %r0, 16; cnot.b32 %r2, %r1; cvt.u64.u32 %d3, %r1; shl.b64 %d3, %d3, 16; cnot.b64 %d4, %d3; cvt.u32.u64 %r3, %d4; mad.lo.u32 %r2, %r3, 2, %r2;" +
		"cvt.u16.u32 %h1, %r0; shl.b16 %h1, %h1, 8; cnot.b16 %h2, %h1; cvt.u32.u16 %r3, %h2; mad.lo.u32 %r2, %r3, 4, %r2; st.global.u32 [%d0], %r2; ret;"}
	expect(t, s.run(t), func(i int) uint32 {
		if i == 0 {
			return 7
		}
		return 0
	})
}

// Lanes that an indexed branch sends to the kernel's end leave those behind them their own targets.
func TestAnIndexedBranchToTheEndLeavesOthersTheirTargets(t *testing.T) {
	s := script{body: `and.b32 %r1, %r0, 3; setp.ne.u32 %p1, %r1, 1; selp.u32 %r2, 0, 1, %p1;
	TABLE: .branchtargets A, END; brx.idx %r2, TABLE;
	A: add.u32 %r3, %r0, 7; st.global.u32 [%d0], %r3;
	END:`}
	expect(t, s.run(t), func(i int) uint32 {
		if i%4 == 1 {
			return 0
		}
		return uint32(i) + 7
	})
}
