// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace/tracetest"
)

// sparsify keeps half of the elements of a matrix, whose rows have k of them, and sets
// the others to zero. It gives the elements that it kept and the metadata of each lane,
// 16 rows to a warp: what lanes do not contribute is garbage.
//
// Which elements a lane's metadata are for is said as CUTLASS's layouts for sparse wgmma
// do, from the lane to the elements. The emulator goes from the elements to the lane.
func sparsify(typ string, dense []int, k, selector int, ordered bool, r *rand.Rand) (kept []int, metadata []uint32) {
	rows := len(dense) / k
	nibbles := make([][]uint32, rows) // metadata of each row
	for row := range rows {
		line := dense[row*k:][:k]
		group, unit := 4, 1
		switch typ {
		case "tf32":
			group, unit = 2, 1
		case "s4", "u4":
			group, unit = 8, 2
		}
		for at := 0; at < k; at += group {
			var places []int
			if typ == "tf32" {
				places = []int{r.IntN(2)}
				nibbles[row] = append(nibbles[row], []uint32{0b0100, 0b1110}[places[0]])
			} else {
				places = r.Perm(4)[:2]
				if ordered && places[0] > places[1] {
					places[0], places[1] = places[1], places[0]
				}
				nibbles[row] = append(nibbles[row], uint32(places[0]|places[1]<<2))
			}
			left := make([]int, group)
			for _, p := range places {
				for u := range unit {
					left[p*unit+u] = line[at+p*unit+u]
					kept = append(kept, line[at+p*unit+u])
				}
			}
			copy(line[at:], left)
		}
	}
	metadata = make([]uint32, rows*2)
	for i := range metadata {
		metadata[i] = r.Uint32()
	}
	contributing := len(nibbles[0]) * rows * 4 / 32 * 4 / len(metadata) // lanes of every four
	for i := range metadata {
		lane := i % 4
		if lane/contributing != selector {
			continue
		}
		lane %= contributing
		metadata[i] = 0
		for n := range 8 {
			row, number := i/32*16+i%32/4, n
			if bitsOf(typ) >= 16 { // half of a word for the row, half for the one eight on
				row, number = row+n/4*8, lane*4+n%4
			} else {
				row, number = row+lane%2*8, lane/2*8+n
			}
			metadata[i] |= nibbles[row][number] << (4 * n)
		}
	}
	return kept, metadata
}

// sparseForms are the shapes and types of mma.sp (9.7.14.6.3).
var sparseForms = []struct {
	k       int
	d, a, b string
	lanes   int // of every four that have metadata
}{
	{16, "f16", "f16", "f16", 1}, {32, "f16", "f16", "f16", 2}, {16, "f32", "f16", "f16", 1}, {32, "f32", "f16", "f16", 2},
	{16, "f32", "bf16", "bf16", 1}, {32, "f32", "bf16", "bf16", 2}, {8, "f32", "tf32", "tf32", 1}, {16, "f32", "tf32", "tf32", 2},
	{64, "f32", "e4m3", "e5m2", 4}, {64, "f32", "e5m2", "e5m2", 4},
	{32, "s32", "s8", "u8", 2}, {32, "s32", "u8", "s8", 2}, {64, "s32", "s8", "s8", 4}, {64, "s32", "u8", "u8", 4},
	{64, "s32", "s4", "u4", 2}, {64, "s32", "u4", "s4", 2}, {128, "s32", "s4", "s4", 4}, {128, "s32", "u4", "u4", 4},
}

