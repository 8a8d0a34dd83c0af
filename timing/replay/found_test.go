package replay

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// section has the counts in pairs of counter and value, on clocks of one
// frequency.
func section(counts ...any) *Section {
	s := &Section{networkCycle: 1, l2Cycle: 1}
	for i := 0; i < len(counts); i += 2 {
		s.Counters[counts[i].(counters.ID)] = uint64(counts[i+1].(int))
	}
	return s
}

// TestDataAreFoundInOneLevelEach: of 100 reads of L1 60 need no request; the 40
// others are 160 sectors, of which L2 has 40, and of the rest the last-level cache
// a third.
func TestDataAreFoundInOneLevelEach(t *testing.T) {
	s := section(counters.L1Read, 100, counters.L1ReadHit, 50, counters.L1ReadMerge, 10, counters.L1ReadMiss, 40,
		counters.L2Read, 160, counters.L2ReadHit, 30, counters.L2ReadMerge, 10, counters.L2ReadMiss, 120,
		counters.LLCRead, 120, counters.LLCReadHit, 40, counters.LLCReadMiss, 80)
	for at, want := range [levels]float64{60, 10, 10, 20} {
		if got := found(s)[at]; math.Abs(got-want) > 1e-9 {
			t.Errorf("level %d serves %g %%, want %g", at, got, want)
		}
	}
	without := found(section(counters.L2Read, 10, counters.L2ReadMiss, 4))
	if without[levelL1] != 0 || without[levelL2] != 60 || without[levelDRAM] != 40 {
		t.Errorf("without an L1: %v", without)
	}
	if !math.IsNaN(found(section())[levelDRAM]) {
		t.Error("something is found where nothing was read")
	}
}

// TestMissLatencyIsTheSumOfItsParts, in core cycles: the networks' and L2's clocks
// are converted, and a part is a mean over the packets that go through it.
func TestMissLatencyIsTheSumOfItsParts(t *testing.T) {
	s := section(counters.RequestPackets, 10, counters.ReplyPackets, 20,
		counters.RequestQueueCycles, 100, counters.RequestInjectionCycles, 20, counters.RequestTraversalCycles, 300, counters.ReplyTraversalCycles, 400,
		counters.RequestEjectionCycles, 10, counters.ReplyEjectionCycles, 20, counters.L2ServiceCycles, 600, counters.ReplyQueueCycles, 200, counters.ReplyInjectionCycles, 60)
	s.networkCycle, s.l2Cycle = 2, 0.5
	want := missLatency{partSMQueue: 10 + 4, partNetwork: 60 + 40, partEjection: 2 + 2, partService: 15, partL2Queue: 5 + 6}
	if got := newMissLatency(s); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	sum := 0.0
	m := measure(s)
	for i := range declarations {
		switch declarations[i].Name {
		case "miss_latency_cycles_mean":
			if m[i] != 144 {
				t.Errorf("latency %g", m[i])
			}
		case "miss_latency_sm_queue_percent", "miss_latency_network_percent", "miss_latency_ejection_percent", "miss_latency_service_percent", "miss_latency_l2_queue_percent":
			sum += m[i]
		}
	}
	if math.Abs(sum-100) > 1e-9 {
		t.Errorf("the shares add up to %g", sum)
	}
}
