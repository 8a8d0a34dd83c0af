// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
)

func TestSharesAddUpTo100AndAreRoundedByLessThanATenth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		parts := make([]float64, 1+r.IntN(12))
		sum := 0.0
		for i := range parts {
			parts[i] = r.Float64() * float64(r.IntN(3))
			sum += parts[i]
		}
		if sum == 0 {
			continue
		}
		for i := range parts {
			parts[i] *= 100 / sum
		}
		tenths := 0
		for i, v := range shareOf100(parts) {
			tenths += int(math.Round(v * 10))
			if math.Abs(v-parts[i]) >= 0.1 {
				t.Fatalf("%v became %v", parts[i], v)
			}
		}
		if tenths != 1000 {
			t.Fatalf("%v adds up to %d tenths", parts, tenths)
		}
	}
}

func TestTableNormalisesToTheFirstMachine(t *testing.T) {
	var results []Result
	for i, name := range []string{"a", "b"} {
		var s Section
		s.Cycles, s.Nanoseconds, s.lanes, s.maxWarps, s.sms = 1000, 2000, 32, 48, 2
		s.Counters[counters.IssuedWarp], s.Counters[counters.IssuedThread] = 500, 16000
		s.Counters[counters.IssueSlots] = 3000
		s.Counters[counters.SlotIssued], s.Counters[counters.StallIdle], s.Counters[counters.StallMemory] = 1000, 1000, 1000
		s.Cycles *= clock.Cycle(1 + 3*i)
		s.End, s.coreKHz = 3000, 500e3
		s.Counters[counters.CopyCycles] = uint64(250 * (1 + i))
		s.Metrics = measure(&s)
		results = append(results, Result{Machine: name, ArchitectureDigest: "arch-" + name, TraceDigest: "digest", Version: "9", Total: s})
	}
	var b strings.Builder
	if err := WriteTable(&b, results); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range map[int]string{
		0:  "trace digest, 0 launches, 500 warp instructions, replayed by version 9",
		2:  "a b ratio",
		3:  "core cycles 1000 4000 4.000",
		4:  "time [us] 2.00 2.00 1.000",
		5:  "elapsed [us] 6.00 6.00 1.000",
		6:  "copies [us] 0.50 1.00 2.000",
		7:  "IPC (warp) [warps/cycle] 0.500 0.125 0.250",
		9:  "active lanes [%] 100.0 100.0 1.000",
		12: "slots: issued [%] 33.4 33.4 1.000",
		13: "slots: idle [%] 33.3 33.3 1.000",
		23: "L2 hits [%] - - -",
	} {
		if diff := cmp.Diff(want, strings.Join(strings.Fields(lines[i]), " ")); diff != "" {
			t.Errorf("line %d: %s", i, diff)
		}
	}
	if !strings.Contains(b.String(), "b: architecture arch-b\n") {
		t.Error("an architecture digest is missing")
	}
}

func TestMetricsAreDeclaredOnceWithUnitAndFormula(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Declarations() {
		if d.Name == "" || d.Title == "" || d.Unit == "" || d.Formula == "" || seen[d.Name] {
			t.Errorf("declaration %+v", d)
		}
		seen[d.Name] = true
	}
	for c := range counters.Cause(counters.CauseCount) {
		if d := declarations[firstSlotMetric+int(c)]; d.Name != "slots_"+c.String()+"_percent" {
			t.Errorf("share of cause %v is declared as %s", c, d.Name)
		}
	}
}

func TestEmptyResultsMakeNoTable(t *testing.T) {
	var b strings.Builder
	if err := WriteTable(&b, nil); err != nil || b.Len() > 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
	r := gputest.Trace(t)
	results := run(t, r, machines(), Options{})
	if results[0].Total.Cycles != 0 || !strings.Contains(written(t, results), "IPC (warp) [warps/cycle]") {
		t.Error("a trace without launches has no results")
	}
}
