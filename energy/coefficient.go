// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"slices"
)

// Coefficient is one number of the model that is not a memory structure's.
type Coefficient struct {
	Key   string  `json:"key"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// NodeNM is the node for which an energy or area holds; from there it is
	// scaled by logicScale or areaScale. Zero: it holds for all nodes.
	NodeNM float64 `json:"node_nm"`
	// Source names the row or paper; Assumed marks a number that has none.
	Source  string `json:"source"`
	Assumed bool   `json:"assumed"`
}

// Coefficients is the whole table, by key.
type Coefficients struct {
	list []Coefficient
	at   map[string]int
	// calibration says what the energies of operations stand for.
	calibration string
}

// DefaultCoefficients gives the table of sourced and assumed numbers.
func DefaultCoefficients() *Coefficients {
	c := &Coefficients{list: slices.Clone(coefficientTable), at: make(map[string]int), calibration: cactiName}
	for i := range c.list {
		c.at[c.list[i].Key] = i
	}
	return c
}

// List gives all coefficients in the order of the table.
func (c *Coefficients) List() []Coefficient { return slices.Clone(c.list) }

// With is the table with another value for a key.
func (c *Coefficients) With(key string, value float64) (*Coefficients, error) {
	i, ok := c.at[key]
	if !ok {
		return nil, fmt.Errorf("energy coefficient %q is unknown", key)
	}
	if !(value >= 0 && value < 1e12) {
		return nil, fmt.Errorf("energy coefficient %q: %g is not a number of zero or more", key, value)
	}
	out := &Coefficients{list: slices.Clone(c.list), at: c.at, calibration: c.calibration}
	out.list[i].Value = value
	out.list[i].Source = "given by the user, in the place of: " + out.list[i].Source
	return out, nil
}

func (c *Coefficients) get(key string) *Coefficient {
	i, ok := c.at[key]
	if !ok {
		panic("BUG: energy coefficient " + key + " is not in the table")
	}
	return &c.list[i]
}
