package gpu

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// issueOrder gives the order in which warps' stores reach the memory: with one
// store per warp and one unit that is the order of issue.
func issueOrder(t *testing.T, m *arch.Machine, l gputest.Launch) []int {
	t.Helper()
	var order []int
	m.SM.Latencies.Barrier.Cycles = 20 // by then all instructions are fetched
	memory := &gputest.Memory{LatencyCycles: 10, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { order = append(order, a.WarpSlot) }}
	replay(t, build(t, m, memory), l)
	return order
}

// storesAfterBarrier lets all warps be ready at once, then store twice each.
func storesAfterBarrier() *gputest.Kernel {
	k := gputest.NewKernel("order")
	k.Barrier("sync", 0)
	k.Store(trace.SpaceGlobal, 1, 2).Store(trace.SpaceGlobal, 1, 3).Exit()
	return k
}

func TestLooseRoundRobinAlternates(t *testing.T) {
	m := gputest.Machine()
	got := issueOrder(t, m, gputest.Launch{Kernel: storesAfterBarrier(), Blocks: 1, Threads: 96})
	// The barrier's last arrival was warp 2's.
	if diff := cmp.Diff([]int{0, 1, 2, 0, 1, 2}, got); diff != "" {
		t.Error(diff)
	}
}

func TestGreedyThenOldestStaysThenTakesTheOldest(t *testing.T) {
	m := gputest.Machine()
	m.SM.Scheduler = "gto"
	got := issueOrder(t, m, gputest.Launch{Kernel: storesAfterBarrier(), Blocks: 1, Threads: 96})
	// Greedy: warp 2 was the last to issue (its barrier arrival), so it goes first.
	if diff := cmp.Diff([]int{2, 2, 0, 0, 1, 1}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBarrierWaitsForTheSlowestWarp(t *testing.T) {
	const links = 20
	k := gputest.NewKernel("unequal")
	k.Branch() // block 1: the slow warp's chain
	for range links {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Branch() // block 2
	k.Op(trace.ClassIntAdd, 2, 1).Barrier("sync", 0)
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp == 1 {
			w.Visit(1, w.Lanes)
		}
		w.Visit(2, w.Lanes)
		w.Visit(3, w.Lanes)
	}})
	link := gputest.OperandRead + gputest.ALULatency
	// Warp 1 falls through a branch and its chain; the add that depends on the
	// chain is the last link, the barrier follows it; a cycle later both exit.
	chainStart := firstIssue + 1 + 1 // warp 0 is fetched first
	want := clock.Cycle(chainStart + links*link + 1 + 1 + 1 + 1)
	if d := run.Cycles - want; d < 0 || d > clock.Cycle(link) {
		t.Errorf("%d cycles, want %d plus at most the last add's write-back", run.Cycles, want)
	}
	if run.Total[counters.StallBarrier] != 0 {
		t.Errorf("%d slots blamed on the barrier while another warp computes", run.Total[counters.StallBarrier])
	}
}

func TestExitedWarpsDoNotKeepTheOthersAtABarrier(t *testing.T) {
	k := gputest.NewKernel("leavers")
	out := k.Branch()
	_ = out
	k.Barrier("sync", 0)
	end := uint32(len(k.Blocks) - 1)
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 128, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp%2 == 0 {
			w.Visit(1, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}})
	if got := run.Total[counters.IssuedWarp]; got != 4+2+4 {
		t.Errorf("%d instructions, want 10", got)
	}
}

func TestBarrierWithACountReleasesThatManyWarps(t *testing.T) {
	// Two producers arrive at barrier 1, two consumers wait there for all four.
	k := gputest.NewKernel("counted")
	produce := k.Branch()
	k.Barrier("arrive", 1, 128)
	consume := uint32(len(k.Blocks) - 1)
	k.Barrier("sync", 1, 128)
	end := uint32(len(k.Blocks) - 1)
	k.Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 1, Threads: 128, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp < 2 {
			w.Visit(produce, w.Lanes)
		} else {
			w.Visit(consume, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}})
	if got := run.Total[counters.IssuedWarp]; got != 12 {
		t.Errorf("%d instructions, want 12", got)
	}
}