// bracedRegisters lists n registers of a prefix in braces.
func bracedRegisters(prefix string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%%%s%d", prefix, i))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// On whole numbers whose products add up exactly in any order, mma.sp gives what the
// matrices with their zeros do.
func TestSparseProductsAreThoseOfTheMatricesWithTheirZeros(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 1))
	for _, f := range sparseForms {
		for selector := range 4 / f.lanes {
			for _, variant := range []string{"sp", "sp::ordered_metadata"} {
				a, b := make([]int, 16*f.k), make([]int, f.k*8)
				for i := range a {
					a[i] = smallNumber(f.a, r)
				}
				for i := range b {
					b[i] = smallNumber(f.b, r)
				}
				kept, metadata := sparsify(f.a, a, f.k, selector, variant != "sp", r)
				perWord := 32 / bitsOf(f.a)
				inA, inB := 16*f.k/2/32/perWord, f.k*8/32/perWord
				perD := 32 / max(bitsOf(f.d), 16)
				inD := 4 / perD
				size := inA + inB + inD + 1 // words of a lane
				input, want := make([]uint32, 32*size), make([]uint32, 32*inD)
				for lane := range 32 {
					group, place, words := lane/4, lane%4, input[lane*size:]
					for w := range inA {
						for p := range perWord {
							row, at := group+8*(w%2), (place+4*(w/2))*perWord+p
							words[w] |= uint32(encodeSmall(f.a, kept[row*f.k/2+at])) << (p * bitsOf(f.a))
						}
					}
					for w := range inB {
						for p := range perWord {
							words[inA+w] |= uint32(encodeSmall(f.b, b[((place+4*w)*perWord+p)*8+group])) << (p * bitsOf(f.b))
						}
					}
					for i := range 4 {
						row, column, start := group+i/2*8, place*2+i%2, r.IntN(9)-4
						sum := start
						for k := range f.k {
							sum += a[row*f.k+k] * b[k*8+column]
						}
						words[inA+inB+i/perD] |= uint32(encodeSmall(f.d, start)) << (i % perD * 16)
						want[lane*inD+i/perD] |= uint32(encodeSmall(f.d, sum)) << (i % perD * 16)
					}
					words[size-1] = metadata[lane]
				}
				var load strings.Builder
				offset := 0
				for _, list := range []struct {
					prefix string
					n      int
				}{{"a", inA}, {"b", inB}, {"c", inD}} {
					for i := range list.n {
						fmt.Fprintf(&load, "ld.global.b32 %%%s%d, [%%d3+%d];\n", list.prefix, i, offset)
						offset += 4
					}
				}
				register := map[string]string{"f32": ".f32"}[f.d]
				if register == "" {
					register = ".b32"
				}
				s := script{target: "sm_89", input: input, words: len(want), body: fmt.Sprintf(`.reg .b32 %%a<4>; .reg .b32 %%b<4>; .reg %s %%c<4>; .reg .b32 %%e;
					mad.wide.u32 %%d3, %%r0, %d, %%d2; mad.wide.u32 %%d4, %%r0, %d, %%d1; ld.global.b32 %%e, [%%d3+%d];
					%smma.%s.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s %s, %s, %s, %s, %%e, %d;
					%s ret;`, register, 4*size, 4*inD, 4*size-4, load.String(), variant, f.k, f.d, f.a, f.b, f.d,
					bracedRegisters("c", inD), bracedRegisters("a", inA), bracedRegisters("b", inB), bracedRegisters("c", inD), selector, storesOf("c", inD, "d4"))}
				for i, v := range s.run(t) {
					if v != want[i] {
						t.Fatalf("mma.%s k%d %s.%s.%s selector %d: register %d of lane %d is %#x, want %#x", variant, f.k, f.d, f.a, f.b, selector, i%inD, i/inD, v, want[i])
					}
				}
			}
		}
	}
}

// storesOf stores n registers one behind the other.
func storesOf(prefix string, n int, address string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "st.global.b32 [%%%s+%d], %%%s%d; ", address, 4*i, prefix, i)
	}
	return b.String()
}

// What b has where a has a zero is not multiplied: an infinity there makes no NaN.
func TestSparseProductsDoNotMultiplyZeros(t *testing.T) {
	s := script{words: 128, body: `.reg .f32 %c<4>; .reg .b32 %e;
		mov.b32 %r1, 0x3c003c00; mov.b32 %r2, 0x7c003c00; mov.b32 %e, 0x88888888; // of 1, 1, 1, inf the places 0 and 2
		mov.f32 %c0, 0f80000000; mov.f32 %c1, 0f80000000; mov.f32 %c2, 0f80000000; mov.f32 %c3, 0f80000000;
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%r1, %r1}, {%r2, %r2}, {%c0, %c1, %c2, %c3}, %e, 0;
		mad.wide.u32 %d4, %r0, 16, %d1; ` + storesOf("c", 4, "d4") + ` ret;`}
	expect(t, s.run(t), func(int) uint32 { return 0x41000000 }) // 8
}

