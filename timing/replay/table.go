// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/columns"
	"github.com/warptape/warptape/timing/counters"
)

// issued says how many instructions the machine has issued, and of what: where lanes issue
// by themselves, each is of one lane.
func (r *Result) issued() string {
	what := "warp instructions"
	if r.Architecture != nil && r.Architecture.FetchByLane() {
		what = "instructions of lanes"
	}
	return fmt.Sprintf("%d %s", r.Total.Counters[counters.IssuedWarp], what)
}

// WriteTable writes the comparison of the results' totals: one row per metric,
// one column per machine, and after the first machine a column with the ratio to
// it. The shares of issue slots are rounded so that each column adds up to 100.0.
func WriteTable(w io.Writer, results []Result) error {
	if len(results) == 0 {
		return nil
	}
	var b strings.Builder
	first := &results[0]
	fmt.Fprintf(&b, "trace %s, %d launches, %s, replayed by version %s\n\n",
		first.TraceDigest, len(first.Launches), first.issued(), first.Version)
	for _, note := range estimates(results) {
		fmt.Fprintf(&b, "%s\n\n", note)
	}
	columns.Write(&b, rows(results))
	b.WriteString("\n")
	for i := range results {
		fmt.Fprintf(&b, "%s: architecture %s\n", results[i].Machine, results[i].ArchitectureDigest)
		for _, line := range results[i].Total.TopDown.lines() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for _, warning := range allWarnings(results) {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// allWarnings lists the warnings of all results, each once.
func allWarnings(results []Result) []string {
	var list []string
	for i := range results {
		for _, warning := range results[i].Warnings {
			if !slices.Contains(list, warning) {
				list = append(list, warning)
			}
		}
	}
	return list
}

// rows builds the table as text, the header first.
func rows(results []Result) [][]string {
	header := []string{""}
	cycles, times := []string{"core cycles"}, []string{"time [us]"}
	elapsed, copies, gaps := []string{"elapsed [us]"}, []string{"copies [us]"}, []string{"launches on their way [us]"}
	base := &results[0].Total
	micro := func(t *Section, n clock.Cycle) float64 { return float64(n) * 1000 / t.coreKHz }
	for i := range results {
		t := &results[i].Total
		header = append(header, results[i].Machine)
		cycles = append(cycles, strconv.FormatInt(int64(t.Cycles), 10))
		times = append(times, fixed(t.Nanoseconds/1000, 2))
		elapsed = append(elapsed, fixed(micro(t, t.End), 2))
		copies = append(copies, fixed(micro(t, t.copyCycles()), 2))
		gaps = append(gaps, fixed(micro(t, t.LaunchGap), 2))
		if i > 0 {
			header = append(header, "ratio")
			cycles = append(cycles, relative(float64(t.Cycles), float64(base.Cycles)))
			times = append(times, relative(t.Nanoseconds, base.Nanoseconds))
			elapsed = append(elapsed, relative(micro(t, t.End), micro(base, base.End)))
			copies = append(copies, relative(micro(t, t.copyCycles()), micro(base, base.copyCycles())))
			gaps = append(gaps, relative(micro(t, t.LaunchGap), micro(base, base.LaunchGap)))
		}
	}
	table := [][]string{header, cycles, times, elapsed, copies}
	if haveGaps(results) {
		table = append(table, gaps)
	}
	if base.Uncertainty != nil {
		table = append(table, uncertaintyRow(results))
	}
	shares := make([][]float64, len(results))
	for i := range results {
		shares[i] = shareOf100(results[i].Total.Metrics[firstSlotMetric:][:counters.CauseCount])
	}
	for m := range declarations {
		d := &declarations[m]
		row := []string{fmt.Sprintf("%s [%s]", d.Title, shortUnit(d.Unit))}
		for i := range results {
			v := results[i].Total.Metrics[m]
			digits := 3
			if d.Unit == "%" {
				digits = 1
			}
			if s := m - firstSlotMetric; s >= 0 && s < counters.CauseCount {
				v = shares[i][s]
			}
			row = append(row, fixed(v, digits))
			if i > 0 {
				row = append(row, relative(results[i].Total.Metrics[m], base.Metrics[m]))
			}
		}
		table = append(table, row)
	}
	return table
}

// haveGaps reports whether launches of one of the results were on their way for a while.
func haveGaps(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Total.LaunchGap > 0 })
}

// uncertaintyRow is the row of the confidence intervals of cycles and time.
func uncertaintyRow(results []Result) []string {
	row := []string{"cycles, time: 95 % interval"}
	for i := range results {
		row = append(row, "± "+fixed(results[i].Total.Uncertainty.Percent, 1)+" %")
		if i > 0 {
			row = append(row, "-")
		}
	}
	return row
}

// shortUnit keeps rows narrow: per cycle is what IPC says already.
func shortUnit(unit string) string {
	if before, _, found := strings.Cut(unit, " instructions per core cycle"); found {
		return before + "s/cycle"
	}
	return strings.TrimPrefix(unit, "core ")
}

// shareOf100 rounds percentages to tenths that add up to 100.0: all are rounded
// down, and the tenths that are missing go to the largest remainders.
func shareOf100(percent []float64) []float64 {
	out := make([]float64, len(percent))
	order := make([]int, len(percent))
	missing := 1000
	for i, p := range percent {
		if math.IsNaN(p) {
			copy(out, percent)
			return out
		}
		out[i] = math.Floor(p * 10)
		missing -= int(out[i])
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		return float64(percent[order[a]]*10)-out[order[a]] > float64(percent[order[b]]*10)-out[order[b]]
	})
	for _, i := range order[:min(max(missing, 0), len(order))] {
		out[i]++
	}
	for i := range out {
		out[i] /= 10
	}
	return out
}

func fixed(v float64, digits int) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

func relative(v, base float64) string { return fixed(ratio(v, base), 3) }
