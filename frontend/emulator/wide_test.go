// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// words128 are the words of a number of 128 bits.
func words128(v *big.Int) []uint32 {
	words, mask := make([]uint32, 4), big.NewInt(1<<32-1)
	for i := range words {
		words[i] = uint32(new(big.Int).And(new(big.Int).Rsh(v, uint(32*i)), mask).Uint64())
	}
	return words
}

func number128(words []uint32) *big.Int {
	v := new(big.Int)
	for i := 3; i >= 0; i-- {
		v.Or(v.Lsh(v, 32), big.NewInt(int64(words[i])))
	}
	return v
}

// Each lane has two numbers of 128 bits, x and y, and all of them one place in
// memory. Lanes are served in ascending order, and all 128 bits are compared:
// some differ in one bit only.
func TestAtomicsOf128BitsCompareAndExchangeAllOfThem(t *testing.T) {
	start, _ := new(big.Int).SetString("fedcba9876543210f0e1d2c3b4a59687", 16)
	x, y := make([]*big.Int, 32), make([]*big.Int, 32)
	last := start
	for i := range x {
		y[i] = new(big.Int).Xor(new(big.Int).Lsh(big.NewInt(int64(i)*0x123456789+1), uint(2*i)), start)
		x[i] = new(big.Int).Set(last)
		switch i % 4 {
		case 1:
			x[i].SetBit(x[i], 5, x[i].Bit(5)^1)
		case 2:
			x[i].SetBit(x[i], 101, x[i].Bit(101)^1)
		default:
			last = y[i]
		}
	}
	input := words128(start)
	for i := range x {
		input = append(append(input, words128(x[i])...), words128(y[i])...)
	}
	for _, place := range []struct{ space, before, address string }{
		{"global", "", "%d2"},
		{"", "", "%d2"},
		{"shared", "mov.u64 %d5, cell; ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d2]; st.shared.v4.b32 [%d5], {%r1, %r2, %r3, %r4};", "%d5"},
		{"", "mov.u64 %d5, cell; cvta.shared.u64 %d5, %d5; ld.global.b128 %x, [%d2]; st.b128 [%d5], %x;", "%d5"},
	} {
		for _, operation := range []string{"cas", "exch"} {
			space := place.space
			if space != "" {
				space = "." + space
			}
			line := fmt.Sprintf("atom.relaxed.gpu%s.%s.b128 %%old, [%s], %%x", space, operation, place.address)
			if operation == "cas" {
				line += ", %y"
			}
			s := script{words: 256, input: input, declarations: ".shared .align 16 .b8 cell[16];", body: ".reg .b128 %x; .reg .b128 %y; .reg .b128 %old;" + place.before + `
				mad.wide.u32 %d3, %r0, 32, %d2; mad.wide.u32 %d4, %r0, 32, %d1;
				ld.global.v2.u64 {%d6, %d7}, [%d3+16]; mov.b128 %x, {%d6, %d7}; ld.global.b128 %y, [%d3+32];
				` + line + `;
				mov.b128 {%d8, %d9}, %old; st.global.v2.b64 [%d4], {%d8, %d9};
				ld` + space + ".b128 %old, [" + place.address + "]; st.global.b128 [%d4+16], %old; ret;"}
			got := s.run(t)
			memory := start
			var olds []*big.Int
			for i := range x {
				olds = append(olds, memory)
				switch {
				case operation == "exch":
					memory = x[i]
				case memory.Cmp(x[i]) == 0:
					memory = y[i]
				}
			}
			for i := range x {
				if old := number128(got[8*i:]); old.Cmp(olds[i]) != 0 {
					t.Fatalf("%s: lane %d gets %x, want %x", line, i, old, olds[i])
				}
				if end := number128(got[8*i+4:]); end.Cmp(memory) != 0 {
					t.Fatalf("%s: lane %d sees %x in the end, want %x", line, i, end, memory)
				}
			}
		}
	}
}

// Halves go where they belong, also in place, and only in the active lanes.
func TestRegistersOf128BitsAreMadeOfTwoHalves(t *testing.T) {
	s := script{words: 128, input: []uint32{1}, body: `.reg .b128 %x; .reg .b128 %y; mad.wide.u32 %d3, %r0, 16, %d1;
		cvt.u64.u32 %d4, %r0; add.u64 %d5, %d4, 0x100000000;
		mov.b128 %x, {%d4, %d5}; mov.b128 %y, %x; mov.b128 {%d5, %d4}, %y;
		setp.lt.u32 %p1, %r0, 16; @%p1 mov.b128 %y, {%d4, %d5}; mov.b128 {_, %d6}, %y; mov.b128 {%d7, _}, %y;
		st.global.v2.u64 [%d3], {%d6, %d7}; ret;`}
	got := s.run(t)
	for i := range uint32(32) {
		want := [4]uint32{i, 1, i, 0}
		if i < 16 {
			want = [4]uint32{i, 0, i, 1}
		}
		if v := [4]uint32(got[4*i:]); v != want {
			t.Errorf("lane %d: %v, want %v", i, v, want)
		}
	}
}

func TestAccessesOf128BitsAreAligned(t *testing.T) {
	for _, line := range []string{"ld.global.b128 %x, [%d2+8];", "st.global.b128 [%d2+8], %x;", "atom.global.exch.b128 %x, [%d2+8], %x;"} {
		s := script{body: ".reg .b128 %x; " + line + " ret;", input: make([]uint32, 16)}
		if f := s.fault(t); f.Kind != coexecution.FaultMisaligned {
			t.Errorf("%s: %v", line, f)
		}
	}
}

// A recursion saves both halves: each level keeps its own number.
func TestRecursionsKeepRegistersOf128Bits(t *testing.T) {
	got, err := launchText(t, Options{}, `.func (.param .b64 r) sum(.param .b64 n) {
	.reg .b64 %d<8>; .reg .b128 %x; .reg .pred %p;
	ld.param.b64 %d1, [n]; setp.eq.u64 %p, %d1, 0; @%p bra END;
	mul.lo.u64 %d2, %d1, 1000; mov.b128 %x, {%d1, %d2}; sub.u64 %d3, %d1, 1;
	{ .param .b64 a; st.param.b64 [a], %d3; .param .b64 b; call.uni (b), sum, (a); ld.param.b64 %d4, [b]; }
	mov.b128 {%d5, %d6}, %x; add.u64 %d4, %d4, %d5; add.u64 %d4, %d4, %d6;
	st.param.b64 [r], %d4; ret;
END: st.param.b64 [r], 0; ret;
}
.entry k(.param .u64 out) {
	.reg .b32 %r<4>; .reg .b64 %d<4>;
	mov.u32 %r1, %laneid; cvt.u64.u32 %d1, %r1;
	{ .param .b64 a; st.param.b64 [a], %d1; .param .b64 b; call.uni (b), sum, (a); ld.param.b64 %d2, [b]; }
	ld.param.u64 %d3, [out]; mad.wide.u32 %d3, %r1, 4, %d3; st.global.u32 [%d3], %d2; ret;
}`, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got[:32] {
		if want := uint32(1001 * i * (i + 1) / 2); v != want {
			t.Errorf("lane %d: %d, want %d", i, v, want)
		}
	}
}
