// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// angle draws an argument: any magnitude, near a multiple of pi/4, or a special one.
func angle(r *rand.Rand) float64 {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -0x1p-1022, 1 << 29, 1<<29 - 0x1p-24, -1 << 29, 1e300}
	switch r.IntN(9) {
	case 0:
		return special[r.IntN(len(special))]
	case 1, 2: // the places where the octant changes
		v := float64(r.Int64N(1<<r.IntN(31))) * (math.Pi / 4)
		for range r.IntN(3) {
			v = math.Nextafter(v, math.Inf(1-2*r.IntN(2)))
		}
		return v * float64(1-2*r.IntN(2))
	case 3:
		return math.Float64frombits(r.Uint64())
	case 4:
		return float64(float32(r.NormFloat64() * 100))
	case 5: // where powers of two change their exponent, and where they are no longer normal
		v := float64(r.IntN(2200)-1100) + []float64{0, 0.5}[r.IntN(2)]
		return math.Nextafter(v, v+float64(r.IntN(3)-1))
	}
	return r.NormFloat64() * math.Exp2(float64(r.IntN(32)-8))
}

func TestAssemblySinesAndPowersEqualGosBitByBit(t *testing.T) {
	if fusesProducts {
		t.Skip("package math may be fused")
	}
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range 20 * vectorRounds {
			n := r.IntN(100)
			in, out := make([]float64, n), make([]float64, n)
			for i := range in {
				in[i] = angle(r)
			}
			for name, f := range map[string]struct {
				one    elementary
				vector func(d, a unsafe.Pointer) bool
			}{"sin": {sine, v.sine}, "cos": {cosine, v.cosine}, "exp2": {powerOfTwo, v.powerOfTwo}} {
				f.one.all(out, in, f.vector)
				for i, x := range in {
					if got, want := math.Float64bits(out[i]), math.Float64bits(f.one.of(x)); got != want {
						t.Fatalf("%s(%v = %#x) is %#x, want %#x", name, x, math.Float64bits(x), got, want)
					}
				}
			}
		}
	})
}

func BenchmarkSines(b *testing.B) {
	in, out := make([]float64, 1024), make([]float64, 1024)
	for i := range in {
		in[i] = float64(i) / 7
	}
	b.Run("assembly", func(b *testing.B) {
		for b.Loop() {
			Sines(out, in)
		}
	})
	b.Run("go", func(b *testing.B) {
		for b.Loop() {
			sine.all(out, in, nil)
		}
	})
}
