// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// randomRun replays the random trace of a seed on its random machine.
func randomRun(t *testing.T, seed uint64, everyCycle bool) *Run {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
	g := build(t, m, memory)
	g.everyCycle = everyCycle
	src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
	run, err := g.Replay(context.Background(), src, nil)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	gputest.Invariants(t, m, &run.Total, run.Cycles)
	return run
}

// The replay checks its invariants itself: instructions, slots, requests, and an
// empty machine at the end.
func TestRandomTracesOnRandomMachinesAreAsIfEveryCycleWereVisited(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 150, tracetest.Fewer(8, 20)) {
		slept, ticked := randomRun(t, seed, false), randomRun(t, seed, true)
		if diff := cmp.Diff(ticked, slept); diff != "" {
			t.Fatalf("seed %d: sleeping changes the result (-every cycle +event driven):\n%s", seed, diff)
		}
	}
}
