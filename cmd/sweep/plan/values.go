// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// mostValues bounds one axis: a range with a step that is too small is a mistake.
const mostValues = 100_000

// values reads the values of an axis: a list, one value, or a range: {from: 4, to: 16,
// step: 4}, or {from: 8KiB, to: 64KiB, times: 2}. In a group a value may stand twice.
func (p *problems) values(node ast.Node, name string) []string {
	if _, ok := node.(*ast.MappingNode); ok {
		return p.valueRange(node, name)
	}
	return p.texts(node, name)
}

// once reads alternatives, and refuses one that stands twice.
func (p *problems) once(node ast.Node, name string) []string {
	texts := p.values(node, name)
	seen := map[string]bool{}
	for _, t := range texts {
		if seen[t] {
			p.add(node, "%s: %s stands twice", name, t)
		}
		seen[t] = true
	}
	return texts
}

// quantity is a number with what stands behind it.
type quantity struct {
	value float64
	unit  string
}

func parseQuantity(text string) (quantity, error) {
	end := len(text)
	for end > 0 && (text[end-1] < '0' || text[end-1] > '9') && text[end-1] != '.' {
		end--
	}
	v, err := strconv.ParseFloat(text[:end], 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return quantity{}, fmt.Errorf("%q is not a number, with or without a unit", text)
	}
	return quantity{v, strings.TrimSpace(text[end:])}, nil
}

func (q quantity) String() string { return strconv.FormatFloat(q.value, 'f', -1, 64) + q.unit }

func (p *problems) valueRange(node ast.Node, name string) []string {
	q, at := map[string]quantity{}, map[string]ast.Node{}
	for _, m := range p.members(node, name) {
		switch m.key {
		case "from", "to", "step", "times":
			text, _ := p.text(m.value, name+"."+m.key)
			var err error
			if q[m.key], err = parseQuantity(text); err != nil && text != "" {
				p.add(m.value, "%s.%s: %v", name, m.key, err)
				return nil
			}
			at[m.key] = m.value
		default:
			p.add(m.at, "%s: unknown key %q of a range%s", name, m.key, didYouMean(m.key, []string{"from", "to", "step", "times"}))
			return nil
		}
	}
	from, to := q["from"], q["to"]
	switch {
	case at["from"] == nil || at["to"] == nil || (at["step"] == nil) == (at["times"] == nil):
		p.add(node, "%s: a range has from, to, and either step or times", name)
	case from.unit != to.unit:
		p.add(at["to"], "%s: from is in %q and to in %q; write both in one unit", name, from.unit, to.unit)
	case from.value > to.value:
		p.add(node, "%s: the range from %s to %s is empty", name, from, to)
	case at["step"] != nil && (q["step"].value <= 0 || q["step"].unit != "" && q["step"].unit != from.unit):
		p.add(at["step"], "%s: the step %s must be positive, in the unit of from or without one", name, q["step"])
	case at["times"] != nil && (q["times"].value <= 1 || q["times"].unit != "" || from.value <= 0):
		p.add(at["times"], "%s: times must be above 1 and without a unit, and from above 0", name)
	default:
		next := func(v float64, i int) float64 { return from.value + float64(float64(i)*q["step"].value) }
		if at["times"] != nil {
			next = func(v float64, i int) float64 { return v * q["times"].value }
		}
		return p.fill(node, name, from, to, next)
	}
	return nil
}

// fill counts from one end of a range to the other, with the tolerance that decimal
// fractions need.
func (p *problems) fill(node ast.Node, name string, from, to quantity, next func(v float64, i int) float64) []string {
	var values []string
	for v, i := from.value, 0; v <= float64(to.value*(1+1e-12))+1e-300; {
		if len(values) == mostValues {
			p.add(node, "%s: the range has more than %d values", name, mostValues)
			return nil
		}
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
		if err != nil {
			rounded = v
		}
		values = append(values, quantity{rounded, from.unit}.String())
		i++
		v = next(v, i)
	}
	return values
}

// unsigned reads a whole number.
func (p *problems) unsigned(node ast.Node, name string) uint64 {
	text, ok := p.text(node, name)
	v, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 0, 64)
	if err != nil && ok {
		p.add(node, "%s: %q is not a whole number of at least 0", name, text)
	}
	return v
}
