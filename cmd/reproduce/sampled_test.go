// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/tracetest"
)

// TestASampledStudyEstimatesTheWholeOne: cycles within the interval, instructions
// exact, neither taken from the cache of the other, and every table says so.
func TestASampledStudyEstimatesTheWholeOne(t *testing.T) {
	tracetest.Nightly(t)
	// The policy's numbers are those of a GTX480, whose last cache the sample fills.
	s := tinyStudyOn("gtx480")
	s.Sizes, s.Workloads = []string{"small"}, s.Workloads[:1]
	cache := t.TempDir()
	run := func(p *sample.Policy) *Results {
		r := &Runner{Cache: cache, Model: "this", Workers: 1, Sample: p}
		results, err := r.Run(context.Background(), s, "small")
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	policy, err := sample.Parse("fraction=0.3,waves=6,for=16x8/1536/32768/49152/786432")
	if err != nil {
		t.Fatal(err)
	}
	whole, sampled := run(nil), run(&policy)
	for i := range whole.Measurements {
		w, e := &whole.Measurements[i], &sampled.Measurements[i]
		switch {
		case w.Sampled != nil || e.Sampled == nil || e.Sampled.Policy != policy.String():
			t.Fatalf("sampled: whole run %+v, sample %+v", w.Sampled, e.Sampled)
		case e.Sampled.InstructionsPercent < 5 || e.Sampled.InstructionsPercent > 60:
			t.Errorf("%g %% of the instructions were replayed", e.Sampled.InstructionsPercent)
		case w.Counters["issued_warp_instructions"] == 0 || w.Counters["issued_warp_instructions"] != e.Counters["issued_warp_instructions"]:
			t.Errorf("%d warp instructions issued, estimated %d", w.Counters["issued_warp_instructions"], e.Counters["issued_warp_instructions"])
		}
		if off := math.Abs(float64(e.Cycles)/float64(w.Cycles)-1) * 100; off > e.Sampled.PlusMinusPercent || e.Sampled.PlusMinusPercent > 30 {
			t.Errorf("%s: %d cycles estimated as %d, off by %.2f %% of ± %.2f %%", w.Architecture, w.Cycles, e.Cycles, off, e.Sampled.PlusMinusPercent)
		}
	}
	for results, want := range map[*Results]bool{whole: false, sampled: true} {
		tables, err := NewData(s, results).Tables()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(tables[0].Title, "estimated from samples"); got != want {
			t.Errorf("title %q", tables[0].Title)
		}
		if got := strings.Contains(s.inputs(results), "of its warp instructions"); got != want {
			t.Errorf("inputs %q", s.inputs(results))
		}
	}
}
