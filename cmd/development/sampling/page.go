// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/timing/extrapolate"
	"github.com/warptape/warptape/traces"
)

//go:embed sampling.json
var samplingJSON []byte

//go:embed page.md.tmpl
var pageTemplate string

// readSamplingRows reads the committed measurement. Rows of workloads that have
// changed since are an error.
func readSamplingRows() ([]samplingRow, error) {
	rows, err := parseSamplingRows(samplingFile, samplingJSON)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		w, err := traces.Find(rows[i].Workload)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", samplingFile, err)
		}
		digest, err := w.Digest()
		if err != nil {
			return nil, err
		}
		if digest != rows[i].Digest {
			return nil, fmt.Errorf("%s: %s has changed: run 'make sampling' and commit the result", samplingFile, w.Name)
		}
	}
	return rows, nil
}

// WritePage writes docs/sampling.md.
func WritePage(b *bytes.Buffer) error {
	rows, err := readSamplingRows()
	if err != nil {
		return err
	}
	machines, err := machineset.Names()
	if err != nil {
		return err
	}
	fittedTo, tested := halves(rows)
	all := rowsAsked(rows, func(r *samplingRow) bool { return r.Set == "" && r.Asked == samplingPolicy })
	alone := rowsAsked(rows, func(r *samplingRow) bool { return r.Set == "" && r.Asked != samplingPolicy })
	return page.Write(b, pageTemplate, map[string]any{
		"Fitted": strings.Join(fittedTo, ", "), "Tested": strings.Join(tested, ", "),
		"Scale": fitScale(fittedRows(rows)), "Coefficients": judgedCoefficients(), "Unmeasured": unmeasured(rows),
		"ForAll": summary(all, machines), "ForEach": summary(alone, machines), "Both": summary(append(slices.Clone(all), alone...), machines),
		"Larger":   larger(rows, machines),
		"Machines": machines, "Matrix": matrix(rows, machines), "Refused": refusals(rows),
	})
}

func rowsAsked(rows []samplingRow, which func(*samplingRow) bool) []samplingRow {
	var list []samplingRow
	for i := range rows {
		if rows[i].Refused == "" && which(&rows[i]) {
			list = append(list, rows[i])
		}
	}
	return list
}

// samplingSums adds up the rows of estimates; those that store everything count apart.
type samplingSums struct {
	rows, covered, narrow, whole, warned int
	cycles, worst, energy                float64 // absolute errors in percent
	fullSeconds, seconds                 float64 // of all rows
	stored, instructions                 float64
}

// narrowPercent is what half of an interval should be below.
const narrowPercent = 10

func (s *samplingSums) add(r *samplingRow) {
	if r.FullSeconds > 0 {
		s.fullSeconds, s.seconds = s.fullSeconds+r.FullSeconds, s.seconds+r.Seconds
	}
	s.instructions += float64(r.WarpInstructions)
	s.stored += float64(r.WarpInstructions) * r.StoredPercent / 100
	if r.whole() {
		s.whole++
		return
	}
	s.rows++
	e := math.Abs(r.error())
	s.cycles, s.worst = s.cycles+e, max(s.worst, e)
	s.energy += math.Abs(r.energyError())
	if r.covered() {
		s.covered++
	}
	if r.percent() < narrowPercent {
		s.narrow++
	}
	if r.Warned {
		s.warned++
	}
}

func sumOf(rows []samplingRow, which func(*samplingRow) bool) samplingSums {
	var s samplingSums
	for i := range rows {
		if which(&rows[i]) {
			s.add(&rows[i])
		}
	}
	return s
}

