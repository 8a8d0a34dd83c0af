package reproduce

import (
	"bytes"
	"strings"
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

// TestVerdictsThatWereWrong, of the committed results: what the text of a figure ends
// a line with. A line is found by what it begins with.
func TestVerdictsThatWereWrong(t *testing.T) {
	lines := figureLines(t)
	for _, c := range []struct{ study, figure, place, want string }{
		// Equal runs are no effect: 100.00000000000001 was "same direction".
		{"offload-small", "11a", "SRAD, LLC-Compute: ours 100,", "no effect"},
		{"offload-small", "11a", "SRAD, Omni-Compute: ours 100,", "no effect"},
		{"buddy-paper", "16", "SGE, four-buddy: ours 100,", "no effect"},
		{"fusetlb-small", "4.5", "mean, typSoC: ours 100,", "no effect"},
		{"fusetlb-small", "4.15-ipc", "mean, 2048: ours 100,", "no effect"},
		{"buddy-small", "18", "SQ, four-buddy: ours 99.9,", "no effect"},
		// "Improve greatly when compared to LLC-Compute" is not above no offloading.
		{"offload-small", "11a", "TRIAD, Omni-Compute: ours 100, published in % of LLC-Compute", "no effect"},
		{"offload-small", "11a", "KMN, Omni-Compute: ours 108, published in % of LLC-Compute", "less than said: +7.9 %"},
		{"offload-small", "11a", "COPY-STRIDED, Omni-Compute: ours 112, published in % of LLC-Compute", "as said: +11.8 %"},
		// "Suffer even more than LLC-Compute" is not a loss that is smaller.
		{"offload-small", "11a", "FDTD, Omni-Compute: ours 102, published in % of LLC-Compute", "other direction"},
		// "Little performance improvement" is no loss of a fifth.
		{"dac-small", "16", "BT, DAC: ours 0.81,", "not as said: -18.6 %"},
		{"dac-small", "16", "LBM, DAC: ours 0.81,", "not as said: -19.2 %"},
		{"dac-small", "16", "BFS, DAC: ours 0.90,", "not as said: -10.3 %"},
		// "A poor portion" is not any.
		{"buddy-small", "20", "TP, four-buddy: ours 46.9,", "more than said: 103 % of the mean"},
		{"buddy-small", "20", "BFS, four-buddy: ours 18.7,", "as said: 41 % of the mean"},
		// "Lowest" is not below 100, "slightly" is not a fifth, "modest" not any gain.
		{"buddy-small", "15", "BFS, four-buddy: ours 100,", "not as said: 3 of 5 rows come before"},
		{"offload-small", "11a", "FDTD, LLC-Compute: ours 88.5,", "more than said: -11.5 %"},
		{"tinycache-small", "5.4", "saxpy, tCbase: ours 102,", "less than said: +1.9 %"},
		// "Prefers" is better than the others, not better than none.
		{"tinycache-small", "5.8", "sgemm, ED bypass_global: ours 111, published in % of ED bypass_none", "other direction"},
		// What was fed from the paper's own number.
		{"dac-small", "4.8", "GTX 480, DAC: ours 1.07,", "input, not result: memories and ALUs have the 0.21 and 0.16 mm2 an SM of section 4.8"},
		// What the programs cannot show.
		{"fusetlb-small", "4.4-cpu", "mean, CPU: ours 0.00,", "cannot be shown: the programs of the sets share nothing, where those of PARSEC have threads that do"},
		// "Over 11 %" is a limit, and a program at 1.502 is at its own.
		{"fusetlb-small", "4.4", "mean, GPU: ours 17.7,", "as said"},
		{"dac-small", "class", "CS, perfect memory: ours 1.50,", "at the limit"},
		// "Cut in half the execution time" is of the mean of times.
		{"fusetlb-small", "4.9", "mean, time: ours 29.5,", "more than said: -70.5 %"},
	} {
		found := false
		for _, line := range lines[c.study+" "+c.figure] {
			if place := strings.TrimSpace(line); strings.HasPrefix(place, c.place) {
				found = true
				if !strings.HasSuffix(place, c.want) {
					t.Errorf("%s, figure %s: %q, want %q", c.study, c.figure, place, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s, figure %s has no line %q in\n%s", c.study, c.figure, c.place, strings.Join(lines[c.study+" "+c.figure], "\n"))
		}
	}
}

// figureLines are the lines below the figures of the committed results, by study,
// size and figure.
func figureLines(t *testing.T) map[string][]string {
	t.Helper()
	all, err := committedTables()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for name, tables := range all {
		for i := range tables {
			var text bytes.Buffer
			if err := tables[i].WriteText(&text); err != nil {
				t.Fatal(err)
			}
			lines[name+" "+tables[i].ID] = strings.Split(text.String(), "\n")
		}
	}
	return lines
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
