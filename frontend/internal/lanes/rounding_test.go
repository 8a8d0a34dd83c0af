// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"unsafe"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// among rounds an exact number by a mode (IEEE 754-2019, 4.3). Its neighbours are the nearest number
// of the format and the one on the other side.
func among[T float32 | float64](x *big.Float, nearest T, next func(x, towards T) T, mode Rounding) T {
	low, high := nearest, nearest
	switch side := big.NewFloat(float64(nearest)).Cmp(x); {
	case side < 0:
		high = next(nearest, T(math.Inf(1)))
	case side > 0:
		low = next(nearest, T(math.Inf(-1)))
	}
	switch {
	case mode == TowardMinus, mode == TowardZero && x.Sign() > 0:
		return low
	case mode == TowardPlus, mode == TowardZero && x.Sign() < 0:
		return high
	}
	return nearest
}

// number draws a number of double or single precision: any magnitude, subnormals and large ones among them, and few bits,
// so that some results are exact and some lie in the middle.
func number(r *rand.Rand, single bool) float64 {
	v := math.Ldexp(float64(r.Int64N(1<<r.IntN(54)))+1, r.IntN(60)-30)
	if least := -1074; r.IntN(4) == 0 {
		if single {
			least = -149
		}
		v = math.Ldexp(float64(r.IntN(1<<22)+1), least/(1+r.IntN(2))+r.IntN(30))
	} else if r.IntN(8) == 0 {
		v = math.MaxFloat64 / float64(1+r.IntN(3))
		if single {
			v = math.MaxFloat32 / float64(1+r.IntN(3))
		}
	}
	if single {
		v = float64(float32(v))
	}
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

// operations compute with more bits than any result needs, and of a root or a quotient enough to see its side.
var operations = []struct {
	name   string
	exact  func(a, b, c *big.Float) *big.Float
	single func(a, b, c float32, mode Rounding) float32
	double func(a, b, c float64, mode Rounding) float64
}{
	{"add", func(a, b, _ *big.Float) *big.Float { return wide().Add(a, b) },
		func(a, b, _ float32, m Rounding) float32 { return AddRounded32(a, b, m) }, func(a, b, _ float64, m Rounding) float64 { return AddRounded64(a, b, m) }},
	{"mul", func(a, b, _ *big.Float) *big.Float { return wide().Mul(a, b) },
		func(a, b, _ float32, m Rounding) float32 { return MulRounded32(a, b, m) }, func(a, b, _ float64, m Rounding) float64 { return MulRounded64(a, b, m) }},
	{"fma", func(a, b, c *big.Float) *big.Float { return wide().Add(wide().Mul(a, b), c) }, FmaRounded32, FmaRounded64},
	{"div", func(a, b, _ *big.Float) *big.Float { return wide().Quo(a, b) },
		func(a, b, _ float32, m Rounding) float32 { return DivRounded32(a, b, m) }, func(a, b, _ float64, m Rounding) float64 { return DivRounded64(a, b, m) }},
	{"sqrt", func(a, _, _ *big.Float) *big.Float { return new(big.Float).SetPrec(300).Sqrt(wide().Abs(a)) },
		func(a, _, _ float32, m Rounding) float32 { return SqrtRounded32(abs32(a), m) }, func(a, _, _ float64, m Rounding) float64 { return SqrtRounded64(math.Abs(a), m) }},
}

func wide() *big.Float { return new(big.Float).SetPrec(4600) }

// Results in all modes are the neighbours of exact ones, subnormals and what overflows included.
func TestRoundedResultsAreNeighboursOfExactOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 91))
	for range 150 {
		for _, single := range []bool{true, false} {
			a, b, c := number(r, single), number(r, single), number(r, single)
			for _, op := range operations {
				x := op.exact(big.NewFloat(a), big.NewFloat(b), big.NewFloat(c))
				if x.Sign() == 0 {
					continue
				}
				for mode := Nearest; mode <= TowardPlus; mode++ {
					if single {
						nearest, _ := x.Float32()
						want := among(x, nearest, math.Nextafter32, mode)
						if got := op.single(float32(a), float32(b), float32(c), mode); math.Float32bits(got) != math.Float32bits(want) {
							t.Errorf("%s of %g, %g, %g in single precision, mode %d: %g, want %g", op.name, a, b, c, mode, got, want)
						}
						continue
					}
					nearest, _ := x.Float64()
					want := among(x, nearest, math.Nextafter, mode)
					if got := op.double(a, b, c, mode); math.Float64bits(got) != math.Float64bits(want) {
						t.Errorf("%s of %g, %g, %g, mode %d: %g, want %g", op.name, a, b, c, mode, got, want)
					}
				}
			}
		}
	}
}

