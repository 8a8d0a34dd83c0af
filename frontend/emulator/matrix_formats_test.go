// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// mmaFormat is a shape and a type of mma.sync with the places of its elements
// as PTX ISA 9.7.14.5 gives them. A function gives the place of element i of the
// lane in group g at place t.
type mmaFormat struct {
	m, k      int
	a, b, d   string
	bits      int // of an element of a
	placeA    func(g, t, i int) (row, column int)
	placeB    func(g, t, i int) (row, column int)
	nA, nB, n int    // elements of a lane
	operation string // of single bits
}

func eightOn(condition bool) int {
	if condition {
		return 8
	}
	return 0
}

func mmaFormats() []mmaFormat {
	quarters := func(g, t, i int) (int, int) { return g + 8*(i%2), t + 4*(i/2) }
	rowsOnly := func(g, t, i int) (int, int) { return t + 4*i, g }
	var list []mmaFormat
	for _, f := range []mmaFormat{
		{m: 16, k: 4, nA: 2, nB: 1}, {m: 16, k: 8, nA: 4, nB: 2},
	} {
		f.a, f.b, f.d, f.bits, f.n, f.placeA, f.placeB = "tf32", "tf32", "f32", 32, 4, quarters, rowsOnly
		list = append(list, f)
		f.a, f.b, f.d, f.bits = "f64", "f64", "f64", 64
		list = append(list, f)
	}
	list = append(list,
		mmaFormat{16, 16, "f64", "f64", "f64", 64, quarters, rowsOnly, 8, 4, 4, ""},
		mmaFormat{8, 4, "f64", "f64", "f64", 64, func(g, t, _ int) (int, int) { return g, t }, rowsOnly, 1, 1, 2, ""},
		mmaFormat{16, 8, "bf16", "bf16", "f32", 16,
			func(g, t, i int) (int, int) { return g + eightOn(i >= 2), t*2 + i&1 },
			func(g, t, i int) (int, int) { return t*2 + i, g }, 4, 2, 4, ""},
		mmaFormat{16, 16, "bf16", "bf16", "f32", 16,
			func(g, t, i int) (int, int) {
				return g + eightOn(i >= 2 && i < 4 || i >= 6), t*2 + i&1 + eightOn(i >= 4)
			},
			func(g, t, i int) (int, int) { return t*2 + i&1 + eightOn(i >= 2), g }, 8, 4, 4, ""})
	list = append(list, smallFormats()...)
	for _, types := range [][2]string{{"s8", "s8"}, {"u8", "s8"}, {"s8", "u8"}, {"u8", "u8"}} {
		list = append(list,
			mmaFormat{8, 16, types[0], types[1], "s32", 8,
				func(g, t, i int) (int, int) { return g, t*4 + i },
				func(g, t, i int) (int, int) { return t*4 + i, g }, 4, 4, 2, ""},
			mmaFormat{16, 16, types[0], types[1], "s32", 8,
				func(g, t, i int) (int, int) { return g + eightOn(i >= 4), t*4 + i&3 },
				func(g, t, i int) (int, int) { return t*4 + i, g }, 8, 4, 4, ""},
			mmaFormat{16, 32, types[0], types[1], "s32", 8,
				func(g, t, i int) (int, int) {
					return g + eightOn(i >= 4 && i < 8 || i >= 12), t*4 + i&3 + 2*eightOn(i >= 8)
				},
				func(g, t, i int) (int, int) { return t*4 + i&3 + 2*eightOn(i >= 4), g }, 16, 8, 4, ""})
	}
	for _, types := range [][2]string{{"e4m3", "e4m3"}, {"e4m3", "e5m2"}, {"e5m2", "e4m3"}, {"e5m2", "e5m2"}} {
		list = append(list,
			mmaFormat{16, 16, types[0], types[1], "f32", 8,
				func(g, t, i int) (int, int) { return g + eightOn(i >= 4), t*4 + i&3 },
				func(g, t, i int) (int, int) { return t*4 + i, g }, 8, 4, 4, ""},
			mmaFormat{16, 32, types[0], types[1], "f32", 8,
				func(g, t, i int) (int, int) {
					return g + eightOn(i >= 4 && i < 8 || i >= 12), t*4 + i&3 + 2*eightOn(i >= 8)
				},
				func(g, t, i int) (int, int) { return t*4 + i&3 + 2*eightOn(i >= 4), g }, 16, 8, 4, ""})
	}
	return list
}

