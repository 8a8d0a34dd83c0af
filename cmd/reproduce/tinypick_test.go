// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"strings"
	"testing"
)

// launches makes a measurement of launches that take so long and read the L1 so
// often.
func launches(spec string, each ...[2]uint64) Measurement {
	m := Measurement{Workload: "w", Architecture: spec}
	var list []Launch
	for _, l := range each {
		list = append(list, Launch{Kernel: "k", Cycles: l[0], Nanoseconds: float64(l[0]), Counters: map[string]uint64{"l1_reads": l[1], "issued_thread_instructions": 640}})
	}
	m.add(list)
	m.Launches = list
	return m
}

// TestEachLaunchIsPickedByItself: the first is best with tinyCaches, the second
// without, the third takes longer with less energy, so that the product decides.
func TestEachLaunchIsPickedByItself(t *testing.T) {
	s, err := Find("tinycache")
	if err != nil {
		t.Fatal(err)
	}
	d := NewData(s, &Results{Study: "tinycache", Size: "small", Measurements: []Measurement{
		launches(tinyOff, [2]uint64{100, 9000}, [2]uint64{100, 1000}, [2]uint64{100, 3000}),
		launches(tinyBase, [2]uint64{100, 1000}, [2]uint64{100, 9000}, [2]uint64{400, 1000}),
		launches(tinyBypassShared, [2]uint64{100, 9000}, [2]uint64{100, 9000}, [2]uint64{200, 1000}),
		launches(tinyBypassGlobal, [2]uint64{101, 9000}, [2]uint64{101, 1000}, [2]uint64{900, 3000}),
	}})
	r, err := tinyPick(d, "w")
	if err != nil {
		t.Fatal(err)
	}
	var picked []string
	for _, m := range r {
		picked = append(picked, m.Architecture)
	}
	if want := []string{tinyBase, tinyOff, tinyBypassShared}; strings.Join(picked, " ") != strings.Join(want, " ") {
		t.Errorf("picked %q, want %q", picked, want)
	}
	ipc, err := tinyIPC(d, r)
	if want := 3 * 640.0 / (100 + 100 + 200); err != nil || ipc != want {
		t.Errorf("IPC %g (%v), want %g", ipc, err, want)
	}
	d.results.Measurements[1].Launches = nil
	d.picks = map[string]run{}
	if _, err := tinyPick(d, "w"); err == nil || !strings.Contains(err.Error(), "measure again") {
		t.Errorf("without launches: %v", err)
	}
}

// TestOnlyTheNamedKernelCounts: two kernels run, and one of them is measured.
func TestOnlyTheNamedKernelCounts(t *testing.T) {
	s := &Study{
		Name: "tinycache", Sizes: []string{"tiny"}, Architectures: []string{"gtx480"}, PerLaunch: []string{"gtx480"},
		Figures: []Figure{{ID: "1"}},
		Workloads: []Workload{
			{Label: "both", Name: "transpose"},
			{Label: "naive", Name: "transpose", Set: map[string]string{"repeats": "2"}, Kernel: "transpose_naive"},
		},
	}
	r := &Runner{Cache: t.TempDir(), Model: "this", Workers: 1}
	results, err := r.Run(context.Background(), s, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	both, naive := &results.Measurements[0], &results.Measurements[1]
	if len(both.Launches) != 2 || len(naive.Launches) != 2 || naive.Launches[0].Kernel != "transpose_naive" || naive.Launches[1].Kernel != "transpose_naive" {
		t.Fatalf("launches %v and %v", both.Launches, naive.Launches)
	}
	if naive.Input != "tiny repeats=2" || naive.Count("shared_accesses") != 0 || both.Count("shared_accesses") == 0 {
		t.Errorf("%s: %g accesses to the scratchpad, both kernels %g", naive.Input, naive.Count("shared_accesses"), both.Count("shared_accesses"))
	}
	if sum := naive.Launches[0].Cycles + naive.Launches[1].Cycles; naive.Cycles != sum {
		t.Errorf("%d cycles, launches have %d", naive.Cycles, sum)
	}
}
