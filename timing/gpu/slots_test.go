// SPDX-License-Identifier: Apache-2.0

package gpu_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
)

// TestWatchersSeeTheSlotsThatAreCharged, to the instruction: what a timeline shows and
// what a profile counts are told apart from each other.
func TestWatchersSeeTheSlotsThatAreCharged(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 8))
		tape := gputest.Trace(t, gputest.RandomLaunches(r)...)
		m, memory, ledger := gputest.RandomMachine(r), gputest.RandomMemory(r), gputest.NewSlotLedger()
		g, err := gpu.New(m, gpu.Options{Watcher: ledger, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
			return memory.Build(c.Core, global), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		run, err := g.Replay(context.Background(), gputest.NewSource(tape), nil)
		if err != nil {
			t.Fatal(err)
		}
		ledger.Check(t, fmt.Sprintf("seed %d", seed), tape, run.Profiles, &run.Total)
	}
}
