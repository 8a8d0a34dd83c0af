// SPDX-License-Identifier: Apache-2.0

package samefloat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp is e^x to some 200 bits, by its series.
func bigExp(x float64) *big.Float {
	const bits = 300
	y := new(big.Float).SetPrec(bits).SetFloat64(x)
	y.SetMantExp(y, -20)
	s, term := big.NewFloat(1).SetPrec(bits), big.NewFloat(1).SetPrec(bits)
	for n := range 40 {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetInt64(int64(n+1)))
		s.Add(s, term)
	}
	for range 20 {
		s.Mul(s, s)
	}
	return s
}

// ulps is how far a result is from the truth.
func ulps(have float64, truth *big.Float) float64 {
	d := new(big.Float).SetPrec(300).SetFloat64(have)
	d.Sub(d, truth)
	f, _ := d.Float64()
	near, _ := truth.Float64()
	return math.Abs(f) / (math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near))
}

func TestErrorsAreBelowHalfAUnitAndABit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		x := (rng.Float64() - 0.5) * math.Exp2(float64(rng.IntN(20)-10))
		if math.Abs(x) > 600 {
			continue
		}
		if e := ulps(Exp(x), bigExp(x)); e > 0.51 {
			t.Errorf("exp(%v): %.3f units", x, e)
		}
		// The logarithm of y is right when the exponential of it is, to first order:
		// log y = l + (y/e^l - 1).
		y := Exp(x)
		l := Log(y)
		rest := new(big.Float).SetPrec(300).Quo(new(big.Float).SetPrec(300).SetFloat64(y), bigExp(l))
		truth := rest.Sub(rest, big.NewFloat(1)).Add(rest, new(big.Float).SetPrec(300).SetFloat64(l))
		if e := ulps(l, truth); e > 0.51 {
			t.Errorf("log(%v): %.3f units", y, e)
		}
	}
}

func TestNearTheFunctionsOfPackageMath(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100000 {
		x := math.Exp((rng.Float64() - 0.5) * 1400)
		p := (rng.Float64() - 0.5) * 2000
		for name, pair := range map[string][2]float64{
			"log": {Log(x), math.Log(x)}, "log2": {Log2(x), math.Log2(x)}, "exp2": {Exp2(p), math.Exp2(p)},
			"exp": {Exp(p / 2), math.Exp(p / 2)}, "hypot": {Hypot(x, p), math.Hypot(x, p)},
		} {
			if d := math.Abs(pair[0] - pair[1]); d > 4e-16*math.Abs(pair[1]) && d > 4e-16 {
				t.Fatalf("%s of %v or %v: %v, package math says %v", name, x, p, pair[0], pair[1])
			}
		}
	}
}

func TestExactAndSpecialArguments(t *testing.T) {
	for e := -1074; e < 1024; e++ {
		if x := math.Ldexp(1, e); Log2(x) != float64(e) || Exp2(float64(e)) != x {
			t.Errorf("2^%d: logarithm %v, power %v", e, Log2(x), Exp2(float64(e)))
		}
	}
	inf := math.Inf(1)
	for _, c := range [][2]float64{
		{Exp(0), 1}, {Exp(inf), inf}, {Exp(-inf), 0}, {Exp(1000), inf}, {Exp(-1000), 0}, {Exp2(inf), inf}, {Exp2(-inf), 0}, {Exp2(2000), inf},
		{Log(1), 0}, {Log(0), -inf}, {Log(inf), inf}, {Log2(0), -inf}, {Log2(inf), inf}, {Hypot(0, 0), 0}, {Hypot(3, -4), 5}, {Hypot(-inf, math.NaN()), inf},
	} {
		if c[0] != c[1] {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
	for _, x := range []float64{Exp(math.NaN()), Exp2(math.NaN()), Log(math.NaN()), Log(-1), Log2(-1), Hypot(1, math.NaN())} {
		if x == x {
			t.Errorf("%v, want NaN", x)
		}
	}
}

// The bits are these on every processor: the test fails where they are others.
func TestTheBitsAreTheSameEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	h := sha256.New()
	for range 20000 {
		x, y := (rng.Float64()-0.5)*100, rng.Float64()*1e6
		for _, v := range []float64{Exp(x), Exp2(x), Log(y), Log2(y), Hypot(x, y)} {
			binary.Write(h, binary.LittleEndian, math.Float64bits(v))
		}
	}
	const want = "8fa7ac8e04f4c019e09bf9e5340d7ecdda2bd313080ba06f8865fbc9622f423f"
	if have := fmt.Sprintf("%x", h.Sum(nil)); have != want {
		t.Errorf("digest %s, want %s", have, want)
	}
}