// Sums that are exactly zero have the sign that IEEE 754 demands (6.3): minus toward minus infinity, plus else, and
// that of their terms where these are zeros of one sign.
func TestExactZerosHaveTheirSigns(t *testing.T) {
	minus := math.Copysign(0, -1)
	for mode := Nearest; mode <= TowardPlus; mode++ {
		for _, c := range []struct {
			a, b     float64
			negative bool
		}{{3, -3, mode == TowardMinus}, {0, minus, mode == TowardMinus}, {minus, minus, true}, {0, 0, false}} {
			for what, got := range map[string]float64{
				"sum": AddRounded64(c.a, c.b, mode), "sum of floats": float64(AddRounded32(float32(c.a), float32(c.b), mode)),
				"product and sum": FmaRounded64(c.a, 1, c.b, mode), "product and sum of floats": float64(FmaRounded32(float32(c.a), 1, float32(c.b), mode)),
			} {
				if got != 0 || math.Signbit(got) != c.negative {
					t.Errorf("%s of %g and %g in mode %d: %g", what, c.a, c.b, mode, got)
				}
			}
		}
	}
}

// Numbers whose errors are doubles are rounded as in arbitrary-precision arithmetic, also where sums cancel, and where one part is
// far below the other.
func TestDirectedOperationsHaveTheSignOfTheirErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 91))
	moved := 0
	for range 10000 {
		some := func() float64 { // few bits, many bits, and exponents that are close or far
			v := math.Float64frombits(1023<<52 | r.Uint64()>>(12+r.IntN(52))<<r.IntN(12))
			return math.Copysign(math.Ldexp(v, (r.IntN(3)-1)*r.IntN([]int{2, 60, 400}[r.IntN(3)])), float64(r.IntN(2))-0.5)
		}
		a, b, c := some(), some(), some()
		switch r.IntN(4) {
		case 0: // the product cancels but for its last bits
			c = -a * b
		case 1:
			c = math.Nextafter(-a*b, float64(r.IntN(3)-1))
		case 2:
			b = math.Nextafter(-a, float64(r.IntN(3)-1))
		}
		for mode := TowardZero; mode <= TowardPlus; mode++ {
			for n, pair := range [][2]float64{
				{AddRounded64(a, b, mode), fmaExactly(a, 1, b, mode)}, {MulRounded64(a, b, mode), mulExactly(a, b, mode)},
				{FmaRounded64(a, b, c, mode), fmaExactly(a, b, c, mode)}, {DivRounded64(a, b, mode), divExactly(a, b, mode)},
			} {
				if math.Float64bits(pair[0]) != math.Float64bits(pair[1]) {
					t.Fatalf("operation %d of %x, %x, %x in mode %d: %x, want %x", n, a, b, c, mode, pair[0], pair[1])
				}
			}
			if FmaRounded64(a, b, c, mode) != math.FMA(a, b, c) {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no result differs from the nearest")
	}
}

// short is a format by the values of its codes from zero on, up to the largest.
type short struct {
	name   string
	bits   int
	values []float64
	decode func(uint64) float64
	encode func(float64, Rounding) uint64
	nan    uint64
	// overflows says that there is a code of infinity.
	overflows bool
}

// shorts have values that follow from their definition: equal steps within a binade, and each binade's twice as large.
func shorts() []short {
	list := []short{
		{"f16", 16, nil, Half.Decode, Half.Encode, 0x7fff, true}, {"bf16", 16, nil, Brain.Decode, Brain.Encode, 0x7fff, true},
		{"e4m3", 8, nil, E4M3.Decode, E4M3.Encode, 0x7f, false}, {"e5m2", 8, nil, E5M2.Decode, E5M2.Encode, 0x7f, true},
	}
	for n, of := range []struct {
		fraction, least, codes int // the exponent of the least number, and the codes up to the largest
	}{{10, -24, 0x7c00}, {7, -133, 0x7f80}, {3, -9, 0x7f}, {2, -16, 0x7c}} {
		v, step := 0.0, math.Ldexp(1, of.least)
		for code := range of.codes {
			if code >= 2<<of.fraction && code%(1<<of.fraction) == 0 {
				step *= 2
			}
			list[n].values = append(list[n].values, v)
			v += step
		}
	}
	return list
}

// code is that of a number that is rounded, toward the nearest with an even code in the middle.
func (f *short) code(x *big.Float, mode Rounding) uint64 {
	m := wide().Abs(x)
	i := sort.Search(len(f.values), func(i int) bool { return big.NewFloat(f.values[i]).Cmp(m) > 0 })
	high := 2*f.values[len(f.values)-1] - f.values[len(f.values)-2] // behind the largest
	if i < len(f.values) {
		high = f.values[i]
	}
	up := false
	switch below := wide().Sub(m, big.NewFloat(f.values[i-1])); {
	case below.Sign() == 0:
	case mode == Nearest:
		d := below.Cmp(wide().Sub(big.NewFloat(high), m))
		up = d > 0 || d == 0 && i%2 == 0
	default:
		up = mode == TowardPlus && x.Sign() > 0 || mode == TowardMinus && x.Sign() < 0
	}
	code := uint64(i - 1)
	if up {
		code++
	}
	if x.Signbit() {
		code |= 1 << (f.bits - 1)
	}
	return code
}

// Numbers between two of a short format become one of them, as the mode says; NaN and infinity have their codes.
func TestShortFormatsRoundToTheirNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 91))
	for _, f := range shorts() {
		for code, v := range f.values {
			if got := f.decode(uint64(code)); got != v {
				t.Fatalf("%s: code %#x is %g, want %g", f.name, code, got, v)
			}
		}
		sign := uint64(1) << (f.bits - 1)
		for range 2000 {
			i := len(f.values) - 1 // the largest, often
			if r.IntN(8) > 0 {
				i = r.IntN(len(f.values))
			}
			high := f.values[i] * 2
			switch {
			case i+1 < len(f.values):
				high = f.values[i+1]
			case f.overflows && r.IntN(2) == 0: // up to the next power of two
				high = 2*f.values[i] - f.values[i-1]
			case !f.overflows:
				high = f.values[i]
			}
			v := f.values[i] + (high-f.values[i])*float64(r.IntN(5))/4
			if r.IntN(2) == 0 {
				v = -v
			}
			for mode := Nearest; mode <= TowardPlus && (mode == Nearest || f.bits == 16); mode++ { // PTX rounds to 8 bits in one way alone
				want := min(f.code(big.NewFloat(v), mode)&^sign, uint64(len(f.values)))
				if math.Signbit(v) {
					want |= sign
				}
				if f.name == "e5m2" && want&^sign == uint64(len(f.values)) {
					continue // what is beyond the largest is its callers' part
				}
				if got := f.encode(v, mode); got != want {
					t.Fatalf("%s: %g in mode %d is %#x, want %#x", f.name, v, mode, got, want)
				}
			}
		}
		if got := f.encode(math.NaN(), Nearest); got != f.nan || !math.IsNaN(f.decode(got)) {
			t.Errorf("%s: NaN is %#x", f.name, got)
		}
		if f.overflows && !math.IsInf(f.decode(uint64(len(f.values))|sign), -1) {
			t.Errorf("%s: no infinity behind the largest", f.name)
		}
		if f.bits == 16 && (f.encode(math.Inf(-1), TowardZero) != uint64(len(f.values))|sign) {
			t.Errorf("%s: minus infinity is another number", f.name)
		}
	}
}