// smallFormats are those of 4-bit integers (m8n8k32, m16n8k32 and m16n8k64) and of
// single bits (m8n8k128, m16n8k128 and m16n8k256).
func smallFormats() []mmaFormat {
	var list []mmaFormat
	add := func(a, b, operation string, bits int) {
		word := 32 / bits // elements
		f := mmaFormat{a: a, b: b, d: "s32", bits: bits, operation: operation}
		f.placeB = func(g, t, i int) (int, int) { return t*word + i, g }
		f.m, f.k, f.nA, f.nB, f.n = 8, 4*word, word, word, 2
		f.placeA = func(g, t, i int) (int, int) { return g, t*word + i }
		list = append(list, f)
		f.m, f.nA, f.n = 16, 2*word, 4
		f.placeA = func(g, t, i int) (int, int) { return g + eightOn(i >= word), t*word + i%word }
		list = append(list, f)
		f.k, f.nA, f.nB = 8*word, 4*word, 2*word
		f.placeA = func(g, t, i int) (int, int) {
			row, column := g+eightOn(i >= word && i < 2*word || i >= 3*word), t*word+i%word
			if i >= 2*word {
				column += 4 * word
			}
			return row, column
		}
		f.placeB = func(g, t, i int) (int, int) {
			row := t*word + i%word
			if i >= word {
				row += 4 * word
			}
			return row, g
		}
		list = append(list, f)
	}
	for _, types := range [][2]string{{"s4", "s4"}, {"u4", "s4"}, {"s4", "u4"}, {"u4", "u4"}} {
		add(types[0], types[1], "", 4)
	}
	add("b1", "b1", ".xor", 1)
	add("b1", "b1", ".and", 1)
	return list
}

// encode gives a small whole number's bits in a format.
func (f *mmaFormat) encode(t string, v int) uint64 {
	switch t {
	case "f64":
		return math.Float64bits(float64(v))
	case "f32", "tf32":
		return uint64(math.Float32bits(float32(v)))
	case "bf16":
		return uint64(math.Float32bits(float32(v)) >> 16)
	case "e4m3":
		return quarterCodes[0].whole(v)
	case "e5m2":
		return quarterCodes[1].whole(v)
	}
	return uint64(uint32(v))
}

// whole is the code of a small whole number, found among all codes.
func (q *quarterCode) whole(v int) uint64 {
	sign := uint64(0)
	if v < 0 {
		v, sign = -v, 0x80
	}
	return sign | uint64(q.nearest(new(big.Rat).SetInt64(int64(v))))
}

// entry is element row, column of matrix a, b or c: small, and not negative
// where the type has no sign.
func (f *mmaFormat) entry(matrix string, row, column int) int {
	v := (row*7+column*5+len(matrix))%11 - 5
	switch typ := map[string]string{"a": f.a, "b": f.b, "c": f.d}[matrix]; typ {
	case "b1":
		return (row*row*3 + row*column + column*column + int(matrix[0])) >> 2 & 1
	case "u4":
		v += 5
	case "u8":
		v += 249
	}
	return v + int(matrix[0]-'a')
}

func TestMmaFormatsMultiplyInTheFragmentsOfTheISA(t *testing.T) {
	for _, f := range mmaFormats() {
		name := fmt.Sprintf("mma.sync.aligned.m%dn8k%d.row.col.%s.%s.%s.%s", f.m, f.k, f.d, f.a, f.b, f.d)
		if f.operation != "" {
			name += f.operation + ".popc"
		}
		t.Run(name, func(t *testing.T) { f.check(t, name) })
	}
}

