// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
	_ "github.com/warptape/warptape/timing/mechanisms"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// trace is one of a file for expansions.
func traceOf(name string) Trace {
	return Trace{PlannedTrace: results.PlannedTrace{Label: name, Digest: "digest of " + name, Source: "file:" + name}}
}

func expand(t *testing.T, text string, traces ...Trace) *Expansion {
	t.Helper()
	p, err := Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Expand(traces, "model", "version")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPointsAreTheProductWithoutTheExcluded, in the plan's order, with groups in step.
func TestPointsAreTheProductWithoutTheExcluded(t *testing.T) {
	e := expand(t, `
traces: [a.wtape, b.wtape]
machines: [gtx480, gpsim-tiny]
overlays: [none, lrr]
parameters: {dram.queue: [8, 16]}
zip: [{l1.bytes: [16KiB, 32KiB], l1.ways: [4, 8]}]
exclude: ['machine == "gpsim-tiny" and l1.bytes >= 32768', 'trace == "b" and overlays != "none"']
`, traceOf("a"), traceOf("b"))
	var got []string
	for _, p := range e.Manifest.Points {
		got = append(got, e.Manifest.Traces[p.Trace].Label+" "+p.Architecture)
	}
	var want []string
	for _, tr := range []string{"a", "b"} {
		for _, machine := range []string{"gtx480", "gpsim-tiny"} {
			for _, overlay := range []string{"", "+lrr"} {
				for _, queue := range []string{"8", "16"} {
					for _, l1 := range []string{"l1.bytes=16KiB,l1.ways=4", "l1.bytes=32KiB,l1.ways=8"} {
						if machine == "gpsim-tiny" && strings.Contains(l1, "32KiB") || tr == "b" && overlay != "" {
							continue
						}
						want = append(want, tr+" "+machine+overlay+"+set(dram.queue="+queue+","+l1+")")
					}
				}
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{8, 6}, e.Excluded); d != "" {
		t.Error("excluded:", d)
	}
	axes := []results.Axis{{Name: "dram.queue", Values: []string{"8", "16"}}, {Name: "l1.bytes", Values: []string{"16KiB", "32KiB"}}, {Name: "l1.ways", Values: []string{"4", "8"}}}
	if d := cmp.Diff(axes, e.Manifest.Axes); d != "" {
		t.Error(d)
	}
}

// TestKeysTellPointsApart: two spellings of one machine are one point, and everything
// that a result depends on changes the key.
func TestKeysTellPointsApart(t *testing.T) {
	keys := map[string]string{}
	for name, text := range map[string]string{
		"plain":    "traces: a\nmachines: gtx480",
		"queue":    "traces: a\nmachines: gtx480\nparameters: {dram.queue: 9}",
		"interval": "traces: a\nmachines: gtx480\noptions: {interval_cycles: 500}",
		"energy":   "traces: a\nmachines: gtx480\noptions: {energy: {technology: 32nm}}",
	} {
		key := expand(t, text, traceOf("a")).Manifest.Points[0].Key
		if other, ok := keys[key]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		keys[key] = name
	}
	same := expand(t, "traces: a\nmachines: gtx480\nparameters: {l1.bytes: [16KiB, 16384]}", traceOf("a")).Manifest.Points
	if same[0].Key != same[1].Key {
		t.Error("16KiB and 16384 are two points")
	}
	if other := expand(t, "traces: b\nmachines: gtx480", traceOf("b")).Manifest.Points[0].Key; keys[other] != "" {
		t.Error("two traces have one key")
	}
}

// TestRangesHaveTheirEnds, in the units that they are written in.
func TestRangesHaveTheirEnds(t *testing.T) {
	for text, want := range map[string][]string{
		"{from: 4, to: 16, step: 4}":            {"4", "8", "12", "16"},
		"{from: 8KiB, to: 64KiB, times: 2}":     {"8KiB", "16KiB", "32KiB", "64KiB"},
		"{from: 0.1, to: 0.5, step: 0.1}":       {"0.1", "0.2", "0.3", "0.4", "0.5"},
		"{from: 16KiB, to: 40KiB, step: 10KiB}": {"16KiB", "26KiB", "36KiB"},
		"[true, false]":                         {"true", "false"},
		"7":                                     {"7"},
	} {
		p, err := Parse("plan.yaml", []byte("traces: a\nmachines: gtx480\nparameters: {x.y: "+text+"}"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d := cmp.Diff(want, p.Groups[0][0].Values); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

// TestReferencesKeepAllElse: a point is compared with the one that differs in nothing but
// what the plan names.
func TestReferencesKeepAllElse(t *testing.T) {
	m := expand(t, "traces: [a, b]\nmachines: [gtx480, gpsim-tiny]\noverlays: [none, lrr]\nparameters: {dram.queue: [8, 16]}\nreference: {overlays: none, dram.queue: 16}\n"+
		"exclude: 'machine == \"gpsim-tiny\" and dram.queue == 16 and overlays == \"none\"'", traceOf("a"), traceOf("b")).Manifest
	for _, p := range m.Points {
		if p.Machine == "gpsim-tiny" {
			if p.Reference != -1 {
				t.Errorf("%s has a reference that is excluded", p.Architecture)
			}
			continue
		}
		r := m.Points[p.Reference]
		if r.Trace != p.Trace || r.Machine != p.Machine || r.Overlays != "none" || r.Values[0] != "16" {
			t.Errorf("%s is compared with %s of trace %d", p.Architecture, r.Architecture, r.Trace)
		}
	}
}

// TestAWorkloadsReferenceIsAnotherTrace of the same workload.
func TestAWorkloadsReferenceIsAnotherTrace(t *testing.T) {
	var traces []Trace
	for _, w := range []string{"saxpy", "spmv"} {
		for _, size := range []string{"tiny", "small"} {
			tr := traceOf(w + " " + size)
			tr.Source, tr.Workload, tr.Values = "workload:"+w, w, map[string]string{"size": size}
			traces = append(traces, tr)
		}
	}
	m := expand(t, "traces: {workload: [saxpy, spmv], size: [tiny, small]}\nmachines: gtx480\nreference: {size: tiny}", traces...).Manifest
	var got []int
	for _, p := range m.Points {
		got = append(got, p.Reference)
	}
	if d := cmp.Diff([]int{0, 0, 2, 2}, got); d != "" {
		t.Error(d)
	}
}

// TestImpossibleMachinesAreListedAndMistakesRefused.
func TestImpossibleMachinesAreListedAndMistakesRefused(t *testing.T) {
	m := expand(t, "traces: a\nmachines: gtx480\nparameters: {l1.ways: [4, 7]}", traceOf("a")).Manifest
	if m.Points[0].Key == "" || m.Points[1].Key != "" || !strings.Contains(m.Points[1].Impossible, "ways") {
		t.Errorf("%+v", m.Points)
	}
	for text, want := range map[string]string{
		"traces: a\nmachines: [gtx480, gtx481]":                                                                         "did you mean gtx480?",
		"traces: a\nmachines: gtx480\noverlays: [none, tinycach]":                                                       "no point with overlays tinycach is possible",
		"traces: a\nmachines: gtx480\nparameters: {l1.byts: 16KiB}":                                                     "did you mean l1.bytes?",
		"traces: a\nmachines: gtx480\nexclude: 'true'":                                                                  "has no points",
		"traces: a\nmachines: gtx480\nparameters: {a: {from: 1, to: 90000, step: 1}, b: {from: 1, to: 90000, step: 1}}": "more than the 1000000 allowed",
	} {
		p, err := Parse("plan.yaml", []byte(text))
		if err == nil {
			_, err = p.Expand([]Trace{traceOf("a")}, "model", "version")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestComplaintsHavePlaceAndRemedy.
func TestComplaintsHavePlaceAndRemedy(t *testing.T) {
	const begin = "traces: a\nmachines: gtx480\n"
	for text, want := range map[string]string{
		"":                               "is empty",
		"[1]":                            "plan.yaml:1:1: expected keys",
		"traces: a\nmachine: gtx480":     `plan.yaml:2:1: unknown key "machine"; did you mean machines?`,
		begin + "traces: b":              "already defined",
		begin + "parameters: {x: []}":    "plan.yaml:3:17: x: the list is empty",
		begin + "parameters: {x: [1,1]}": "plan.yaml:3:17: x: 1 stands twice",
		begin + "parameters: {x: {from: 1, to: 4}}":              "either step or times",
		begin + "parameters: {x: {from: 4, to: 1, step: 1}}":     "is empty",
		begin + "parameters: {x: {from: 1KiB, to: 4, step: 1}}":  "write both in one unit",
		begin + "parameters: {x: {from: 1, to: 4, times: 1}}":    "times must be above 1",
		begin + "parameters: {x: {from: 1, to: 1e300, step: 1}}": "more than 100000 values",
		begin + "parameters: {x: {from: a, to: 4, step: 1}}":     `"a" is not a number`,
		begin + "zip: [{x: [1, 2], y: [1]}]":                     "zip: y has 1 values and x has 2",
		begin + "parameters: {x: 1}\nzip: [{x: 2}]":              "x has values in two places",
		begin + "exclude: machina == 1":                          "unknown name machina (character 1); did you mean machine?",
		begin + "exclude: machine":                               "expected bool",
		begin + "metrics: {a: cycle / 2}":                        "did you mean cycles?",
		begin + "metrics: {a: cycles +}":                         "unexpected token",
		begin + "metrics: {a: machine}":                          "expected float64",
		begin + "metrics: {cycles: time_ns}":                     "is the name of a figure",
		begin + "metrics: {a-b: time_ns}":                        "a name has letters",
		begin + "metrics: {a: reference.cycles}":                 `has no "reference:"`,
		begin + "metrics: {a: {value: cycles, better: bigger}}":  "write lower or higher",
		begin + "reference: {machine: v100}":                     `machine has no value "v100" in the plan; known: gtx480`,
		begin + "reference: {l1.bytes: 1}":                       "is not a parameter of the plan",
		begin + "name: ../x":                                     "cannot name a sweep",
		begin + "options: {interval: 3}":                         "did you mean interval_cycles?",
		begin + "options: {interval_cycles: -3}":                 "not a whole number",
		"machines: gtx480\ntraces: {file: a, workload: b}":       "one of file, store and workload",
		"machines: gtx480\ntraces: {file: a, size: tiny}":        "size is for workloads",
		"machines: gtx480\ntraces: &x [a]":                       "plan.yaml:2:9",
		strings.Repeat("[", 100):                                 "nested",
	} {
		_, err := Parse("plan.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n  %v\n  want %s", text, err, want)
		}
	}
}

// TestMetricsSayWhyTheyHaveNoValue.
func TestMetricsSayWhyTheyHaveNoValue(t *testing.T) {
	m := expand(t, `
traces: a
machines: gtx480
parameters: {dram.queue: [8, 16]}
reference: {dram.queue: 8}
metrics: {speedup: reference.time_ns / time_ns, per_entry: cycles / dram.queue, none: l2_hit_percent + 1, zero: 1 / (cycles - cycles), text: 'machine == "gtx480" ? 1 : 2', buddies: tinycache.tinycache_flushes * 2}
`, traceOf("a")).Manifest
	e, err := NewEvaluator(m)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"speedup": 2, "per_entry": 6.25, "text": 1}
	for i, metric := range m.Metrics {
		v, err := e.Metric(i, 1, map[string]float64{"time_ns": 50, "cycles": 100}, map[string]float64{"time_ns": 100})
		if w, ok := want[metric.Name]; ok != (err == nil) || ok && v != w {
			t.Errorf("%s: %g, %v", metric.Name, v, err)
		}
	}
	if _, err := e.Metric(0, 1, map[string]float64{"time_ns": 50}, nil); err == nil {
		t.Error("a speed-up over nothing has a value")
	}
}

// FuzzParse: no text makes the reader or the expansion panic, or take long.
func FuzzParse(f *testing.F) {
	f.Add("traces: a\nmachines: [gtx480]\nparameters: {l1.bytes: {from: 1KiB, to: 4KiB, times: 2}}\nexclude: l1.bytes > 2\nmetrics: {a: cycles / 2}")
	f.Add("traces: [{workload: [a, b], size: [x], set: {n: [1, 2]}}]\nmachines: gtx480\nzip: [{a: [1], b: [2]}]\nreference: {a: 1}")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("plan.yaml", []byte(text))
		if err != nil {
			return
		}
		n := 1
		for _, g := range p.Groups {
			if n *= len(g[0].Values); n > 1000 {
				return
			}
		}
		p.Expand([]Trace{traceOf("a")}, "model", "version")
	})
}

// TestThePlanOfTheDocumentIsOne.
func TestThePlanOfTheDocumentIsOne(t *testing.T) {
	text, err := os.ReadFile("../../../docs/sweeps.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	doc, _, ok := strings.Cut(rest, "```")
	p, err := Parse("sweeps.md", []byte(doc))
	if !ok || err != nil {
		t.Fatal(err)
	}
	if len(p.Traces) != 5 || len(p.Groups) != 4 || len(p.Metrics) != 2 || p.Options.Energy.Technology != "32nm" {
		t.Errorf("%+v", p)
	}
}
