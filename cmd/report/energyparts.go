// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"strings"
)

// energyParts shows which components use the energy.
type energyParts struct {
	study  *study
	data   *Dataset
	at     *coordinates
	reason *Column
	parts  []string // groups of components in the order of their first appearance
	column map[string]*Column
	n      int
	any    bool
}

const staticPart = "static "

func newEnergyParts(s *study) *energyParts {
	c := &energyParts{study: s, data: NewDataset("points"), column: map[string]*Column{}}
	c.at = s.coordinates(c.data)
	c.reason = c.data.Words(columnReason, "why there is no result")
	return c
}

func (c *energyParts) add(p *point) error {
	c.at.add(p)
	reason := ""
	joules := map[string]float64{}
	if p.result == nil {
		reason = p.state + ": " + p.missing
	} else {
		c.any = true
		for _, g := range p.result.Energy.Total.Groups() {
			name := strings.TrimPrefix(g.Path, "chip/")
			joules[name] += g.DynamicJ
			joules[staticPart+name] += g.StaticJ
			c.part(name, "dynamic: "+name)
			c.part(staticPart+name, "static: "+name)
		}
	}
	c.reason.Add(reason)
	for _, name := range c.parts {
		v, ok := joules[name]
		if !ok {
			v = math.NaN()
		}
		c.column[name].AddNumber(v)
	}
	c.n++
	return nil
}

// part adds the column of a group that no point before has.
func (c *energyParts) part(name, title string) {
	if c.column[name] != nil {
		return
	}
	column := c.data.Numbers("energy "+name, title, "J")
	if strings.HasPrefix(name, staticPart) {
		column.Like = "energy " + strings.TrimPrefix(name, staticPart)
	}
	for range c.n {
		column.AddNumber(math.NaN())
	}
	c.parts = append(c.parts, name)
	c.column[name] = column
}

func (c *energyParts) section() *Section {
	if !c.any {
		return nil
	}
	var series, table []string
	for _, static := range []bool{false, true} {
		for _, name := range c.parts {
			if strings.HasPrefix(name, staticPart) == static {
				series = append(series, "energy "+name)
			}
		}
	}
	one, any := c.study.choices(c.at)
	table = append(append(table, c.at.labels...), series...)
	return &Section{ID: "energy", Title: "Energy", Text: []string{
		"Dynamic energy is what activity costs, static energy what the parts of the chip leak while a kernel runs.",
	}, Parts: []Part{
		{Chart: &Chart{Kind: Bars, Title: "Energy by group of components", Dataset: c.data, Series: series, Share: true,
			Label: c.at.labels, One: one, Any: any, Reason: columnReason}},
		{Table: &Table{Title: "Energy by group of components", Dataset: c.data, Columns: table, Any: []string{columnTrace, columnMachine}, Few: 12}},
	}}
}
