package reproduce

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
)

// Table is a figure with its values, and what the paper says of it.
type Table struct {
	*Figure
	Study     *Study
	Values    []Row
	Published []Published
}

// Tables computes the figures of the data's study.
func (d *Data) Tables() ([]Table, error) {
	published, err := publishedOf(d.Study.Name)
	if err != nil {
		return nil, err
	}
	var tables []Table
	for _, f := range d.Study.at(d.results.Size) {
		rows, err := f.Rows(d)
		if err != nil {
			return nil, fmt.Errorf("figure %s of %s: %w", f.ID, d.Study.Name, err)
		}
		if d.results.sampled() {
			estimated := *f
			estimated.Title += ", estimated from samples"
			f = &estimated
		}
		t := Table{Figure: f, Study: d.Study, Values: rows}
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

// published gives what the paper says of a place, nil when nothing.
func (t *Table) published(row, series string) *Published {
	for i := range t.Published {
		if p := &t.Published[i]; p.Row == row && p.Series == series {
			return p
		}
	}
	return nil
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
		ours, _ := t.At(p.Row, p.Series)
		fmt.Fprintf(w, "  %s, %s: ours %s, published %s (%s): %s\n", p.Row, p.Series, number(ours), p, p.Place, p.Verdict(ours))
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
