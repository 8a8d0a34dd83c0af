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
