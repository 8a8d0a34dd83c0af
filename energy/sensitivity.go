// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// Sensitivity says how the total energy of a run depends on a coefficient.
type Sensitivity struct {
	Coefficient Coefficient
	// Less and More are the changes of the total in percent when the coefficient
	// is half, and one and a half times, its value.
	Less, More float64
}

// Sensitivities varies each assumed coefficient by 50 % either way.
func Sensitivities(m *arch.Machine, t Technology, set *counters.Set, seconds float64) ([]Sensitivity, error) {
	base := DefaultCoefficients()
	total := func(c *Coefficients) (float64, error) {
		model, err := NewModel(m, t, c)
		if err != nil {
			return 0, err
		}
		r, err := model.Account(set, seconds)
		return r.Total().TotalJ(), err
	}
	reference, err := total(base)
	if err != nil {
		return nil, err
	}
	var list []Sensitivity
	for _, c := range base.List() {
		if !c.Assumed {
			continue
		}
		s := Sensitivity{Coefficient: c}
		for factor, to := range map[float64]*float64{0.5: &s.Less, 1.5: &s.More} {
			changed, err := base.With(c.Key, c.Value*factor)
			if err != nil {
				return nil, err
			}
			v, err := total(changed)
			if err != nil {
				return nil, err
			}
			*to = 100 * (ratio(v, reference) - 1)
		}
		list = append(list, s)
	}
	return list, nil
}
