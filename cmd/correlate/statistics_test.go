// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

// TestPearsonOfAnscombesQuartet: F. J. Anscombe, "Graphs in Statistical Analysis", 1973.
func TestPearsonOfAnscombesQuartet(t *testing.T) {
	same := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	for i, c := range []struct {
		x, y []float64
		want float64
	}{
		{same, []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}, 0.81642051634484},
		{same, []float64{9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74}, 0.816236506000243},
		{same, []float64{7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73}, 0.816286739489598},
		{[]float64{8, 8, 8, 8, 8, 8, 8, 19, 8, 8, 8}, []float64{6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89}, 0.816521436888503},
	} {
		near(t, "set "+string(rune('1'+i)), pearson(c.x, c.y), c.want, 1e-12)
	}
}

// TestSpearmanOfAPublishedExample: intelligence and hours of television, without ties, so
// that 1 - 6 Σd²/(n(n²-1)) holds: -29/165.
func TestSpearmanOfAPublishedExample(t *testing.T) {
	iq := []float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}
	hours := []float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}
	near(t, "rho", spearman(iq, hours), -29.0/165, 1e-12)
	if got, want := ranks([]float64{3, 1, 2, 2, 9, 2}), []float64{5, 1, 3, 3, 6, 3}; !slices.Equal(got, want) {
		t.Errorf("ranks with ties: %v, want %v", got, want)
	}
}

// TestFishersIntervalOfAPublishedExample: D. Lane, "Introduction to Statistics": a
// correlation of -0.654 of 34 students is between -0.81 and -0.40.
func TestFishersIntervalOfAPublishedExample(t *testing.T) {
	e := fisher(-0.654, 34, 1)
	near(t, "low", float64(e.Low), -0.81, 0.006)
	near(t, "high", float64(e.High), -0.40, 0.006)
}

// TestCorrelationsKnowTheirLimits: invariance, perfection, constancy, few rows.
func TestCorrelationsKnowTheirLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 4 + r.IntN(30)
		x, y, scaled, cubed := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = r.Float64()
			y[i] = float64(x[i]*0.5) + r.Float64()
			scaled[i] = float64(7e6*y[i]) + 3
			cubed[i] = x[i] * x[i] * x[i]
		}
		near(t, "scaled", pearson(x, scaled), pearson(x, y), 1e-9)
		near(t, "swapped", pearson(y, x), pearson(x, y), 1e-12)
		near(t, "monotonic", spearman(cubed, y), spearman(x, y), 1e-12)
		for _, e := range []Estimate{pearsonEstimate(x, y), spearmanEstimate(x, y)} {
			if math.Abs(float64(e.Value)) == 1 {
				continue // of few ranks
			}
			if !(-1 <= e.Low && e.Low <= e.Value && e.Value <= e.High && e.High <= 1) {
				t.Fatalf("%+v", e)
			}
		}
	}
	line := []float64{1, 2, 3, 4, 5}
	if e := pearsonEstimate(line, line); e.Value != 1 || !math.IsNaN(float64(e.Low)) {
		t.Errorf("perfect: %+v", e)
	}
	near(t, "opposite", pearson(line, []float64{5, 4, 3, 2, 1}), -1, 1e-15)
	for what, e := range map[string]Estimate{
		"constant": pearsonEstimate(line, []float64{2, 2, 2, 2, 2}), "two rows": spearmanEstimate(line[:2], line[:2]), "no rows": meanEstimate(nil),
	} {
		if !math.IsNaN(float64(e.Value)) || !math.IsNaN(float64(e.Low)) {
			t.Errorf("%s: %+v", what, e)
		}
	}
	if e := pearsonEstimate(line[:3], line[:3]); e.Value != 1 || !math.IsNaN(float64(e.Low)) {
		t.Errorf("three rows have no interval: %+v", e)
	}
}

// TestIntervalsCoverTheTruth about as often as they promise: samples of a distribution
// whose correlation is known. Of 1000 the intervals of 95 % miss 50, give or take 14.
func TestIntervalsCoverTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rho, n, samples = 0.6, 25, 1000
	ranked := 6 / math.Pi * math.Asin(rho/2) // Spearman's of the normal distribution
	missed := [2]int{}
	for range samples {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
			y[i] = float64(rho*x[i]) + float64(math.Sqrt(1-rho*rho)*r.NormFloat64())
		}
		for i, e := range []Estimate{pearsonEstimate(x, y), spearmanEstimate(x, y)} {
			if truth := Decimal([]float64{rho, ranked}[i]); truth < e.Low || truth > e.High {
				missed[i]++
			}
		}
	}
	for i, name := range []string{"Pearson", "Spearman"} {
		if missed[i] < 25 || missed[i] > 80 {
			t.Errorf("%s: %d of %d intervals miss", name, missed[i], samples)
		}
	}
}

// TestMeansHaveIntervals: of three values the lowest mean of a resample has a probability
// of 1/27, more than 2.5 %, and so has the highest: the interval is known. Of many values
// it is that of the normal distribution, whichever method computes it.
func TestMeansHaveIntervals(t *testing.T) {
	e := meanEstimate([]float64{0, 1, 10})
	near(t, "mean", float64(e.Value), 11.0/3, 1e-12)
	near(t, "low", float64(e.Low), 0, 0)
	near(t, "high", float64(e.High), 10, 0)
	if again := meanEstimate([]float64{0, 1, 10}); again != e {
		t.Errorf("%+v, then %+v", e, again)
	}
	if one := meanEstimate([]float64{7}); one.Value != 7 || !math.IsNaN(float64(one.Low)) {
		t.Errorf("one row has no interval: %+v", one)
	}
	if same := meanEstimate([]float64{7, 7, 7}); same.Low != 7 || same.High != 7 {
		t.Errorf("equal values: %+v", same)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{400, mostResampled + 1} {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.Float64() // the standard deviation is sqrt(1/12)
		}
		e := meanEstimate(x)
		half := normal975 * math.Sqrt(1.0/12/float64(n))
		near(t, "half of the interval", float64(e.High-e.Low)/2/half, 1, 0.1)
		near(t, "middle", float64(e.High+e.Low)/2, float64(e.Value), half/10)
	}
}
