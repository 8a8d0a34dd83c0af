// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// A lane's result by what PTX says of single values; each is the bits of a slot.
type saying struct {
	text           string
	a, b, c, wants uint64
}

// single and double are the bits of numbers.
func single(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
func double(v float64) uint64 { return math.Float64bits(v) }

// Results of single instructions, as the PTX ISA has them (9.7.3; .sat and .ftz at its beginning), in every lane.
func TestInstructionsGiveWhatPTXSaysOfThem(t *testing.T) {
	inf, nan, least := math.Inf(1), math.NaN(), math.SmallestNonzeroFloat32
	minus := math.Copysign(0, -1)
	cases := []saying{
		{"copysign.f32 %f1, %f2, %f3", single(-2), single(3), 0, single(-3)}, // the sign of the first, the rest of the second
		{"copysign.f32 %f1, %f2, %f3", single(2), single(-3), 0, single(3)},
		{"copysign.f64 %d1, %d2, %d3", double(-2), double(3), 0, double(-3)},
		{"copysign.f64 %d1, %d2, %d3", double(2), double(-3), 0, double(3)},
		{"div.approx.f32 %f1, %f2, %f3", single(3), single(0x1p126), 0, single(3 * 0x1p-126)},
		{"div.approx.f32 %f1, %f2, %f3", single(3), single(0x1.000002p126), 0, single(0)}, // above 2^126: zero
		{"div.approx.f32 %f1, %f2, %f3", single(-3), single(0x1p127), 0, single(minus)},
		{"div.approx.f32 %f1, %f2, %f3", single(inf), single(0x1p127), 0, uint64(math.Float32bits(Canonical32))},
		{"div.approx.f32 %f1, %f2, %f3", single(-inf), single(-0x1p127), 0, uint64(math.Float32bits(Canonical32))},
		{"div.approx.f32 %f1, %f2, %f3", single(5), single(-inf), 0, single(minus)},
		{"div.approx.f32 %f1, %f2, %f3", single(inf), single(inf), 0, uint64(math.Float32bits(Canonical32))},
		{"min.xorsign.abs.f32 %f1, %f2, %f3", single(-3), single(4), 0, single(-3)},
		{"min.xorsign.abs.f32 %f1, %f2, %f3", single(-3), single(-4), 0, single(3)},
		{"max.xorsign.abs.f32 %f1, %f2, %f3", single(3), single(-4), 0, single(-4)},
		{"max.xorsign.abs.f32 %f1, %f2, %f3", single(3), single(4), 0, single(4)},
		{"add.sat.f32 %f1, %f2, %f3", single(0.25), single(0.5), 0, single(0.75)},
		{"add.sat.f32 %f1, %f2, %f3", single(0.75), single(0.5), 0, single(1)},
		{"add.sat.f32 %f1, %f2, %f3", single(0.25), single(-0.5), 0, single(0)},
		{"add.sat.f32 %f1, %f2, %f3", single(minus), single(minus), 0, single(0)}, // results are from +0 on
		{"add.sat.f32 %f1, %f2, %f3", single(nan), single(0.5), 0, single(0)},
		{"neg.ftz.f32 %f1, %f2", single(least), 0, 0, single(minus)},
		{"neg.ftz.f32 %f1, %f2", single(-1.5), 0, 0, single(1.5)},
		{"abs.ftz.f32 %f1, %f2", single(-least), 0, 0, single(0)},
		{"div.approx.ftz.f32 %f1, %f2, %f3", single(least), single(least), 0, uint64(math.Float32bits(Canonical32))}, // zero by zero
		{"div.approx.ftz.f32 %f1, %f2, %f3", single(1), single(0x1p126), 0, single(0x1p-126)},
		{"div.approx.ftz.f32 %f1, %f2, %f3", single(0.5), single(0x1p126), 0, single(0)},
		{"add.rz.ftz.f32 %f1, %f2, %f3", single(1), single(-least), 0, single(1)}, // and not the number below
		{"fma.rz.ftz.f32 %f1, %f2, %f3, %f4", single(1), single(1), single(-least), single(1)},
		{"rcp.approx.ftz.f64 %d1, %d2", double(3), 0, 0, double(1.0/3) &^ 0xffffffff}, // the low bits are zero
		{"rcp.approx.ftz.f64 %d1, %d2", double(2) | 0xffffffff, 0, 0, double(0.5)},    // and not looked at
		{"rcp.approx.ftz.f64 %d1, %d2", double(math.SmallestNonzeroFloat64 * -5), 0, 0, double(-inf)},
		{"rcp.approx.ftz.f64 %d1, %d2", double(-0x1p1023), 0, 0, double(minus)},
		{"rcp.approx.ftz.f64 %d1, %d2", double(0x1p1022), 0, 0, double(0x1p-1022)},
		{"sin.approx.f32 %f1, %f2", single(minus), 0, 0, single(minus)},
		{"sin.approx.f32 %f1, %f2", single(inf), 0, 0, uint64(math.Float32bits(Canonical32))},
		{"cos.approx.f32 %f1, %f2", single(minus), 0, 0, single(1)},
		{"cos.approx.f32 %f1, %f2", single(math.Pi), 0, 0, single(-1)},
		// sums just above and below the middle of two numbers; a double would round them to it
		{"fma.rn.ftz.f32 %f1, %f2, %f3, %f4", single(4097), single(4097), single(0x1p-40), single(16785410)},
		{"fma.rn.ftz.f32 %f1, %f2, %f3, %f4", single(4097), single(4097), single(-0x1p-40), single(16785408)},
		{"fma.rn.f32 %f1, %f2, %f3, %f4", single(4097), single(4097), single(0x1p-40), single(16785410)},
		{"fma.rn.f32 %f1, %f2, %f3, %f4", single(4097), single(4097), single(-0x1p-40), single(16785408)},
	}
	for _, c := range cases {
		in := instruction(t, c.text)
		wide := in.Type() == ptx.F64
		loop := LoopF32(in)
		if wide {
			loop = LoopF64(in)
		}
		var slots [3][trace.WarpSize]uint64
		for n, v := range [3]uint64{c.a, c.b, c.c} {
			for l := range trace.WarpSize {
				if wide {
					slots[n][l] = v
				} else {
					(*[trace.WarpSize]uint32)(unsafe.Pointer(&slots[n]))[l] = uint32(v)
				}
			}
		}
		out := apply(loop, &slots)
		for l := range trace.WarpSize {
			got := out[l]
			if !wide {
				got = uint64((*[trace.WarpSize]uint32)(unsafe.Pointer(&out))[l])
			}
			if got != c.wants {
				t.Errorf("%s of %#x, %#x, %#x, lane %d: %#x, want %#x", c.text, c.a, c.b, c.c, l, got, c.wants)
				break
			}
		}
	}
}

// Sines and cosines of single precision are those of double precision, rounded.
func TestSinesOfSinglePrecisionAreRoundedOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 91))
	for name, f := range map[string]func(float64) float64{"sin.approx.f32 %f1, %f2": math.Sin, "cos.approx.f32 %f1, %f2": math.Cos} {
		var in, out [trace.WarpSize]float32
		for i := range in {
			in[i] = float32(math.Ldexp(r.Float64()*2-1, r.IntN(20)))
		}
		LoopF32(instruction(t, name))(new(Scratch), unsafe.Pointer(&out), unsafe.Pointer(&in), nil, nil)
		for i, v := range in {
			if want := float32(f(float64(v))); math.Abs(float64(out[i]-want)) > 1e-7 {
				t.Errorf("%s of %g: %g, want %g", name, v, out[i], want)
			}
		}
	}
}

