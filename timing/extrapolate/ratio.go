// SPDX-License-Identifier: Apache-2.0

package extrapolate

import "math"

// leastBatches is the number of batches from which on a standard error is taken of
// them: fewer hardly tell one.
const leastBatches = 5

// widestRatio gives cycles per instruction in the parts of a stratum (-1: in all parts).
// Of the standard errors of batches of one, two, four and so on parts it gives that with
// the widest interval, and its degrees of freedom. Thread blocks that wait together for
// memory run in convoys: a machine is fast and slow by turns, for several fills. Batches
// shorter than that are not independent.
func (w *window) widestRatio(stratum int) (r, standardError, freedom float64) {
	parts := w.of(stratum)
	r, standardError, freedom = ratio(parts)
	for {
		if parts = pairs(parts); len(parts) < leastBatches {
			return r, standardError, freedom
		}
		if _, e, n := ratio(parts); quantile(n)*e > quantile(freedom)*standardError {
			standardError, freedom = e, n
		}
	}
}

// of gives the parts of a stratum (-1: all).
func (w *window) of(stratum int) []stretch {
	var parts []stretch
	for _, p := range w.parts {
		if stratum < 0 || p.stratum == stratum {
			parts = append(parts, p)
		}
	}
	return parts
}

// pairs joins every two neighbours; an odd one joins the last pair.
func pairs(parts []stretch) []stretch {
	joined := make([]stretch, len(parts)/2)
	for i := range parts {
		if len(joined) > 0 {
			joined[min(i/2, len(joined)-1)].add(&parts[i])
		}
	}
	return joined
}

// ratio gives cycles per instruction, its standard error, and the degrees of freedom of
// that.
func ratio(parts []stretch) (r, standardError, freedom float64) {
	var cycles, instructions float64
	for _, p := range parts {
		cycles, instructions = cycles+p.cycles, instructions+p.instructions
	}
	n := float64(len(parts))
	r = cycles / instructions
	if n < 2 {
		return r, 0, 0
	}
	squares := 0.0
	for _, p := range parts {
		d := p.cycles - float64(r*p.instructions)
		squares += float64(d * d)
	}
	return r, math.Sqrt(squares/(n-1)/n) / (instructions / n), n - 1
}

// instructions is the number of them in the parts of a stratum (-1: in all parts).
func (w *window) instructions(stratum int) float64 {
	var sum float64
	for _, p := range w.of(stratum) {
		sum += p.instructions
	}
	return sum
}
