package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// The machines have no texture cache of their own: a fetch is a read through
// L1, by the addresses that the trace has, which are device addresses.
func TestTextureFetchesAreReadsThroughL1(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", nil))
	fetch := load(1, 0, 4)
	fetch.Class, fetch.Space = trace.ClassTexture, trace.SpaceTexture
	missed := r.latency(0, fetch)
	if got := r.latency(0, load(2, 0, 4)); got >= missed || r.sets[0][counters.L1ReadHit] != 1 {
		t.Errorf("a load of what was fetched takes %d cycles and the fetch took %d; %d hits", got, missed, r.sets[0][counters.L1ReadHit])
	}
	if plain := newRig(t, machine(t, "gtx480", nil)); plain.latency(0, load(1, 0, 4)) != missed {
		t.Errorf("a fetch takes %d cycles, not those of a load", missed)
	}
}