// Products, sums and quotients with numbers that are not finite, or zeros, are IEEE 754's in all modes.
func TestSpecialNumbersOfDoublePrecision(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 5, -3, math.Inf(1), math.Inf(-1), math.NaN()}
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
	for mode := Nearest; mode <= TowardPlus; mode++ {
		for _, a := range special {
			for _, b := range special {
				if got := MulRounded64(a, b, mode); !same(got, a*b) {
					t.Errorf("%g * %g, mode %d: %g", a, b, mode, got)
				}
				if a == 0 || b == 0 || !finite(a) || !finite(b) { // others are rounded
					if got := DivRounded64(a, b, mode); !same(got, a/b) {
						t.Errorf("%g / %g, mode %d: %g", a, b, mode, got)
					}
					if got := DivRounded32(float32(a), float32(b), mode); !same(float64(got), a/b) {
						t.Errorf("%g / %g in single precision, mode %d: %g", a, b, mode, got)
					}
				}
				for _, c := range special {
					want := float64(a*b) + c
					if want == 0 && mode == TowardMinus && (math.Signbit(a) != math.Signbit(b)) != math.Signbit(c) {
						want = math.Copysign(0, -1) // a sum of zeros of two signs
					}
					if got := FmaRounded64(a, b, c, mode); !same(got, want) {
						t.Errorf("%g * %g + %g, mode %d: %g, want %g", a, b, c, mode, got, want)
					}
				}
			}
		}
	}
}

