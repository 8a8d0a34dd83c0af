// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace/tracetest"
)

// Launches in clusters run with mechanisms, or are refused with the reason. SMs that take their
// thread blocks in groups would wait for one another for ever, or place a cluster on two GPCs.
func TestClustersRunWithMechanismsOrAreRefused(t *testing.T) {
	names := []string{"cae", "mta", "tinycache", "wide", "buddy(members=2)+set(buddy.network_mhz=9000)", "buddy(members=4,halfway=true)+set(buddy.network_mhz=9000)"}
	for _, name := range tracetest.Draw(t, names, tracetest.Fewer(2, len(names))) {
		for _, seed := range tracetest.Seeds(t, 20, tracetest.Fewer(2, 6)) {
			r := rand.New(rand.NewPCG(seed, 5))
			m := replaytest.Load(t, "h100+set(gpu.sms=24,gpu.clusters.gpcs=2)+lowering(generation=none)+"+name)
			m.GPU.Clusters.GPCs = 1 + r.IntN(6)
			l := gputest.RandomClusterLaunch(r)
			if l.Cluster.Count() == 1 {
				continue
			}
			tape := gputest.Trace(t, l)
			g, err := gpu.New(m, gpu.Options{WatchdogCycles: 200_000})
			if err != nil {
				t.Fatal(err)
			}
			src := gputest.NewSource(tape)
			run, err := g.Replay(context.Background(), src, nil)
			if strings.HasPrefix(name, "buddy") {
				if err == nil || !strings.Contains(err.Error(), "but buddy gives SMs") {
					t.Errorf("%s, seed %d: %v", name, seed, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
				continue
			}
			if got := run.Total[counters.BlocksRetired]; got != run.Total[counters.BlocksDispatched] || src.Held() != 0 {
				t.Errorf("%s, seed %d: %d thread blocks retire of %d, %d chunks are held", name, seed, got, run.Total[counters.BlocksDispatched], src.Held())
			}
		}
	}
}
