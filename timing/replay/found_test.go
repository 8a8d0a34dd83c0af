// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// section has the counts in pairs of counter and value, on clocks of one
// frequency.
func section(counts ...any) *Section {
	s := &Section{clocks: arch.Clocks{CoreMHz: 700, NetworkMHz: 700, L2MHz: 700}}
	for i := 0; i < len(counts); i += 2 {
		s.Counters[counts[i].(counters.ID)] = uint64(counts[i+1].(int))
	}
	return s
}

// TestDataAreFoundInOneLevelEach: of 100 reads of L1 60 need no request; the 40
// others are 160 sectors. L2 has 40 of them, and the last-level cache a third of the rest.
func TestDataAreFoundInOneLevelEach(t *testing.T) {
	s := section(counters.L1Read, 100, counters.L1ReadHit, 50, counters.L1ReadMerge, 10, counters.L1ReadMiss, 40,
		counters.L2Read, 160, counters.L2ReadHit, 30, counters.L2ReadMerge, 10, counters.L2ReadMiss, 120,
		counters.LLCRead, 120, counters.LLCReadHit, 40, counters.LLCReadMiss, 80)
	m := measure(s)
	for name, want := range map[string]float64{"found_l1_percent": 60, "found_l2_percent": 10, "found_llc_percent": 10, "found_dram_percent": 20} {
		if got := m[metric(t, name)]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	without := FoundIn((*counters.Set)(&section(counters.L2Read, 10, counters.L2ReadMiss, 4).Counters))
	if want := (Found{L2: 60, DRAM: 40}); without != want {
		t.Errorf("without an L1: %v", without)
	}
	if !math.IsNaN(FoundIn(&counters.Set{}).DRAM) {
		t.Error("something is found where nothing was read")
	}
}

// Where L2 has all that L1 lacks, nothing is left for DRAM: a share of the rest may be rounded
// above it. These are the counts of a replay.
func TestNoShareIsBelowZero(t *testing.T) {
	s := section(counters.L1Read, 718, counters.L1ReadMerge, 59, counters.L1ReadMiss, 659, counters.L2Read, 1537, counters.L2ReadHit, 1537)
	if f := FoundIn((*counters.Set)(&s.Counters)); f.DRAM != 0 || f.L1+f.L2 != 100 {
		t.Errorf("%v", f)
	}
}

// TestMissLatencyIsTheSumOfItsParts, in core cycles: the networks' and L2's clocks
// are converted, and a part is a mean over the packets that go through it.
func TestMissLatencyIsTheSumOfItsParts(t *testing.T) {
	s := section(counters.RequestPackets, 10, counters.ReplyPackets, 20,
		counters.RequestQueueCycles, 100, counters.RequestInjectionCycles, 20, counters.RequestTraversalCycles, 300, counters.ReplyTraversalCycles, 400,
		counters.RequestEjectionCycles, 10, counters.ReplyEjectionCycles, 20, counters.L2ServiceCycles, 600, counters.ReplyQueueCycles, 200, counters.ReplyInjectionCycles, 60)
	s.clocks.NetworkMHz, s.clocks.L2MHz = 350, 1400
	want := MissLatency{SMQueue: 10 + 4, Network: 60 + 40, Ejection: 2 + 2, Service: 15, L2Queue: 5 + 6}
	if got := s.missLatency(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	m := measure(s)
	if got := m[metric(t, "miss_latency_cycles_mean")]; got != 144 {
		t.Errorf("latency %g", got)
	}
	sum := 0.0
	for _, part := range []string{"sm_queue", "network", "ejection", "service", "l2_queue"} {
		sum += m[metric(t, "miss_latency_"+part+"_percent")]
	}
	if math.Abs(sum-100) > 1e-9 {
		t.Errorf("the shares add up to %g", sum)
	}
}

// metric is the place of a declared metric.
func metric(t *testing.T, name string) int {
	t.Helper()
	for i := range declarations {
		if declarations[i].Name == name {
			return i
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}