// Those of matrix instructions are the same ones, faster.
func TestFastHalvesAreHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 91))
	for code := range uint32(1 << 16) {
		want := Half.Decode(uint64(code))
		if got := float64(HalfValue(code)); got != want && (got == got || want == want) || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("code %#x is %g, want %g", code, got, want)
		}
	}
	for range 20000 {
		v := math.Float32frombits(r.Uint32())
		if r.IntN(16) == 0 {
			v = float32(math.Inf(r.IntN(2) - 1))
		} else if r.IntN(2) == 0 {
			v = float32(Half.Decode(uint64(r.IntN(1<<15)))) * (1 + float32(r.IntN(5)-2)*0x1p-12)
		}
		if got, want := HalfRounded(v), uint32(Half.Encode(float64(v), Nearest)); got != want {
			t.Fatalf("%g becomes %#x, want %#x", v, got, want)
		}
	}
}

// A fused product and sum of halves is rounded once. That shows where the exact value is near the middle of two.
func TestFusedHalvesAreRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 91))
	middles := 0
	for range 200000 {
		a, b := uint32(r.IntN(1<<16)), uint32(r.IntN(1<<16))
		c := uint32(r.IntN(1 << 16))
		if r.IntN(8) == 0 {
			a, c = r.Uint32()&0x8000|0x7c00, []uint32{c, 0x7c00, 0xfc00, 0x7e00}[r.IntN(4)]
		} else if r.IntN(2) == 0 { // far below the product's last place
			c = uint32(r.IntN(1<<11) | r.IntN(2)<<15)
		}
		p, v := Half.Decode(uint64(a))*Half.Decode(uint64(b)), Half.Decode(uint64(c))
		want := uint32(Half.Encode(SumToOdd(p, v), Nearest))
		if got := halfFused(a, b, c); got != want {
			t.Fatalf("%#x times %#x and %#x is %#x, want %#x", a, b, c, got, want)
		}
		if uint32(Half.Encode(float64(float32(p+v)), Nearest)) != want {
			middles++
		}
	}
	if middles == 0 {
		t.Error("no sum would be wrong if it were rounded twice")
	}
}