func (f *mmaFormat) check(t *testing.T, name string) {
	width := 32 // of a register
	if f.bits == 64 {
		width = 64
	}
	pack := func(n, bits int, value func(i int) uint64) []uint64 {
		registers := make([]uint64, n*bits/width)
		for i := range n {
			registers[i*bits/width] |= value(i) & (1<<(bits-1)<<1 - 1) << (i * bits % width)
		}
		return registers
	}
	placeC := func(g, t, i int) (int, int) { return g + eightOn(i >= 2), t*2 + i&1 }
	var input []uint32
	counts := [3]int{}
	for lane := range 32 {
		g, p := lane/4, lane%4
		of := func(matrix, typ string, place func(g, t, i int) (int, int)) func(i int) uint64 {
			return func(i int) uint64 {
				row, column := place(g, p, i)
				return f.encode(typ, f.entry(matrix, row, column))
			}
		}
		for n, registers := range [][]uint64{
			pack(f.nA, f.bits, of("a", f.a, f.placeA)), pack(f.nB, f.bits, of("b", f.b, f.placeB)), pack(f.n, width, of("c", f.d, placeC)),
		} {
			counts[n] = len(registers)
			for _, r := range registers {
				input = append(input, uint32(r), uint32(r>>32))
			}
		}
	}
	d := NewDevice(Options{})
	k := kernelOf(t, d, "mma.ptx", ptxHeader+f.kernel(name, width, counts), "k")
	in, out := upload(t, d, "in", input), upload(t, d, "out", make([]uint32, 32*2*f.n))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: packArguments(out, in)}); err != nil {
		t.Fatal(err)
	}
	got := download(t, d, out, 32*2*f.n)
	for lane := range 32 {
		for i := range f.n {
			row, column := placeC(lane/4, lane%4, i)
			sum := f.entry("c", row, column)
			for at := range f.k {
				x, y := f.entry("a", row, at), f.entry("b", at, column)
				if f.operation == ".xor" {
					sum += x ^ y
				} else {
					sum += x * y
				}
			}
			at := 2 * (lane*f.n + i)
			if v, want := uint64(got[at])|uint64(got[at+1])<<32, f.encode(f.d, sum); v != want {
				t.Fatalf("element %d,%d: %#x, want %#x (%d)", row, column, v, want, sum)
			}
		}
	}
}

func packArguments(addresses ...uint64) []byte {
	var list []any
	for _, a := range addresses {
		list = append(list, a)
	}
	return pack(list...)
}