func (s *samplingSums) row(name string) string {
	if s.rows+s.whole == 0 {
		return ""
	}
	per := func(n int) string {
		if s.rows == 0 {
			return "-"
		}
		return fmt.Sprintf("%d of %d", n, s.rows)
	}
	mean, worst, energy := "-", "-", "-"
	if n := float64(s.rows); n > 0 {
		mean, worst, energy = fmt.Sprintf("%.2f", s.cycles/n), fmt.Sprintf("%.2f", s.worst), fmt.Sprintf("%.2f", s.energy/n)
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %s | %s | %s | %d | %s | %.0f | %.0f | %.0f | %.1f |\n", name, s.rows, s.whole, mean, worst, per(s.covered), per(s.narrow), s.warned, energy,
		100*s.stored/max(1, s.instructions), s.fullSeconds, s.seconds, s.fullSeconds/max(s.seconds, 1e-9))
}

// summary has a row for each machine; it is empty without a measurement.
func summary(rows []samplingRow, machines []string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	for _, name := range machines {
		s := sumOf(rows, func(r *samplingRow) bool { return r.Machine == name })
		b.WriteString(s.row(name))
	}
	for _, half := range []struct {
		name   string
		fitted bool
	}{{"all, the half that is fitted to", true}, {"all, the other half", false}} {
		s := sumOf(rows, func(r *samplingRow) bool { return fitted(r.Workload) == half.fitted })
		b.WriteString(s.row(half.name))
	}
	return b.String()
}

// halves names the workloads that the intervals are fitted to, and those that they are
// tested on.
func halves(rows []samplingRow) (fittedTo, tested []string) {
	for i := range rows {
		half := &tested
		if fitted(rows[i].Workload) {
			half = &fittedTo
		}
		if !slices.Contains(*half, rows[i].Workload) {
			*half = append(*half, rows[i].Workload)
		}
	}
	return fittedTo, tested
}

func judgedCoefficients() string {
	var list []string
	for s := range extrapolate.Sources {
		if s.Judged() {
			list = append(list, fmt.Sprintf("`%s` %.1f %%", s, 100*s.Coefficient()))
		}
	}
	return strings.Join(list, ", ")
}

func fittedRows(rows []samplingRow) []samplingRow {
	var list []samplingRow
	for i := range rows {
		if fitted(rows[i].Workload) {
			list = append(list, rows[i])
		}
	}
	return list
}

// unmeasured lists the workloads of the catalogue without a row.
func unmeasured(rows []samplingRow) []string {
	var names []string
	for _, w := range traces.List() {
		if !slices.ContainsFunc(rows, func(r samplingRow) bool { return r.Workload == w.Name }) {
			names = append(names, w.Name)
		}
	}
	return names
}

// matrix has a line per workload and policy, and a column per machine.
func matrix(rows []samplingRow, machines []string) string {
	var b strings.Builder
	of := samplingRows{}
	var names []string
	rows = slices.DeleteFunc(slices.Clone(rows), func(r samplingRow) bool { return r.Set != "" })
	for _, r := range rows {
		of[r.key()] = r
		if !slices.Contains(names, r.Workload) {
			names = append(names, r.Workload)
		}
	}
	for _, w := range names {
		for _, alone := range []bool{false, true} {
			if measured := func(r samplingRow) bool { return r.Workload == w && (r.Asked != samplingPolicy) == alone }; !slices.ContainsFunc(rows, measured) {
				continue
			}
			label := w
			if alone {
				label = "`for=`"
			}
			b.WriteString("| " + label + " |")
			for _, m := range machines {
				key := samplingRow{Workload: w, Machine: m, Asked: samplingPolicy}
				if alone {
					key.Asked += ",for=" + m
				}
				r, found := of[key.key()]
				b.WriteString(" " + r.cell(found) + " |")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (r *samplingRow) cell(found bool) string {
	switch {
	case !found:
		return "-"
	case r.Refused != "":
		return "refused"
	case r.whole():
		return "whole"
	}
	text := fmt.Sprintf("%+.1f ± %.1f", r.error(), r.percent())
	if r.Warned {
		text += " !"
	}
	if !r.covered() {
		return "**" + text + "**"
	}
	return text
}

func refusals(rows []samplingRow) []samplingRow {
	var list []samplingRow
	for i := range rows {
		if r := &rows[i]; r.Refused != "" && r.Asked == samplingPolicy {
			list = append(list, *r)
		}
	}
	return list
}
