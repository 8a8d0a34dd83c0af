// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/eesi/eesitest"
	"github.com/warptape/warptape/timing/eesi/threadwise"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// TestLanesThatAreFollowedTogetherDoAsEachByItself: on random programs, machines and
// memories a replay is that of the slow twin, to the last counter.
func TestLanesThatAreFollowedTogetherDoAsEachByItself(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 120, tracetest.Fewer(5, 12)) {
		r := rand.New(rand.NewPCG(seed, 31))
		launches := gputest.RandomLaunches(r)
		if seed%3 == 0 {
			launches = []gputest.Launch{gputest.RandomBlock(r, 1+r.IntN(256))}
		}
		tape := gputest.Trace(t, launches...)
		m := eesitest.RandomMachine(r)
		first := *gputest.RandomMemory(r)
		second := first
		want := replay(t, threadwise.Of(m), gpu.Options{}, tape, &first)
		got := replay(t, m, gpu.Options{}, tape, &second)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, %s (%+v): (-by thread +together):\n%.3000s", seed, m.GPU.Divergence, *eesitest.Section(m), diff)
		}
	}
}