func TestOccupancyNamesTheLimiter(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(m *arch.Machine, k *gputest.Kernel)
		threads int
		dynamic uint32
		blocks  int
		limiter string
	}{
		"threads":       {func(m *arch.Machine, _ *gputest.Kernel) { m.SM.MaxThreads = 1000 }, 250, 0, 3, "threads"},
		"warps":         {func(m *arch.Machine, _ *gputest.Kernel) { m.SM.MaxWarps = 20 }, 256, 0, 2, "warps"},
		"blocks":        {func(*arch.Machine, *gputest.Kernel) {}, 32, 0, 8, "blocks"},
		"registers":     {func(_ *arch.Machine, k *gputest.Kernel) { k.RegistersPerThread = 63 }, 256, 0, 2, "registers"},
		"shared memory": {func(_ *arch.Machine, k *gputest.Kernel) { k.SharedBytes = 10001 }, 64, 1000, 4, "shared_memory"},
	} {
		m, k := gputest.Machine(), chain(1)
		c.change(m, k)
		run := replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: 40, Threads: c.threads, DynamicBytes: c.dynamic})
		if o := run.Launches[0].Occupancy; o.Blocks != c.blocks || o.Limiter != c.limiter {
			t.Errorf("%s: %d blocks by %s, want %d by %s", name, o.Blocks, o.Limiter, c.blocks, c.limiter)
		}
		if n := run.Total[counters.BlocksRetired]; n != 40 {
			t.Errorf("%s: %d thread blocks ended, want 40", name, n)
		}
	}
}

func TestLaunchThatCannotRunIsRefusedBeforeTheFirst(t *testing.T) {
	good, big, double := chain(1), chain(1), gputest.NewKernel("precise")
	big.Name, big.SharedBytes = "greedy", 60<<10
	double.Op(trace.ClassF64Add, 1).Exit()
	m := gputest.Machine()
	m.SM.Units.DP, m.SM.Units.SFU = 0, 0
	for _, c := range []struct {
		launch gputest.Launch
		words  []string
	}{
		{gputest.Launch{Kernel: big, Blocks: 1, Threads: 32}, []string{"greedy", "launch 1", "61440 bytes of shared memory", "49152", "shared_memory.bytes"}},
		{gputest.Launch{Kernel: good, Blocks: 1, Threads: 1600}, []string{"chain", "1600 threads", "1536", "sm.max_threads"}},
		{gputest.Launch{Kernel: double, Blocks: 1, Threads: 32}, []string{"precise", "precise.ptx:1", "dp unit", "units.dp"}},
	} {
		issued := uint64(0)
		src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: good, Blocks: 1, Threads: 32}, c.launch))
		_, err := build(t, m, &gputest.Memory{}).Replay(context.Background(), src, func(n uint64) { issued = n })
		if err == nil || issued > 0 {
			t.Fatalf("%s ran", c.launch.Kernel.Name)
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
}

func TestStuckReplaySaysWhichWarpWaitsForWhat(t *testing.T) {
	k := gputest.NewKernel("stuck")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Barrier("sync", 0)
	k.Exit()
	src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		if w.Warp == 0 {
			w.VisitGuarded(0, w.Lanes, 0)
		} else {
			w.Visit(0, w.Lanes)
		}
		w.Visit(1, w.Lanes)
	}}))
	_, err := build(t, gputest.Machine(), &gputest.Memory{Silent: true}).Replay(context.Background(), src, nil)
	if err == nil {
		t.Fatal("a memory that never answers did not stop the replay")
	}
	for _, words := range []string{"BUG:", "SM 0 warp slot 1 (thread block 0): int-add at stuck.ptx:2 waits for a register that a load or atomic writes", "memory: 2 requests wait"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
}

func TestWatchdogEndsAReplayInWhichNothingIssues(t *testing.T) {
	k := gputest.NewKernel("slow")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Exit()
	o := with(&gputest.Memory{LatencyCycles: 1000})
	o.WatchdogCycles = 400
	g, err := New(gputest.Machine(), o)
	if err != nil {
		t.Fatal(err)
	}
	g.everyCycle = true // it looks only in cycles in which something happens
	src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}))
	if _, err := g.Replay(context.Background(), src, nil); err == nil || !strings.Contains(err.Error(), "no instruction has issued") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledReplayStops(t *testing.T) {
	src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: chain(50), Blocks: 2000, Threads: 32}))
	ctx, cancel := context.WithCancel(context.Background())
	g := build(t, gputest.Machine(), &gputest.Memory{})
	_, err := g.Replay(ctx, src, func(uint64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestUnknownStrategiesAreRefused(t *testing.T) {
	for key, change := range map[string]func(*arch.Machine){
		"round_robin": func(m *arch.Machine) { m.GPU.Dispatch = "x" },
		"pdom":        func(m *arch.Machine) { m.GPU.Divergence = "x" },
		"gto, lrr":    func(m *arch.Machine) { m.SM.Scheduler = "x" },
		"sms":         func(m *arch.Machine) { m.GPU.SMs = 0 },
		"max_warps":   func(m *arch.Machine) { m.SM.MaxWarps = 65 },
		"0 MHz":       func(m *arch.Machine) { m.Clocks.L2MHz = 0 },
		"1000000":     func(m *arch.Machine) { m.SM.Latencies.Tensor.Cycles = 1000000 },
	} {
		m := gputest.Machine()
		change(m)
		if _, err := New(m, with(&gputest.Memory{})); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: got %v", key, err)
		}
	}
}

func TestLaunchesFollowOneAnother(t *testing.T) {
	k := chain(5)
	one := cyclesOf(t, gputest.Machine(), k)
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{}),
		gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}, gputest.Launch{Kernel: k, Blocks: 0, Threads: 32}, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	var got []clock.Cycle
	for _, l := range run.Launches {
		got = append(got, l.Start, l.Cycles)
	}
	want := []clock.Cycle{0, one, one, gputest.LaunchCycles, one + gputest.LaunchCycles, one}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if run.Cycles != 2*one+gputest.LaunchCycles {
		t.Errorf("%d cycles in total", run.Cycles)
	}
}

