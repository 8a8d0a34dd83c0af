// SPDX-License-Identifier: Apache-2.0

package report

import "github.com/warptape/warptape/timing/counters"

// stalls shows what became of issue slots, by trace and machine.
type stalls struct{ *points }

// add does nothing: the points are those of another collector.
func (stalls) add(*point) error { return nil }

func (c stalls) section() *Section {
	series := make([]string, counters.CauseCount)
	for i, name := range slotNames() {
		series[i] = "slots_" + name + "_percent"
		if column := c.data.Column(series[i]); column != nil {
			column.Title = name
		}
	}
	one, any := c.study.choices(c.at)
	return &Section{ID: "stalls", Title: "Where issue slots go", Text: []string{
		"Each bar is one point. Every issue slot of a warp scheduler has one cause, so that the parts of a bar add up to 100 %: issued slots did work, and the others say what the warps waited for.",
	}, Parts: []Part{{Chart: &Chart{
		Kind: Bars, Title: "Causes of issue slots [% of all slots]", Dataset: c.data, Series: series,
		Label: c.at.labels, One: one, Any: any, Reason: columnReason,
	}}}}
}
