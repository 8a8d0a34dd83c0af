// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"

	"github.com/warptape/warptape/trace/samefloat"
)

// clusters divides points by k-means, for every k from 1 to most. It takes the
// smallest k with a score that reaches nine tenths of the way from the worst to
// the best. The score is the Bayesian information criterion of spherical normal
// clusters, as SimPoint uses it. It is deterministic: centres start as far from
// each other as possible.
func clusters(points []signature, most int) []int {
	most = max(1, min(most, len(points)))
	var all [][]int
	var scores []float64
	best, worst := math.Inf(-1), math.Inf(1)
	for k := 1; k <= most; k++ {
		assigned, distortion := kMeans(points, k)
		s := bayesianScore(len(points), k, distortion)
		all, scores = append(all, assigned), append(scores, s)
		best, worst = max(best, s), min(worst, s)
		if distortion == 0 {
			break // no division is finer
		}
	}
	for i, s := range scores {
		if s >= worst+float64(0.9*(best-worst)) {
			return all[i]
		}
	}
	return all[len(all)-1]
}

// spread below which points of a cluster count as equal: a thousandth of the
// mean of each element, to which signatures are normalised.
const equalSpread = 1e-3

func bayesianScore(n, k int, distortion float64) float64 {
	variance := distortion/float64(n)/signatureElements + equalSpread*equalSpread
	likelihood := float64(-float64(n) * signatureElements / 2 * samefloat.Log(variance))
	return likelihood - float64(float64(k*(signatureElements+1))/2*samefloat.Log(float64(n)))
}

const kMeansRounds = 50

// kMeans divides the points into k clusters and gives the cluster of each and the
// sum of squared distances. Clusters are numbered by their first point.
func kMeans(points []signature, k int) (assigned []int, distortion float64) {
	centres := farthest(points, k)
	assigned = make([]int, len(points))
	for round := range kMeansRounds {
		changed := round == 0
		distortion = 0
		for i := range points {
			c, d := nearest(&points[i], centres)
			changed = changed || c != assigned[i]
			assigned[i] = c
			distortion += d
		}
		if !changed {
			break
		}
		centres = means(points, assigned, centres)
	}
	return renumber(assigned, k), distortion
}

// farthest chooses k starting centres: the point nearest to the mean, then always
// the one farthest from those chosen.
func farthest(points []signature, k int) []signature {
	var mean signature
	for i := range points {
		mean.add(&points[i])
	}
	mean.scale(1 / float64(len(points)))
	first, least := 0, math.Inf(1)
	for i := range points {
		if d := distance(&points[i], &mean); d < least {
			first, least = i, d
		}
	}
	centres := []signature{points[first]}
	for len(centres) < k {
		next, most := 0, -1.0
		for i := range points {
			if _, d := nearest(&points[i], centres); d > most {
				next, most = i, d
			}
		}
		centres = append(centres, points[next])
	}
	return centres
}

func distance(a, b *signature) float64 {
	sum := 0.0
	for i := range a {
		d := a[i] - b[i]
		sum += float64(d * d)
	}
	return sum
}

func nearest(p *signature, centres []signature) (place int, d float64) {
	d = math.Inf(1)
	for i := range centres {
		if e := distance(p, &centres[i]); e < d {
			place, d = i, e
		}
	}
	return place, d
}

// means moves the centres into the middle of their points; a centre without
// points stays.
func means(points []signature, assigned []int, centres []signature) []signature {
	sums, counts := make([]signature, len(centres)), make([]float64, len(centres))
	for i, c := range assigned {
		sums[c].add(&points[i])
		counts[c]++
	}
	for c := range sums {
		if counts[c] == 0 {
			sums[c] = centres[c]
			continue
		}
		sums[c].scale(1 / counts[c])
	}
	return sums
}

// renumber numbers clusters in the order of their first points.
func renumber(assigned []int, k int) []int {
	number := make([]int, k)
	used := 0
	for i, c := range assigned {
		if number[c] == 0 {
			used++
			number[c] = used
		}
		assigned[i] = number[c] - 1
	}
	return assigned
}

// normalised divides every element by its mean over the points, so that each
// weighs alike, and leaves out elements that are zero everywhere.
func normalised(points []signature) []signature {
	var mean signature
	for i := range points {
		mean.add(&points[i])
	}
	mean.scale(1 / float64(max(len(points), 1)))
	out := make([]signature, len(points))
	for i := range points {
		for e, v := range points[i] {
			if mean[e] > 0 {
				out[i][e] = v / mean[e]
			}
		}
	}
	return out
}
