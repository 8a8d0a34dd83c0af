// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// memoryLatency of the memory behind the SM, in cycles.
const memoryLatency = 50

// The first instruction issues when the launch has begun and the instruction is decoded;
// what an addition writes is there after operand read and latency.
const (
	firstIssue = gputest.LaunchCycles + gputest.DecodeCycles
	addition   = gputest.OperandRead + gputest.ALULatency
	access     = gputest.OperandRead + memoryLatency
)

// steady is a memory of the usual latency.
func steady() *gputest.Memory { return &gputest.Memory{LatencyCycles: memoryLatency} }

// options are those of a machine with that memory, and a watcher.
func options(w seam.Watcher) gpu.Options { return optionsWith(steady(), w) }

func optionsWith(memory *gputest.Memory, w seam.Watcher) gpu.Options {
	return gpu.Options{Watcher: w, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return memory.Build(c.Core, global), nil
	}}
}

// built is a machine that replays.
type built struct {
	*gpu.GPU
	machine *arch.Machine
}

func buildWith(t testing.TB, m *arch.Machine, o gpu.Options) built {
	t.Helper()
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return built{g, m}
}

func build(t testing.TB, m *arch.Machine, memory *gputest.Memory) built {
	t.Helper()
	return buildWith(t, m, optionsWith(memory, nil))
}

// replay runs launches. What holds of every replay holds, and no chunk is kept.
func replay(t testing.TB, g built, launches ...gputest.Launch) *gpu.Run {
	t.Helper()
	src := gputest.NewSource(gputest.Trace(t, launches...))
	r, err := g.Replay(context.Background(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	gputest.Invariants(t, g.machine, &r.Total, r.Cycles)
	if src.Held() != 0 {
		t.Errorf("%d chunks are still held", src.Held())
	}
	return r
}

// one replays one warp.
func one(t testing.TB, m *arch.Machine, k *gputest.Kernel) *gpu.Run {
	t.Helper()
	return replay(t, build(t, m, steady()), straight(k))
}

// cyclesOf is the cycles of one warp.
func cyclesOf(t testing.TB, m *arch.Machine, k *gputest.Kernel) clock.Cycle {
	t.Helper()
	return one(t, m, k).Cycles
}

// straight is a launch of one thread block of one warp.
func straight(k *gputest.Kernel) gputest.Launch {
	return gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}
}

// chained adds operations; each waits for the one before.
func chained(k *gputest.Kernel, n int) *gputest.Kernel {
	for range n {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	return k
}

// clusterMachine has four SMs in two GPCs, with numbers of the network that can be told apart.
func clusterMachine() *arch.Machine {
	m := gputest.Machine()
	m.GPU.SMs = 4
	m.GPU.Clusters = arch.Clusters{GPCs: 2, RemoteCycles: 150, BytesPerCycle: 16, BarrierCycles: 70}
	return m
}

func inRow(blocks int) trace.Dim3 { return trace.Dim3{X: uint32(blocks), Y: 1, Z: 1} }
