// SPDX-License-Identifier: Apache-2.0

package krige

import (
	"math"
	"math/rand/v2"
	"testing"
)

func field(t *testing.T, points [][]float64, values, lengths []float64) *Field {
	t.Helper()
	f, err := New(points, values, lengths)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSolveInvertsAPositiveDefiniteSystem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 12
	var root, matrix [n * n]float64
	for i := range root {
		root[i] = rng.Float64() - 0.5
	}
	for i := range n {
		for j := range n {
			for k := range n {
				matrix[i*n+j] += root[i*n+k] * root[j*n+k]
			}
		}
		matrix[i*n+i]++
	}
	want, right := make([]float64, n), make([]float64, n)
	for i := range want {
		want[i] = float64(i) - 4
	}
	for i := range n {
		for j := range n {
			right[i] += matrix[i*n+j] * want[j]
		}
	}
	lower := make([]float64, n*n)
	for i := range n {
		copy(lower[i*n:i*n+i+1], matrix[i*n:i*n+i+1])
	}
	for i, x := range solve(lower, right) {
		if math.Abs(x-want[i]) > 1e-9 {
			t.Errorf("x[%d] is %g, want %g", i, x, want[i])
		}
	}
}

// grid gives the points of a grid and the values of g on it.
func grid(g func(x, y float64) float64) (points [][]float64, values []float64) {
	for x := range 6 {
		for y := range 5 {
			points = append(points, []float64{float64(x), float64(y)})
			values = append(values, g(float64(x), float64(y)))
		}
	}
	return points, values
}

func TestKnownPointsAreGivenAsKnown(t *testing.T) {
	points, values := grid(func(x, y float64) float64 { return math.Sin(3*x) + y*y })
	f := field(t, points, values, []float64{2, 5})
	for i, p := range points {
		if got := f.At(p); math.Abs(got-values[i]) > 1e-5 {
			t.Errorf("%v: %g, known as %g", p, got, values[i])
		}
	}
}

func TestAPlaneIsGivenExactlyEverywhere(t *testing.T) {
	plane := func(x, y float64) float64 { return 3 + 2*x - 0.5*y }
	points, values := grid(plane)
	f := field(t, points, values, []float64{1, 1})
	for _, p := range [][]float64{{2.5, 1.5}, {-3, 0}, {9, 9}} {
		if got, want := f.At(p), plane(p[0], p[1]); math.Abs(got-want) > 1e-3 {
			t.Errorf("%v: %g, the plane is %g", p, got, want)
		}
	}
}

// TestResidualsCarryOverFromTheOtherDimension leaves out a point of a function
// whose bump along x is the same for all y.
func TestResidualsCarryOverFromTheOtherDimension(t *testing.T) {
	points, values := grid(func(x, y float64) float64 {
		if x == 3 {
			return y + 5
		}
		return y
	})
	f := field(t, points, values, []float64{0.5, 100})
	for i, p := range points {
		if p[0] == 3 && p[1] == 2 {
			if got := f.Without(i); math.Abs(got-values[i]) > 0.2 {
				t.Errorf("the left-out bump is estimated as %g, it is %g", got, values[i])
			}
		}
	}
}

func TestBetweenTwoPointsTheEstimateIsNearTheLine(t *testing.T) {
	f := field(t, [][]float64{{0}, {1}, {2}, {3}}, []float64{0, 4, 0, 4}, []float64{8})
	if got := f.At([]float64{0.5}); math.Abs(got-2) > 0.1 {
		t.Errorf("half way between 0 and 4 is %g", got)
	}
}

// BenchmarkAt isolates one estimate among two thousand points.
func BenchmarkAt(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	points, values := make([][]float64, 2000), make([]float64, 2000)
	for i := range points {
		points[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		values[i] = rng.Float64()
	}
	f, err := New(points, values, []float64{1, 1, 1})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f.At([]float64{0.3, 0.4, 0.5})
	}
}