// instruction is that of a line of PTX.
func instruction(t *testing.T, line string) *ptx.Instruction {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .f32 %f<5>; .reg .f64 %d<5>; .reg .b16 %h<5>; .reg .b32 %r<5>; .reg .b64 %p<5>;\n"+line+";\nret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return &m.Kernels[0].Body[0]
}

// apply executes a loop on lanes.
func apply(loop Loop, in *[3][trace.WarpSize]uint64) (out [trace.WarpSize]uint64) {
	loop(new(Scratch), unsafe.Pointer(&out), unsafe.Pointer(&in[0]), unsafe.Pointer(&in[1]), unsafe.Pointer(&in[2]))
	return out
}

// Each instruction in double precision goes in the mode that it names to the operation that it names.
func TestDirectedInstructionsOfDoublePrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 91))
	for line, of := range map[string]func(a, b, c *big.Float) *big.Float{
		"add.%s.f64 %%d1, %%d2, %%d3": operations[0].exact, "sub.%s.f64 %%d1, %%d2, %%d3": func(a, b, _ *big.Float) *big.Float { return wide().Sub(a, b) },
		"mul.%s.f64 %%d1, %%d2, %%d3": operations[1].exact, "fma.%s.f64 %%d1, %%d2, %%d3, %%d4": operations[2].exact, "div.%s.f64 %%d1, %%d2, %%d3": operations[3].exact,
		"sqrt.%s.f64 %%d1, %%d2": operations[4].exact, "rcp.%s.f64 %%d1, %%d2": func(a, _, _ *big.Float) *big.Float { return wide().Quo(big.NewFloat(1), a) },
	} {
		for mode, name := range []string{"rn", "rz", "rm", "rp"} {
			text := fmt.Sprintf(line, name)
			var in [3][trace.WarpSize]uint64
			for n := range in {
				for i := range in[n] {
					in[n][i] = math.Float64bits(float64(r.IntN(999)+1) / 7)
				}
			}
			out := apply(LoopF64(instruction(t, text)), &in)
			for i := range out {
				x := of(big.NewFloat(math.Float64frombits(in[0][i])), big.NewFloat(math.Float64frombits(in[1][i])), big.NewFloat(math.Float64frombits(in[2][i])))
				nearest, _ := x.Float64()
				if want := among(x, nearest, math.Nextafter, Rounding(mode)); math.Float64frombits(out[i]) != want {
					t.Fatalf("%s of %#x, %#x, %#x: %g, want %g", text, in[0][i], in[1][i], in[2][i], math.Float64frombits(out[i]), want)
				}
			}
		}
	}
}

