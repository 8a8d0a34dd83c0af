// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/results/table"
	"github.com/warptape/warptape/timing/replay"
)

// Compare matches the rows of a CSV file of measurements with the results of a folder.
// Without sweeps it takes all that are in the folder.
func Compare(ctx context.Context, store *results.Store, sweeps []string, file string, text []byte, o Reading) (*Report, error) {
	g, err := gather(ctx, store, sweeps, file, text, o)
	if err != nil {
		return nil, err
	}
	report := &Report{
		Measured: file, Results: store.Root(), Keys: g.measured.Keys, Rows: len(g.measured.Rows),
		Methods: Methods{"95 %", errorMethod, pearsonMethod, spearmanMethod}, Models: []Model{},
	}
	p := &Problems{File: file}
	for _, name := range g.models {
		report.Models = append(report.Models, g.model(name, p))
	}
	if len(p.List) > 0 {
		return nil, p
	}
	if !slices.ContainsFunc(report.Models, func(m Model) bool { return m.matched() > 0 }) {
		return nil, g.nothing()
	}
	return report, nil
}

func (m *Model) matched() int {
	most := 0
	for i := range m.Figures {
		most = max(most, len(m.Figures[i].Pairs))
	}
	return most
}

// nothing says why no row matches: what the first row is of, and what the first result is.
func (g *gathered) nothing() error {
	first := &g.measured.Rows[0]
	beside := "there are no results"
	if i := slices.IndexFunc(g.results, func(r result) bool { return r.state == table.Done }); i >= 0 {
		beside = "the first result is of " + g.describe(&g.results[i], g.measured.Keys)
	}
	return fmt.Errorf("%s: no row matches a result: line %d is of %s; %s", g.measured.File, first.Line, describe(g.measured.Keys, first.Keys), beside)
}

// matcher finds the results of one model.
type matcher struct {
	*gathered
	*Problems
	byKey map[string][]*result
	used  map[*result]bool
}

// model compares all measurements with one architecture.
func (g *gathered) model(name string, p *Problems) Model {
	m := &matcher{gathered: g, Problems: p, byKey: map[string][]*result{}, used: map[*result]bool{}}
	var all []*result
	for i := range g.results {
		if r := &g.results[i]; r.model == name {
			all = append(all, r)
			key := strings.Join(r.keys, "\x00")
			m.byKey[key] = append(m.byKey[key], r)
		}
	}
	out := Model{Name: name, UnmatchedMeasurements: []Unmatched{}, UnmatchedResults: []Unmatched{}}
	pairs := make([][]Pair, len(g.measured.Figures))
	for i := range g.measured.Rows {
		row := &g.measured.Rows[i]
		found := m.find(row)
		of := describe(g.measured.Keys, row.Keys)
		if len(found) == 0 {
			out.UnmatchedMeasurements = append(out.UnmatchedMeasurements, Unmatched{row.Line, of, m.why(row, all)})
			continue
		}
		for f := range g.measured.Figures {
			measured := row.Values[f]
			if math.IsNaN(measured) {
				continue
			}
			ours, reason := m.value(found, f)
			if reason != "" {
				out.UnmatchedMeasurements = append(out.UnmatchedMeasurements, Unmatched{row.Line, of, g.measured.Figures[f] + ": " + reason})
				continue
			}
			pairs[f] = append(pairs[f], Pair{
				Line: row.Line, Of: of, Key: found[0].point, Measured: Decimal(measured), Ours: Decimal(ours), Error: Decimal(percentOff(ours, measured)),
			})
		}
	}
	for _, r := range all {
		switch {
		case m.used[r]:
		case r.state == table.Done:
			out.UnmatchedResults = append(out.UnmatchedResults, Unmatched{Of: g.describe(r, g.identity()), Reason: "not measured"})
		default:
			out.UnmatchedResults = append(out.UnmatchedResults, Unmatched{Of: g.describe(r, g.identity()), Reason: because(r)})
		}
	}
	for f, name := range g.measured.Figures {
		out.Figures = append(out.Figures, newFigure(name, g.units[f], pairs[f]))
	}
	return out
}

