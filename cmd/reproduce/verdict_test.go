// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"
	"sync"
	"testing"
)

var committedOnce = sync.OnceValues(CommittedResults)

// committedTables are the tables of the committed results, by study and size.
var committedTables = sync.OnceValues(func() (map[string][]Table, error) {
	all, err := committedOnce()
	if err != nil {
		return nil, err
	}
	tables := map[string][]Table{}
	for _, r := range all {
		s, err := Find(r.Study)
		if err != nil {
			return nil, err
		}
		if tables[r.Study+"-"+r.Size], err = NewData(s, r).Tables(); err != nil {
			return nil, err
		}
	}
	return tables, nil
})

// cells are the values of a table's places.
type cells map[Place]float64

// TestVerdictsThatWereWrong: what the claims of the studies make of values that were
// found, and that got another verdict.
func TestVerdictsThatWereWrong(t *testing.T) {
	const (
		llc, omni = "LLC-Compute", "Omni-Compute"
		none      = "ED bypass_none"
	)
	for _, c := range []struct {
		study, figure string
		place         Place
		ours          cells
		want          string
	}{
		// Equal runs are no effect, however their quotient rounds.
		{"offload", "11a", Place{"COMPARE", llc}, cells{{"COMPARE", llc}: 100.00000000000001}, "no effect"},
		{"buddy", "16", Place{"SGE", "four-buddy"}, cells{{"SGE", "four-buddy"}: 100.00000000000001}, "no effect"},
		{"buddy", "16", Place{"SAD", "four-buddy"}, cells{{"SAD", "four-buddy"}: 99.99}, "no effect"},
		{"fusetlb", "4.5", Place{"mean", "typSoC"}, cells{{"mean", "typSoC"}: 100.33}, "no effect"},
		{"fusetlb", "4.15-ipc", Place{"mean", "2048"}, cells{{"mean", "2048"}: 100.2}, "no effect"},
		{"buddy", "18", Place{"SQ", "four-buddy"}, cells{{"SQ", "four-buddy"}: 99.9}, "no effect"},
		// "Improve greatly when compared to LLC-Compute" is not above no offloading, and
		// "suffer even more than LLC-Compute" no loss that is smaller.
		{"offload", "11a", Place{"TRIAD", omni}, cells{{"TRIAD", llc}: 131, {"TRIAD", omni}: 131}, "no effect"},
		{"offload", "11a", Place{"KMN", omni}, cells{{"KMN", llc}: 100, {"KMN", omni}: 108}, "same direction, less than said: +8.0 %"},
		{"offload", "11a", Place{"COPY-STRIDED", omni}, cells{{"COPY-STRIDED", llc}: 100, {"COPY-STRIDED", omni}: 112}, "as said: +12.0 %"},
		{"offload", "11a", Place{"FDTD", omni}, cells{{"FDTD", llc}: 88.5, {"FDTD", omni}: 90.5}, "other direction"},
		// "Little performance improvement" is no loss of a fifth.
		{"dac", "16", Place{"BT", "DAC"}, cells{{"BT", "DAC"}: 0.814}, "not as said: -18.6 %"},
		{"dac", "16", Place{"LBM", "DAC"}, cells{{"LBM", "DAC"}: 0.808}, "not as said: -19.2 %"},
		{"dac", "16", Place{"BFS", "DAC"}, cells{{"BFS", "DAC"}: 1.3}, "not as said: +30.0 %"},
		// "A poor portion" is not any.
		{"buddy", "20", Place{"TP", "four-buddy"}, cells{{"TP", "four-buddy"}: 46.9, {"mean", "four-buddy"}: 45.5}, "same direction, more than said: 103 % of the mean"},
		{"buddy", "20", Place{"BFS", "four-buddy"}, cells{{"BFS", "four-buddy"}: 18.7, {"mean", "four-buddy"}: 45.5}, "as said: 41 % of the mean"},
		// "Lowest" is not below 100, "slightly" is not an eighth, "significantly" not any.
		{"buddy", "15", Place{"BFS", "four-buddy"}, cells{{"BFS", "four-buddy"}: 99.96, {"HG", "four-buddy"}: 97, {"MS", "four-buddy"}: 96, {"TP", "four-buddy"}: 99}, "not as said: 3 of 4 rows come before"},
		{"offload", "11a", Place{"FDTD", llc}, cells{{"FDTD", llc}: 88.5}, "same direction, more than said: -11.5 %"},
		{"tinycache", "5.4", Place{"saxpy", "tCbase"}, cells{{"saxpy", "tCbase"}: 101.9}, "same direction, less than said: +1.9 %"},
		// "Prefers" is better than the others, not better than none.
		{"tinycache", "5.8", Place{"sgemm", "ED bypass_global"}, cells{{"sgemm", "ED bypass_global"}: 12.6, {"sgemm", none}: 11.3, {"sgemm", "ED bypass_shared"}: 94.8}, "other direction"},
		// "Over 11 %" and "at least 1.5" are limits.
		{"fusetlb", "4.4", Place{"mean", "GPU"}, cells{{"mean", "GPU"}: 17.7}, "as said"},
		{"dac", "class", Place{"CS", "perfect memory"}, cells{{"CS", "perfect memory"}: 1.502}, "at the limit"},
		// What was fed from the paper's own number, and what programs cannot show.
		{"dac", "4.8", Place{"GTX 480", "DAC"}, cells{{"GTX 480", "DAC"}: 1.07}, "input, not result: memories and ALUs have the 0.21 and 0.16 mm2 an SM of section 4.8"},
		{"fusetlb", "4.4-cpu", Place{"mean", "CPU"}, cells{{"mean", "CPU"}: 0}, "cannot be shown: the programs of the sets share nothing, where those of PARSEC have threads that do"},
		{"offload", "11a", Place{"SRAD", llc}, cells{{"SRAD", llc}: 100.00000000000001}, "cannot be shown: our program has no chain that could be offloaded (Table 3)"},
		// "Cut in half the execution time" is of times.
		{"fusetlb", "4.9", Place{"mean", "time"}, cells{{"mean", "time"}: 29.5}, "same direction, more than said: -70.5 %"},
		{"fusetlb", "4.9", Place{"mean", "time"}, cells{{"mean", "time"}: 48}, "as said: -52.0 %"},
	} {
		table := c.ours.table(t, c.study, c.figure)
		found := false
		for i := range table.Published {
			if table.Published[i].Place == c.place {
				found = true
				if got := table.Verdict(&table.Published[i]).String(); got != c.want {
					t.Errorf("%s, figure %s, %s, %s: %q, want %q", c.study, c.figure, c.place.Row, c.place.Series, got, c.want)
				}
				break // the first that is said of the place
			}
		}
		if !found {
			t.Errorf("%s, figure %s says nothing of %s, %s", c.study, c.figure, c.place.Row, c.place.Series)
		}
	}
}

