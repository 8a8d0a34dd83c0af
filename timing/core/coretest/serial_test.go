// SPDX-License-Identifier: Apache-2.0

package coretest_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/core/coretest"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	_ "github.com/warptape/warptape/timing/mechanisms"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// serial puts serial cores on a built-in machine.
const serial = "+set(gpu.core=" + coretest.Kind + ")"

func replay(t *testing.T, m *arch.Machine, r *wtape.Reader, o gpu.Options) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// constant is a memory that answers after a constant time.
func constant(cycles clock.Cycle) gpu.Options {
	m := &gputest.Memory{LatencyCycles: cycles}
	return gpu.Options{WatchdogCycles: 100_000, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return m.Build(c.Core, global), nil
	}}
}

// traces are one of a compiled program, whose paths diverge, and one of barriers, fences
// and atomics.
func traces(t *testing.T) map[string]*wtape.Reader {
	k := gputest.NewKernel("mixed").Op(trace.ClassIntAdd, 1, 0).Load(trace.SpaceGlobal, 2, 1).Store(trace.SpaceShared, 1, 2).Barrier("sync", 0).
		Load(trace.SpaceShared, 3, 1).Op(trace.ClassF32Fma, 4, 3).Memory(trace.ClassAtomic, trace.SpaceGlobal, 5, 1, 4).
		Store(trace.SpaceGlobal, 1, 4).Op(trace.ClassFence, gputest.None).Barrier("sync", 0).Exit()
	k.SharedBytes = 4096
	return map[string]*wtape.Reader{
		"spmv":  replaytest.Recorded(t, "spmv"),
		"mixed": gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 9, Threads: 100}, gputest.Launch{Kernel: k, Blocks: 5, Threads: 64}),
	}
}

func TestTracesReplayOnSerialCores(t *testing.T) {
	for name, r := range traces(t) {
		for _, base := range []string{"gpsim-tiny", "gtx480"} {
			m := replaytest.Load(t, base+serial)
			ledger := gputest.NewSlotLedger()
			run := replay(t, m, r, gpu.Options{Watcher: ledger})
			gputest.Conserves(t, m, &run.Total)
			ledger.Check(t, name+" on "+base, r, run.Profiles, &run.Total)
			c := &run.Total
			if c[counters.IssuedWarp] != r.Totals().WarpInstructions || c[counters.IssuedThread] != r.Totals().ThreadInstructions {
				t.Errorf("%s on %s: %d warp and %d thread instructions, recorded %d and %d", name, base,
					c[counters.IssuedWarp], c[counters.IssuedThread], r.Totals().WarpInstructions, r.Totals().ThreadInstructions)
			}
			if got, want := c[counters.IssueSlots], uint64(m.GPU.SMs)*uint64(run.Cycles); got != want {
				t.Errorf("%s on %s: %d issue slots in %d cycles of %d cores", name, base, got, run.Cycles, m.GPU.SMs)
			}
			if c[counters.FetchInstruction] != c[counters.IssuedWarp] || c[counters.RequestsSent] == 0 {
				t.Errorf("%s on %s: %d instructions fetched, %d issued; %d requests", name, base, c[counters.FetchInstruction], c[counters.IssuedWarp], c[counters.RequestsSent])
			}
			// No lane shares a cycle with another one.
			if lanes := c[counters.IssuedThread]; lanes > uint64(m.GPU.SMs)*uint64(run.Cycles) {
				t.Errorf("%s on %s: %d lanes in %d cycles of %d cores", name, base, lanes, run.Cycles, m.GPU.SMs)
			}
		}
	}
}

