// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Mechanisms that are each SM's own run on several cores, samples too, and results are
// the same bytes.
func TestResultsAreTheSameOnSeveralCores(t *testing.T) {
	tapes := []*wtape.Reader{slice(t, "spmv", trace.Everything, trace.Range{Last: 15}), slice(t, "hotspot", trace.Range{}, trace.Range{Last: 63})}
	for _, name := range tracetest.Draw(t, []string{
		"gtx480", "gtx480+cae", "gtx480+tinycache", "gtx480+mta", "gtx480+perfect-memory", "gtx480+tinycache+mta",
		"gtx480+dram-hbm2", "gtx480-ref", "mesh56+crossbar", "v100",
	}, 1) {
		m := replaytest.Load(t, name)
		apart := false
		for _, tape := range tapes {
			var want *gpu.Run
			for _, cores := range []int{1, 2} {
				g, err := gpu.New(m, gpu.Options{Cores: cores, Apart: true, Checkpoints: func(_, resident int) uint64 { return uint64(resident) }})
				if err != nil {
					t.Fatal(err)
				}
				run, err := g.Replay(context.Background(), gputest.NewSource(tape), nil)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if want == nil {
					want = run
				} else if diff := differ(want, run); diff != "" {
					t.Errorf("%s: %d cores change the result (-one +%d):\n%.2000s", name, cores, cores, diff)
				}
				apart = apart || g.CyclesApart() > 0
			}
		}
		if !apart {
			t.Errorf("%s never ran on two cores", name)
		}
	}
}