func TestOffloadCanHoldAndTakeInstructions(t *testing.T) {
	k := gputest.NewKernel("offload")
	k.Op(trace.ClassIntMul, 1).Op(trace.ClassIntAdd, 2, 1).Exit()
	engine := &engine{}
	o := with(&gputest.Memory{})
	build := o.Memory
	o.Memory = func(m *arch.Machine, c Clocks, sets []*counters.Set, global *counters.Set) (seam.MemorySystem, error) {
		inner, err := build(m, c, sets, global)
		return &engineMemory{MemorySystem: inner, engine: engine, core: c.Core}, err
	}
	o.Offload = engine
	g, err := New(gputest.Machine(), o)
	if err != nil {
		t.Fatal(err)
	}
	run := replay(t, g, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	// Held for 3 cycles, then elsewhere for 40.
	want := clock.Cycle(firstIssue + 3 + 40 + gputest.OperandRead + gputest.ALULatency + 1)
	if run.Cycles != want {
		t.Errorf("%d cycles, want %d", run.Cycles, want)
	}
}

// engine takes the instruction 0 after holding it three times, and completes it
// 40 cycles later.
type engine struct {
	held  int
	at    clock.Cycle
	token uint32
	busy  bool
	to    seam.Completions
}

func (e *engine) AtIssue(now clock.Cycle, _, _ int, instruction, _, token uint32) seam.Decision {
	if instruction != 0 {
		return seam.Here
	}
	if e.held++; e.held <= 3 {
		return seam.Hold
	}
	e.at, e.token, e.busy = now+40, token, true
	return seam.Elsewhere
}

// engineMemory lets the engine report among the memory's events.
type engineMemory struct {
	seam.MemorySystem
	engine *engine
	core   clock.Domain
}

func (m *engineMemory) Port(sm int, to seam.Completions) seam.Port {
	m.engine.to = to
	return m.MemorySystem.Port(sm, to)
}

func (m *engineMemory) Advance(t clock.Time) {
	m.MemorySystem.Advance(t)
	if m.engine.busy && m.core.Start(m.engine.at) <= t {
		m.engine.busy = false
		m.engine.to.Complete(m.engine.at, m.engine.token)
	}
}

func (m *engineMemory) NextEvent() clock.Time {
	if m.engine.busy {
		return min(m.MemorySystem.NextEvent(), m.core.Start(m.engine.at))
	}
	return m.MemorySystem.NextEvent()
}

func TestGenericAccessesAreResolvedByTheirFirstLane(t *testing.T) {
	k := gputest.NewKernel("generic")
	k.Load(trace.SpaceGeneric, 1, 2).Exit()
	for base, want := range map[uint64]trace.Space{
		trace.SharedWindowBase + 64: trace.SpaceShared, trace.LocalWindowBase + 64: trace.SpaceLocal,
		trace.ConstWindowBase + 64: trace.SpaceConst, 0xC0000040: trace.SpaceGlobal,
	} {
		for _, irregular := range []bool{false, true} {
			var got []seam.MemoryAccess
			memory := &gputest.Memory{LatencyCycles: 1, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { got = append(got, *a) }}
			r := genericTrace(t, k, base, irregular)
			if _, err := build(t, gputest.Machine(), memory).Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0].Space != want {
				t.Fatalf("base %#x: %+v, want space %v", base, got, want)
			}
			if relative := got[0].Access.Base + 4*uint64(got[0].Access.Stride); !irregular && want != trace.SpaceGlobal && relative != 64+4*4 {
				t.Errorf("base %#x: lane 4 is at %#x of the space, want %#x", base, relative, 64+4*4)
			}
		}
	}
}

// genericTrace has one load by lanes 4..31 at base+4*lane, or scattered.
func genericTrace(t *testing.T, k *gputest.Kernel, base uint64, irregular bool) *trace.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, "test", trace.Header{}, trace.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	id, err := w.AddKernel(&k.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Kernel: id, Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(0)
	const lanes = 0xfffffff0
	w.Visit(0, 0, lanes)
	var addresses [trace.WarpSize]uint64
	for l := range addresses {
		addresses[l] = base + uint64(4*l)
		if irregular {
			addresses[l] = base + uint64(l*l)%64*4
		}
	}
	w.Access(0, lanes, &addresses)
	if err := errors.Join(w.EndBlock(), w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r, err := trace.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