// Instructions follow one another, with a cycle for each lane. A load lasts until the
// answer for its last lane is there; a thread block stays until its stores are performed.
func TestALaneTakesACycle(t *testing.T) {
	for _, c := range []struct {
		lanes   int
		latency clock.Cycle
	}{{32, 1}, {32, 50}, {7, 20}, {1, 3}, {1, 100}} {
		m := gputest.Machine()
		m.GPU.Core = coretest.Kind
		k := gputest.NewKernel("straight").Op(trace.ClassIntAdd, 1, 0).Op(trace.ClassF32Fma, 2, 1).
			Load(trace.SpaceGlobal, 3, 1).Store(trace.SpaceGlobal, 1, 3).Exit()
		tape := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: c.lanes})
		run := replay(t, m, tape, constant(c.latency))
		n := clock.Cycle(c.lanes)
		store := gputest.LaunchCycles + 2*n + n - 1 + c.latency // its first cycle
		end := max(store+2*n, store+n-1+c.latency)
		if run.Cycles != end+1 {
			t.Errorf("%d lanes, memory of %d cycles: %d cycles, want %d", c.lanes, c.latency, run.Cycles, end+1)
		}
		gputest.Invariants(t, m, &run.Total, run.Cycles)
		want := map[counters.Cause]uint64{
			counters.CauseIssued: 5,
			counters.CauseUnit:   uint64(5 * (n - 1)),
			counters.CauseMemory: uint64(c.latency - 1),
		}
		want[counters.CauseIdle] = uint64(run.Cycles) - want[counters.CauseIssued] - want[counters.CauseUnit] - want[counters.CauseMemory]
		for cause := range counters.Cause(counters.CauseCount) {
			if got := run.Total[cause.Counter()]; got != want[cause] {
				t.Errorf("%d lanes, memory of %d cycles: %d slots %v, want %d", c.lanes, c.latency, got, cause, want[cause])
			}
		}
	}
}

// Two warps meet at a barrier twice, the one behind the other.
func TestWarpsMeetAtBarriers(t *testing.T) {
	m := gputest.Machine()
	m.GPU.Core = coretest.Kind
	k := gputest.NewKernel("meet").Op(trace.ClassIntAdd, 1, 0).Barrier("sync", 0).Op(trace.ClassIntAdd, 1, 0).Barrier("sync", 0).Exit()
	run := replay(t, m, gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 2, Threads: 64}), constant(9))
	gputest.Invariants(t, m, &run.Total, run.Cycles)
	// The second thread block comes in the cycle behind that in which the first leaves.
	if want := clock.Cycle(gputest.LaunchCycles + 2*(2*5*32+1)); run.Cycles != want {
		t.Errorf("%d cycles, want %d", run.Cycles, want)
	}
}

func TestSerialCoresSleepWithoutAChange(t *testing.T) {
	m := replaytest.Load(t, "gpsim-tiny"+serial)
	for name, r := range traces(t) {
		want := replay(t, m, r, gpu.Options{})
		if diff := cmp.Diff(want, replay(t, m, r, gpu.Options{EveryCycle: true})); diff != "" {
			t.Errorf("%s called in every cycle (-asleep +called):\n%s", name, diff)
		}
	}
}

func TestSerialCoresRunAhead(t *testing.T) {
	m := replaytest.Load(t, "gtx480"+serial)
	for name, r := range traces(t) {
		want := replay(t, m, r, gpu.Options{})
		if diff := cmp.Diff(want, replay(t, m, r, gpu.Options{Cores: 2})); diff != "" {
			t.Errorf("%s on two processors (-one +two):\n%s", name, diff)
		}
	}
}

// What reaches into SIMT cores is refused on others, when the architecture is read.
func TestMechanismsThatNeedSIMTCoresAreRefusedByName(t *testing.T) {
	for spec, key := range map[string]string{
		"gtx480-15+dac": "dac", "gtx480+buddy": "buddy", "gtx480+cae": "cae", "gtx480+wide": "wide",
		"mesh56+llc-compute": "offload", "mesh56+omni-compute": "offload",
	} {
		_, err := arch.Load(spec + serial)
		if err == nil || !strings.Contains(err.Error(), key+" needs SIMT cores") || !strings.Contains(err.Error(), "set gpu.core to simt") {
			t.Errorf("%s: got %v", spec, err)
		}
	}
}

// Mechanisms of the memory path serve every kind of core.
func TestMechanismsOfTheMemoryPathServeSerialCores(t *testing.T) {
	r := replaytest.Recorded(t, "spmv")
	for _, spec := range []string{"gtx480+mta", "gpsim-tiny+tinycache", "gtx480+perfect-memory"} {
		m := replaytest.Load(t, spec+serial)
		run := replay(t, m, r, gpu.Options{})
		gputest.Conserves(t, m, &run.Total)
	}
}

