// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"math"
	"strings"
	"testing"
)

var (
	someKeys    = []string{"trace", "program", "machine", "launch", "kernel", "l1.bytes"}
	someFigures = []string{"cycles", "time_ns", "energy_j", "power_w", "l1_read_hit_percent", "area_mm2"}
)

func read(text string, o Reading) (*Measurements, error) {
	return Read("hw.csv", strings.NewReader(text), someKeys, someFigures, o)
}

// TestUnitsAreThoseOfResults, however the header writes them.
func TestUnitsAreThoseOfResults(t *testing.T) {
	for header, want := range map[string]struct {
		figure string
		value  float64 // of a measured 2
	}{
		"cycles": {"cycles", 2}, "time_ns": {"time_ns", 2}, "time_us": {"time_ns", 2e3}, "time [µs]": {"time_ns", 2e3}, "time (ms)": {"time_ns", 2e6},
		"time [s]": {"time_ns", 2e9}, "energy [mJ]": {"energy_j", 2e-3}, "energy_uj": {"energy_j", 2e-6}, "power [mW]": {"power_w", 2e-3},
		"l1_read_hit [%]": {"l1_read_hit_percent", 2}, "l1_read_hit_fraction": {"l1_read_hit_percent", 200}, "area [cm2]": {"area_mm2", 200},
	} {
		m, err := read("trace,"+header+"\na,2\n", Reading{})
		if err != nil {
			t.Errorf("%s: %v", header, err)
			continue
		}
		if m.Figures[0] != want.figure || math.Abs(m.Rows[0].Values[0]/want.value-1) > 1e-12 {
			t.Errorf("%s: %g of %s, want %+v", header, m.Rows[0].Values[0], m.Figures[0], want)
		}
	}
}

// TestColumnsAreRenamedAndLeftOut, and workload is the program.
func TestColumnsAreRenamedAndLeftOut(t *testing.T) {
	m, err := read("\xef\xbb\xbfID,Name,gpu__time.sum,workload\n1,k,3,bfs\n", Reading{
		Rename: map[string]string{"Name": "kernel", "gpu__time.sum": "time_us"}, Ignore: []string{"ID"},
	})
	if err != nil || strings.Join(m.Keys, " ") != "kernel program" || strings.Join(m.Rows[0].Keys, " ") != "k bfs" || m.Rows[0].Values[0] != 3000 || m.Rows[0].Line != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestRepeatsAreJoined as asked for, figure by figure.
func TestRepeatsAreJoined(t *testing.T) {
	const text = "trace,cycles,time_ns\na,1,\nb,5,5\na,2,20\na,6,40\na,7,\n"
	for how, want := range map[string][2]float64{"mean": {4, 30}, "median": {4, 30}, "min": {1, 20}} {
		m, err := read(text, Reading{Repeats: how})
		if err != nil || len(m.Rows) != 2 || m.Rows[0].Values[0] != want[0] || m.Rows[0].Values[1] != want[1] || m.Rows[1].Values[0] != 5 {
			t.Errorf("%s: %+v, %v", how, m, err)
		}
	}
}

// TestBadFilesSayWhere and what to do.
func TestBadFilesSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                                             "hw.csv: is empty",
		"trace,cycles\n":                               "hw.csv: has no rows",
		"trace;cycles\na;1\n":                          "hw.csv:1: has one column, \"trace;cycles\"; part the fields with commas",
		"trace,cyles\na,1\n":                           "hw.csv:1: column \"cyles\": results have no such column, to be renamed with --rename or left out with --ignore; did you mean cycles?",
		"trace,time [weeks]\na,1\n":                    "hw.csv:1: column \"time [weeks]\"",
		"trace,cycles,cycles\na,1,1\n":                 "hw.csv:1: two columns are cycles",
		"trace,time_us,time_ms\na,1,1\n":               "hw.csv:1: two columns are time_ns",
		"trace,machine\na,b\n":                         "hw.csv:1: no column has a figure",
		"machine,cycles\na,1\n":                        "hw.csv:1: no column says which trace a row is of",
		"trace,cycles\na,nan\n":                        "hw.csv:2: column cycles: \"nan\" is not a number; leave the field empty",
		"trace,cycles\na,1\nb,Inf\n":                   "hw.csv:3: column cycles: \"Inf\" is not a number",
		"trace,cycles\na,\"1,234\"\n":                  "hw.csv:2: column cycles: \"1,234\" is not a number; write it without separators",
		"trace,cycles\na,12 ms\n":                      "hw.csv:2: column cycles: \"12 ms\" is not a number",
		"trace,cycles\na,1e999\n":                      "hw.csv:2: column cycles: \"1e999\" is not a number",
		"trace,cycles\na,-1\n":                         "hw.csv:2: column cycles: -1 is negative",
		"trace,cycles\na,\n":                           "hw.csv:2: nothing was measured; leave the row out",
		"trace,time_s\na,1e300\n":                      "hw.csv:2: column time_s: \"1e300\" is not a number",
		"trace,cycles\na,1\nb,1\na,2\n":                "hw.csv:4: is of the same as line 2: trace a; add the column",
		"trace,cycles\na,1\nb\n":                       "hw.csv:3:1: wrong number of fields",
		"trace,cycles\n\"a,1\n":                        "hw.csv:2:6:",
		"trace,cycles\na,1\nb,2,3\n":                   "hw.csv:3:",
		"trace,cycles\n" + strings.Repeat("a,x\n", 20): "hw.csv: and 10 more complaints",
	} {
		if _, err := read(text, Reading{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	if _, err := read("trace,cycles\na,1\n", Reading{Ignore: []string{"cycels"}}); err == nil || !strings.Contains(err.Error(), "which is to be ignored; did you mean cycles?") {
		t.Error(err)
	}
	if _, err := read("trace,cycles\na,1\n", Reading{Rename: map[string]string{"tracer": "trace"}}); err == nil || !strings.Contains(err.Error(), "which is to be renamed; did you mean trace?") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("trace,cycles\na,1\n", "mean")
	f.Add("workload,kernel,launch,time [us]\nbfs,k,0,1.5\n", "")
	f.Add("\xef\xbb\xbftrace,l1.bytes,energy_mj\na,16KiB,\n", "median")
	f.Fuzz(func(t *testing.T, text, repeats string) {
		m, err := read(text, Reading{Repeats: repeats})
		if err != nil {
			return
		}
		for _, row := range m.Rows {
			if len(row.Keys) != len(m.Keys) || len(row.Values) != len(m.Figures) || row.Line < 2 {
				t.Fatalf("%+v", row)
			}
			for _, v := range row.Values {
				if v < 0 {
					t.Fatalf("%+v", row)
				}
			}
		}
	})
}
