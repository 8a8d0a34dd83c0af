// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math"
	"math/big"
	"testing"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

func TestVectorsPackLowElementFirst(t *testing.T) {
	s := script{block: dims(33, 1), words: 99, body: `
		mul.lo.u32 %r1, %r0, 0x01010101;
		mov.b32 {%h1, %h2}, %r1;
		add.u16 %h2, %h2, 5;
		mov.b32 %r2, {%h2, %h1};
		mov.b64 %d3, {%r2, %r0};
		mov.b64 {%r3, _}, %d3;
		mov.b64 {_, %r4}, %d3;
		mov.b64 %d4, {%h1, %h2, %h1, %h2};
		shr.u64 %d4, %d4, 16; cvt.u32.u64 %r5, %d4;
		mad.wide.u32 %d5, %r0, 12, %d1;
		st.global.u32 [%d5], %r3; st.global.u32 [%d5+4], %r4; st.global.u32 [%d5+8], %r5;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		n := uint32(i / 3)
		low, high := n*0x101, n*0x101+5
		return []uint32{low<<16 | high, n, low<<16 | high}[i%3]
	})
}

func TestCarryChainsAddSubtractAndMultiplyWideNumbers(t *testing.T) {
	// 96-bit arithmetic on numbers made of a lane's inputs, against math/big.
	input := []uint32{0xffffffff, 0xfffffffe, 0x12345678, 1, 0xffffffff, 0x9abcdef0}
	s := script{block: dims(1, 1), input: input, words: 10, body: `
		ld.global.u32 %r1, [%d2]; ld.global.u32 %r2, [%d2+4]; ld.global.u32 %r3, [%d2+8];
		ld.global.u32 %r4, [%d2+12]; ld.global.u32 %r5, [%d2+16]; ld.global.u32 %r6, [%d2+20];
		add.cc.u32 %r7, %r1, %r4; addc.cc.u32 %r8, %r2, %r5; addc.u32 %r9, %r3, %r6;
		st.global.u32 [%d0], %r7; st.global.u32 [%d0+4], %r8; st.global.u32 [%d0+8], %r9;
		sub.cc.u32 %r7, %r4, %r1; subc.cc.u32 %r8, %r5, %r2; subc.u32 %r9, %r6, %r3;
		st.global.u32 [%d0+12], %r7; st.global.u32 [%d0+16], %r8; st.global.u32 [%d0+20], %r9;
		mul.lo.u32 %r7, %r1, %r4; mul.hi.u32 %r8, %r1, %r4;
		mad.lo.cc.u32 %r8, %r1, %r5, %r8; madc.hi.u32 %r9, %r1, %r5, 0;
		mad.lo.cc.u32 %r8, %r2, %r4, %r8; madc.hi.cc.u32 %r9, %r2, %r4, %r9; addc.u32 %r10, 0, 0;
		mad.lo.cc.u32 %r9, %r2, %r5, %r9; madc.hi.u32 %r10, %r2, %r5, %r10;
		st.global.u32 [%d0+24], %r7; st.global.u32 [%d0+28], %r8; st.global.u32 [%d0+32], %r9; st.global.u32 [%d0+36], %r10;
		ret;`}
	number := func(words ...uint32) *big.Int {
		v := new(big.Int)
		for i := len(words) - 1; i >= 0; i-- {
			v.Or(v.Lsh(v, 32), big.NewInt(int64(words[i])))
		}
		return v
	}
	a, b := number(input[:3]...), number(input[3:]...)
	var want []uint32
	split := func(v *big.Int, words int) {
		v = new(big.Int).Mod(v, power(32*words))
		for i := range words {
			want = append(want, uint32(new(big.Int).Rsh(v, uint(32*i)).Uint64()))
		}
	}
	split(new(big.Int).Add(a, b), 3)
	split(new(big.Int).Sub(b, a), 3)
	split(new(big.Int).Mul(number(input[:2]...), number(input[3:5]...)), 4)
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}

func TestSixtyFourBitCarryChain(t *testing.T) {
	s := script{block: dims(1, 1), words: 4, body: `
		mov.u64 %d3, 0xffffffffffffffff; mov.u64 %d4, 5;
		add.cc.u64 %d5, %d3, 2; addc.u64 %d6, %d4, 10;
		cvt.u32.u64 %r1, %d5; cvt.u32.u64 %r2, %d6; st.global.u32 [%d0], %r1; st.global.u32 [%d0+4], %r2;
		sub.cc.u64 %d5, %d4, 6; subc.u64 %d6, %d4, 0;
		cvt.u32.u64 %r1, %d5; cvt.u32.u64 %r2, %d6; st.global.u32 [%d0+8], %r1; st.global.u32 [%d0+12], %r2;
		ret;`}
	want := []uint32{1, 16, 0xffffffff, 4}
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}

// The first is what a GPU gives (lower_carry.go), the others follow from an adder.
func TestCarryOfASubtractionIsTheAdders(t *testing.T) {
	s := script{block: dims(1, 1), words: 6, body: `
		add.cc.u32 %r1, 0, 0; subc.u32 %r2, 0, 0; st.global.u32 [%d0], %r2;
		sub.cc.u32 %r1, 3, 5; addc.u32 %r2, 0, 0; st.global.u32 [%d0+4], %r2;
		sub.cc.u32 %r1, 5, 5; addc.u32 %r2, 0, 0; st.global.u32 [%d0+8], %r2;
		mov.u64 %d3, 3; sub.cc.u64 %d5, %d3, 5; addc.u64 %d6, 0, 0; cvt.u32.u64 %r2, %d6; st.global.u32 [%d0+12], %r2;
		add.cc.u32 %r1, 0xffffffff, 1; subc.u32 %r2, 7, 2; st.global.u32 [%d0+16], %r2;
		sub.cc.u32 %r1, 3, 5; subc.cc.u32 %r2, 9, 9; addc.u32 %r2, 0, 0; st.global.u32 [%d0+20], %r2;
		ret;`}
	want := []uint32{0xffffffff, 0, 1, 0, 5, 0}
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}

func TestPredicatesCombine(t *testing.T) {
	s := script{body: `
		and.b32 %r1, %r0, 1; and.b32 %r2, %r0, 2;
		setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r2, 0;
		and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p2; xor.pred %p5, %p1, %p2; not.pred %p6, %p1; mov.pred %p7, %p2; mov.pred %p8, 1;
		selp.u32 %r3, 1, 0, %p3; selp.u32 %r4, 2, 0, %p4; selp.u32 %r5, 4, 0, %p5; selp.u32 %r6, 8, 0, %p6; selp.u32 %r7, 16, 0, %p7; selp.u32 %r8, 32, 0, %p8;
		or.b32 %r3, %r3, %r4; or.b32 %r3, %r3, %r5; or.b32 %r3, %r3, %r6; or.b32 %r3, %r3, %r7; or.b32 %r3, %r3, %r8;
		st.global.u32 [%d0], %r3;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return []uint32{8 + 32, 2 + 4 + 32, 2 + 4 + 8 + 16 + 32, 1 + 2 + 16 + 32}[i%4] })
}