// Instructions of half precision compute one number, or two at once, in their format.
func TestInstructionsOfHalfPrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 91))
	exact := map[string]func(a, b, c float64) *big.Float{
		"add": func(a, b, _ float64) *big.Float { return wide().Add(big.NewFloat(a), big.NewFloat(b)) },
		"sub": func(a, b, _ float64) *big.Float { return wide().Sub(big.NewFloat(a), big.NewFloat(b)) },
		"mul": func(a, b, _ float64) *big.Float { return wide().Mul(big.NewFloat(a), big.NewFloat(b)) },
		"fma.rn": func(a, b, c float64) *big.Float {
			return wide().Add(wide().Mul(big.NewFloat(a), big.NewFloat(b)), big.NewFloat(c))
		},
		"abs": func(a, _, _ float64) *big.Float { return big.NewFloat(math.Abs(a)) },
		"neg": func(a, _, _ float64) *big.Float { return big.NewFloat(-a) },
		"min": func(a, b, _ float64) *big.Float { return big.NewFloat(min(a, b)) },
		"max": func(a, b, _ float64) *big.Float { return big.NewFloat(max(a, b)) },
	}
	exact["add.ftz"], exact["mul.ftz"], exact["sub.ftz.sat"], exact["fma.rn.ftz.sat"] = exact["add"], exact["mul"], exact["sub"], exact["fma.rn"]
	for _, f := range shorts()[:2] {
		normal := f.values[2] * float64(uint64(1)<<map[string]int{"f16": 9, "bf16": 6}[f.name])
		flushed := func(v float64) float64 { // .ftz makes subnormal numbers zeros
			if math.Abs(v) < normal {
				return 0
			}
			return v
		}
		for name := range exact {
			if f.name == "bf16" && strings.ContainsAny(name, "ts") && strings.Contains(name, ".") && name != "fma.rn" {
				continue // there is neither .ftz nor .sat of it
			}
			for _, packed := range []bool{false, true} {
				register, operands, halves, of := "h", 3, 1, exact[name]
				line := name + "." + f.name
				if packed {
					register, halves, line = "r", 2, line+"x2"
				}
				if strings.HasPrefix(name, "fma") {
					operands = 4
				} else if name == "abs" || name == "neg" {
					operands = 2
				}
				for n := range operands {
					line += fmt.Sprintf("%s%s%d", []string{" %", ", %"}[min(n, 1)], register, n+1)
				}
				loop := LoopF16(instruction(t, line))
				var in [3][trace.WarpSize]uint64
				words := [3]*[2 * trace.WarpSize]uint32{}
				for n := range in {
					words[n] = (*[2 * trace.WarpSize]uint32)(unsafe.Pointer(&in[n]))
					for i := range words[n][:trace.WarpSize] {
						for half := range halves {
							code := r.IntN(len(f.values)) >> (r.IntN(2) * r.IntN(10)) // some are subnormal
							words[n][i] |= uint32(code|r.IntN(2)<<15) << (16 * half)
						}
					}
				}
				out := apply(loop, &in)
				got := (*[2 * trace.WarpSize]uint32)(unsafe.Pointer(&out))
				for i := range trace.WarpSize {
					for half := range halves {
						of16 := func(n int) float64 { return f.decode(uint64(words[n][i] >> (16 * half) & 0xffff)) }
						x := of(of16(0), of16(1), of16(2))
						if strings.Contains(name, "ftz") {
							x = of(flushed(of16(0)), flushed(of16(1)), flushed(of16(2)))
						}
						if strings.Contains(name, "sat") && x.Cmp(big.NewFloat(1)) > 0 {
							x = big.NewFloat(1)
						} else if strings.Contains(name, "sat") && x.Sign() < 0 {
							x = new(big.Float)
						}
						want := f.code(x, Nearest)
						if strings.Contains(name, "ftz") && flushed(f.decode(want)) == 0 {
							x, want = new(big.Float), 0
						}
						if have := uint64(got[i] >> (16 * half) & 0xffff); have != want && (x.Sign() != 0 || have&0x7fff != 0) {
							t.Fatalf("%s of %g, %g, %g: %#x, want %#x", line, of16(0), of16(1), of16(2), have, want)
						}
					}
				}
			}
		}
	}
}

