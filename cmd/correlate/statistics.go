// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Estimate is a statistic with its 95 % confidence interval.
type Estimate struct {
	Value Decimal `json:"value"`
	Low   Decimal `json:"low"`
	High  Decimal `json:"high"`
}

// none is an estimate of too few rows.
var none = Estimate{Decimal(math.NaN()), Decimal(math.NaN()), Decimal(math.NaN())}

// Methods say how the intervals are computed, for reports.
const (
	errorMethod    = "percentile bootstrap of 10000 resamples with a fixed seed; above 2000 rows the normal distribution of the mean"
	pearsonMethod  = "Fisher's z transformation, standard error 1/sqrt(n-3)"
	spearmanMethod = "Fisher's z transformation, standard error sqrt((1+r²/2)/(n-3)) after Bonett and Wright"
)

// normal975 is the 97.5 % quantile of the normal distribution.
const normal975 = 1.959963984540054

// pearson is the correlation of two series; NaN if one has less than two values or does
// not vary.
func pearson(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xx += float64(dx * dx)
		yy += float64(dy * dy)
		xy += float64(dx * dy)
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return max(-1, min(1, xy/xx*math.Sqrt(xx/yy))) // exactly 1 for equal series
}

// Spearman is the correlation of the ranks; NaN if one series has less than two values or
// does not vary.
func Spearman(x, y []float64) float64 { return spearman(x, y) }

// spearman is the correlation of the ranks.
func spearman(x, y []float64) float64 { return pearson(ranks(x), ranks(y)) }

// ranks numbers values from 1 in their order; equal ones share the mean of their numbers.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(x))
	for first := 0; first < len(order); {
		last := first
		for last+1 < len(order) && x[order[last+1]] == x[order[first]] {
			last++
		}
		for _, i := range order[first : last+1] {
			out[i] = float64(float64(first+last)/2) + 1
		}
		first = last + 1
	}
	return out
}

// leastRows that a correlation needs: two points are always on a line.
const leastRows = 3

func pearsonEstimate(x, y []float64) Estimate {
	if len(x) < leastRows {
		return none
	}
	return fisher(pearson(x, y), len(x), 1)
}

func spearmanEstimate(x, y []float64) Estimate {
	if len(x) < leastRows {
		return none
	}
	r := spearman(x, y)
	return fisher(r, len(x), 1+float64(float64(r*r)/2))
}

// fisher is a correlation with the interval whose ends Fisher's transformation puts at
// equal distances; variance is that of the transformed value times n-3. A correlation of
// exactly 1 or -1, which the transformation makes infinite, has no interval.
func fisher(r float64, n int, variance float64) Estimate {
	e := none
	e.Value = Decimal(r)
	if n < 4 || math.IsNaN(r) || math.Abs(r) == 1 {
		return e
	}
	half := float64(normal975 * math.Sqrt(variance/float64(n-3)))
	z := math.Atanh(r)
	e.Low, e.High = Decimal(math.Tanh(z-half)), Decimal(math.Tanh(z+half))
	return e
}

const (
	resamples     = 10_000
	mostResampled = 2000
	firstSeed     = 0x77617274617065 // any constant will do: every run draws the same
	secondSeed    = 1
	lowerTail     = resamples / 40 // 2.5 %
)

// meanEstimate is a mean with its interval.
func meanEstimate(x []float64) Estimate {
	if len(x) == 0 {
		return none
	}
	m := mean(x)
	e := none
	e.Value = Decimal(m)
	switch {
	case len(x) == 1:
	case len(x) > mostResampled:
		var squares float64
		for _, v := range x {
			squares += float64((v - m) * (v - m))
		}
		half := float64(normal975 * math.Sqrt(squares/float64(len(x)-1)/float64(len(x))))
		e.Low, e.High = Decimal(m-half), Decimal(m+half)
	default:
		means := resampledMeans(x)
		e.Low, e.High = Decimal(means[lowerTail-1]), Decimal(means[resamples-lowerTail])
	}
	return e
}

// resampledMeans are means of as many values drawn with replacement, in order.
func resampledMeans(x []float64) []float64 {
	r := rand.New(rand.NewPCG(firstSeed, secondSeed))
	means := make([]float64, resamples)
	for i := range means {
		var sum float64
		for range x {
			sum += x[r.IntN(len(x))]
		}
		means[i] = sum / float64(len(x))
	}
	slices.Sort(means)
	return means
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