func TestSelectionBySign(t *testing.T) {
	input := []uint32{0, 0x80000000, math.Float32bits(-1), 0x7fc00000, 0x80000001, 0xffffffff, 5}
	s := script{block: dims(7, 1), input: input, body: `
		mad.wide.u32 %d3, %r0, 4, %d2; ld.global.u32 %r1, [%d3];
		slct.u32.s32 %r2, 1, 0, %r1; slct.u32.f32 %r3, 2, 0, %r1; slct.ftz.u32.f32 %r4, 4, 0, %r1;
		or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4;
		st.global.u32 [%d0], %r2;
		ret;`}
	want := []uint32{7, 6, 0, 1, 4, 0, 7}
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}

func TestFloatPropertiesAreTold(t *testing.T) {
	input := []uint32{0, 1, math.Float32bits(1), 0x7f800000, 0xffc00000, 0x80800000}
	s := script{block: dims(6, 1), input: input, body: `
		mad.wide.u32 %d3, %r0, 4, %d2; ld.global.u32 %r1, [%d3];
		testp.finite.f32 %p1, %r1; testp.infinite.f32 %p2, %r1; testp.number.f32 %p3, %r1; testp.notanumber.f32 %p4, %r1; testp.normal.f32 %p5, %r1; testp.subnormal.f32 %p6, %r1;
		selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 2, 0, %p2; selp.u32 %r4, 4, 0, %p3; selp.u32 %r5, 8, 0, %p4; selp.u32 %r6, 16, 0, %p5; selp.u32 %r7, 32, 0, %p6;
		or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4; or.b32 %r2, %r2, %r5; or.b32 %r2, %r2, %r6; or.b32 %r2, %r2, %r7;
		st.global.u32 [%d0], %r2;
		ret;`}
	want := []uint32{1 + 4 + 16, 1 + 4 + 32, 1 + 4 + 16, 2 + 4, 8, 1 + 4 + 16}
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}

func TestClockMovesForward(t *testing.T) {
	s := script{body: `
		mov.u32 %r1, %clock; mov.u64 %d3, %clock64;
		bar.sync 0;
		mov.u32 %r2, %clock; cvt.u32.u64 %r3, %d3; sub.u32 %r3, %r3, 1; // read one instruction later
		setp.gt.u32 %p1, %r2, %r1; setp.eq.and.u32 %p1, %r3, %r1, %p1;
		selp.u32 %r4, 1, 0, %p1;
		st.global.u32 [%d0], %r4;
		ret;`}
	expect(t, s.run(t), func(int) uint32 { return 1 })
}