// The least and the largest of three numbers, or of their magnitudes; a NaN gives way unless it is asked for.
func TestExtremesOfThree(t *testing.T) {
	nan := float32(math.NaN())
	for line, want := range map[string][3]float32{ // of (1, -5, 3), (NaN, 2, -3), (4, NaN, NaN)
		"min.f32 %f1, %f2, %f3, %f4": {-5, -3, 4}, "max.f32 %f1, %f2, %f3, %f4": {3, 2, 4},
		"min.abs.f32 %f1, %f2, %f3, %f4": {1, 2, 4}, "max.abs.f32 %f1, %f2, %f3, %f4": {5, 3, 4},
		"min.NaN.f32 %f1, %f2, %f3, %f4": {-5, nan, nan}, "max.NaN.abs.f32 %f1, %f2, %f3, %f4": {5, nan, nan},
	} {
		var in [3][trace.WarpSize]uint64
		for lane, values := range [][3]float32{{1, -5, 3}, {nan, 2, -3}, {4, nan, nan}} {
			for n, v := range values {
				Of[float32](unsafe.Pointer(&in[n]))[lane] = v
			}
		}
		out := apply(LoopF32(instruction(t, line)), &in)
		for lane, w := range want {
			if got := Of[float32](unsafe.Pointer(&out))[lane]; got != w && (got == got || w == w) {
				t.Errorf("%s, lane %d: %g, want %g", line, lane, got, w)
			}
		}
	}
}

// Two numbers of single precision in a register are computed each for itself.
func TestPairsAreComputedEachForItself(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 91))
	for line, of := range map[string]func(a, b, c float64) float64{
		"add.f32x2 %p1, %p2, %p3": func(a, b, _ float64) float64 { return a + b }, "mul.f32x2 %p1, %p2, %p3": func(a, b, _ float64) float64 { return a * b },
		"fma.rn.f32x2 %p1, %p2, %p3, %p4": func(a, b, c float64) float64 { return float64(a*b) + c },
	} {
		var in [3][trace.WarpSize]uint64
		for n := range in {
			for i := range in[n] {
				in[n][i] = uint64(math.Float32bits(float32(r.IntN(999)))) | uint64(math.Float32bits(-float32(r.IntN(999))))<<32
			}
		}
		out := apply(LoopPairs(instruction(t, line)), &in)
		for i := range out {
			for half := range 2 {
				at := func(n int) float64 { return float64(math.Float32frombits(uint32(in[n][i] >> (32 * half)))) }
				if got, want := math.Float32frombits(uint32(out[i]>>(32*half))), float32(of(at(0), at(1), at(2))); got != want {
					t.Fatalf("%s of %g, %g, %g: %g, want %g", line, at(0), at(1), at(2), got, want)
				}
			}
		}
	}
}
