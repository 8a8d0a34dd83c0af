// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	_ "github.com/warptape/warptape/timing/mechanisms"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// two sweeps share points, and disagree about what speedup means. Seven ways of an L1 that
// needs powers of two are impossible.
var plans = []string{`
name: first
traces: [RECORDED/spmv.wtape, RECORDED/tiny/streams.wtape]
machines: [gtx480]
overlays: [none, tinycache]
parameters: {l1.bytes: [16KiB, 32KiB]}
zip: [{l1.ways: [4, 7]}]
reference: {overlays: none, l1.bytes: 16KiB}
metrics:
  speedup: {value: reference.time_ns / time_ns, better: higher}
  nothing: dram_reads / (cycles - cycles)
`, `
name: second
traces: [RECORDED/spmv.wtape]
machines: [gtx480]
overlays: [none, tinycache]
parameters: {l1.bytes: [16KiB], sm.scheduler: [gto, lrr]}
metrics: {speedup: "1 / time_ns"}
`}

// sweptRoot is the folder of swept, empty where no test has asked for it.
var sweptRoot string

var swept = sync.OnceValues(func() (string, error) {
	root, err := os.MkdirTemp("", "warptape-table-")
	if err != nil {
		return "", err
	}
	sweptRoot = root
	store, err := results.Create(root)
	if err != nil {
		return "", err
	}
	recorded, err := filepath.Abs("../../../traces/recorded")
	if err != nil {
		return "", err
	}
	for _, text := range plans {
		p, err := plan.Parse("plan.yaml", []byte(strings.ReplaceAll(text, "RECORDED", recorded)))
		if err != nil {
			return "", err
		}
		if _, err := (&sweep.Runner{Store: store, Workers: 2}).Run(context.Background(), p); err != nil {
			return "", err
		}
	}
	return root, nil
})