// Two numbers of 16 bits in a register are computed each for itself; with .relu what is negative is zero.
func TestPairsOf16BitsAreComputedEachForItself(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 91))
	for op, f := range map[ptx.Opcode]func(a, b int) int{
		ptx.OpAdd: func(a, b int) int { return a + b }, ptx.OpMin: func(a, b int) int { return min(a, b) }, ptx.OpMax: func(a, b int) int { return max(a, b) },
	} {
		for _, relu := range []bool{false, true} {
			var a, b, out [trace.WarpSize]uint32
			for i := range a {
				a[i], b[i] = r.Uint32(), r.Uint32()
			}
			halvesOf[int16](op, relu)(nil, unsafe.Pointer(&out), unsafe.Pointer(&a), unsafe.Pointer(&b), nil)
			for i := range a {
				for shift := 0; shift < 32; shift += 16 {
					want := int(int16(f(int(int16(a[i]>>shift)), int(int16(b[i]>>shift)))))
					if relu {
						want = max(want, 0)
					}
					if got := int(int16(out[i] >> shift)); got != want {
						t.Fatalf("opcode %v, relu %v, of %#x and %#x: %d in place %d, want %d", op, relu, a[i], b[i], got, shift, want)
					}
				}
			}
			if op == ptx.OpAdd {
				continue
			}
			ReluLoop(op)(nil, unsafe.Pointer(&out), unsafe.Pointer(&a), unsafe.Pointer(&b), nil)
			for i := range a {
				if want := max(f(int(int32(a[i])), int(int32(b[i]))), 0); int(int32(out[i])) != want {
					t.Fatalf("opcode %v with .relu of %d and %d: %d", op, int32(a[i]), int32(b[i]), int32(out[i]))
				}
			}
		}
	}
}

// A shift of 16 bits looks at the low half of its slot, and leaves the other one zero.
func TestShiftsOf16Bits(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 91))
	var a, b, out [trace.WarpSize]uint32
	for i := range a {
		a[i], b[i] = r.Uint32(), uint32(i)
	}
	Shift16(func(a int16, b uint32) int16 { return a >> b })(nil, unsafe.Pointer(&out), unsafe.Pointer(&a), unsafe.Pointer(&b), nil)
	for i := range a {
		if want := new(big.Int).Rsh(big.NewInt(int64(int16(a[i]))), uint(i)).Int64(); out[i] != uint32(uint16(want)) {
			t.Errorf("%#x by %d: %#x, want %#x", a[i], i, out[i], uint16(want))
		}
	}
}

// Comparisons of halves are those of their values, in the format of the instruction.
func TestComparisonsOfHalvesAreInTheirFormat(t *testing.T) {
	for _, c := range []struct {
		of    ptx.Type
		b     basic
		flush bool
		x, y  uint32
		want  bool
	}{
		{ptx.BF16, basicLess, false, 0x7f00, 0x7f80, true}, // 2^127 < infinity; both are NaN as f16
		{ptx.F16, basicLess, false, 0x7f00, 0x7f80, false},
		{ptx.BF16, basicNumber, false, 0x7c01, 0x7c01, true}, // NaN as f16
		{ptx.F16, basicNumber, false, 0x7c01, 0x7c01, false},
		{ptx.F16, basicNumber, false, 0x7c00, 0x3c00, true},
		{ptx.F16, basicNumber, false, 0x3c00, 0x7e00, false},
		{ptx.F16, basicEqual, false, 0x0001, 0x8001, false}, // subnormals of two signs
		{ptx.F16, basicEqual, true, 0x0001, 0x8001, true},
		{ptx.F16, basicLess, true, 0x8001, 0x0001, false},
		{ptx.F16, basicOrderedNotEqual, false, 0x7e00, 0x3c00, false},
		{ptx.F16, basicOrderedNotEqual, false, 0x4000, 0x3c00, true},
		{ptx.F16, basicLessEqual, false, 0x3c00, 0x3c00, true},
		{ptx.F16, basicLessEqual, false, 0x4000, 0x3c00, false},
	} {
		var x, y [trace.WarpSize]uint32
		for i := range x {
			x[i], y[i] = c.x, c.y
		}
		want := uint32(0)
		if c.want {
			want = FullMask
		}
		if got := halfRelation(c.of, c.b, c.flush)(unsafe.Pointer(&x), unsafe.Pointer(&y)); got != want {
			t.Errorf("%v, relation %d, flushed %v, of %#x and %#x: %#x", c.of, c.b, c.flush, c.x, c.y, got)
		}
	}
}

