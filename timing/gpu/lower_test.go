// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// same lowers kernels to themselves.
func same(_ *arch.Machine, k *trace.Kernel, _ int, _ bool) (*core.Lowering, error) {
	return lowering.Identity(k), nil
}

func TestALoweringToTheRecordedInstructionsChangesNothing(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(2, 4)) {
		var runs [2]*Run
		for i := range runs {
			r := rand.New(rand.NewPCG(seed, 8))
			m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
			o := with(memory)
			if i == 1 {
				m.GPU.Lowering, o.Lower = "volta", same
			}
			g, err := New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
			if runs[i], err = g.Replay(context.Background(), src, nil); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
			t.Fatalf("seed %d (-recorded +lowered):\n%s", seed, diff)
		}
	}
}

// The replay checks by itself that what was recorded has passed, and what was issued stands
// in its place.
func TestRandomKernelsReplayInMachineOperations(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
		m.GPU.Lowering = []string{"fermi", "volta", "turing", "ampere", "hopper"}[seed%5]
		m.SM.Registers = max(m.SM.Registers, 65536)
		g := build(t, m, memory)
		src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
		run, err := g.Replay(context.Background(), src, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		gputest.Conserves(t, m, &run.Total)
	}
}
