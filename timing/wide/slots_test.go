// SPDX-License-Identifier: Apache-2.0

package wide

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// TestWatchersSeeTheSlotsThatAreCharged, to the instruction: what a timeline shows and
// what a profile counts are told apart from each other.
func TestWatchersSeeTheSlotsThatAreCharged(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 6, 4) {
		r := rand.New(rand.NewPCG(seed, 8))
		tape := gputest.Trace(t, gputest.RandomLaunches(r)...)
		m, ledger := gputest.RandomMachine(r), gputest.NewSlotLedger()
		passes := 2 << (seed % 2)
		m.SM.MaxWarps = max(m.SM.MaxWarps/passes, m.SM.Schedulers) * passes
		m.SetSection(key, &Section{Threads: 32 * passes})
		o := memory(33)
		o.Watcher = ledger
		g, err := gpu.New(m, o)
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
