// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// machine is a small machine with lanes that fetch by themselves.
func machine(divergence string) *arch.Machine {
	m := gputest.Machine()
	m.GPU.Core, m.GPU.Divergence, m.SM.Scheduler, m.SM.WarpSwitch = eesi.Kind, divergence, "lrr", "all"
	m.SetSection(eesi.Key, &eesi.Section{Turn: "any", LineRequests: 1, ReadCycles: 1, MemoryQueue: 2, UpperRegisters: 4, DecoderGates: 8500})
	return m
}

// section is that of a machine of this test.
func section(m *arch.Machine) *eesi.Section { return m.Section(eesi.Key).(*eesi.Section) }

// randomMachine is one with random parameters.
func randomMachine(r *rand.Rand) *arch.Machine {
	pick := func(values ...int) int { return values[r.IntN(len(values))] }
	m := machine([]string{eesi.Together, eesi.Apart, eesi.Interleaved}[r.IntN(3)])
	m.SM.WarpSwitch = []string{"non", "mem", "mem-every", "mem-miss", "bra", "mbr", "mbr-every", "mbr-miss", "all", "all"}[r.IntN(10)]
	m.SM.Scheduler = []string{"lrr", "lrr", eesi.Strict}[r.IntN(3)]
	m.SM.FetchWidth, m.SM.InstructionBuffer, m.SM.DecodeCycles = pick(1, 2, 4), pick(1, 2, 4), pick(0, 1, 3)
	m.SM.MaxWarps = pick(8, 24, 64)
	m.SM.Latencies.Branch.Cycles = pick(1, 3)
	m.Instruction = arch.Cache{LineBytes: 64, LatencyCycles: pick(1, 4)}
	*section(m) = eesi.Section{
		Turn: []string{"any", "all"}[r.IntN(2)], TinyLines: pick(0, 1, 4, 16), TinyWays: 1, TinyLineBytes: pick(8, 32, 64), LineRequests: pick(1, 2), RequestsAlone: r.IntN(3) == 0, AccessesAlone: r.IntN(4) == 0, ReadCycles: pick(0, 1, 3),
		MemoryQueue: pick(1, 2, 4), UpperRegisters: pick(0, 1, 6), DecoderGates: 1,
	}
	if m.GPU.Divergence == eesi.Interleaved {
		section(m).TinyLines = 0
	}
	return m
}

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

// step is an instruction that a thread executes, with its address.
type step struct {
	instruction uint32
	address     uint64
}

// recorded are the instructions of a thread, and its accesses, as the trace's columns have
// them.
func recorded(r *wtape.Reader, c *wtape.Chunk, block uint64, thread int) (path []uint32, accesses []step) {
	k := &r.Kernels()[0]
	w, lane := c.Warp(block, thread/trace.WarpSize), thread%trace.WarpSize
	guard, access := 0, 0
	for v, id := range w.Blocks {
		here := w.Masks[v]>>lane&1 != 0
		for i := k.Blocks[id].First; i < k.Blocks[id].First+k.Blocks[id].Count; i++ {
			in, takes := &k.Instructions[i], here
			if in.Guarded() {
				takes = takes && w.Guards[guard]>>lane&1 != 0
				guard++
			}
			if here {
				path = append(path, i)
			}
			if in.Class.IsMemory() {
				if takes {
					var at [trace.WarpSize]uint64
					c.Addresses(w.Accesses[access], 1<<lane, &at)
					accesses = append(accesses, step{i, at[lane]})
				}
				access++
			}
		}
	}
	return path, accesses
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
	for _, seed := range tracetest.Seeds(t, 150, 25) {
		r := rand.New(rand.NewPCG(seed, 22))
		l := gputest.RandomBlock(r, 1+r.IntN([]int{32, 256}[seed%2]))
		tape := gputest.Trace(t, l)
		chunk := wtape.NewChunk()
		if err := tape.ReadChunk(0, chunk); err != nil {
			t.Fatal(err)
		}
		m := randomMachine(r)
		memory := gputest.RandomMemory(r)
		seen := map[int][]step{}
		memory.Seen = func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
			var at [trace.WarpSize]uint64
			if a.Access.Strided() {
				for l := range at {
					at[l] = a.Access.Base + uint64(int64(a.Access.Stride)*int64(l))
				}
			} else {
				a.Chunk.Addresses(a.Access, a.Mask, &at)
			}
			for rest := a.Mask; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest)
				seen[a.ThreadBase+l] = append(seen[a.ThreadBase+l], step{a.Instruction, at[l]})
			}
		}
		v := &watcher{SlotLedger: gputest.NewSlotLedger()}
		run := replay(t, m, gpu.Options{Watcher: v}, tape, memory)
		if got, want := run.Total[counters.IssuedThread], tape.Totals().ThreadInstructions; got != want {
			t.Errorf("seed %d: %d thread instructions, recorded %d", seed, got, want)
		}
		for thread := range l.Threads {
			path, steps := recorded(tape, chunk, 0, thread)
			if diff := cmp.Diff(steps, seen[thread], cmp.AllowUnexported(step{})); diff != "" {
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
	for _, seed := range tracetest.Seeds(t, 60, 6) {
		r := rand.New(rand.NewPCG(seed, 23))
		tape := gputest.Trace(t, gputest.RandomLaunches(r)...)
		m := randomMachine(r)
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
			t.Fatalf("seed %d (%+v): with every cycle visited (-once +again):\n%.2000s", seed, *section(m), diff)
		}
	}
}
