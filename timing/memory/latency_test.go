// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/tracetest"
)

// stopwatch adds up the time of requests from the miss queue to their last answer.
type stopwatch struct {
	seam.Watcher
	cycles, requests uint64
}

func (w *stopwatch) Request(now clock.Cycle, r seam.Request) {
	w.cycles += uint64(now - r.Sent)
	w.requests++
}

// latencyParts adds up what the counters say of the same time.
func latencyParts(r *rig) uint64 {
	total := r.global
	for _, s := range r.sets {
		total.Add(s)
	}
	var sum uint64
	for _, id := range []counters.ID{
		counters.RequestQueueCycles, counters.RequestInjectionCycles, counters.RequestTraversalCycles, counters.RequestEjectionCycles,
		counters.L2ServiceCycles, counters.ReplyQueueCycles,
		counters.ReplyInjectionCycles, counters.ReplyTraversalCycles, counters.ReplyEjectionCycles,
	} {
		sum += total[id]
	}
	return sum
}

// TestPartsOfTheMissLatencyAddUp: with one clock and one answer per request, the
// parts of a request's way are its time, whatever it waits for. They are so up
// to a cycle, because a reply that enters a busy network takes part in the same
// edge, in an idle one in the next.
func TestPartsOfTheMissLatencyAddUp(t *testing.T) {
	for _, spec := range tracetest.Draw(t, []string{"mesh56", "mesh56+crossbar", "mesh56+butterfly", "mesh56+shared-mesh"}, tracetest.Fewer(1, 2)) {
		for _, queue := range tracetest.Draw(t, []int{1, 3, 16}, 1) {
			m := machine(t, spec, func(m *arch.Machine) {
				oneClock(m)
				m.GPU.SMs, m.Network.Placement = 12, "spread"
				m.Network.InputQueue, m.Network.OutputQueue = queue, queue
			})
			alone := newRig(t, m)
			single := &stopwatch{}
			alone.system.Watch(single)
			alone.issue(0, load(1, 0, 4))
			alone.drain()
			if got := latencyParts(alone); got != single.cycles {
				t.Errorf("%s: the parts of a lone request add up to %d cycles, it takes %d", spec, got, single.cycles)
			}

			r := newRig(t, m)
			watch := &stopwatch{}
			r.system.Watch(watch)
			rng := rand.New(rand.NewPCG(3, uint64(queue)))
			for token := range uint32(3000) {
				a := load(token, rng.Uint64N(1<<22)&^127, int32(rng.IntN(3)*64))
				if rng.IntN(4) == 0 {
					a = store(rng.Uint64N(1<<22)&^127, 4)
				}
				r.issue(rng.IntN(12), a)
			}
			r.drain()
			if got := latencyParts(r); got < watch.cycles || got > watch.cycles+watch.requests || watch.requests < 3000 {
				t.Errorf("%s, queues of %d: the parts of %d requests add up to %d cycles, they take %d", spec, queue, watch.requests, got, watch.cycles)
			}
			if r.global[counters.ReplyQueueCycles] == 0 && queue == 1 {
				t.Errorf("%s: no reply has waited for the injection queue of one place", spec)
			}
		}
	}
}
