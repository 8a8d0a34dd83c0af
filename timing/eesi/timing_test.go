// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/eesi/eesitest"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// sides is a kernel with a branch: the low lanes of a warp execute one side, the others the
// other one, each of so many independent instructions.
func sides(t *testing.T, threads, instructions int) *wtape.Reader {
	t.Helper()
	k := gputest.NewKernel("sides")
	k.Branch()
	side := func() uint32 {
		id := uint32(len(k.Blocks) - 1)
		for i := range instructions {
			k.Op(trace.ClassIntAdd, i)
		}
		k.Branch()
		return id
	}
	low, high := side(), side()
	join := uint32(len(k.Blocks) - 1)
	k.Op(trace.ClassIntAdd, 70).Exit()
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: threads, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		w.Visit(low, w.Lanes&0xffff)
		if w.Lanes>>16 != 0 {
			w.Visit(high, w.Lanes&^0xffff)
		}
		w.Visit(join, w.Lanes)
	}})
}

// cyclesOf replays on a memory that answers at once.
func cyclesOf(t *testing.T, m *arch.Machine, r *wtape.Reader) (clock.Cycle, *gpu.Run) {
	t.Helper()
	run := replay(t, m, gpu.Options{}, r, &gputest.Memory{LatencyCycles: 1})
	return run.Launches[0].Cycles, run
}

// counted is a counter of a run by name.
func counted(t *testing.T, run *gpu.Run, name string) uint64 {
	t.Helper()
	id, ok := counters.Lookup(name)
	if !ok {
		t.Fatalf("no counter %s", name)
	}
	return run.Total[id]
}

// TestSidesOfABranchIssueInTheSameCycles: lanes of both sides take as long as those of one,
// and a cycle in which both issue has two places. A warp under pdom takes both sides' time.
func TestSidesOfABranchIssueInTheSameCycles(t *testing.T) {
	const n = 40
	for _, policy := range []string{eesi.Together, eesi.Apart, eesi.Interleaved} {
		m := eesitest.Machine(policy)
		m.SM.FetchWidth = 4
		one, _ := cyclesOf(t, m, sides(t, 16, n))
		both, run := cyclesOf(t, m, sides(t, 32, n))
		if both > one+6 {
			t.Errorf("%s: one side takes %d cycles, both %d", policy, one, both)
		}
		places := counted(t, run, "eesi_places") - counted(t, run, "eesi_issue_cycles")
		if places < n/5 { // lines and instructions come to the sides in turns
			t.Errorf("%s: lanes are at two places in %d cycles", policy, places)
		}
	}
	plain := gputest.Machine()
	plain.SM.FetchWidth = 4
	one, _ := cyclesOf(t, plain, sides(t, 16, n))
	if both, _ := cyclesOf(t, plain, sides(t, 32, n)); both < one+n {
		t.Errorf("pdom: one side takes %d cycles, both %d", one, both)
	}
}

// TestOneThreadIssuesAsTheScoreboardLetsIt: of a chain of additions each waits for the one
// before, from issue through operand read to the result.
func TestOneThreadIssuesAsTheScoreboardLetsIt(t *testing.T) {
	chain := func(n int) clock.Cycle {
		k := gputest.NewKernel("chain")
		for range n {
			k.Op(trace.ClassIntAdd, 1, 1)
		}
		k.Exit()
		cycles, _ := cyclesOf(t, eesitest.Machine(eesi.Together), gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 1}))
		return cycles
	}
	if got, want := chain(30)-chain(10), clock.Cycle(20*(gputest.ALULatency+1)); got != want { // the machine reads for one cycle
		t.Errorf("20 more additions take %d cycles, want %d", got, want)
	}
}

// TestATinyCacheSparesTheSharedOne: of a loop that it holds each lane asks for each line
// once; without one every fetch goes to the shared cache.
func TestATinyCacheSparesTheSharedOne(t *testing.T) {
	k := gputest.NewKernel("loop")
	for range 31 {
		k.Op(trace.ClassIntAdd, 1)
	}
	k.Branch() // 32 instructions of 8 bytes: 4 lines of 64
	exit := uint32(len(k.Blocks) - 1)
	k.Exit()
	const turns = 20
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
		for range turns {
			w.Visit(0, w.Lanes)
		}
		w.Visit(exit, w.Lanes)
	}})
	for lines, want := range map[int]uint64{8: 5 * 32, 0: 0} {
		m := eesitest.Machine(eesi.Together)
		m.Instruction.LineBytes, m.Instruction.LatencyCycles = 64, 4
		eesitest.Section(m).TinyLines, eesitest.Section(m).TinyWays, eesitest.Section(m).TinyLineBytes = lines, max(lines, 1), 64
		_, run := cyclesOf(t, m, r)
		if got := counted(t, run, "eesi_tiny_misses"); got != want {
			t.Errorf("%d lines: %d misses, want %d", lines, got, want)
		}
		fetches := run.Total[counters.FetchAccess] // lanes of a warp ask for a line together
		if lines > 0 && fetches != 5 || lines == 0 && fetches < turns*32/2 {
			t.Errorf("%d lines: %d reads of the shared cache", lines, fetches)
		}
	}
}

// TestMachinesThatLackThePartsAreRefused by name.
func TestMachinesThatLackThePartsAreRefused(t *testing.T) {
	for spec, want := range map[string]string{
		"gtx480+divergence(policy=eesi-t)":          "eesi-t needs cores of the kind eesi, and gpu.core is simt",
		"gpsim-eesi-base+divergence(policy=sbi)":    "sbi needs cores of the kind eesi",
		"eesi+divergence(policy=pdom)":              "these cores have the divergence policies eesi-t, eesi-m and sbi, and gpu.divergence is pdom",
		"eesi+divergence(policy=sbi)":               "lanes fetch by themselves under eesi-t and eesi-m alone",
		"eesi+set(sm.max_warps=96)":                 "a lane has 64 threads at most",
		"eesi+set(eesi.tiny_ways=3)":                "must divide the 16 lines",
		"eesi+set(eesi.tiny_line_bytes=128)":        "longer than the line of the shared instruction cache",
		"eesi+set(eesi.tiny_lines=0,gpu.core=simt)": "needs cores of the kind eesi",
	} {
		if _, err := arch.Load(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	m := replaytest.Load(t, "eesi")
	g, err := gpu.New(m, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replaytest.Recorded(t, "reduction")
	if err := g.Check(r.Kernels(), r.Launches()); err == nil || !strings.Contains(err.Error(), "shfl.sync.down.b32 depends on which lanes execute it together") {
		t.Errorf("a kernel whose lanes exchange values: %v", err)
	}
}

// A thread block of two warps is resident in each interval for all of its cycles, but for those of the begin and of the
// end.
func TestIntervalsHaveTheirResidentWarps(t *testing.T) {
	const every = 20
	k := gputest.NewKernel("chain")
	for range 60 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 64})
	run := replay(t, eesitest.Machine(eesi.Together), gpu.Options{IntervalCycles: every}, r, &gputest.Memory{LatencyCycles: 1})
	if len(run.Intervals) < 8 {
		t.Fatalf("%d intervals", len(run.Intervals))
	}
	for n, i := range run.Intervals[1 : len(run.Intervals)-2] {
		if active, warps := i.Counters[counters.ActiveSMCycles], i.Counters[counters.ResidentWarpCycles]; active != every || warps != 2*every {
			t.Errorf("interval %d: %d active cycles, %d of resident warps", n+1, active, warps)
		}
	}
}
