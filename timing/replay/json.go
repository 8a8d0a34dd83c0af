// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"github.com/warptape/warptape/timing/counters"
)

// Counts are the counters of a section. In JSON they are one object with the
// declared names in the declared order.
type Counts counters.Set

// MarshalJSON implements json.Marshaler.
func (c Counts) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for id := range counters.ID(counters.Count) {
		b = appendKey(b, counters.Declared(id).Name)
		b = strconv.AppendUint(b, c[id], 10)
	}
	return append(b, '}'), nil
}

// MarshalJSON implements json.Marshaler: an object by declared name, with null
// where a metric has no value.
func (m Metrics) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i := range declarations {
		b = appendKey(b, declarations[i].Name)
		if v := m[i]; math.IsNaN(v) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, '}'), nil
}

// MechanismCounts are the counters of mechanisms, by the mechanism's key.
type MechanismCounts []mechanismCounts

// mechanismCounts are those of one mechanism, in the declared order.
type mechanismCounts struct {
	group  counters.Group
	counts []uint64
}

// newMechanismCounts takes what the mechanisms that are on have counted.
func newMechanismCounts(on []string, c *counters.Set) MechanismCounts {
	var out MechanismCounts
	for _, name := range on {
		if g, ok := counters.GroupOf(name); ok {
			out = append(out, mechanismCounts{g, c[g.First:][:len(g.Rows)]})
		}
	}
	return out
}

// MarshalJSON implements json.Marshaler: an object of objects by declared name.
func (m MechanismCounts) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for _, g := range m {
		b = append(appendKey(b, g.group.Name), '{')
		for i := range g.counts {
			b = appendKey(b, g.group.Rows[i].Name)
			b = strconv.AppendUint(b, g.counts[i], 10)
		}
		b = append(b, '}')
	}
	return append(b, '}'), nil
}

// appendKey adds a separator where needed, and a name that needs no escapes.
func appendKey(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

// WriteJSON writes the results in full: an array with one object per machine.
func WriteJSON(w io.Writer, results []Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(results)
}
