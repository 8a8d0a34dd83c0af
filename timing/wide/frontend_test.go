// SPDX-License-Identifier: Apache-2.0

package wide

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	_ "github.com/warptape/warptape/timing/buddy"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/tracetest"
)

// narrow is a mechanism of this test: the front ends of wide warps for warps of one
// pass.
type narrow struct {
	Enabled bool `yaml:"enabled"`
}

func (n *narrow) On() bool                                  { return n.Enabled }
func (n *narrow) Check(*arch.Machine, func(_, _ string))    {}
func (n *narrow) Structures(*arch.Machine) []arch.Structure { return nil }

func init() {
	arch.RegisterSection("narrow", nil, func() arch.Section { return new(narrow) }, arch.Declaration{})
	gpu.Mechanisms.Register("narrow", gpu.Mechanism{FrontEnds: func(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
		return frontEnds(1, next)
	}})
}

func replay(t testing.TB, m *arch.Machine, o gpu.Options, launches ...gputest.Launch) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, launches...)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// memory answers after a constant time.
func memory(cycles clock.Cycle) gpu.Options {
	m := &gputest.Memory{LatencyCycles: cycles}
	return gpu.Options{WatchdogCycles: 100_000, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return m.Build(c.Core, global), nil
	}}
}

// TestWarpsOfOnePassAreTheBaseline on random machines, to the last counter.
func TestWarpsOfOnePassAreTheBaseline(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, 6) {
		r := rand.New(rand.NewPCG(seed, 9))
		m := gputest.RandomMachine(r)
		launches := gputest.RandomLaunches(r)
		m.SetSection(key, &Section{Threads: 32})
		other := m.Clone()
		other.SetSection("narrow", &narrow{Enabled: true})
		// Recorded random numbers differ from one recording to the next: record once.
		source := gputest.NewSource(gputest.Trace(t, launches...))
		var runs [2]*gpu.Run
		for i, x := range []*arch.Machine{m, other} {
			g, err := gpu.New(x, memory(33))
			if err != nil {
				t.Fatal(err)
			}
			if runs[i], err = g.Replay(context.Background(), source, nil); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
			t.Fatalf("seed %d (-baseline +one pass):\n%s", seed, diff)
		}
	}
}

// TestPassesTakeACycleEach: a chain of n additions of latency l in one warp of w
// threads takes as long as that of 32 threads when the passes fit into the latency.
// Additions that do not depend on each other take a cycle for each pass.
func TestPassesTakeACycleEach(t *testing.T) {
	const n = 40
	chain, free := gputest.NewKernel("chain"), gputest.NewKernel("free")
	for i := range n {
		chain.Op(trace.ClassIntAdd, 1, 1)
		free.Op(trace.ClassIntAdd, 1+i, 0)
	}
	chain.Exit()
	free.Exit()
	m := gputest.Machine()
	m.GPU.SMs, m.SM.Schedulers, m.SM.IssuePerScheduler = 1, 1, 1
	m.SM.FetchWidth, m.SM.InstructionBuffer = 2, 8
	m.SM.Latencies.IntAdd = arch.Latency{Cycles: 6, Interval: 1}
	with := func(threads int) *arch.Machine {
		w := m.Clone()
		w.SetSection(key, &Section{Threads: threads})
		return w
	}
	one := gputest.Launch{Kernel: chain, Blocks: 1, Threads: 32}
	base := replay(t, with(32), memory(10), one).Cycles
	for _, threads := range []int{64, 128} {
		one.Threads = threads
		got := replay(t, with(threads), memory(10), one)
		if more := got.Cycles - base; more < 0 || more > clock.Cycle(threads/32) {
			t.Errorf("a chain in a warp of %d threads takes %d cycles, in one of 32 %d", threads, got.Cycles, base)
		}
	}
	for _, threads := range []int{64, 128} {
		passes := clock.Cycle(threads / 32)
		l := gputest.Launch{Kernel: free, Blocks: 1, Threads: threads}
		got := replay(t, with(threads), memory(10), l)
		if most := passes*(n+1) + 30; got.Cycles < passes*n || got.Cycles > most {
			t.Errorf("%d independent additions in a warp of %d threads take %d cycles, want %d to %d", n, threads, got.Cycles, passes*n, most)
		}
		if c, want := got.Total[laterPasses], uint64(passes-1)*(n+1); c != want {
			t.Errorf("%d later passes, want %d", c, want)
		}
		if f, want := got.Total[counters.FetchInstruction], uint64(n+1); f != want {
			t.Errorf("%d instructions fetched for a warp of %d threads, want %d", f, threads, want)
		}
	}
}