// copied is a folder with the results of the plans, which a test may change.
func copied(t *testing.T) *results.Store {
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

func TestMain(m *testing.M) {
	code := m.Run()
	if sweptRoot != "" {
		os.RemoveAll(sweptRoot)
	}
	os.Exit(code)
}

func made(t *testing.T, s *results.Store, o Options) *Table {
	t.Helper()
	table, err := New(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// rows reads a table back from its CSV form: a map per row.
func rows(t *testing.T, table *Table) []map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := table.WriteCSV(t.Context(), &b); err != nil {
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
			if _, twice := row[name]; twice {
				t.Fatalf("two columns are called %s", name)
			}
			row[name] = fields[i]
		}
		list = append(list, row)
	}
	return list
}

// TestEveryPointHasARow: those of all sweeps in their order, with what the points say.
func TestEveryPointHasARow(t *testing.T) {
	s := copied(t)
	got := rows(t, made(t, s, Options{}))
	at := 0
	for _, name := range []string{"first", "second"} {
		m, err := s.Manifest(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Points {
			p, row := &m.Points[i], got[at]
			at++
			if row["sweep"] != name || row["key"] != p.Key || row["architecture"] != p.Architecture || row["overlays"] != p.Overlays || row["trace"] != m.Traces[p.Trace].Label {
				t.Fatalf("row %d is of another point: %v", at, row)
			}
			if p.Impossible != "" {
				if row["state"] != Impossible || row["reason"] != p.Impossible || row["cycles"] != "" {
					t.Errorf("impossible point: %v", row)
				}
				continue
			}
			point, err := s.Get(p.Key)
			if err != nil {
				t.Fatal(err)
			}
			figures, err := point.Figures()
			if err != nil {
				t.Fatal(err)
			}
			for name, v := range figures {
				if want := number(v).String(); row[name] != want {
					t.Errorf("%s: %q, want %q", name, row[name], want)
				}
			}
			if row["state"] != Done || row["trace_digest"] != point.TraceDigest || row["program"] != point.Trace.Program {
				t.Errorf("row %d: %v", at, row)
			}
		}
	}
	if at != len(got) {
		t.Errorf("%d rows, want %d", len(got), at)
	}
}

// TestParametersAreNumbersAndMetricsTheirOwn: sizes are bytes, a parameter that a sweep
// does not have is empty, metrics of one name with two meanings are two columns.
func TestParametersAreNumbersAndMetricsTheirOwn(t *testing.T) {
	table := made(t, copied(t), Options{})
	bytesSeen := map[string]bool{}
	for _, row := range rows(t, table) {
		bytesSeen[row["l1.bytes"]] = true
		if (row["sweep"] == "first") != (row["sm.scheduler"] == "") || (row["sweep"] == "second") != (row["l1.ways"] == "") {
			t.Errorf("a parameter of another sweep: %v", row)
		}
		if row["state"] != Done {
			continue
		}
		if (row["first.speedup"] == "") == (row["second.speedup"] == "") {
			t.Errorf("speedup: %q and %q", row["first.speedup"], row["second.speedup"])
		}
		if row["sweep"] == "first" && (row["nothing"] != "" || !strings.Contains(row["reason"], "metric nothing")) {
			t.Errorf("a metric without a value: %q, %q", row["nothing"], row["reason"])
		}
		if row["sweep"] == "first" && row["overlays"] == "none" && row["l1.bytes"] == "16384" && row["first.speedup"] != "1" {
			t.Errorf("the reference is %s times as fast as itself", row["first.speedup"])
		}
	}
	if !bytesSeen["16384"] || !bytesSeen["32768"] || len(bytesSeen) != 2 {
		t.Errorf("l1.bytes: %v", bytesSeen)
	}
	for _, c := range table.Columns {
		if c.Name == "l1.bytes" && (c.Kind != Number || c.Unit != "bytes") || c.Name == "sm.scheduler" && c.Kind != Text {
			t.Errorf("%+v", c)
		}
	}
}

// TestPointsWithoutASweepAreAtTheEnd, and a chosen sweep has none of them.
func TestPointsWithoutASweepAreAtTheEnd(t *testing.T) {
	s := copied(t)
	before := len(rows(t, made(t, s, Options{})))
	if err := os.RemoveAll(filepath.Join(s.Root(), "sweeps", "second")); err != nil {
		t.Fatal(err)
	}
	got := rows(t, made(t, s, Options{}))
	last := got[len(got)-1]
	if len(got) >= before || last["sweep"] != "" || last["state"] != Done || last["machine"] == "" || last["machine"] != last["architecture"] {
		t.Errorf("%d rows of %d, the last %v", len(got), before, last)
	}
	for _, row := range rows(t, made(t, s, Options{Sweeps: []string{"first"}})) {
		if row["sweep"] != "first" {
			t.Errorf("%v", row)
		}
	}
}

// TestWhatHasNoResultSaysWhy.
func TestWhatHasNoResultSaysWhy(t *testing.T) {
	s := copied(t)
	m, err := s.Manifest("second")
	if err != nil {
		t.Fatal(err)
	}
	states := []string{Missing, Failed, Refused, Damaged}
	for i, state := range states {
		key := m.Points[i].Key
		p, err := s.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		if state == Damaged {
			err = os.WriteFile(s.PointPath(key), []byte("no"), 0o666)
		} else {
			err = os.Remove(s.PointPath(key))
		}
		if err == nil && (state == Failed || state == Refused) {
			err = s.PutFailure(&results.Failure{Key: key, Identity: p.Identity, Refused: state == Refused, Reason: "a reason"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got := rows(t, made(t, s, Options{Sweeps: []string{"second"}}))
	for i, state := range states {
		row := got[i]
		if row["state"] != state || row["cycles"] != "" || (row["reason"] == "") != (state == Missing) {
			t.Errorf("%s: state %q, reason %q, cycles %q", state, row["state"], row["reason"], row["cycles"])
		}
	}
}

// TestLaunchesHaveRows with the figures of their sections.
func TestLaunchesHaveRows(t *testing.T) {
	s := copied(t)
	table := made(t, s, Options{Sweeps: []string{"first"}, Launches: true})
	launches := map[string]int{}
	for _, row := range rows(t, table) {
		if row["state"] != Done {
			continue
		}
		p, err := s.Get(row["key"])
		if err != nil {
			t.Fatal(err)
		}
		read, err := p.Read()
		if err != nil {
			t.Fatal(err)
		}
		l := &read.Launches[launches[row["key"]]]
		launches[row["key"]]++
		account := p.Energy.Launches[launches[row["key"]]-1].Total()
		if row["launch"] != number(float64(l.Launch)).String() || row["kernel"] != l.Kernel || row["cycles"] != number(float64(l.Cycles)).String() || row["energy_j"] != number(account.TotalJ()).String() {
			t.Errorf("launch %d: %v", l.Launch, row)
		}
		if _, ok := row["elapsed_cycles"]; ok {
			t.Error("elapsed cycles are of the run")
		}
	}
	several := false
	for key, n := range launches {
		p, err := s.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		read, err := p.Read()
		if err != nil || n != len(read.Launches) {
			t.Errorf("%d rows of %d launches, %v", n, len(read.Launches), err)
		}
		several = several || n > 1
	}
	if !several {
		t.Error("no trace has several launches: the test shows nothing")
	}
}

// TestColumnsAreChosenByName, with a suggestion for those that are not there.
func TestColumnsAreChosenByName(t *testing.T) {
	s := copied(t)
	table := made(t, s, Options{Columns: []string{"cycles", "machine", "l1.bytes"}})
	if len(table.Columns) != 3 || table.Columns[0].Name != "cycles" {
		t.Errorf("%v", table.Columns)
	}
	for name, want := range map[string]string{"cycle": "did you mean cycles?", "l1_bytes": "did you mean l1.bytes?", "machine": "asked for twice"} {
		if _, err := New(t.Context(), s, Options{Columns: []string{"machine", name}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(t.Context(), s, Options{Sweeps: []string{"third"}}); err == nil || !strings.Contains(err.Error(), "it has [") {
		t.Errorf("%v", err)
	}
}

// TestJSONHasWhatCSVHas.
func TestJSONHasWhatCSVHas(t *testing.T) {
	s := copied(t)
	for _, o := range []Options{{}, {Launches: true}, {Sweeps: []string{"second"}, Columns: []string{"key", "cycles", "reason"}}} {
		table := made(t, s, o)
		var b bytes.Buffer
		if err := table.WriteJSON(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		var got []map[string]any
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		want := rows(t, table)
		if len(got) != len(want) {
			t.Fatalf("%d objects, %d rows", len(got), len(want))
		}
		for i := range got {
			for name, text := range want[i] {
				switch v := got[i][name].(type) {
				case nil:
					if text != "" {
						t.Errorf("%s: null, want %s", name, text)
					}
				case string:
					if v != text {
						t.Errorf("%s: %q, want %q", name, v, text)
					}
				case float64:
					if number(v).String() != text {
						t.Errorf("%s: %v, want %s", name, v, text)
					}
				}
			}
		}
	}
	empty, err := results.Create(filepath.Join(t.TempDir(), "empty"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := made(t, empty, Options{}).WriteJSON(t.Context(), &b); err != nil || strings.Join(strings.Fields(b.String()), "") != "[]" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// TestAPointThatComesLaterIsMissing: it may have figures that have no column.
func TestAPointThatComesLaterIsMissing(t *testing.T) {
	s := copied(t)
	m, err := s.Manifest("second")
	if err != nil {
		t.Fatal(err)
	}
	key := m.Points[len(m.Points)-1].Key
	p, err := s.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.PointPath(key)); err != nil {
		t.Fatal(err)
	}
	table := made(t, s, Options{Sweeps: []string{"second"}})
	if err := s.Put(p); err != nil {
		t.Fatal(err)
	}
	got := rows(t, table)
	if row := got[len(got)-1]; row["state"] != Missing || row["cycles"] != "" {
		t.Errorf("%v", row)
	}
}

// TestNumbersKeepTheirDigits: what is written reads back as the same number.
func TestNumbersKeepTheirDigits(t *testing.T) {
	for _, v := range []float64{0, 1, 16384, 0.1, 1.0 / 3, 1e-9, 123456789012345, math.Pi * 1e-12} {
		text := number(v).String()
		var back float64
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != v {
			t.Errorf("%g became %s", v, text)
		}
	}
}
