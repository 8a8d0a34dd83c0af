// SPDX-License-Identifier: Apache-2.0

package array

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestProductsOfMatricesAreThoseOfTheirElements draws matrices of shapes about those that are
// multiplied together, and wants equal bits.
func TestProductsOfMatricesAreThoseOfTheirElements(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	draw := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = r.NormFloat64() * math.Pow(2, float64(r.IntN(60)-30))
		}
		return s
	}
	for range 60 {
		m, k, n := r.IntN(10), r.IntN(2*productLines+20), r.IntN(40)
		a, b := draw(m*k), draw(k*n)
		want, got := make([]float64, m*n), make([]float64, m*n)
		for i := range m {
			for p := range k {
				for j := range n {
					want[i*n+j] += float64(a[i*k+p] * b[p*n+j])
				}
			}
		}
		if err := multiply(context.Background(), got, a, b, k, n); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%d x %d by %d x %d: element %d is %v, want %v", m, k, k, n, i, got[i], want[i])
			}
		}
	}
}

func TestProductsOfMatricesEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := multiply(ctx, make([]float64, 4), make([]float64, 4), make([]float64, 4), 2, 2); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
