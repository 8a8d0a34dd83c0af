// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/cmd/report"
)

// The columns of the section's datasets.
const (
	columnModel    = "architecture"
	columnFigure   = "figure"
	columnOf       = "of"
	columnMeasured = "measured"
	columnOurs     = "ours"
	columnError    = "error"
)

// Section is the comparison as a chapter of a report's page. It has errors and correlations
// of each figure, the values against each other, and the rows of either side without a
// match.
func (r *Report) Section() *report.Section {
	pairs := r.pairs()
	s := &report.Section{
		ID: "correlation", Title: "Correlation with measurements",
		Text: []string{
			fmt.Sprintf("%d rows of %s were matched with results by %s. Errors are in percent of what was measured.", r.Rows, r.Measured, join(r.Keys)),
			fmt.Sprintf("Intervals are of %s confidence. Error: %s. Pearson: %s. Spearman: %s.", r.Methods.Confidence, r.Methods.Error, r.Methods.Pearson, r.Methods.Spearman),
		},
		Parts: []report.Part{
			{Table: &report.Table{Title: "Errors and correlations", Dataset: r.agreement(), Columns: []string{
				columnModel, columnFigure, "rows", columnError, "error_low", "error_high", "bias", "pearson", "pearson_low", "pearson_high", "spearman", "spearman_low", "spearman_high",
			}}},
			{Chart: &report.Chart{
				Kind: report.Scatter, Title: "Measured and simulated values", Dataset: pairs, X: report.Role{columnMeasured}, Y: report.Role{columnOurs},
				Colour: report.Role{columnModel}, Label: []string{columnOf, columnModel}, One: []string{columnFigure}, Any: []string{columnModel}, Log: true, Diagonal: true,
			}},
			{Table: &report.Table{
				Title: "Rows by their errors", Dataset: pairs, Columns: []string{columnFigure, columnModel, columnOf, "line", columnMeasured, columnOurs, columnError, "magnitude"},
				One: []string{columnFigure}, Any: []string{columnModel},
			}},
		},
	}
	if lost := r.unmatched(); lost.Len() > 0 {
		s.Parts = append(s.Parts, report.Part{Table: &report.Table{
			Title: "Rows without a match", Dataset: lost, Columns: []string{"side", columnModel, "line", columnOf, "reason"}, Any: []string{"side", columnModel},
		}})
	}
	return s
}

// agreement has a row for each figure of each architecture.
func (r *Report) agreement() *report.Dataset {
	d := report.NewDataset("figures")
	model, figure := d.Words(columnModel, "architecture"), d.Words(columnFigure, "figure")
	rows, bias := d.Numbers("rows", "rows", ""), d.Numbers("bias", "mean error", "%")
	estimate := func(name, title, unit string) func(Estimate) {
		value, low, high := d.Numbers(name, title, unit), d.Numbers(name+"_low", title+", from", unit), d.Numbers(name+"_high", title+", to", unit)
		return func(e Estimate) {
			value.AddNumber(float64(e.Value))
			low.AddNumber(float64(e.Low))
			high.AddNumber(float64(e.High))
		}
	}
	absolute := estimate(columnError, "mean absolute error", "%")
	pearson, spearman := estimate("pearson", "Pearson", ""), estimate("spearman", "Spearman", "")
	for i := range r.Models {
		m := &r.Models[i]
		for k := range m.Figures {
			f := &m.Figures[k]
			model.Add(m.Name)
			figure.Add(f.Name)
			rows.AddNumber(float64(len(f.Pairs)))
			bias.AddNumber(float64(f.Bias))
			absolute(f.AbsoluteError)
			pearson(f.Pearson)
			spearman(f.Spearman)
		}
	}
	return d
}

// pairs has a row for each measurement with a result.
func (r *Report) pairs() *report.Dataset {
	d := report.NewDataset("rows")
	model, figure, of := d.Words(columnModel, "architecture"), d.Words(columnFigure, "figure"), d.Words(columnOf, "row")
	line, measured, ours := d.Numbers("line", "line of the file", ""), d.Numbers(columnMeasured, "measured", ""), d.Numbers(columnOurs, "simulated", "")
	off, magnitude := d.Numbers(columnError, "error", "%"), d.Numbers("magnitude", "magnitude of the error", "%")
	for i := range r.Models {
		m := &r.Models[i]
		for k := range m.Figures {
			f := &m.Figures[k]
			name := f.Name
			if f.Unit != "" {
				name += " [" + f.Unit + "]"
			}
			for _, p := range f.byError() {
				model.Add(m.Name)
				figure.Add(name)
				of.Add(p.Of)
				line.AddNumber(float64(p.Line))
				measured.AddNumber(float64(p.Measured))
				ours.AddNumber(float64(p.Ours))
				off.AddNumber(float64(p.Error))
				magnitude.AddNumber(math.Abs(float64(p.Error)))
			}
		}
	}
	return d
}

// byError has the pairs with the largest errors first, and those without one last.
func (f *Figure) byError() []Pair {
	list := f.Worst(len(f.Pairs))
	for _, p := range f.Pairs {
		if math.IsNaN(float64(p.Error)) {
			list = append(list, p)
		}
	}
	return list
}

// unmatched has the rows of both sides that have none of the other.
func (r *Report) unmatched() *report.Dataset {
	d := report.NewDataset("rows")
	side, model, of, reason := d.Words("side", "side"), d.Words(columnModel, "architecture"), d.Words(columnOf, "row"), d.Words("reason", "why")
	line := d.Numbers("line", "line of the file", "")
	add := func(name, architecture string, list []Unmatched) {
		for _, u := range list {
			side.Add(name)
			model.Add(architecture)
			of.Add(u.Of)
			reason.Add(u.Reason)
			if u.Line == 0 {
				line.AddNumber(math.NaN())
			} else {
				line.AddNumber(float64(u.Line))
			}
		}
	}
	for i := range r.Models {
		m := &r.Models[i]
		add("measurement without a result", m.Name, m.UnmatchedMeasurements)
		add("result without a measurement", m.Name, m.UnmatchedResults)
	}
	return d
}
