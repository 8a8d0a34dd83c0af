// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// maxLaunchRows is the most launches that the table lists one by one; --csv has
// all of them.
const maxLaunchRows = 16

// writeEnergyParts writes the energy by kernel, and by launch when there are few,
// of a result with several launches.
func writeEnergyParts(w io.Writer, r *replay.Result, a *pricing.Account) error {
	if len(r.Launches) < 2 {
		return nil
	}
	byLaunch := make([]energy.Part, len(r.Launches))
	byKernel := make([]energy.Part, len(r.Launches))
	for i := range r.Launches {
		byLaunch[i] = energy.Part{Name: fmt.Sprintf("%d %s", i, r.Launches[i].Kernel), Number: 1, Report: a.Launches[i]}
		byKernel[i] = energy.Part{Name: r.Launches[i].Kernel, Number: 1, Report: a.Launches[i]}
	}
	tables := map[bool][]energy.Part{false: energy.Merge(byKernel)}
	if len(byLaunch) <= maxLaunchRows {
		tables[true] = byLaunch
	}
	for _, launches := range []bool{false, true} {
		title := "kernel"
		if launches {
			title = "launch"
		}
		if len(tables[launches]) == 0 {
			continue
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := energy.WriteParts(w, title, tables[launches]); err != nil {
			return err
		}
	}
	return nil
}

// energyByLine attributes the dynamic energy of a result to its instructions, in
// picojoules.
func energyByLine(m *energy.Model, r *replay.Result) *replay.LineValues {
	var lines []*counters.Set
	for k := range r.Profiles {
		for i := range r.Profiles[k].Instructions {
			lines = append(lines, r.Profiles[k].Instructions[i].Counters)
		}
	}
	by := m.Attribute(lines, (*counters.Set)(&r.Total.Counters))
	out := &replay.LineValues{Type: "energy", Unit: "picojoules"}
	n := 0
	for k := range r.Profiles {
		values := make([]int64, len(r.Profiles[k].Instructions))
		for i := range values {
			values[i] = int64(math.Round(by.PJ[n]))
			n++
		}
		out.Of = append(out.Of, values)
	}
	for _, l := range by.Rest {
		if pj := int64(math.Round(l.DynamicJ * 1e12)); pj != 0 {
			out.Rest = append(out.Rest, replay.NamedValue{Name: "unattributed: " + strings.TrimPrefix(l.Path, "chip/"), Value: pj})
		}
	}
	return out
}

// writeEnergyIntervals is replay.WriteIntervalCSV with columns for the time in
// which launches ran, the energy of the chip, and the power of its groups of
// components behind the others. A machine that lacks a group has empty fields
// there. Joules of the rows of a machine add up to those of its total.
func writeEnergyIntervals(w io.Writer, models []*energy.Model, results []replay.Result) error {
	var plain bytes.Buffer
	if err := replay.WriteIntervalCSV(&plain, results); err != nil {
		return err
	}
	rows, err := csv.NewReader(&plain).ReadAll()
	if err != nil {
		return err
	}
	reports, err := intervalReports(models, results)
	if err != nil {
		return err
	}
	groups := groupPaths(reports)
	out := csv.NewWriter(w)
	out.UseCRLF = true
	for i, row := range rows {
		if i == 0 {
			row = append(row, "time_ns", "energy_dynamic_j", "energy_static_j")
			for _, g := range groups {
				name := "power_" + strings.NewReplacer("/", "_", " ", "_").Replace(g)
				row = append(row, name+"_dynamic_w", name+"_static_w")
			}
		} else {
			row = append(row, powerFields(&reports[i-1], groups)...)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// intervalReports prices every interval of every result. What the memory system
// still does after the last launch takes no time (see replay.Interval).
func intervalReports(models []*energy.Model, results []replay.Result) ([]energy.Report, error) {
	var reports []energy.Report
	for i := range results {
		r := &results[i]
		perCycle := 0.0
		if r.Total.Cycles > 0 {
			perCycle = r.Total.Nanoseconds * 1e-9 / float64(r.Total.Cycles)
		}
		inside := func(c clock.Cycle) float64 { return float64(min(c, r.Total.Cycles)) }
		for j := range r.Intervals {
			v := &r.Intervals[j]
			report, err := models[i].Account((*counters.Set)(&v.Counters), (inside(v.End)-inside(v.Start))*perCycle)
			if err != nil {
				return nil, err
			}
			reports = append(reports, report)
		}
	}
	return reports, nil
}

// groupPaths lists the groups of all reports in the order of their first
// appearance.
func groupPaths(reports []energy.Report) []string {
	var paths []string
	seen := map[string]bool{}
	for i := range reports {
		for _, g := range reports[i].Groups() {
			if !seen[g.Path] {
				seen[g.Path] = true
				paths = append(paths, g.Path)
			}
		}
	}
	return paths
}

func powerFields(r *energy.Report, groups []string) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	sum := r.Total()
	fields := []string{number(r.Seconds * 1e9), number(sum.DynamicJ), number(sum.StaticJ)}
	have := map[string]energy.Leaf{}
	for _, g := range r.Groups() {
		have[g.Path] = g
	}
	for _, path := range groups {
		g, ok := have[path]
		if !ok || r.Seconds == 0 {
			fields = append(fields, "", "")
			continue
		}
		fields = append(fields, number(g.DynamicJ/r.Seconds), number(g.StaticJ/r.Seconds))
	}
	return fields
}
