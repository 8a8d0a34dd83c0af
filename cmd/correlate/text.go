// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/warptape/warptape/cmd/internal/terminal"
)

// Shown says how much of a report people see.
type Shown struct {
	Worst int // rows of each figure with the largest errors
	// Unmatched rows of each side; negative: all.
	Unmatched int
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, s Shown) error {
	fmt.Fprintf(w, "%s: %d rows, matched with %s by %s\n", r.Measured, r.Rows, r.Results, join(r.Keys))
	for i := range r.Models {
		if err := r.Models[i].writeText(w, s); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nerror: mean of |ours/measured - 1|, bias: mean of ours/measured - 1, both in percent; in parentheses %s confidence intervals:\n  error: %s\n  Pearson: %s\n  Spearman: %s\n", r.Methods.Confidence, r.Methods.Error, r.Methods.Pearson, r.Methods.Spearman)
	return err
}

func join(names []string) string {
	text := names[0]
	for i, name := range names[1:] {
		if i == len(names)-2 {
			text += " and " + name
		} else {
			text += ", " + name
		}
	}
	return text
}

func (m *Model) writeText(w io.Writer, s Shown) error {
	fmt.Fprintf(w, "\n%s\n", m.Name)
	g := terminal.Grid{Columns: []terminal.GridColumn{
		{Name: "figure", Left: true}, {Name: "rows"}, {Name: "error [%]", Left: true}, {Name: "bias"}, {Name: "Pearson", Left: true}, {Name: "Spearman", Left: true},
	}}
	for i := range m.Figures {
		f := &m.Figures[i]
		bias := f.Bias.text(1)
		if f.Bias > 0 {
			bias = "+" + bias
		}
		g.Rows = append(g.Rows, []string{f.Name, strconv.Itoa(len(f.Pairs)), f.AbsoluteError.Text(1, f.intervalDigits()), bias, f.Pearson.Text(3, 3), f.Spearman.Text(3, 3)})
	}
	if err := g.Write(w); err != nil {
		return err
	}
	for i := range m.Figures {
		if f := &m.Figures[i]; f.Zeros > 0 {
			fmt.Fprintf(w, "%s: %d rows were measured as zero, and have no error in percent\n", f.Name, f.Zeros)
		}
	}
	for i := range m.Figures {
		if err := m.Figures[i].writeWorst(w, s.Worst); err != nil {
			return err
		}
	}
	if err := writeUnmatched(w, "measurements without a result", m.UnmatchedMeasurements, s.Unmatched); err != nil {
		return err
	}
	return writeUnmatched(w, "results without a measurement", m.UnmatchedResults, s.Unmatched)
}

// intervalDigits leaves room for the other columns where errors are large.
func (f *Figure) intervalDigits() int {
	if f.AbsoluteError.High < 10 {
		return 1
	}
	return 0
}

// Worst are the pairs with the largest errors, the largest first.
func (f *Figure) Worst(most int) []Pair {
	list := slices.DeleteFunc(slices.Clone(f.Pairs), func(p Pair) bool { return math.IsNaN(float64(p.Error)) })
	slices.SortStableFunc(list, func(a, b Pair) int { return -cmp.Compare(math.Abs(float64(a.Error)), math.Abs(float64(b.Error))) })
	return list[:min(most, len(list))]
}

func (f *Figure) writeWorst(w io.Writer, most int) error {
	list := f.Worst(most)
	if len(list) == 0 {
		return nil
	}
	unit := ""
	if f.Unit != "" {
		unit = " [" + f.Unit + "]"
	}
	fmt.Fprintf(w, "largest errors of %s%s:\n", f.Name, unit)
	g := terminal.Grid{Columns: []terminal.GridColumn{{Name: "  line"}, {Name: "measured"}, {Name: "ours"}, {Name: "error [%]"}, {Name: "of", Left: true}}}
	for _, p := range list {
		g.Rows = append(g.Rows, []string{strconv.Itoa(p.Line), short(p.Measured), short(p.Ours), fmt.Sprintf("%+.1f", float64(p.Error)), p.Of})
	}
	return g.Write(w)
}

// short writes six digits of a value, and all of a count.
func short(d Decimal) string {
	if v := float64(d); v == math.Trunc(v) && math.Abs(v) < 1e12 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(float64(d), 'g', 6, 64)
}

func writeUnmatched(w io.Writer, what string, list []Unmatched, most int) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintf(w, "%s: %d\n", what, len(list))
	if most < 0 {
		most = len(list)
	}
	for i, u := range list {
		if i == most {
			_, err := fmt.Fprintf(w, "  and %d more; --full lists them\n", len(list)-most)
			return err
		}
		line := ""
		if u.Line > 0 {
			line = fmt.Sprintf("line %d: ", u.Line)
		}
		if _, err := fmt.Fprintf(w, "  %s%s: %s\n", line, u.Of, u.Reason); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes the whole report.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// WriteCSV writes a row per pair and per row that has no match, after RFC 4180.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	if err := c.Write([]string{"model", "figure", "unit", "line", "of", "measured", "ours", "error_percent", "reason"}); err != nil {
		return err
	}
	for i := range r.Models {
		m := &r.Models[i]
		for j := range m.Figures {
			f := &m.Figures[j]
			for _, p := range f.Pairs {
				if err := c.Write([]string{m.Name, f.Name, f.Unit, strconv.Itoa(p.Line), p.Of, p.Measured.field(), p.Ours.field(), p.Error.field(), ""}); err != nil {
					return err
				}
			}
		}
		for _, u := range slices.Concat(m.UnmatchedMeasurements, m.UnmatchedResults) {
			line := ""
			if u.Line > 0 {
				line = strconv.Itoa(u.Line)
			}
			if err := c.Write([]string{m.Name, "", "", line, u.Of, "", "", "", u.Reason}); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// field is the number as CSV has it.
func (d Decimal) field() string {
	if math.IsNaN(float64(d)) {
		return ""
	}
	return strconv.FormatFloat(float64(d), 'g', 9, 64)
}
