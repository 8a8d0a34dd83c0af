// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/eesi/eesitest"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// issuers are the issue slots of a core in a cycle.
func issuers(m *arch.Machine) int {
	if m.GPU.Divergence == eesi.Interleaved {
		return 2
	}
	return eesi.Lanes
}

// watcher hears which instructions lanes issue.
type watcher struct {
	*gputest.SlotLedger
	lanes [trace.WarpSize][]uint32
}

func (v *watcher) Slots(now clock.Cycle, s seam.IssueSlots) {
	v.SlotLedger.Slots(now, s)
	if s.Cause == counters.CauseIssued {
		v.lanes[s.Scheduler] = append(v.lanes[s.Scheduler], s.Instruction)
	}
}

// replay replays on a memory of constant latency that tells what it sees.
func replay(t *testing.T, m *arch.Machine, o gpu.Options, r *wtape.Reader, memory *gputest.Memory) *gpu.Run {
	t.Helper()
	o.WatchdogCycles = 50_000
	o.Memory = func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return memory.Build(c.Core, global), nil
	}
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(t.Context(), gputest.NewSource(r), nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestEachThreadExecutesItsRecordedPath: its instructions in their order, with the
// addresses of its accesses, whatever the policy, the trigger and the sizes. The oracle
// reads the trace's columns.
func TestEachThreadExecutesItsRecordedPath(t *testing.T) {
	paths, accesses := 0, 0
	for _, seed := range tracetest.Seeds(t, 150, tracetest.Fewer(10, 25)) {
		r := rand.New(rand.NewPCG(seed, 22))
		l := gputest.RandomBlock(r, 1+r.IntN([]int{32, 256}[seed%2]))
		tape := gputest.Trace(t, l)
		chunk := wtape.NewChunk()
		if err := tape.ReadChunk(0, chunk); err != nil {
			t.Fatal(err)
		}
		m := eesitest.RandomMachine(r)
		memory := gputest.RandomMemory(r)
		seen := map[int][]gputest.Step{}
		memory.Seen = func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
			gputest.Steps(a, func(l int, s gputest.Step) { seen[a.ThreadBase+l] = append(seen[a.ThreadBase+l], s) })
		}
		v := &watcher{SlotLedger: gputest.NewSlotLedger()}
		run := replay(t, m, gpu.Options{Watcher: v}, tape, memory)
		if got, want := run.Total[counters.IssuedThread], tape.Totals().ThreadInstructions; got != want {
			t.Errorf("seed %d: %d thread instructions, recorded %d", seed, got, want)
		}
		for thread := range l.Threads {
			path, _, steps := gputest.ThreadPath(&tape.Kernels()[0], chunk, 0, thread)
			if diff := cmp.Diff(steps, seen[thread]); diff != "" {
				t.Fatalf("seed %d, %s: thread %d accesses (-recorded +issued):\n%s", seed, m.GPU.Divergence, thread, diff)
			}
			if l.Threads <= trace.WarpSize && m.GPU.Divergence != eesi.Interleaved && !cmp.Equal(path, v.lanes[thread]) {
				t.Fatalf("seed %d, %s: thread %d executes %v, recorded %v", seed, m.GPU.Divergence, thread, v.lanes[thread], path)
			}
			accesses += len(steps)
			paths += len(path)
		}
	}
	if tracetest.Whole() && (paths < 100_000 || accesses < 10_000) {
		t.Errorf("%d instructions and %d accesses are few", paths, accesses)
	}
}

// TestSlotsOfLanesHaveCauses: they are the cycles times the lanes, also by instruction and
// as a watcher hears of them, and a replay that visits every cycle is the same.
func TestSlotsOfLanesHaveCauses(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(2, 3)) {
		r := rand.New(rand.NewPCG(seed, 23))
		tape := gputest.Trace(t, gputest.RandomLaunches(r)...)
		m := eesitest.RandomMachine(r)
		memory := *gputest.RandomMemory(r)
		first := memory
		v := gputest.NewSlotLedger()
		want := replay(t, m, gpu.Options{Watcher: v}, tape, &first)
		var cycles uint64
		for i := range want.Launches {
			cycles += uint64(want.Launches[i].Cycles)
		}
		if got := want.Total[counters.IssueSlots]; got != cycles*uint64(issuers(m)) {
			t.Errorf("seed %d: %d slots in %d cycles", seed, got, cycles)
		}
		gputest.Conserves(t, m, &want.Total)
		if f, i := want.Total[counters.FetchInstruction], want.Total[counters.IssuedWarp]; f != i && m.GPU.Divergence != eesi.Interleaved { // contexts are fetched for, and lanes come and go
			t.Errorf("seed %d: %d instructions fetched, %d issued", seed, f, i)
		}
		second := memory
		if diff := cmp.Diff(want, replay(t, m, gpu.Options{EveryCycle: true}, tape, &second)); diff != "" {
			t.Fatalf("seed %d (%+v): with every cycle visited (-once +again):\n%.2000s", seed, *eesitest.Section(m), diff)
		}
	}
}
