// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
	"github.com/goccy/go-yaml/ast"

	"github.com/warptape/warptape/cmd/results"
)

// program is a compiled expression.
type program = vm.Program

// ReferenceName is the word for the reference point in metrics: reference.time_ns.
const ReferenceName = "reference"

// conditions reads "exclude": one expression or a list.
func (p *problems) conditions(node ast.Node) []Expression {
	nodes := []ast.Node{node}
	if list, ok := node.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	var list []Expression
	for _, n := range nodes {
		if text, ok := p.text(n, "exclude"); ok {
			list = append(list, expressionAt(text, n))
		}
	}
	return list
}

func expressionAt(text string, node ast.Node) Expression {
	e := Expression{Text: text}
	if t := node.GetToken(); t != nil && t.Position != nil {
		e.Line, e.Column = t.Position.Line, t.Position.Column
	}
	return e
}

var metricKeys = []string{"value", "unit", "better"}

// parseMetrics reads "metrics": names with expressions, or with a mapping of value, unit
// and better.
func (plan *Plan) parseMetrics(p *problems, node ast.Node) {
	for _, m := range p.members(node, "metrics") {
		metric, at := results.Metric{Name: m.key}, m.value
		if _, ok := m.value.(*ast.MappingNode); ok {
			for _, k := range p.members(m.value, m.key) {
				switch k.key {
				case "value":
					metric.Expression, _ = p.text(k.value, m.key+".value")
					at = k.value
				case "unit":
					metric.Unit, _ = p.text(k.value, m.key+".unit")
				case "better":
					metric.Better, _ = p.text(k.value, m.key+".better")
					if metric.Better != "lower" && metric.Better != "higher" {
						p.add(k.value, "%s.better: %q; write lower or higher", m.key, metric.Better)
					}
				default:
					p.add(k.at, "unknown key %q%s", k.key, didYouMean(k.key, metricKeys))
				}
			}
		} else {
			metric.Expression, _ = p.text(m.value, m.key)
		}
		if !isName(m.key) {
			p.add(m.at, "metric %q: a name has letters, digits and _, and begins with a letter", m.key)
		}
		plan.Metrics = append(plan.Metrics, metric)
		plan.metrics = append(plan.metrics, expressionAt(metric.Expression, at))
	}
}

func isName(text string) bool {
	for i, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// compile checks all expressions against the names that they may use.
func (plan *Plan) compile(p *problems) {
	conditions := types.Map{"machine": types.String, "overlays": types.String, "trace": types.String, "workload": types.String}
	plan.axes.addTypes(conditions)
	for i := range plan.Exclude {
		p.compile(&plan.Exclude[i], conditions, expr.AsBool())
	}
	figures := types.Map{}
	for _, v := range results.Values() {
		nest(figures, v.Name, types.Float)
	}
	for i, m := range plan.Metrics {
		if _, taken := figures[m.Name]; taken {
			p.list = append(p.list, Problem{plan.metrics[i].Line, plan.metrics[i].Column, fmt.Sprintf("metric %s: is the name of a figure that every point has; choose another", m.Name)})
		}
	}
	point := types.Map{"machine": types.String, "overlays": types.String}
	for name, t := range figures {
		point[name] = t
	}
	plan.axes.addTypes(point)
	if len(plan.Reference) > 0 {
		point[ReferenceName] = figures
	}
	for i := range plan.metrics {
		p.compile(&plan.metrics[i], point, expr.AsFloat64())
	}
}

// nest puts a type under a dotted name.
func nest(m types.Map, name string, t types.Type) {
	for {
		first, rest, dotted := strings.Cut(name, ".")
		if !dotted {
			m[name] = t
			return
		}
		inner, ok := m[first].(types.Map)
		if !ok {
			inner = types.Map{}
			m[first] = inner
		}
		m, name = inner, rest
	}
}

func (p *problems) compile(e *Expression, names types.Map, as expr.Option) {
	if e.Text == "" {
		return // reported already
	}
	compiled, err := expr.Compile(e.Text, expr.Env(names), as)
	if err == nil {
		e.program = compiled
		return
	}
	message := err.Error()
	var at *file.Error
	if errors.As(err, &at) {
		message = fmt.Sprintf("%s (character %d)", at.Message, at.Column+1)
		if _, word, ok := strings.Cut(at.Message, "unknown name "); ok {
			message += didYouMean(word, allNames(names))
		}
		if strings.Contains(message, "unknown name "+ReferenceName) {
			message = "the plan has no \"reference:\" to compare with"
		}
	}
	p.list = append(p.list, Problem{e.Line, e.Column, fmt.Sprintf("expression %q: %s", e.Text, strings.ReplaceAll(message, "\n", " "))})
}

func allNames(names types.Map) []string {
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// holds evaluates a condition.
func (e *Expression) holds(env map[string]any) (bool, error) {
	v, err := expr.Run(e.program, env)
	if err != nil {
		return false, fmt.Errorf("expression %q: %s", e.Text, firstLine(err))
	}
	held, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("expression %q gives %v, not true or false", e.Text, v)
	}
	return held, nil
}

// number evaluates a metric. What has no value is an error that says why.
func (e *Expression) number(env map[string]any) (float64, error) {
	v, err := expr.Run(e.program, env)
	if err != nil {
		return 0, fmt.Errorf("%q: %s", e.Text, firstLine(err))
	}
	f, ok := v.(float64)
	switch {
	case !ok:
		return 0, fmt.Errorf("%q gives %v, not a number", e.Text, v)
	case math.IsNaN(f):
		return 0, fmt.Errorf("%q has no value: a figure in it has none, or zero is divided by zero", e.Text)
	case math.IsInf(f, 0):
		return 0, fmt.Errorf("%q divides by zero", e.Text)
	}
	return f, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
