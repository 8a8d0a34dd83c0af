// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
)

// Table is a figure with its values, and what the paper says of it.
type Table struct {
	*Figure
	Study     *Study
	Values    []Row
	Published []Claim
	// Older says that some of the values are of another machine than there is now.
	Older bool
	// intervals are those of workloads that are estimates.
	intervals map[string]Band
}

// Tables computes the figures of the data's study.
func (d *Data) Tables() ([]Table, error) {
	published, err := publishedOf(d.Study.Name)
	if err != nil {
		return nil, err
	}
	var tables []Table
	for _, f := range d.Study.at(d.results.Size) {
		d.older = false
		rows, err := f.Rows(d)
		if d.results.Older != "" && errors.Is(err, errNotMeasured) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("figure %s of %s: %w", f.ID, d.Study.Name, err)
		}
		if d.results.sampled() {
			estimated := *f
			estimated.Title += ", estimated from samples"
			f = &estimated
		}
		t := Table{Figure: f, Study: d.Study, Values: rows, Older: d.older, intervals: d.results.intervals()}
		for _, p := range published {
			if p.Figure == f.ID {
				t.Published = append(t.Published, p)
			}
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// At gives the value of a row and series; false when there is no such place.
func (t *Table) At(row, series string) (float64, bool) {
	k := slices.Index(t.Series, series)
	i := slices.IndexFunc(t.Values, func(r Row) bool { return r.Label == row })
	if k < 0 || i < 0 {
		return 0, false
	}
	return t.Values[i].Values[k], true
}

// cell is the value of a place, NaN when there is none.
func (t *Table) cell(p Place) float64 {
	if p.Row != leastRow && p.Row != greatestRow {
		if v, ok := t.At(p.Row, p.Series); ok {
			return v
		}
		return math.NaN()
	}
	k, extreme := slices.Index(t.Series, p.Series), math.NaN()
	for i := range t.Values {
		r := &t.Values[i]
		if k < 0 || len(r.Of) > 0 || math.IsNaN(r.Values[k]) {
			continue
		}
		if v := r.Values[k]; math.IsNaN(extreme) || v < extreme == (p.Row == leastRow) {
			extreme = v
		}
	}
	return extreme
}

// published gives what the paper says of a place by itself, a number before other
// readings; nil when nothing.
func (t *Table) published(row, series string) *Claim {
	var said *Claim
	for i := range t.Published {
		p := &t.Published[i]
		if p.Place != (Place{row, series}) || p.Against != nil {
			continue
		}
		if _, number := p.value(); number {
			return p
		}
		if said == nil {
			said = p
		}
	}
	return said
}

// WriteText writes the table for a terminal: ours, and in brackets the published.
func (t *Table) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "Figure %s: %s [%s]\n", t.ID, t.Title, t.Unit)
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, s := range t.Series {
		fmt.Fprintf(out, "\t%s", s)
	}
	fmt.Fprintln(out)
	for _, r := range t.Values {
		fmt.Fprint(out, r.Label)
		for k, v := range r.Values {
			fmt.Fprintf(out, "\t%s", number(v))
			if p := t.published(r.Label, t.Series[k]); p != nil {
				fmt.Fprintf(out, " [%s]", p)
			}
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for i := range t.Published {
		p := &t.Published[i]
		fmt.Fprintf(w, "  %s, %s: ours %s, published %s (%s): %s\n", p.Row, p.Series, number(t.Ours(p)), p.Reading(), p.Where, t.Verdict(p))
	}
	_, err := fmt.Fprintln(w)
	return err
}

// WriteCSV writes a row per place: figure, row, series, unit, ours, published.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	records := [][]string{{"study", "figure", "row", "series", "unit", "ours", "published"}}
	for _, r := range t.Values {
		for k, v := range r.Values {
			said := ""
			if p := t.published(r.Label, t.Series[k]); p != nil {
				said = p.String()
			}
			records = append(records, []string{t.Study.Name, t.ID, r.Label, t.Series[k], t.Unit, strconv.FormatFloat(v, 'g', 6, 64), said})
		}
	}
	return out.WriteAll(records)
}

// number writes a value with three significant digits, or whole.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case a >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case a >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
