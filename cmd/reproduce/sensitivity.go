// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"cmp"
	"math"
	"slices"

	"github.com/warptape/warptape/energy"
)

// Sensitivity says how the headline of a study depends on an assumed energy
// coefficient.
type Sensitivity struct {
	Key, Unit, Source string
	// Less and More are the headline when the coefficient is half, and one and a
	// half times, its value.
	Less, More float64
}

// leastChange is the change of a headline, in its unit, that is worth a row.
const leastChange = 0.05

// Sensitivities varies each assumed coefficient by 50 % either way and gives the
// headline, and those that change it, the most influential first.
func Sensitivities(s *Study, r *Results) (headline float64, list []Sensitivity, err error) {
	base := energy.DefaultCoefficients()
	if headline, err = s.Headline.Value(newData(s, r, base)); err != nil {
		return 0, nil, err
	}
	for _, c := range base.List() {
		if !c.Assumed {
			continue
		}
		row := Sensitivity{Key: c.Key, Unit: c.Unit, Source: c.Source}
		for _, side := range []struct {
			factor float64
			to     *float64
		}{{0.5, &row.Less}, {1.5, &row.More}} {
			*side.to = math.NaN()
			changed, err := base.With(c.Key, c.Value*side.factor)
			if err != nil {
				return 0, nil, err
			}
			// A structure may leave what the memory model covers: no value then.
			if v, err := s.Headline.Value(newData(s, r, changed)); err == nil {
				*side.to = v
			}
		}
		if row.change(headline) >= leastChange {
			list = append(list, row)
		}
	}
	slices.SortStableFunc(list, func(a, b Sensitivity) int { return cmp.Compare(b.change(headline), a.change(headline)) })
	return headline, list, nil
}

// change is the greater of the two changes.
func (s *Sensitivity) change(from float64) float64 {
	most := 0.0
	for _, v := range []float64{s.Less, s.More} {
		if !math.IsNaN(v) {
			most = max(most, math.Abs(v-from))
		}
	}
	return most
}
