// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// with makes Options whose memory is m.
func with(m *gputest.Memory) Options {
	return Options{Memory: func(_ *arch.Machine, c Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return m.Build(c.Core, global), nil
	}}
}

func build(t testing.TB, m *arch.Machine, memory *gputest.Memory) *GPU {
	t.Helper()
	g, err := New(m, with(memory))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// replay runs launches and checks that no chunk is kept.
func replay(t testing.TB, g *GPU, launches ...gputest.Launch) *Run {
	t.Helper()
	src := gputest.NewSource(gputest.Trace(t, launches...))
	run, err := g.Replay(context.Background(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	gputest.Invariants(t, g.machine, &run.Total, run.Cycles)
	if src.Held() != 0 {
		t.Errorf("%d chunks are still held", src.Held())
	}
	return run
}

// cyclesOf is the cycles of the only launch of one warp of k on machine m.
func cyclesOf(t testing.TB, m *arch.Machine, k *gputest.Kernel) clock.Cycle {
	t.Helper()
	return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 50}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}).Cycles
}

// chain is a kernel of n instructions; each reads what the one before it wrote.
func chain(n int) *gputest.Kernel {
	k := gputest.NewKernel("chain")
	for range n {
		k.Op(trace.ClassF32Fma, 1, 1)
	}
	return k.Exit()
}