// A conversion reads the whole of a clock of 64 bits, in each lane, and its lower half as 32 bits.
func TestConversionsReadWideClocks(t *testing.T) {
	s := script{body: `
		mov.u64 %d3, %clock64; cvt.u32.u64 %r1, %clock64; cvt.u64.u32 %d4, %clock64; cvt.u32.u64 %r2, %globaltimer; cvt.u64.u32 %d5, %globaltimer;
		cvt.u32.u64 %r3, %d3; cvt.u32.u64 %r4, %d4; cvt.u32.u64 %r5, %d5;
		sub.u32 %r1, %r1, %r3; sub.u32 %r4, %r4, %r3; sub.u32 %r2, %r2, %r3; sub.u32 %r5, %r5, %r3; // each reads one instruction later
		mad.lo.u32 %r1, %r4, 10, %r1; mad.lo.u32 %r1, %r2, 100, %r1; mad.lo.u32 %r1, %r5, 1000, %r1;
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(int) uint32 { return 1 + 20 + 300 + 4000 })
}

func TestApproximationsOfSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), lanes.Canonical32
	cases := []struct {
		text    string
		a, want float32
	}{
		{"rcp.approx.f32", float32(math.Copysign(0, -1)), -inf}, {"rcp.approx.f32", -inf, float32(math.Copysign(0, -1))},
		{"rcp.approx.ftz.f32", 1e-40, inf}, {"rcp.approx.f32", math.MaxFloat32, 1.0 / math.MaxFloat32},
		{"sqrt.approx.f32", -1, nan}, {"sqrt.approx.f32", float32(math.Copysign(0, -1)), float32(math.Copysign(0, -1))},
		{"rsqrt.approx.f32", 0, inf}, {"rsqrt.approx.f32", -2, nan}, {"rsqrt.approx.f32", inf, 0},
		{"sin.approx.f32", inf, nan}, {"cos.approx.f32", 0, 1}, {"sin.approx.ftz.f32", -1e-40, float32(math.Copysign(0, -1))},
		{"lg2.approx.f32", 0, -inf}, {"lg2.approx.f32", -1, nan}, {"lg2.approx.f32", inf, inf},
		{"ex2.approx.f32", -inf, 0}, {"ex2.approx.f32", 200, inf}, {"ex2.approx.f32", nan, nan}, {"tanh.approx.f32", inf, 1},
	}
	for _, c := range cases {
		s := script{block: dims(1, 1), input: []uint32{math.Float32bits(c.a)}, body: "ld.global.u32 %r1, [%d2]; " + c.text + " %r2, %r1; st.global.u32 [%d0], %r2; ret;"}
		if got := s.run(t)[0]; got != math.Float32bits(c.want) {
			t.Errorf("%s of %v is %v (%#x), want %v", c.text, c.a, value(got), got, c.want)
		}
	}
}

func TestApproximateDivisionByHugeNumbersGivesZero(t *testing.T) {
	cases := []struct{ a, b, want float32 }{
		{8, 2, 4}, {1, 0x1.8p126, 0}, {-1, 0x1.8p126, float32(math.Copysign(0, -1))},
		{float32(math.Inf(1)), 0x1.8p126, lanes.Canonical32}, {0, 0, lanes.Canonical32}, {1, 0, float32(math.Inf(1))},
	}
	for _, c := range cases {
		s := script{block: dims(1, 1), input: []uint32{math.Float32bits(c.a), math.Float32bits(c.b)}, body: "ld.global.u32 %r1, [%d2]; ld.global.u32 %r3, [%d2+4]; div.approx.f32 %r2, %r1, %r3; st.global.u32 [%d0], %r2; ret;"}
		if got := s.run(t)[0]; got != math.Float32bits(c.want) {
			t.Errorf("%v / %v is %v, want %v", c.a, c.b, value(got), c.want)
		}
	}
}

func TestCoarseReciprocalsKeepTheirHighHalf(t *testing.T) {
	s := script{block: dims(1, 1), words: 4, body: `
		mov.f64 %d3, 0d4008000000000000; rcp.approx.ftz.f64 %d4, %d3; rsqrt.approx.ftz.f64 %d5, %d3;
		mov.b64 {%r1, %r2}, %d4; mov.b64 {%r3, %r4}, %d5;
		st.global.u32 [%d0], %r1; st.global.u32 [%d0+4], %r2; st.global.u32 [%d0+8], %r3; st.global.u32 [%d0+12], %r4; ret;`}
	third, root := math.Float64bits(1.0/3), math.Float64bits(1/math.Sqrt(3))
	want := []uint32{0, uint32(third >> 32), 0, uint32(root >> 32)}
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}

func TestHalvesPackUpperOperandFirst(t *testing.T) {
	s := script{block: dims(1, 1), words: 2, body: `
		mov.f32 %r1, 0f3fc00000; mov.f32 %r2, 0fc0000000;
		cvt.rn.f16x2.f32 %r3, %r1, %r2; st.global.u32 [%d0], %r3;
		cvt.rn.relu.bf16x2.f32 %r3, %r1, %r2; st.global.u32 [%d0+4], %r3; ret;`}
	want := []uint32{0x3e00c000, 0x3fc00000}
	expect(t, s.run(t), func(i int) uint32 { return want[i] })
}
