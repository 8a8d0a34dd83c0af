// SPDX-License-Identifier: Apache-2.0

package krige

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
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

// An estimate is made of the nearest points, and of two at the same distance the first one counts
// as nearer. On a grid of whole numbers many distances are equal. More points than are asked lie around.
func TestTheNearestPointsAreThoseOfASort(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var points [][]float64
		for range neighbours + rng.IntN(60) - 5 {
			points = append(points, []float64{float64(rng.IntN(8)), float64(rng.IntN(8))})
		}
		f := &Field{points: points, lengths: []float64{1, 2}}
		skip := rng.IntN(len(points)+1) - 1
		x := []float64{float64(rng.IntN(8)), float64(rng.IntN(8))}
		var want []int
		for i := range points {
			if i != skip {
				want = append(want, i)
			}
		}
		far := func(i int) float64 { return math.Abs(points[i][0]-x[0]) + math.Abs(points[i][1]-x[1])/2 }
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
		var got []int
		for _, n := range f.nearest(x, skip) {
			got = append(got, n.point)
			if n.distance != far(n.point) {
				t.Errorf("point %d is %g away, not %g", n.point, far(n.point), n.distance)
			}
		}
		if want = want[:min(len(want), neighbours)]; !slices.Equal(got, want) {
			t.Fatalf("of %d points %v are the nearest, want %v", len(points), got, want)
		}
	}
}

// A field under other lengths is one that was made with them.
func TestOtherLengthsAreThoseOfANewField(t *testing.T) {
	points, values := grid(func(x, y float64) float64 { return math.Sin(3*x) + y*y })
	lengths := []float64{0.7, 3}
	a, b := field(t, points, values, []float64{2, 5}), field(t, points, values, lengths)
	x := []float64{2.3, 1.6}
	if got, want := a.WithLengths(lengths).At(x), b.At(x); got != want || a.At(x) == want {
		t.Errorf("%g, made anew %g, before %g", got, want, a.At(x))
	}
}

// The trend of points on a plane is that plane; a dimension in which all agree has no slope. Two points that
// are known, one length apart on a flat trend, weigh exp(-1/2)/(1+exp(-1)) each half way between.
func TestTrendAndWeightsInClosedForm(t *testing.T) {
	points, values := grid(func(x, y float64) float64 { return 3 + 2*x - 0.5*y })
	for i := range points {
		points[i] = append(points[i], 7)
	}
	trend, err := plane(points, values)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{3, 2, -0.5, 0} {
		if math.Abs(trend[i]-want) > 1e-4 {
			t.Errorf("the trend is %v", trend)
		}
	}
	f := &Field{points: [][]float64{{0}, {1}}, rest: []float64{1, 3}, lengths: []float64{1}, trend: []float64{10, 0}}
	if got, want := f.At([]float64{0.5}), 10+(1+3)*math.Exp(-0.5)/(1+math.Exp(-1)); math.Abs(got-want) > 1e-7 {
		t.Errorf("half way between is %g, want %g", got, want)
	}
	if got, want := f.At([]float64{3}), 10+3*math.Exp(-2); math.Abs(got-want) > 1e-7 {
		t.Errorf("two lengths beyond is %g, want %g", got, want) // the nearer point hides the other
	}
}