func TestMetadataWithoutAMeaningFault(t *testing.T) {
	for _, c := range []struct{ variant, types, metadata, want string }{
		{"sp", "m16n8k16.row.col.f32.f16.f16.f32", "0x4444444f", "0b1111 for elements of row 0: the two places must be different"},
		{"sp", "m16n8k16.row.col.f32.f16.f16.f32", "0x44044444", "0b0000 for elements of row 8: the two places must be different"},
		{"sp::ordered_metadata", "m16n8k16.row.col.f32.f16.f16.f32", "0x44444414", "0b0001 for elements of row 0: the two places must be different and ascend"},
		{"sp", "m16n8k8.row.col.f32.tf32.tf32.f32", "0x444444d4", "of .tf32 elements only 0b0100 and 0b1110 have a meaning"},
	} {
		s := script{body: `.reg .f32 %c<4>; .reg .b32 %e; and.b32 %r1, %r0, 3; setp.eq.u32 %p1, %r1, 1; selp.b32 %e, ` + c.metadata + `, 0, %p1;
			mma.` + c.variant + `.sync.aligned.` + c.types + ` {%c0, %c1, %c2, %c3}, {%r2, %r2}, {%r2, %r2}, {%c0, %c1, %c2, %c3}, %e, 1; ret;`}
		f := s.fault(t)
		if f.Kind != coexecution.FaultMetadata || !strings.Contains(f.Detail, c.want) || f.Thread.X != 1 {
			t.Errorf("%s %s: %v, want %q", c.variant, c.metadata, f, c.want)
		}
	}
}

func TestSparseWgmmaMultipliesInEveryTypeAndLayout(t *testing.T) {
	for _, f := range tracetest.Draw(t, []struct{ d, a, b string }{
		{"f16", "f16", "f16"}, {"f32", "f16", "f16"}, {"f32", "bf16", "bf16"}, {"f32", "tf32", "tf32"}, {"f16", "e4m3", "e5m2"}, {"f32", "e5m2", "e4m3"}, {"s32", "s8", "u8"}, {"s32", "u8", "s8"},
	}, 2) {
		for i, span := range []int{0, 64, 128} {
			for selector := range 2 {
				c := warpgroupCase{d: f.d, a: f.a, b: f.b, k: 512 / bitsOf(f.a), n: []int{8, 64, 24, 256}[(i+selector)%4], span: span, sparse: true, signA: 1, signB: 1, registers: selector == i%2, keep: i > 0}
				if f.d != "s32" {
					c.signA = -1
				}
				if bitsOf(f.a) > 8 {
					c.selector = selector
				}
				c.check(t)
				if bitsOf(f.a) == 16 {
					c.transB, c.n = true, []int{64, 128, 192}[i]
					c.check(t)
					c.registers, c.transA = false, true
					c.check(t)
				}
			}
		}
	}
}

// A swizzle of 32 bytes has no room for the 64 of a column of b along k.
func TestSparseWgmmaRefusesASwizzleThatIsTooShort(t *testing.T) {
	_, err := launchText(t, Options{}, `.entry k(.param .u64 out) {
	.shared .align 1024 .b8 tile[8192]; .reg .f32 %f<4>; .reg .b64 %b; .reg .b32 %r<4>; .reg .pred %p<4>;
	mov.b64 %b, `+fmt.Sprintf("0x%x", descriptorOf(0, 16, 256, 32))+`; mov.b32 %r1, 0x44444444; setp.eq.u32 %p1, 0, 0;
	wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r2, %r2, %r2, %r2}, %b, %r1, 0, %p1, 1, 1, 0;
	ret;
}`, 128)
	wantFault(t, err, coexecution.FaultMisaligned, "64 bytes along k, more than the 32 of its descriptor's swizzle")
}