// identity are columns that describe results: those of the measurements, and what traces
// and launches are called.
func (g *gathered) identity() []string {
	return append([]string{table.TraceName, table.ProgramName, table.LaunchName, table.KernelName}, g.measured.Keys...)
}

func because(r *result) string {
	if r.reason != "" {
		return r.state + ": " + r.reason
	}
	return r.state
}

// percentOff is the relative error; NaN where nothing was measured as zero.
func percentOff(ours, measured float64) float64 {
	if measured == 0 {
		return math.NaN()
	}
	return 100 * (ours/measured - 1)
}

// find gives the results of a row: one, or the launches of one point.
func (m *matcher) find(row *Measurement) []*result {
	var done []*result
	for _, r := range m.byKey[strings.Join(row.Keys, "\x00")] {
		if r.state != table.Done {
			continue
		}
		if len(done) > 0 && (r.point != done[0].point || slices.Contains(m.measured.Keys, table.LaunchName)) {
			m.add(row.Line, "matches several results: %s, and %s; add a column in which they differ, or choose one of several sweeps with --sweep",
				m.differing(done[0], r), m.differing(r, done[0]))
			return nil
		}
		done = append(done, r)
	}
	for _, r := range done {
		m.used[r] = true
	}
	return done
}

// differing describes a result by the columns in which it is not another.
func (m *matcher) differing(r, other *result) string {
	var names []string
	n := 0
	for i := range m.table.Columns {
		c := &m.table.Columns[i]
		if !c.Identifies() {
			continue
		}
		if r.cells[n] != other.cells[n] {
			names = append(names, c.Name)
		}
		n++
	}
	return m.gathered.describe(r, names)
}

// why says why a row has no result.
func (m *matcher) why(row *Measurement, all []*result) string {
	for _, r := range m.byKey[strings.Join(row.Keys, "\x00")] {
		m.used[r] = true
		return "the result is " + because(r)
	}
	// A point without a result has no launches: it is the same but for them.
	for _, r := range all {
		same := r.state != table.Done
		for k, name := range m.measured.Keys {
			same = same && (r.keys[k] == row.Keys[k] || slices.Contains(ofLaunches, name))
		}
		if same {
			m.used[r] = true
			return "the result is " + because(r)
		}
	}
	return "no result is of it"
}

// value is a figure of a point or a launch, or the sum of several launches.
func (m *matcher) value(found []*result, figure int) (v float64, reason string) {
	name := m.measured.Figures[figure]
	if len(found) > 1 && !additive(name) {
		return 0, fmt.Sprintf("it is no sum over the %d launches that match; add the column launch", len(found))
	}
	for _, r := range found {
		if !r.has[figure] {
			return 0, "the result has no value"
		}
		v += r.values[figure]
	}
	return v, ""
}

// additive reports whether the figure of several launches is the sum of theirs.
func additive(figure string) bool {
	switch figure {
	case "power_w", "area_mm2", "cycles_plus_minus_percent":
		return false
	}
	return !slices.ContainsFunc(replay.Declarations(), func(d replay.Declaration) bool { return d.Name == figure })
}

// newFigure computes the statistics of pairs.
func newFigure(name, unit string, pairs []Pair) Figure {
	f := Figure{Name: name, Unit: unit, Pairs: append([]Pair{}, pairs...), Bias: Decimal(math.NaN())}
	var measured, ours, errors, absolute []float64
	for i := range pairs {
		measured, ours = append(measured, float64(pairs[i].Measured)), append(ours, float64(pairs[i].Ours))
		e := float64(pairs[i].Error)
		if math.IsNaN(e) {
			f.Zeros++
			continue
		}
		errors, absolute = append(errors, e), append(absolute, math.Abs(e))
	}
	f.AbsoluteError = meanEstimate(absolute)
	if len(errors) > 0 {
		f.Bias = Decimal(mean(errors))
	}
	f.Pearson, f.Spearman = pearsonEstimate(measured, ours), spearmanEstimate(measured, ours)
	return f
}
