// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/results/table"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	_ "github.com/warptape/warptape/timing/mechanisms"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// studyPlan has traces that are cheap to replay; streams has several launches of a kernel.
const studyPlan = `
name: study
traces: [RECORDED/spmv.wtape, RECORDED/tiny/divergence-nested.wtape, RECORDED/tiny/streams.wtape]
machines: [gtx480]
overlays: [none, tinycache]
parameters: {l1.bytes: [16KiB, 32KiB]}
`

// sweptRoot is the folder of swept, empty where no test has asked for it.
var sweptRoot string

var swept = sync.OnceValues(func() (string, error) {
	recorded, err := filepath.Abs("../../traces/recorded")
	if err != nil {
		return "", err
	}
	p, err := plan.Parse("plan.yaml", []byte(strings.ReplaceAll(studyPlan, "RECORDED", recorded)))
	if err != nil {
		return "", err
	}
	root, err := os.MkdirTemp("", "warptape-correlate-")
	if err != nil {
		return "", err
	}
	sweptRoot = root
	s, err := results.Create(root)
	if err != nil {
		return "", err
	}
	_, err = (&sweep.Runner{Store: s, Workers: 2}).Run(context.Background(), p)
	return root, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if sweptRoot != "" {
		os.RemoveAll(sweptRoot)
	}
	os.Exit(code)
}

// study is a folder with a sweep of three traces, two overlays and two sizes of the L1,
// which a test may change.
func study(t *testing.T) *results.Store {
	t.Helper()
	root, err := swept()
	if err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), "results")
	if err := os.CopyFS(mine, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	s, err := results.Open(mine)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rowsOf are those of a table of the study.
func rowsOf(t *testing.T, s *results.Store, o table.Options) []map[string]string {
	t.Helper()
	tab, err := table.New(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tab.WriteCSV(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, fields := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = fields[i]
		}
		list = append(list, row)
	}
	return list
}

// kernelOf is the first kernel of a trace.
func kernelOf(t *testing.T, s *results.Store, trace string) string {
	t.Helper()
	for _, row := range rowsOf(t, s, table.Options{Launches: true, Columns: []string{"trace", "kernel"}}) {
		if row["trace"] == trace {
			return row["kernel"]
		}
	}
	t.Fatalf("no trace %s", trace)
	return ""
}

func compared(t *testing.T, s *results.Store, text string, o Reading) *Report {
	t.Helper()
	r, err := Compare(t.Context(), s, nil, "hw.csv", []byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestResultsAgreeWithThemselves: measurements that are results have no error, by point,
// by launch, by kernel and by parameter.
func TestResultsAgreeWithThemselves(t *testing.T) {
	s := study(t)
	t.Run("points", func(t *testing.T) {
		text := "trace,machine,overlays,l1.bytes,cycles,time_ns\n"
		n := 0
		for _, row := range rowsOf(t, s, table.Options{}) {
			text += fmt.Sprintf("%s,%s,%s,%s,%s,%s\n", row["trace"], row["machine"], row["overlays"], row["l1.bytes"], row["cycles"], row["time_ns"])
			n++
		}
		r := compared(t, s, text, Reading{})
		if len(r.Models) != 1 {
			t.Fatalf("%d models: the rows name all of them", len(r.Models))
		}
		for _, f := range r.Models[0].Figures {
			if len(f.Pairs) != n || f.AbsoluteError.Value != 0 || f.AbsoluteError.High != 0 || f.Pearson.Value != 1 || f.Spearman.Value != 1 {
				t.Errorf("%+v", f)
			}
		}
		if u := len(r.Models[0].UnmatchedMeasurements) + len(r.Models[0].UnmatchedResults); u > 0 {
			t.Errorf("%d rows do not match", u)
		}
	})
	t.Run("launches", func(t *testing.T) {
		launches := rowsOf(t, s, table.Options{Launches: true})
		text, byKernel, sums, n := "program,launch,l1.bytes,cycles\n", "program,kernel,cycles\n", map[string]float64{}, 0
		for _, row := range launches {
			if row["overlays"] != "none" {
				continue
			}
			n++
			text += fmt.Sprintf("%s,%s,%s,%s\n", row["program"], row["launch"], row["l1.bytes"], row["cycles"])
			if row["l1.bytes"] == "16384" {
				var v float64
				if _, err := fmt.Sscan(row["cycles"], &v); err != nil {
					t.Fatal(err)
				}
				sums[row["program"]+","+row["kernel"]] += v
			}
		}
		r := compared(t, s, text, Reading{})
		if len(r.Models) != 2 || r.Models[0].Name != "gtx480" || r.Models[1].Name != "gtx480 tinycache" {
			t.Fatalf("%+v", r.Models)
		}
		if f := r.Models[0].Figures[0]; len(f.Pairs) != n || f.AbsoluteError.Value != 0 {
			t.Errorf("%+v", f)
		}
		for key, v := range sums {
			byKernel += fmt.Sprintf("%s,%.0f\n", key, v)
		}
		r = compared(t, s, byKernel, Reading{})
		if m := r.Models[0]; len(r.Models) != 4 || m.Name != "gtx480 l1.bytes=16384" || len(m.Figures[0].Pairs) != len(sums) || m.Figures[0].AbsoluteError.Value != 0 {
			t.Errorf("%+v", r.Models[0])
		}
		if len(sums) >= n/2 {
			t.Error("no kernel has several launches: the test shows nothing of sums")
		}
	})
}

// TestErrorsAreThoseOfTheMeasurements: what was measured as half of ours is 100 % off.
func TestErrorsAreThoseOfTheMeasurements(t *testing.T) {
	s := study(t)
	text := "trace,l1.bytes,overlays,cycles,l1_write_hits\n"
	scales := map[string]float64{"spmv": 0.5, "divergence-nested": 2, "streams": 0.8}
	for _, row := range rowsOf(t, s, table.Options{}) {
		if row["overlays"] == "none" && row["l1.bytes"] == "32768" {
			var v float64
			if _, err := fmt.Sscan(row["cycles"], &v); err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf("%s,32KiB,none,%g,0\n", row["trace"], v*scales[row["trace"]])
		}
	}
	text += "absent,32KiB,none,7,0\n"
	r := compared(t, s, text, Reading{})
	m := &r.Models[0]
	f := &m.Figures[0]
	near(t, "mean absolute error", float64(f.AbsoluteError.Value), (100+50+25)/3.0, 1e-9)
	near(t, "bias", float64(f.Bias), (100-50+25)/3.0, 1e-9)
	if w := f.Worst(2); len(w) != 2 || w[0].Of != "trace spmv, l1.bytes 32768, overlays none" || math.Abs(float64(w[1].Error)+50) > 1e-9 {
		t.Errorf("%+v", w)
	}
	if z := m.Figures[1]; z.Zeros != 3 || !math.IsNaN(float64(z.AbsoluteError.Value)) || len(z.Pairs) != 3 {
		t.Errorf("measured as zero: %+v", z)
	}
	if u := m.UnmatchedMeasurements; len(u) != 1 || u[0].Line != 5 || u[0].Reason != "no result is of it" {
		t.Errorf("%+v", u)
	}
	if u := m.UnmatchedResults; len(u) != 9 || u[0].Reason != "not measured" {
		t.Errorf("%d results have no measurement, want 9: %+v", len(u), u)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, Shown{Worst: 3, Unmatched: 2}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"58.3 (25 to 100)", "line 5: trace absent", "results without a measurement: 9", "and 7 more; --full lists them", "measured as zero", "bootstrap", "Bonett"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, b.String())
		}
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "cycles") && len(line) > 80 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
}

// TestWhatHasNoResultSaysWhy: a row of a point that failed is not lost.
func TestWhatHasNoResultSaysWhy(t *testing.T) {
	s := study(t)
	m, err := s.Manifest("study")
	if err != nil {
		t.Fatal(err)
	}
	for _, launch := range []string{"", ",launch"} {
		text := "trace,cycles" + launch + "\n"
		for _, name := range []string{"spmv", "divergence-nested"} {
			text += name + ",1000" + strings.ReplaceAll(launch, "launch", "0") + "\n"
		}
		first := &m.Points[0]
		p, err := s.Get(first.Key)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(s.PointPath(first.Key)); err != nil {
			t.Fatal(err)
		}
		if err := s.PutFailure(&results.Failure{Key: first.Key, Identity: p.Identity, Reason: "out of luck"}); err != nil {
			t.Fatal(err)
		}
		r := compared(t, s, text, Reading{})
		if u := r.Models[0].UnmatchedMeasurements; len(u) != 1 || u[0].Reason != "the result is failed: out of luck" {
			t.Errorf("%q: %+v", launch, u)
		}
		if err := s.Put(p); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatCannotBeComparedIsRefused.
func TestWhatCannotBeComparedIsRefused(t *testing.T) {
	s := study(t)
	for text, want := range map[string]string{
		"trace,cycles\nother,1\n":             "no row matches a result: line 2 is of trace other; the first result is of trace spmv",
		"trace,l1.bytes,cycles\nspmv,big,1\n": "hw.csv:2: column l1.bytes: \"big\" is not a number",
	} {
		if _, err := Compare(t.Context(), s, nil, "hw.csv", []byte(text), Reading{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	r := compared(t, s, "trace,kernel,cycles,power_w\nstreams,"+kernelOf(t, s, "streams")+",1,1\n", Reading{})
	if m := &r.Models[0]; len(m.Figures[0].Pairs) != 1 || len(m.Figures[1].Pairs) != 0 || len(m.UnmatchedMeasurements) != 1 ||
		!strings.HasPrefix(m.UnmatchedMeasurements[0].Reason, "power_w: it is no sum over the") {
		t.Errorf("watts are added: %+v", m)
	}
	// Two sizes of one workload, and a file that does not say which.
	p, err := plan.Parse("plan.yaml", []byte("name: sizes\ntraces: [{workload: saxpy, size: tiny, set: {n: [1000, 2000]}}]\nmachines: [gtx480]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&sweep.Runner{Store: s, Workers: 2}).Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	_, err = Compare(t.Context(), s, []string{"sizes"}, "hw.csv", []byte("workload,cycles\nsaxpy,1\n"), Reading{})
	if err == nil || !strings.Contains(err.Error(), "hw.csv:2: matches several results") || !strings.Contains(err.Error(), "n 1000") || !strings.Contains(err.Error(), "n 2000") {
		t.Error(err)
	}
	if r, err := Compare(t.Context(), s, []string{"sizes"}, "hw.csv", []byte("workload,n,cycles\nsaxpy,1000,1\n"), Reading{}); err != nil || len(r.Models[0].Figures[0].Pairs) != 1 || r.Models[0].Name != "gtx480" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestReportsAreWrittenWhole: JSON and CSV have every pair, the picture is well-formed and
// has a mark for each pair, and all are the same bytes again.
func TestReportsAreWrittenWhole(t *testing.T) {
	s := study(t)
	const text = "trace,cycles,time_us\nspmv,1000,2\ndivergence-nested,2000,3\nstreams,3000,4\nabsent,1,1\n"
	outputs := func() [3]string {
		r := compared(t, s, text, Reading{})
		var out [3]string
		for i, write := range []func(io.Writer) error{r.WriteJSON, r.WriteCSV, r.WriteScatter} {
			var b strings.Builder
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			out[i] = b.String()
		}
		return out
	}
	out := outputs()
	if again := outputs(); again != out {
		t.Error("another run gives other bytes")
	}
	var back Report
	if err := json.Unmarshal([]byte(out[0]), &back); err != nil || len(back.Models) != 4 || len(back.Models[3].Figures[1].Pairs) != 3 {
		t.Errorf("%+v, %v", back, err)
	}
	rows, err := csv.NewReader(strings.NewReader(out[1])).ReadAll()
	if want := 1 + 4*(2*3+1); err != nil || len(rows) != want {
		t.Errorf("%d rows of CSV, want %d; %v", len(rows), want, err)
	}
	d, marks := xml.NewDecoder(strings.NewReader(out[2])), 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			marks++
		}
	}
	if want := 2*4*3 + 2*4; marks != want {
		t.Errorf("%d circles in the picture, want %d: one for each of 24 pairs and one for each model in two legends", marks, want)
	}
}
