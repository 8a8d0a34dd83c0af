// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/warptape/warptape/cmd/results"
)

// axes are those of a plan with all values that they have somewhere in it.
type axes struct {
	list    []results.Axis
	numbers []bool         // by axis: all of its values are numbers
	index   map[string]int // by name
}

// newAxes knows of each axis whether its values are numbers.
func newAxes(list []results.Axis) *axes {
	a := &axes{list: list, index: make(map[string]int, len(list))}
	for i, axis := range list {
		a.index[axis.Name] = i
		a.numbers = append(a.numbers, numeric(axis.Values))
	}
	return a
}

// collectAxes lists the axes of the plan: those of workloads, then those of architectures.
func (plan *Plan) collectAxes() *axes {
	var list []results.Axis
	index := map[string]int{}
	seen := map[[2]string]bool{}
	add := func(name string, values []string) {
		i, ok := index[name]
		if !ok {
			i, list = len(list), append(list, results.Axis{Name: name})
			index[name] = i
		}
		for _, v := range values {
			if at := [2]string{name, v}; !seen[at] {
				seen[at] = true
				list[i].Values = append(list[i].Values, v)
			}
		}
	}
	for i := range plan.Traces {
		s := &plan.Traces[i]
		if s.Workload != "" {
			add(SizeAxis, s.Sizes)
		}
		for _, axis := range s.Set {
			add(axis.Name, axis.Values)
		}
	}
	for _, g := range plan.Groups {
		for _, axis := range g {
			add(axis.Name, axis.Values)
		}
	}
	return newAxes(list)
}

// binary prefixes of sizes, as architectures have them.
var binary = map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

// Number is a value of an axis as a number: of bytes for sizes.
func Number(text string) (float64, bool) {
	q, err := parseQuantity(strings.ReplaceAll(text, "_", ""))
	if err != nil {
		return 0, false
	}
	if q.unit == "" {
		return q.value, true
	}
	scale, ok := binary[q.unit]
	return q.value * scale, ok
}

func numeric(values []string) bool {
	for _, v := range values {
		if _, ok := Number(v); !ok {
			return false
		}
	}
	return true
}

// put adds a point's values of axes to the names of an expression.
func (a *axes) put(env map[string]any, values []string) {
	for i, axis := range a.list {
		var v any = values[i]
		if a.numbers[i] {
			n, ok := Number(values[i])
			if v = n; !ok {
				v = math.NaN() // the point's trace has no such parameter
			}
		}
		set(env, axis.Name, v)
	}
}

// addTypes adds the axes to the names that an expression may use.
func (a *axes) addTypes(names types.Map) {
	for i, axis := range a.list {
		t := types.String
		if a.numbers[i] {
			t = types.Float
		}
		nest(names, axis.Name, t)
	}
}

// set puts a value under a dotted name.
func set(env map[string]any, name string, v any) {
	for {
		first, rest, dotted := strings.Cut(name, ".")
		if !dotted {
			env[name] = v
			return
		}
		inner, ok := env[first].(map[string]any)
		if !ok {
			inner = map[string]any{}
			env[first] = inner
		}
		env, name = inner, rest
	}
}
