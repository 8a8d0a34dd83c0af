// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace/tracetest"
)

// tickEager performs the core cycle now, and every one of the caches' before it, with
// all ports called and nothing known of heads that wait.
func (r *rig) tickEager(now clock.Cycle) {
	at := r.clocks.Core.Start(now)
	for r.forget(); r.system.NextEvent() <= at; r.forget() {
		r.system.Advance(r.system.NextEvent())
	}
	for _, s := range r.sms {
		s.next = min(s.next, now)
	}
	r.tick(now)
}

// forget lets every cache forget what it knows of a head that waits.
func (r *rig) forget() {
	for _, l := range r.system.slices {
		l.lacks = false
	}
	for _, p := range r.system.partitions {
		if p.llc != nil {
			p.llc.lacks = false
		}
	}
	for _, p := range r.system.ports {
		p.lacks = 0
	}
}

// outcome is what a replay can see of a memory system.
type outcome struct {
	Completed []map[uint32]clock.Cycle
	Fetched   []map[uint64]clock.Cycle
	Writes    []int
	Counters  []counters.Set
	Global    counters.Set
}

// trafficOutcome sends random traffic in fixed cycles through a random machine.
func trafficOutcome(t *testing.T, seed uint64, eager bool) outcome {
	rng := rand.New(rand.NewPCG(seed, 17))
	m := randomMachine(t, rng)
	r := newRig(t, m)
	tick := r.tick
	if eager {
		tick = r.tickEager
	}
	region := uint64(1) << (10 + rng.IntN(14))
	pause := 1 + rng.IntN(40)
	for token := range uint32(300) {
		k := rng.IntN(len(r.sms))
		a := randomAccess(rng, m, token, region)
		line := uint64(rng.IntN(64) * m.Instruction.LineBytes)
		for !r.sms[k].port.Ready(r.now) {
			tick(r.now + 1)
		}
		r.issue(k, a)
		if rng.IntN(5) == 0 && !r.sms[k].port.FetchLine(r.now, line) {
			r.sms[k].next = min(r.sms[k].next, r.now+1)
		}
		for range rng.IntN(pause) {
			tick(r.now + 1)
		}
		if token == 150 {
			for r.system.InFlight() > 0 {
				tick(r.now + 1)
			}
			for _, s := range r.sms {
				s.port.KernelEnd(r.now)
			}
		}
	}
	for limit := r.now + 1_000_000; r.system.InFlight() > 0; {
		if tick(r.now + 1); r.now > limit {
			t.Fatalf("%s: still busy after a million cycles:\n%v", m.Name, r.system.Describe())
		}
	}
	r.conserved()
	o := outcome{Global: r.global}
	for i, s := range r.sms {
		o.Completed, o.Fetched, o.Writes = append(o.Completed, s.completed), append(o.Fetched, s.fetched), append(o.Writes, s.writes)
		o.Counters = append(o.Counters, *r.sets[i])
	}
	return o
}

// TestPortsSleepThroughNothing compares ports and caches with the slow twin, in
// which everything is tried in every cycle. Ports are called when they have
// something to do. Caches do not look a head up again that lacks something.
func TestPortsSleepThroughNothing(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(3, 8)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(trafficOutcome(t, seed, true), trafficOutcome(t, seed, false)); diff != "" {
				t.Errorf("tried in every cycle (-), when something is to be done (+):\n%s", diff)
			}
		})
	}
}
