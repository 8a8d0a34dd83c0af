// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/wtape"
)

// constant is a memory of constant latency, one per machine.
func constant(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
	return (&gputest.Memory{LatencyCycles: 80}).Build(c.Core, global), nil
}

func launches(seed uint64) []gputest.Launch {
	return gputest.RandomLaunches(rand.New(rand.NewPCG(seed, 3)))
}

// machines are three small machines that differ.
func machines() []*arch.Machine {
	var list []*arch.Machine
	for i, name := range []string{"one", "two", "three"} {
		m := gputest.Machine()
		m.Name = name
		m.GPU.SMs = i + 1
		m.SM.Schedulers = 1 + i%2
		list = append(list, m)
	}
	return list
}

func run(t testing.TB, r *wtape.Reader, list []*arch.Machine, o Options) []Result {
	t.Helper()
	o.Memory, o.Version = constant, "1.2.3"
	results, err := Run(context.Background(), r, list, o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// written is everything that can be written of results.
func written(t testing.TB, results []Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(WriteTable(&b, results), WriteJSON(&b, results), WriteCSV(&b, results)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestResultsDoNotDependOnWorkersOrBudget(t *testing.T) {
	for seed := range uint64(5) {
		r := gputest.Trace(t, launches(seed)...)
		want := written(t, run(t, r, machines(), Options{Workers: 1}))
		for _, o := range []Options{{Workers: 2}, {Workers: 8}, {Workers: 1, BudgetBytes: 1}, {Workers: 8, BudgetBytes: 1}} {
			if diff := cmp.Diff(want, written(t, run(t, r, machines(), o))); diff != "" {
				t.Fatalf("seed %d, %d workers, budget %d:\n%s", seed, o.Workers, o.BudgetBytes, diff)
			}
		}
	}
}

func TestEveryMachineIssuesTheRecordedInstructions(t *testing.T) {
	r := gputest.Trace(t, launches(1)...)
	for _, res := range run(t, r, machines(), Options{}) {
		c := res.Total.Counters
		if c[counters.IssuedWarp] != r.Totals().WarpInstructions || c[counters.IssuedThread] != r.Totals().ThreadInstructions {
			t.Errorf("%s: %d warp and %d thread instructions, recorded %d and %d", res.Machine,
				c[counters.IssuedWarp], c[counters.IssuedThread], r.Totals().WarpInstructions, r.Totals().ThreadInstructions)
		}
	}
}

func TestProfilesAndIdleSlotsAddUpToAllSlots(t *testing.T) {
	for _, res := range run(t, gputest.Trace(t, launches(2)...), machines(), Options{}) {
		sum := res.Total.Counters[counters.StallIdle]
		for _, p := range res.Profiles {
			for _, in := range p.Instructions {
				for _, n := range in.Slots {
					sum += n
				}
			}
		}
		if sum != res.Total.Counters[counters.IssueSlots] {
			t.Errorf("%s: profiles and idle hold %d slots of %d", res.Machine, sum, res.Total.Counters[counters.IssueSlots])
		}
	}
}

func TestTotalsAreTheSumsOfTheLaunches(t *testing.T) {
	for _, res := range run(t, gputest.Trace(t, launches(3)...), machines(), Options{}) {
		var sum counters.Set
		cycles := res.Total.Cycles
		for _, l := range res.Launches {
			c := counters.Set(l.Counters)
			sum.Add(&c)
			cycles -= l.Cycles
		}
		if diff := cmp.Diff(sum, counters.Set(res.Total.Counters)); diff != "" || cycles != 0 {
			t.Errorf("%s: %d cycles are in no launch\n%s", res.Machine, cycles, diff)
		}
	}
}

func TestCSVHasARowPerLaunchAndOneForTheTotal(t *testing.T) {
	results := run(t, gputest.Trace(t, launches(4)...), machines(), Options{})
	var b bytes.Buffer
	if err := WriteCSV(&b, results); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\r\n") {
		t.Error("lines do not end with CRLF, as RFC 4180 has it")
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	for i := range results {
		want += len(results[i].Launches) + 1
	}
	if len(rows) != want {
		t.Fatalf("%d rows, want %d", len(rows), want)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		if _, twice := column[name]; twice {
			t.Errorf("column %q twice", name)
		}
		column[name] = i
	}
	last := rows[len(rows)-1]
	total := results[2].Total
	for name, value := range map[string]string{
		"machine": "three", "launch": "total", "version": "1.2.3", "trace_digest": results[2].TraceDigest,
		"architecture_digest": results[2].ArchitectureDigest, "cycles": strconv.FormatInt(int64(total.Cycles), 10),
		"issue_slots": strconv.FormatUint(total.Counters[counters.IssueSlots], 10), "l2_hit_percent": "",
	} {
		if at, ok := column[name]; !ok || last[at] != value {
			t.Errorf("column %q of the last row: %q, want %q", name, last[at], value)
		}
	}
}

func TestJSONCarriesStampsAndAllCounters(t *testing.T) {
	results := run(t, gputest.Trace(t, launches(5)...), machines(), Options{})
	var b bytes.Buffer
	if err := WriteJSON(&b, results); err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Machine            string
		ArchitectureDigest string `json:"architecture_digest"`
		TraceDigest        string `json:"trace_digest"`
		Version            string
		Total              struct {
			Counters map[string]uint64
			Metrics  map[string]*float64
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for i, g := range got {
		r := &results[i]
		if g.Machine != r.Machine || g.ArchitectureDigest != r.Architecture.Digest() || g.TraceDigest != r.TraceDigest || g.Version != "1.2.3" {
			t.Errorf("stamps of %+v", g)
		}
		for id := range counters.ID(counters.Count) {
			if v, ok := g.Total.Counters[counters.Declared(id).Name]; !ok || v != r.Total.Counters[id] {
				t.Errorf("%s: counter %s is %d (%v)", g.Machine, counters.Declared(id).Name, v, ok)
			}
		}
		if len(g.Total.Metrics) != metricCount || g.Total.Metrics["l2_hit_percent"] != nil || g.Total.Metrics["ipc_warp"] == nil {
			t.Errorf("metrics of %s: %v", g.Machine, g.Total.Metrics)
		}
	}
	if got[0].ArchitectureDigest == got[1].ArchitectureDigest {
		t.Error("two architectures have one digest")
	}
}

func TestTimingDependentKernelsAndSamplesAreWarnedAbout(t *testing.T) {
	k := gputest.NewKernel("spin")
	k.TimingDependent = []string{"spin.ptx:7: loop on a lock"}
	k.Exit()
	res := run(t, gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}), machines()[:1], Options{})
	want := "kernel spin depends on timing: spin.ptx:7: loop on a lock; the replay follows the recorded path"
	if diff := cmp.Diff([]string{want}, res[0].Warnings); diff != "" {
		t.Error(diff)
	}
	if text := written(t, res); !strings.Contains(text, "warning: "+want) {
		t.Error("the table does not warn")
	}
}

func TestMachinesThatCannotRunAreAllNamedBeforeAnyStarts(t *testing.T) {
	list := machines()
	list[0].SM.MaxThreads, list[2].Shared.Bytes = 32, 64
	k := gputest.NewKernel("big")
	k.SharedBytes = 1024
	k.Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 64})
	_, err := Run(context.Background(), r, list, Options{Memory: constant, Progress: func(uint64) { t.Error("a replay started") }})
	if err == nil || !strings.Contains(err.Error(), "one has 32 (sm.max_threads)") || !strings.Contains(err.Error(), "three has 64 (shared_memory.bytes)") {
		t.Errorf("got %v", err)
	}
	if _, err := Run(context.Background(), r, nil, Options{}); err == nil {
		t.Error("no machine is no error")
	}
}

func TestCancelledRunReturnsTheContextsError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, gputest.Trace(t, launches(6)...), machines(), Options{Memory: constant})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProgressEndsAtAllInstructions(t *testing.T) {
	r := gputest.Trace(t, launches(7)...)
	var last uint64
	run(t, r, machines(), Options{Workers: 3, Progress: func(n uint64) {
		if n < last {
			t.Errorf("progress went back from %d to %d", last, n)
		}
		last = n
	}})
	if want := 3 * r.Totals().WarpInstructions; last != want {
		t.Errorf("progress ended at %d of %d", last, want)
	}
}
