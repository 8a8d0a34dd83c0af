// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// The test has every recording that lanes may execute apart, some in each run. Each
// instruction is executed by as many threads, and reaches as many words of global and
// shared memory, as on SIMT cores under post-dominator reconvergence.
func TestLanesExecuteTheRecordings(t *testing.T) {
	files, err := filepath.Glob("../../traces/recorded/*.wtape")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	var names []string // of those whose lanes may go apart
	for _, file := range files {
		name, apart := strings.TrimSuffix(filepath.Base(file), ".wtape"), true
		tape := replaytest.Recorded(t, name)
		for _, l := range tape.Launches()[:min(3, len(tape.Launches()))] {
			apart = apart && divergence.LanesApart(&tape.Kernels()[l.Kernel]) == nil
		}
		if apart {
			names = append(names, name)
		}
	}
	if len(names) < 10 {
		t.Errorf("only %d recordings may be compared", len(names))
	}
	for _, name := range tracetest.Draw(t, names, 1) {
		tape := slice(t, name, trace.Range{Last: 2}, trace.Range{Last: 2})
		replay := func(spec string) *gpu.Run {
			g, err := gpu.New(replaytest.Load(t, spec), gpu.Options{Lines: true, WatchdogCycles: 200_000})
			if err != nil {
				t.Fatal(err)
			}
			run, err := g.Replay(t.Context(), gputest.NewSource(tape), nil)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, spec, err)
			}
			return run
		}
		want := replay("gpsim-eesi-base")
		machines := []string{"eesi", "eesi+divergence(policy=eesi-m)", "gpsim-sbi"}
		for _, spec := range tracetest.Draw(t, machines, tracetest.Fewer(1, 3)) {
			got := replay(spec)
			for k := range want.Lines {
				for i := range want.Lines[k] {
					for _, id := range []counters.ID{counters.IssuedThread, counters.GlobalLane, counters.SharedLaneRead, counters.SharedLaneWrite} {
						if a, b := want.Lines[k][i][id], got.Lines[k][i][id]; a != b {
							t.Errorf("%s on %s: kernel %d, instruction %d: %s is %d, want %d", name, spec, k, i, counters.Declared(id).Name, b, a)
						}
					}
				}
			}
		}
	}
}
