package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

func TestL1HitTakesItsLatencyToTheCycle(t *testing.T) {
	for _, latency := range []int{1, 2, 35, 36} {
		m := machine(t, "gtx480", func(m *arch.Machine) { m.L1.LatencyCycles = latency })
		r := newRig(t, m)
		r.latency(0, load(1, 0, 4))
		if got := r.latency(0, load(2, 0, 4)); int(got) != latency {
			t.Errorf("L1 latency %d: hit took %d cycles", latency, got)
		}
		if hits := r.sets[0][counters.L1ReadHit]; hits != 1 {
			t.Errorf("%d hits", hits)
		}
	}
}