func TestOtherCoresAreNoSMs(t *testing.T) {
	m := gputest.Machine()
	m.GPU.Core = coretest.Kind
	o := constant(1)
	o.FrontEnds = func(_ *arch.Machine, cores []core.Core) ([]core.Driver, error) {
		_, err := sm.Of(cores)
		return nil, err
	}
	if _, err := gpu.New(m, o); err == nil || !strings.Contains(err.Error(), "core 0 is no SIMT core") {
		t.Errorf("got %v", err)
	}
}

func TestAnUnknownKindOfCoreIsRefused(t *testing.T) {
	m := gputest.Machine()
	m.GPU.Core = "stream"
	if _, err := gpu.New(m, constant(1)); err == nil || !strings.Contains(err.Error(), `gpu.core: unknown core "stream" (known: eesi, none, simt, tesla-rtl, test-serial)`) {
		t.Errorf("got %v", err)
	}
	if _, err := arch.Load("gtx480+set(gpu.core=stream)"); err == nil || !strings.Contains(err.Error(), "gpu.core") {
		t.Errorf("got %v", err)
	}
}

func TestKernelsThatSerialCoresCannotExecuteAreRefused(t *testing.T) {
	for want, k := range map[string]*gputest.Kernel{
		"names a barrier":     gputest.NewKernel("k").Barrier("sync", 1).Exit(),
		"of the kind .arrive": gputest.NewKernel("k").Barrier("arrive", 0).Exit(),
		"is a bulk copy":      gputest.NewKernel("k").Op(trace.ClassBulk, gputest.None).Exit(),
	} {
		m := gputest.Machine()
		m.GPU.Core = coretest.Kind
		g, err := gpu.New(m, constant(1))
		if err != nil {
			t.Fatal(err)
		}
		err = g.Check([]trace.Kernel{k.Kernel}, []trace.Launch{{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "k.ptx:1") {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// Warps come to a barrier in parts, one after the other. No lane goes on before the last
// part of the last warp has come.
func TestNobodyLeavesABarrierBeforeTheLastLane(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		const parts = 3
		k := gputest.NewKernel("parts")
		for range parts { // blocks 0, 1 and 2
			k.Store(trace.SpaceGlobal, 1, 2).Barrier("sync", 0)
		}
		behind := uint32(len(k.Blocks) - 1)
		k.Store(trace.SpaceGlobal, 1, 2).Exit()
		warps := 1 + r.IntN(4)
		var lanes [4][parts]uint32
		for w := range lanes {
			for l := range 32 {
				lanes[w][r.IntN(1+r.IntN(parts))] |= 1 << l
			}
		}
		var last, first clock.Cycle // store before the barrier, and behind it
		stores := 0
		memory := &gputest.Memory{LatencyCycles: 20, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
			stores++
			if a.Instruction < k.Blocks[behind].First {
				last = now
			} else if first == 0 {
				first = now
			}
		}}
		m := gputest.Machine()
		m.GPU.Core = coretest.Kind
		run := replay(t, m, gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps, Record: func(w *gputest.Warp) {
			together := r.IntN(2) == 0
			for b, mask := range lanes[w.Warp] {
				if mask != 0 {
					w.Visit(uint32(b), mask)
				}
			}
			for _, mask := range lanes[w.Warp] {
				if together {
					mask = w.Lanes
				}
				if mask != 0 {
					w.Visit(behind, mask)
				}
				if together {
					break
				}
			}
		}}), gpu.Options{WatchdogCycles: 100_000, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
			return memory.Build(c.Core, global), nil
		}})
		gputest.Invariants(t, m, &run.Total, run.Cycles)
		if stores != 2*32*warps {
			t.Fatalf("seed %d: %d stores of %d lanes, want two each", seed, stores, 32*warps)
		}
		if first <= last {
			t.Errorf("seed %d, %d warps: a lane goes on in cycle %d, and another comes in cycle %d", seed, warps, first, last)
		}
	}
}