// Numbers are limited to the range of their bits.
func TestNumbersAreLimitedToTheirBits(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 91))
	one := big.NewInt(1)
	for width := 1; width < 64; width++ {
		for _, v := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << (width - 1), 1<<(width-1) - 1, -1 << (width - 1), r.Int64() - r.Int64()} {
			for _, signed := range []bool{false, true} {
				low, high := new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one)
				if signed {
					low.Neg(new(big.Int).Lsh(one, uint(width-1)))
					high.Sub(new(big.Int).Lsh(one, uint(width-1)), one)
				}
				want := big.NewInt(v)
				if want.Cmp(low) < 0 {
					want = low
				}
				if want.Cmp(high) > 0 {
					want = high
				}
				if got := ClampBits(v, width, signed); got != want.Int64() {
					t.Fatalf("%d in %d bits, signed %v: %d, want %v", v, width, signed, got, want)
				}
			}
		}
	}
}

// Comparisons of floats are those of PTX's table (9.3.1): ordered ones are false where one is NaN, unordered ones true.
func TestComparisonsOfFloatsAreThoseOfTheTable(t *testing.T) {
	nan := float32(math.NaN())
	values := []float32{-2, 0, float32(math.Copysign(0, -1)), 1.5, float32(math.Inf(1)), nan}
	var a, b [trace.WarpSize]float32
	for i := range a {
		a[i], b[i] = values[i%len(values)], values[i/len(values)%len(values)]
	}
	for name, holds := range map[string]func(x, y float32) bool{
		"eq": func(x, y float32) bool { return x == y }, "ne": func(x, y float32) bool { return x < y || x > y },
		"lt": func(x, y float32) bool { return x < y }, "le": func(x, y float32) bool { return x <= y },
		"gt": func(x, y float32) bool { return x > y }, "ge": func(x, y float32) bool { return x >= y },
		"equ": func(x, y float32) bool { return !(x < y || x > y) }, "neu": func(x, y float32) bool { return x != y },
		"ltu": func(x, y float32) bool { return !(x >= y) }, "leu": func(x, y float32) bool { return !(x > y) },
		"gtu": func(x, y float32) bool { return !(x <= y) }, "geu": func(x, y float32) bool { return !(x < y) },
		"num": func(x, y float32) bool { return x == x && y == y }, "nan": func(x, y float32) bool { return x != x || y != y },
	} {
		relation, swap, invert := RelationOf(instruction(t, "set."+name+".u32.f32 %r1, %f1, %f2"), ptx.F32)
		x, y := unsafe.Pointer(&a), unsafe.Pointer(&b)
		if swap {
			x, y = y, x
		}
		got := relation(x, y)
		if invert {
			got = ^got
		}
		for i := range a {
			if want := holds(a[i], b[i]); got>>i&1 == 1 != want {
				t.Errorf("%g %s %g: %v", a[i], name, b[i], !want)
			}
		}
	}
}

// Numbers lose their fraction toward zero; those that do not fit become the nearest that does, and NaN what is asked for.
func TestTruncationOfFloats(t *testing.T) {
	loop := Truncate[float32, int32](-0x1p31, 0x1p31, math.MaxInt32, 77)
	values := map[float32]int32{1.9: 1, -1.9: -1, 0.5: 0, 0x1p31: math.MaxInt32, 0x1p40: math.MaxInt32, -0x1p31: math.MinInt32, -0x1p33: math.MinInt32,
		2147483520: 2147483520, float32(math.Inf(1)): math.MaxInt32, float32(math.Inf(-1)): math.MinInt32}
	for v, want := range values {
		var in [trace.WarpSize]float32
		var out [trace.WarpSize]int32
		for i := range in {
			in[i] = v
		}
		in[5] = float32(math.NaN())
		loop(nil, unsafe.Pointer(&out), unsafe.Pointer(&in), nil, nil)
		if out[0] != want || out[trace.WarpSize-1] != want || out[5] != 77 {
			t.Errorf("%g becomes %d, and NaN %d, want %d and 77", v, out[0], out[5], want)
		}
	}
}

// The low bits of a number are widened by their highest one, or by zeros.
func TestLowBitsAreWidened(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 91))
	for bits := 1; bits <= 64; bits++ {
		for range 20 {
			v := r.Uint64()
			low := new(big.Int).And(new(big.Int).SetUint64(v), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1)))
			if got := Extend(v, bits, false); got != low.Uint64() {
				t.Fatalf("%d bits of %#x: %#x", bits, v, got)
			}
			if low.Bit(bits-1) == 1 {
				low.Sub(low, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
			}
			if got := int64(Extend(v, bits, true)); got != low.Int64() {
				t.Fatalf("%d bits of %#x with their sign: %d, want %v", bits, v, got, low)
			}
		}
	}
}
