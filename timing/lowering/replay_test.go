// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// small are recorded traces that are replayed in a fraction of a second.
var small = []string{"spmv", "tiny/streams"}

// once replays a recorded trace.
func once(t *testing.T, m *arch.Machine, name string, o gpu.Options) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(replaytest.Recorded(t, name)), nil)
	if err != nil {
		t.Fatalf("%s on %s: %v", name, m.Name, err)
	}
	return run
}

func TestRecordedTracesLoweredToThemselvesGiveTheSameBytes(t *testing.T) {
	for _, name := range tracetest.Draw(t, small, 1) {
		for _, spec := range []string{"gtx480-15"} {
			want := once(t, replaytest.Load(t, spec+"+lowering(generation=none)"), name, gpu.Options{})
			got := once(t, replaytest.Load(t, spec+"+lowering(generation=volta)"), name, gpu.Options{
				Lower: func(_ *arch.Machine, k *trace.Kernel, _ int, _ bool) (*core.Lowering, error) {
					return lowering.Identity(k), nil
				},
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s on %s (-recorded +lowered):\n%s", name, spec, diff)
			}
		}
	}
}

func TestRecordedTracesReplayInTheOperationsOfEveryGeneration(t *testing.T) {
	for _, generation := range []string{"fermi", "volta", "turing", "ampere", "hopper"} {
		m := replaytest.Load(t, "gtx480-15+lowering(generation="+generation+")")
		run := once(t, m, "spmv", gpu.Options{})
		gputest.Invariants(t, m, &run.Total, run.Cycles)
	}
}