// kernel loads the fragments from records of 8 bytes a register, multiplies,
// and stores d likewise.
func (f *mmaFormat) kernel(name string, width int, counts [3]int) string {
	var b strings.Builder
	total := counts[0] + counts[1] + counts[2]
	fmt.Fprintf(&b, ".entry k(.param .u64 out, .param .u64 in) {\n.reg .b32 %%r<40>; .reg .b64 %%d<40>; .reg .b64 %%a<4>; .reg .b32 %%t;\n")
	fmt.Fprintf(&b, "ld.param.u64 %%a1, [out]; ld.param.u64 %%a2, [in]; mov.u32 %%t, %%laneid; mad.wide.u32 %%a1, %%t, %d, %%a1; mad.wide.u32 %%a2, %%t, %d, %%a2;\n", 8*counts[2], 8*total)
	prefix := map[int]string{32: "%r", 64: "%d"}[width]
	for i := range total {
		fmt.Fprintf(&b, "ld.global.b%d %s%d, [%%a2+%d];\n", width, prefix, i, 8*i)
	}
	first := 0
	var vectors []string
	for _, n := range counts {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%s%d", prefix, first+i))
		}
		first += n
		vectors = append(vectors, "{"+strings.Join(names, ", ")+"}")
	}
	fmt.Fprintf(&b, "%s %s, %s, %s, %s;\n", name, vectors[2], vectors[0], vectors[1], vectors[2])
	for i := range counts[2] {
		fmt.Fprintf(&b, "st.global.b%d [%%a1+%d], %s%d;\n", width, 8*i, prefix, counts[0]+counts[1]+i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// Rows of 8 halves lie at the addresses of eight lanes a matrix. Lane i gets the
// elements 2(i%4) and the next of row i/4, transposed those of column i/4
// (9.7.14.5.15). stmatrix and movmatrix undo it.
func TestLdmatrixGivesEachLaneItsElements(t *testing.T) {
	got, err := launchText(t, Options{}, `.entry k(.param .u64 out) {
	.shared .align 16 .b8 tile[512];
	.reg .b32 %r<20>; .reg .b64 %d<4>; .reg .b16 %h<4>; .reg .pred %p;
	mov.u32 %r0, %laneid; mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 16, %r1;
	mov.u32 %r3, 0;
FILL: mad.lo.u32 %r4, %r0, 8, %r3; cvt.u16.u32 %h1, %r4; mad.lo.u32 %r5, %r3, 2, %r2; st.shared.b16 [%r5], %h1;
	add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, 8; @%p bra FILL;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r2];
	ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r10}, [%r2];
	movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r10;
	sub.u32 %r12, %r6, %r11;
	stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r2], {%r8, %r9};
	ld.shared.b32 %r13, [%r2+4];
	mad.lo.u32 %r12, %r12, 1000, %r9;
	ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r0, 8, %d1; st.global.v2.b32 [%d1], {%r12, %r13};
	ret;
}`, 32)
	if err != nil {
		t.Fatal(err)
	}
	for lane := range uint32(32) {
		first := (24+lane/4)*8 + 2*(lane%4) // of matrix 3
		if got[2*lane] != first|(first+1)<<16 {
			t.Errorf("lane %d holds %#x of matrix 3 (and loads undo each other)", lane, got[2*lane])
		}
		if lane < 16 { // row i of a transposed matrix 2 or 3 has elements 2 and 3 of its column
			matrix, row := 2+lane/8, lane%8
			a, b := matrix*64+2*8+row, matrix*64+3*8+row
			if got[2*lane+1] != a|b<<16 {
				t.Errorf("row %d stored as %#x, want %#x", lane, got[2*lane+1], a|b<<16)
			}
		}
	}
}

// Of whole numbers that .f16 holds, accumulators of both types give the same.
func TestQuarterProductsSumInHalfPrecision(t *testing.T) {
	for _, shape := range []struct {
		k, a, b int
	}{{16, 2, 1}, {32, 4, 2}} {
		registers := func(prefix string, n int) string {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("%s%d", prefix, i+1))
			}
			return "{" + strings.Join(names, ", ") + "}"
		}
		name := func(d string) string {
			return fmt.Sprintf("mma.sync.aligned.m16n8k%d.row.col.%s.e4m3.e5m2.%s", shape.k, d, d)
		}
		text := ".entry k(.param .u64 out) { .reg .b32 %r<8>; .reg .b32 %b<8>; .reg .f32 %f<8>; .reg .b32 %s<4>; .reg .b16 %h<8>; .reg .b64 %d; .reg .pred %p; .reg .b32 %t<8>;\n mov.u32 %t1, %laneid; and.b32 %t2, %t1, 7; mad.lo.u32 %t2, %t2, 0x01000100, 0x38B83430;\n"
		for i := range 4 {
			text += fmt.Sprintf("xor.b32 %%r%d, %%t2, 0x%x; xor.b32 %%b%d, %%t2, 0x%x; mov.f32 %%f%d, 0f%08X;\n", i+1, 0x08000800>>i, i+1, 0x00800008, i+1, math.Float32bits(float32(i)))
		}
		text += "mov.b32 %s1, 0x3C000000; mov.b32 %s2, 0x42004000;\n" + // 0, 1 and 2, 3
			name("f32") + " " + registers("%f", 4) + ", " + registers("%r", shape.a) + ", " + registers("%b", shape.b) + ", " + registers("%f", 4) + ";\n" +
			name("f16") + " " + registers("%s", 2) + ", " + registers("%r", shape.a) + ", " + registers("%b", shape.b) + ", " + registers("%s", 2) + ";\n" +
			"cvt.rn.f16x2.f32 %t3, %f2, %f1; cvt.rn.f16x2.f32 %t4, %f4, %f3; xor.b32 %t5, %t3, %s1; xor.b32 %t6, %t4, %s2; or.b32 %t5, %t5, %t6; ld.param.u64 %d, [out]; mad.wide.u32 %d, %t1, 8, %d; st.global.v2.b32 [%d], {%t5, %t3}; ret; }"
		got, err := launchText(t, Options{}, text, 32)
		if err != nil {
			t.Fatal(err)
		}
		different := false
		for lane := range 32 {
			if got[2*lane] != 0 {
				t.Fatalf("k %d: lane %d differs by %#x", shape.k, lane, got[2*lane])
			}
			different = different || got[2*lane+1] != got[1]
		}
		if !different {
			t.Errorf("k %d: all lanes have %#x", shape.k, got[1])
		}
	}
}
