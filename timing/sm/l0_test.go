// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// linesOfCode is a kernel of n lines of sixteen independent instructions.
func linesOfCode(lines int) *gputest.Kernel {
	k := gputest.NewKernel("straight")
	for n := range 16*lines - 1 {
		k.Op(trace.ClassIntAdd, 10+n%100)
	}
	return k.Exit()
}

// subCores is a machine of so many sub-cores with an instruction cache each, and one behind
// them.
func subCores(schedulers, latency, stream int) *arch.Machine {
	m := gputest.Machine()
	m.SM.Schedulers = schedulers
	m.SM.L0 = arch.L0{Bytes: 4096, Ways: 4, StreamLines: stream}
	m.Instruction = arch.Cache{Bytes: 1 << 16, Ways: 4, LineBytes: 128, SectorBytes: 128, LatencyCycles: latency}
	return m
}

func fetching(t *testing.T, m *arch.Machine, miss clock.Cycle, k *gputest.Kernel, warps int) *gpu.Run {
	t.Helper()
	return replay(t, build(t, m, &gputest.Memory{FetchMissCycles: miss}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps})
}

// Each line costs a sub-core the latency of the cache behind, and with a stream buffer the first
// line of straight code alone does.
func TestALineCostsASubCoreTheLatencyBehind(t *testing.T) {
	const lines = 6
	for _, stream := range []int{0, 16} {
		cycles := func(latency int) clock.Cycle {
			return fetching(t, subCores(1, latency, stream), 0, linesOfCode(lines), 1).Cycles
		}
		want := clock.Cycle(10 * lines)
		if stream > 0 {
			want = 10
		}
		if d := cycles(60) - cycles(50); d != want {
			t.Errorf("%d lines, a stream buffer of %d: ten cycles of latency cost %d, want %d", lines, stream, d, want)
		}
	}
}

// A line that the cache behind lacks goes on to the sub-core when it comes: the first warp
// takes as long as without caches of sub-cores.
func TestALineFromBeyondGoesOnToTheSubCore(t *testing.T) {
	const lines, miss = 5, 200
	with := subCores(1, 50, 0)
	without := subCores(1, 50, 0)
	without.SM.L0 = arch.L0{}
	a, b := fetching(t, with, miss, linesOfCode(lines), 1), fetching(t, without, miss, linesOfCode(lines), 1)
	if a.Cycles != b.Cycles || a.Total[counters.FetchMiss] != lines {
		t.Errorf("%d cycles and %d misses, want %d and %d", a.Cycles, a.Total[counters.FetchMiss], b.Cycles, lines)
	}
}

// A warp asks once for a line that is on its way to its sub-core: each access gives it as many instructions as a fetch
// has room for.
func TestAWarpAsksOnceForALineOnItsWay(t *testing.T) {
	const lines = 5
	for _, stream := range []int{0, 16} {
		for _, warps := range []int{1, 2, 4} {
			for _, width := range []int{1, 2} {
				m := subCores(1, 50, stream)
				m.SM.FetchWidth = width
				got := fetching(t, m, 0, linesOfCode(lines), warps).Total[counters.FetchAccess]
				if want := 16 * lines * warps / width; got != uint64(want) {
					t.Errorf("%d warps of %d lines, %d instructions a fetch, a stream buffer of %d: %d fetches, want %d", warps, lines, width, stream, got, want)
				}
			}
		}
	}
}

// Sub-cores fetch in the same cycle: warps of as many sub-cores take as long as one.
func TestSubCoresFetchForThemselves(t *testing.T) {
	const lines = 8
	narrow := func(schedulers, warps int) clock.Cycle {
		m := subCores(schedulers, 1, 0)
		m.SM.L0.Bytes = 1 << 15
		m.SM.FetchWidth, m.SM.Units.SP, m.SM.Units.Int = 1, 4, 4
		return fetching(t, m, 0, linesOfCode(lines), warps).Cycles
	}
	one, four, shared := narrow(1, 1), narrow(4, 4), narrow(1, 4)
	// They take the cache behind in turn: up to three cycles a line.
	if four > one+3*lines || shared < 3*one {
		t.Errorf("one warp takes %d cycles, four on four sub-cores %d, on one %d", one, four, shared)
	}
}
