// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"strings"
)

// sensitivity says which parameter moves a measure most. Points that differ in nothing but
// one parameter are a group. A group's spread is the distance of its largest value from
// its smallest one, in percent of the group's mean.
type sensitivity struct {
	*points
	// words are the coordinates of the points with results, by the place of the column.
	words [][]string
	rows  []int // of the dataset
	n     int
}

func (c *sensitivity) add(p *point) error {
	if p.result != nil {
		c.words = append(c.words, append([]string{p.trace.Label, p.planned.Machine, p.planned.Overlays}, p.planned.Values...))
		c.rows = append(c.rows, c.n)
	}
	c.n++
	return nil
}

func (c *sensitivity) section() *Section {
	parameters := append([]string{columnMachine}, c.at.parameters()...)
	data := NewDataset("parameters")
	measure, trace, parameter := data.Words("measure", "measure"), data.Words(columnTrace, "trace"), data.Words("parameter", "parameter")
	mean, most, groups := data.Numbers("mean", "mean spread", "%"), data.Numbers("most", "largest spread", "%"), data.Numbers("groups", "groups", "")
	traces := append([]string{allTraces}, c.data.Column(columnTrace).words...)
	for _, name := range c.measures() {
		column := c.data.Column(name)
		for _, t := range traces {
			for _, p := range parameters {
				sum, largest, n := c.spreads(column, t, p)
				if n == 0 {
					continue
				}
				measure.Add(titled(column.Title, column.Unit))
				trace.Add(t)
				parameter.Add(c.data.Column(p).Title)
				mean.AddNumber(sum / float64(n))
				most.AddNumber(largest)
				groups.AddNumber(float64(n))
			}
		}
	}
	if data.Len() == 0 {
		return nil
	}
	choices := []string{"measure", columnTrace}
	return &Section{ID: "sensitivity", Title: "What moves a measure most", Text: []string{
		"A group are the points that differ in one parameter alone. Its spread is the distance between its largest and its smallest value, in percent of the mean of the group. Points without results are in no group, and a parameter whose groups have fewer than two points is not here.",
	}, Parts: []Part{
		{Chart: &Chart{Kind: Bars, Title: "Mean spread of groups, by parameter [%]", Dataset: data, Series: []string{"mean"}, Label: []string{"parameter", "measure", columnTrace}, One: choices, Sort: true}},
		{Table: &Table{Title: "Spreads", Dataset: data, Columns: []string{"measure", columnTrace, "parameter", "mean", "most", "groups"}, One: choices}},
	}}
}

// allTraces stands for all of them together.
const allTraces = "all traces"

// spreads gives sum, maximum and number of the spreads of a measure's groups.
func (c *sensitivity) spreads(column *Column, trace, parameter string) (sum, largest float64, n int) {
	skip := c.place(parameter)
	groups := map[string]*group{}
	var order []*group
	for i, words := range c.words {
		v := column.numbers[c.rows[i]]
		if trace != allTraces && words[0] != trace || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		key := strings.Join(words[:skip], "\x00") + "\x01" + strings.Join(words[skip+1:], "\x00")
		g := groups[key]
		if g == nil {
			g = &group{low: v, high: v}
			groups[key] = g
			order = append(order, g)
		}
		g.add(v)
	}
	for _, g := range order { // in their order, so that sums are the same each time
		if g.n < 2 || g.sum == 0 {
			continue
		}
		s := 100 * (g.high - g.low) / math.Abs(g.sum/float64(g.n))
		sum += s
		largest = max(largest, s)
		n++
	}
	return sum, largest, n
}

// place is where the words of a point have a column.
func (c *sensitivity) place(column string) int {
	switch column {
	case columnMachine:
		return 1
	case columnOverlays:
		return 2
	}
	for i, a := range c.at.axes {
		if a.Name == column {
			return 3 + i
		}
	}
	panic("BUG: " + column + " is no parameter")
}

// group are values of points that differ in one parameter.
type group struct {
	n              int
	sum, low, high float64
}

func (g *group) add(v float64) {
	g.n++
	g.sum += v
	g.low, g.high = min(g.low, v), max(g.high, v)
}

// titled is a title with its unit, as the page writes it.
func titled(title, unit string) string {
	if unit == "" {
		return title
	}
	return title + " [" + unit + "]"
}
