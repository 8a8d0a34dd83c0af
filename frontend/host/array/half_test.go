// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"go.starlark.net/starlark"
)

// Every binary16 value, its neighbours in f64, and the middle to the next one,
// rounded by math/big to 11 bits (fewer where the number is subnormal).
func TestHalvesRoundToNearestEven(t *testing.T) {
	for bits := range uint16(0x7c00) {
		v := float64(halfToFloat(bits))
		next := v + math.Ldexp(1, max(math.Ilogb(max(v, 0x1p-14)), -14)-10)
		for _, x := range []float64{v, (v + next) / 2} {
			for _, y := range []float64{x, math.Nextafter(x, 1e9), math.Nextafter(x, -1)} {
				if y < 0 || y >= 65520 {
					continue
				}
				if got, want := float64(halfToFloat(roundToHalf(y))), roundBig(y); got != want && !(math.IsInf(got, 1) && want == 65536) {
					t.Fatalf("%v becomes %v, want %v", y, got, want)
				}
				if roundToHalf(-y) != roundToHalf(y)|0x8000 {
					t.Fatalf("%v and its negative differ", y)
				}
			}
		}
		if roundToHalf(v) != bits {
			t.Fatalf("%#04x comes back as %#04x", bits, roundToHalf(v))
		}
	}
	for v, want := range map[float64]uint16{65519.9: 0x7bff, 65520: 0x7c00, math.Inf(-1): 0xfc00, math.Copysign(0, -1): 0x8000} {
		if got := roundToHalf(v); got != want {
			t.Errorf("%v becomes %#04x, want %#04x", v, got, want)
		}
	}
	if roundToHalf(math.NaN()) != 0x7fff || !math.IsNaN(float64(halfToFloat(0x7e00))) || !math.IsInf(float64(halfToFloat(0xfc00)), -1) {
		t.Error("NaN or infinity is lost")
	}
}

func roundBig(v float64) float64 {
	if v < 0x1p-14 { // above 2^-14 the last of 11 places is that of the subnormals
		sum := new(big.Float).SetPrec(11).Add(big.NewFloat(v), big.NewFloat(0x1p-14))
		f, _ := sum.Float64()
		return f - 0x1p-14
	}
	f, _ := new(big.Float).SetPrec(11).Set(big.NewFloat(v)).Float64()
	return f
}

// The upper half of every f32 is a bfloat16: each comes back, the middle between two goes to
// the even one, and what lies off the middle to the nearer.
func TestBfloatsRoundToNearestEven(t *testing.T) {
	value := func(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }
	for bits := range uint16(0x7f80) {
		v, next := value(bits), value(bits+1)
		if bits == 0x7f7f {
			next = 0x1p128
		}
		middle, even := v+(next-v)/2, bits+bits&1
		for x, want := range map[float64]uint16{v: bits, middle: even, math.Nextafter(middle, 0): bits, math.Nextafter(middle, 0x1p129): bits + 1} {
			if got := roundToBfloat(x); got != want {
				t.Fatalf("%v becomes %#04x, want %#04x", x, got, want)
			}
			if got := roundToBfloat(-x); got != want|0x8000 {
				t.Fatalf("%v becomes %#04x, want %#04x", -x, got, want|0x8000)
			}
		}
	}
	if roundToBfloat(math.NaN()) != 0x7fff || roundToBfloat(math.Inf(1)) != 0x7f80 {
		t.Error("NaN or infinity is lost")
	}
}

// Arrays are rounded and read by faster functions. They give the same bits for all halves, for the
// numbers of .f32 next to them and between them, and for any others.
func TestHalvesOfArraysAreThoseOfTheirElements(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	var values []float32
	var halves []uint16
	for bits := range 1 << 16 {
		halves = append(halves, uint16(bits))
		v := halfToFloat(uint16(bits))
		middle := math.Float32frombits(math.Float32bits(v) + 1<<12)
		for _, x := range []float32{v, middle} {
			b := math.Float32bits(x)
			values = append(values, x, math.Float32frombits(b+1), math.Float32frombits(b-1), math.Float32frombits(r.Uint32()))
		}
	}
	space := NewSpace(1 << 30)
	array := func(typ Type, n int, data storage) *Array {
		a, err := newArray(space, typ, []int{n})
		if err != nil {
			t.Fatal(err)
		}
		a.data = data
		return a
	}
	arrays := starlark.StringDict{"values": array(F32, len(values), values), "halves": array(U16, len(halves), halves)}
	rounded, err := eval(t, arrays, "array.to_f16(values)")
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range rounded.(*Array).values().([]uint16) {
		if want := roundToHalf(float64(values[i])); got != want {
			t.Fatalf("%v becomes %#04x, want %#04x", values[i], got, want)
		}
	}
	read, err := eval(t, arrays, "array.of_f16(halves)")
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range read.(*Array).values().([]float32) {
		if want := halfToFloat(halves[i]); math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%#04x is read as %v, want %v", halves[i], got, want)
		}
	}
}
