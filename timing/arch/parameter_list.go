// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"strconv"
)

// Parameter describes what the user of an overlay may choose.
type Parameter struct {
	// Name as it stands before the equals sign; Keys are the machine's keys that
	// it changes, dotted.
	Name string
	Keys []string
	// Default is the value without it, Expects what it may be, with its unit.
	Default, Expects string
	// About says what it does where its key does not, Source where the default
	// comes from.
	About, Source string
}

// listParameters describes the parameters in the order of the file.
func (o *overlay) listParameters() []Parameter {
	m := o.alone(&problems{})
	var out []Parameter
	for i := range o.parameters {
		q := &o.parameters[i]
		d := Parameter{Name: q.name, Expects: q.expects(), About: q.about}
		for _, l := range q.scale {
			s := o.scaling(l)
			d.Keys, d.Default, d.Source = append(d.Keys, l.path), strconv.FormatFloat(s.factor, 'g', -1, 64), s.at.Source
		}
		if q.leaf != nil {
			d.Keys, d.Default, d.Source = []string{q.leaf.path}, q.defaultOf(m), m.origins[q.leaf.path].Source
		}
		out = append(out, d)
	}
	return out
}

func (q *parameter) defaultOf(m *Machine) string {
	value := q.leaf.format(m)
	if q.words != nil {
		return strconv.FormatBool(value == q.words[true])
	}
	return value
}