// table has the values in a figure of a study, with all that is said of it.
func (c cells) table(t *testing.T, study, figure string) *Table {
	t.Helper()
	s, err := Find(study)
	if err != nil {
		t.Fatal(err)
	}
	f := s.Figures[slices.IndexFunc(s.Figures, func(f Figure) bool { return f.ID == figure })]
	list, err := allPublished(study)
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Figure: &f, Study: s, Published: slices.DeleteFunc(list, func(c Claim) bool { return c.Figure != figure })}
	for p, v := range c {
		i := slices.IndexFunc(table.Values, func(r Row) bool { return r.Label == p.Row })
		if i < 0 {
			i = len(table.Values)
			table.Values = append(table.Values, Row{Label: p.Row, Values: slices.Repeat([]float64{math.NaN()}, len(f.Series))})
			if p.Row == "mean" {
				table.Values[i].Of = []string{"others"}
			}
		}
		table.Values[i].Values[slices.Index(f.Series, p.Series)] = v
	}
	return table
}

// TestFig12CountsAnswers: of ten chains eight sent a packet, two found no way; of the
// packets five were answered, two returned and one was refused.
func TestFig12CountsAnswers(t *testing.T) {
	const spec = offloadOff + "+" + offloadLLC
	d := NewData(newOffloadStudy(hasOverlay), &Results{Study: "offload", Measurements: []Measurement{{Workload: "BFS", Architecture: spec, Counters: map[string]uint64{
		"offload_chains": 10, "offload_offloaded": 8, "offload_nowhere": 2, "offload_packets_to_partitions": 8, "offload_answers": 5, "offload_returned": 2, "offload_refused": 1,
	}}, {Workload: "NORM", Architecture: spec, Counters: map[string]uint64{"offload_chains": 10, "offload_nowhere": 10}}, {Workload: "SRAD", Architecture: spec}}})
	for workload, want := range map[string]string{"BFS": "50.0", "NORM": "0.00", "SRAD": "-"} {
		got, err := offloadOfChains([]string{spec})(d, workload)
		if err != nil || len(got) != 1 || number(got[0]) != want {
			t.Errorf("%s: %v, want %s (%v)", workload, got, want, err)
		}
	}
}

// TestFig49HasTheMeanOfTimes: nine programs that take half of the time and one that
// takes a hundredth have cut the time in half; the mean of their speed-ups is 11.8.
func TestFig49HasTheMeanOfTimes(t *testing.T) {
	s, err := Find("fusetlb")
	if err != nil {
		t.Fatal(err)
	}
	r := &Results{Study: "fusetlb", Size: "small"}
	for i := range s.Workloads {
		w := &s.Workloads[i]
		if !w.ownRow() {
			continue
		}
		fused := uint64(50_000)
		if w.Label == "saxpy" {
			fused = 1_000
		}
		r.Measurements = append(r.Measurements, Measurement{Workload: w.Label, Architecture: copySoC, Elapsed: 100_000, Cycles: 1_000}, Measurement{Workload: w.Label, Architecture: fuseTLB, Elapsed: fused, Cycles: 1_000})
	}
	rows, err := fuseSpeedUp(NewData(s, r))
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Figure: &Figure{Series: []string{"time", "speed-up", "CPU time", "GPU time"}}, Values: rows}
	for row, want := range map[string][2]string{"mean": {"45.1", "2.22"}, "mean of the others": {"50.0", "2.00"}, "saxpy": {"1.00", "100"}} {
		time, speed := table.cell(Place{row, "time"}), table.cell(Place{row, "speed-up"})
		if number(time) != want[0] || number(speed) != want[1] {
			t.Errorf("%s: time %g, speed-up %g, want %v", row, time, speed, want)
		}
	}
	claim := claimOf(t, "half: {of: 100}")
	claim.Place = Place{"mean", "time"}
	if got := table.Verdict(claim).Outcome; got != AsSaid {
		t.Errorf("cut in half: %q", got)
	}
}