// TestTwoPassesOfAnInstructionNeedTwoUnits: a scheduler that issues twice a cycle issues both passes of an addition, and one
// a cycle where it issues twice only to different kinds of unit. Where two kinds take turns, the last pass of one goes with
// the first of the other.
func TestTwoPassesOfAnInstructionNeedTwoUnits(t *testing.T) {
	const n = 200
	same, mixed := gputest.NewKernel("same"), gputest.NewKernel("mixed")
	for i := range n {
		same.Op(trace.ClassIntAdd, 1+i%60, 0)
		mixed.Op([]trace.OpClass{trace.ClassIntAdd, trace.ClassF32Add}[i%2], 1+i%60, 0)
	}
	same.Exit()
	mixed.Exit()
	m := gputest.Machine()
	m.GPU.SMs, m.SM.Schedulers, m.SM.IssuePerScheduler = 1, 1, 2
	m.SM.Units.SP, m.SM.Units.Int = 4, 4
	m.SM.FetchWidth, m.SM.InstructionBuffer, m.SM.RegisterBanks = 4, 16, 0
	m.SM.Latencies.IntAdd, m.SM.Latencies.F32Add = arch.Latency{Cycles: 6, Interval: 1}, arch.Latency{Cycles: 6, Interval: 1}
	m.SetSection(key, &Section{Threads: 64})
	for _, c := range []struct {
		kernel *gputest.Kernel
		differ bool
		each   int // cycles, of two instructions of two passes each
	}{{same, false, 2}, {same, true, 4}, {mixed, false, 2}, {mixed, true, 2}} {
		x := m.Clone()
		x.SM.DualIssueDifferentUnits = c.differ
		got := int(replay(t, x, memory(10), gputest.Launch{Kernel: c.kernel, Blocks: 1, Threads: 64}).Cycles)
		if least := n / 2 * c.each; got < least || got > least+40 {
			t.Errorf("%s, different units %v: %d cycles, want %d", c.kernel.Name, c.differ, got, least)
		}
	}
}

// TestHalvesOfAWideWarpTakeTheirPathsOneAfterTheOther: warp 1 of each pair visits n
// more additions, for which warp 0 has passes without lanes.
func TestHalvesOfAWideWarpTakeTheirPathsOneAfterTheOther(t *testing.T) {
	const n = 20
	k := gputest.NewKernel("halves")
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch()
	for range n {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	last := k.Block()
	k.Exit()
	k.Blocks[0].PostDominator, k.Blocks[1].PostDominator = last, last
	l := gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp == 1 {
			w.Visit(1, w.Lanes)
		}
		w.Visit(2, w.Lanes)
	}}
	m := gputest.Machine()
	m.SetSection(key, &Section{Threads: 64})
	run := replay(t, m, memory(10), l)
	instructions := uint64(len(k.Instructions))
	if got := run.Total[counters.IssuedWarp]; got != 2*instructions {
		t.Errorf("%d passes were issued, want two for each of %d instructions", got, instructions)
	}
	if got := run.Total[laterPasses+emptyPasses]; got != n {
		t.Errorf("%d passes without lanes, want %d", got, n)
	}
}

// TestPaddingPassesArriveAtBarriers: a thread block of three warps has a pass without
// any lane in its second warp of 64, which the others do not wait for.
func TestPaddingPassesArriveAtBarriers(t *testing.T) {
	k := gputest.NewKernel("padded")
	k.Op(trace.ClassIntAdd, 1, 1).Barrier("sync", 0).Op(trace.ClassIntAdd, 1, 1).Barrier("sync", 1).Exit()
	for _, threads := range []int{64, 128} {
		m := gputest.Machine()
		m.SetSection(key, &Section{Threads: threads})
		replay(t, m, memory(10), gputest.Launch{Kernel: k, Blocks: 5, Threads: 96, Record: gputest.StraightLine})
	}
}

func TestWideWarpsWhereTheyMakeNoSenseAreRefusedWithTheReason(t *testing.T) {
	m := gputest.Machine()
	m.SM.MaxWarps = 6
	var said []string
	(&Section{Threads: 128}).Check(m, func(key, message string) { said = append(said, key+": "+message) })
	if len(said) != 1 || !strings.Contains(said[0], "6 warps of 32 threads (sm.max_warps) cannot be divided into warps of 128") {
		t.Errorf("six warps: %q", said)
	}
	said = nil
	m.SM.MaxWarps = 64
	for _, threads := range []int{64, projection.MaxWidth, 2 * projection.MaxWidth} {
		(&Section{Threads: threads}).Check(m, func(key, message string) { said = append(said, key+": "+message) })
	}
	if len(said) != 1 || !strings.Contains(said[0], fmt.Sprintf("%d: the model regroups up to %d threads", 2*projection.MaxWidth, projection.MaxWidth)) {
		t.Errorf("widths of one warp to twice the most: %q", said)
	}
	if _, err := arch.Load("gtx480+wide(threads=64)+buddy(members=2)"); err == nil || !strings.Contains(err.Error(), "a machine has one issue logic") {
		t.Errorf("with clusters: %v", err)
	}
}

// TestLaterPassesCostTheFrontEndNothing but the SIMT stack.
func TestLaterPassesCostTheFrontEndNothing(t *testing.T) {
	m := replaytest.Load(t, "gtx480+wide(threads=64)")
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	if names := model.Unpriced(m.Mechanisms()); len(names) > 0 {
		t.Errorf("counters without a price or a reason: %v", names)
	}
	cost := func(later uint64) float64 {
		var set counters.Set
		set[counters.IssuedWarp], set[laterPasses] = 2, later
		r, err := model.Account(&set, 0)
		if err != nil {
			t.Fatal(err)
		}
		return r.Node("chip/sm/front end/scheduler").DynamicJ
	}
	if one, two := cost(1), cost(0); one <= 0 || one != two/2 {
		t.Errorf("an instruction and its second pass cost the scheduler %g J, two instructions %g J", one, two)
	}
}

// BenchmarkReplay isolates what wide warps cost a replay of tiled sgemm, in recorded
// warp instructions a second.
func BenchmarkReplay(b *testing.B) {
	replaytest.Benchmark(b, []string{"sgemm"}, "gtx480", "gtx480+wide(threads=64)", "gtx480+wide(threads=128)")
}
