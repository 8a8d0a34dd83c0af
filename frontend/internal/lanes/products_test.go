// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// drawFactors fills a matrix with numbers of any size, and with some special ones.
func drawFactors[T float32 | float64](r *rand.Rand, n int) []T {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-45, 0x1p-1074, math.MaxFloat32, math.MaxFloat64}
	s := make([]T, n)
	for i := range s {
		if s[i] = T(r.NormFloat64() * math.Pow(2, float64(r.IntN(40)-20))); r.IntN(200) == 0 {
			s[i] = T(special[r.IntN(len(special))])
		}
	}
	return s
}

// sameSums wants equal bits; a NaN is any NaN, since its user makes it canonical.
func sameSums[T float32 | float64](t *testing.T, got, want []T) {
	t.Helper()
	for i := range want {
		same := math.Float64bits(float64(got[i])) == math.Float64bits(float64(want[i]))
		if !same && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("sum %d of %d is %v, want %v", i, len(want), got[i], want[i])
		}
	}
}

func TestAssemblyAddsProductsOfMatricesAsGoDoes(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range vectorRounds {
			count, columns := 1+r.IntN(40), 8*(1+r.IntN(8))
			row, rowA := columns+r.IntN(9), count+r.IntN(5)
			a, b, want := drawFactors[float32](r, productRows*rowA), drawFactors[float32](r, count*row), drawFactors[float32](r, productRows*row)
			got := append([]float32(nil), want...)
			v.productsF32(unsafe.Pointer(&got[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), count, columns, rowA, row)
			for i := range productRows {
				for j := 0; j < columns; j += 8 {
					addEightProducts((*[8]float32)(want[i*row+j:]), a[i*rowA:][:count], b[j:], row)
				}
			}
			sameSums(t, got, want)
		}
	})
}

func TestAssemblyAddsProductsOfDoublesAsGoDoes(t *testing.T) {
	forVectors(t, func(t *testing.T, r *rand.Rand, v *vectorSet) {
		for range vectorRounds {
			count, columns := 1+r.IntN(40), 8*(1+r.IntN(8))
			row, rowA := columns+r.IntN(9), count+r.IntN(5)
			a, b, want := drawFactors[float64](r, productRows*rowA), drawFactors[float64](r, count*row), drawFactors[float64](r, productRows*row)
			got := append([]float64(nil), want...)
			v.productsF64(unsafe.Pointer(&got[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), count, columns, rowA, row)
			for i := range productRows {
				for p := range count {
					for j := range columns {
						want[i*row+j] += float64(a[i*rowA+p] * b[p*row+j])
					}
				}
			}
			sameSums(t, got, want)
		}
	})
}

func TestProductsOfMatricesOfAnyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 3, 4, 7, 8, 16} {
		for _, count := range []int{1, 5, 16} {
			const columns = 24
			a, b, want := drawFactors[float32](r, rows*count), drawFactors[float32](r, count*columns), drawFactors[float32](r, rows*columns)
			got := append([]float32(nil), want...)
			AddProducts(got, a, b, count, columns)
			addProductsInGo(want, a, b, count, columns)
			sameSums(t, got, want)
		}
	}
}
