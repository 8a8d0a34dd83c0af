// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// Four SMs in two GPCs, with numbers of the network that can be told apart.
func clusterMachine() *arch.Machine {
	m := gputest.Machine()
	m.GPU.SMs = 4
	m.GPU.Clusters = arch.Clusters{GPCs: 2, RemoteCycles: 150, BytesPerCycle: 16, BarrierCycles: 70}
	return m
}

func inRow(blocks int) trace.Dim3 { return trace.Dim3{X: uint32(blocks), Y: 1, Z: 1} }

// placed replays a launch on a machine whose SMs have room for occupancy thread blocks, and
// gives the SM and the cycle of each thread block's placement.
func placed(t *testing.T, m *arch.Machine, l gputest.Launch) (sms []int, cycles []clock.Cycle) {
	t.Helper()
	sms = make([]int, l.Blocks)
	memory := &gputest.Memory{LatencyCycles: 30, Seen: func(_ clock.Cycle, sm int, a *seam.MemoryAccess) {
		sms[(a.Access.Base-0xC000_0000)%(1<<20)/(64*128)] = sm
	}}
	o := with(memory)
	o.Checkpoints = func(int, int) uint64 { return 1 }
	g, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run := replay(t, g, l)
	return sms, run.Launches[0].Dispatches
}

// loads is a kernel of a load, behind which a thread block's SM is known.
func loads() *gputest.Kernel {
	k := gputest.NewKernel("loads")
	k.Load(trace.SpaceGlobal, 1, 2)
	return k.Exit()
}

// All thread blocks of a cluster come in one cycle, to SMs of one GPC, each to one of its own.
// Clusters follow one another in the order of their first thread blocks, also where their rows
// are apart.
func TestThreadBlocksOfAClusterArePlacedTogether(t *testing.T) {
	for _, c := range []struct{ grid, cluster trace.Dim3 }{
		{inRow(12), inRow(2)}, {trace.Dim3{X: 4, Y: 4, Z: 1}, trace.Dim3{X: 2, Y: 2, Z: 1}}, {trace.Dim3{X: 2, Y: 2, Z: 6}, trace.Dim3{X: 1, Y: 1, Z: 3}},
	} {
		m := clusterMachine()
		m.GPU.SMs = 8 // four in each GPC
		l := gputest.Launch{Kernel: loads(), Blocks: int(c.grid.Count()), Grid: c.grid, Cluster: c.cluster, Threads: 32}
		sms, cycles := placed(t, m, l)
		launch := trace.Launch{Grid: c.grid, Cluster: c.cluster}
		at := map[uint64]clock.Cycle{}
		on := map[uint64][]int{}
		var order []uint64 // of clusters, as they are placed
		for b := range l.Blocks {
			number, _ := launch.ClusterOf(uint64(b))
			on[number] = append(on[number], sms[b])
			if !slices.Contains(order, number) {
				order = append(order, number)
			}
		}
		n := int(c.cluster.Count())
		for i, number := range order {
			group := cycles[i*n : (i+1)*n] // dispatches are in the order of placement
			if slices.Min(group) != slices.Max(group) {
				t.Errorf("%v: cluster %d is placed in cycles %v", c, number, group)
			}
			at[number] = group[0]
			if i > 0 && group[0] < at[order[i-1]] {
				t.Errorf("%v: cluster %d comes before cluster %d", c, number, order[i-1])
			}
			slices.Sort(on[number])
			if on[number][0]/4 != i%2 {
				t.Errorf("%v: cluster %d of those placed lies on SMs %v: GPCs take turns", c, i, on[number])
			}
			if len(slices.Compact(slices.Clone(on[number]))) != n || on[number][0]/4 != on[number][n-1]/4 {
				t.Errorf("%v: cluster %d lies on SMs %v", c, number, on[number])
			}
		}
	}
}

// A cluster waits for a GPC that has room for all of it, though other SMs have room.
func TestAClusterWaitsForRoomForAllOfIt(t *testing.T) {
	m := clusterMachine() // two SMs in each GPC
	m.SM.MaxBlocks = 1
	k := gputest.NewKernel("long")
	k.Load(trace.SpaceGlobal, 1, 2)
	k.Branch()
	for range 300 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Branch()
	k.Exit()
	_, cycles := placed(t, m, gputest.Launch{Kernel: k, Blocks: 6, Cluster: inRow(2), Threads: 32, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Block%2 == 0 { // every other thread block ends 300 operations later
			w.Visit(1, w.Lanes)
		}
		w.Visit(2, w.Lanes)
	}})
	if cycles[2] > 10 || cycles[4] < 300 || cycles[4] != cycles[5] {
		t.Errorf("thread blocks are placed in cycles %v: the third cluster has to wait for the whole of another", cycles)
	}
}

// waiting is a kernel that arrives, works, and waits; early and late are chains of additions
// before the arrival and behind it.
func waiting(relaxed bool) *gputest.Kernel {
	k := gputest.NewKernel("waiting")
	k.Branch()
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch() // block 1: one addition
	k.Op(trace.ClassIntAdd, 1, 1).ClusterArrive(relaxed)
	k.Branch() // block 2: the arrival
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch() // block 3: one addition
	k.ClusterWait()
	k.Exit()
	return k
}

// early and late are how many additions each thread block makes before it arrives and before it
// waits.
func clusterCycles(t *testing.T, m *arch.Machine, relaxed bool, early, late []int) clock.Cycle {
	t.Helper()
	return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 10}), gputest.Launch{
		Kernel: waiting(relaxed), Blocks: len(early), Cluster: inRow(len(early)), Threads: 32, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			for range early[w.Block] {
				w.Visit(1, w.Lanes)
			}
			w.Visit(2, w.Lanes)
			for range late[w.Block] {
				w.Visit(3, w.Lanes)
			}
			w.Visit(4, w.Lanes)
			w.Visit(5, w.Lanes)
		},
	}).Cycles
}

// The barrier opens some cycles after the last arrival. What a warp does between arriving and
// waiting hides them.
func TestAClusterWaitsForTheLastArrival(t *testing.T) {
	for _, relaxed := range []bool{false, true} {
		m := clusterMachine()
		both := clusterCycles(t, m, relaxed, []int{3, 3}, []int{0, 0})
		m.GPU.Clusters.BarrierCycles += 45
		if got := clusterCycles(t, m, relaxed, []int{3, 3}, []int{0, 0}); got != both+45 {
			t.Errorf("relaxed %v: 45 cycles more at the barrier make %d cycles of %d", relaxed, got, both)
		}
		m = clusterMachine()
		one := clusterCycles(t, m, relaxed, []int{23, 3}, []int{0, 0})
		if alone := clusterCycles(t, m, relaxed, []int{23, 23}, []int{0, 0}); one != alone {
			t.Errorf("relaxed %v: %d cycles when one thread block is late, %d when both are", relaxed, one, alone)
		}
		// 40 visits last longer than the barrier, so that its latency does not matter.
		hidden := clusterCycles(t, m, relaxed, []int{3, 3}, []int{40, 40})
		m.GPU.Clusters.BarrierCycles = 1
		if got := clusterCycles(t, m, relaxed, []int{3, 3}, []int{40, 40}); got != hidden {
			t.Errorf("relaxed %v: %d and %d cycles, though the work behind the arrival hides the barrier", relaxed, got, hidden)
		}
	}
}

// A warp that arrives with one half of its lanes after the other counts when it waits.
func TestAWarpThatArrivesInPartsCountsWhenItWaits(t *testing.T) {
	cycles := func(late int, parts ...uint32) clock.Cycle {
		return replay(t, build(t, clusterMachine(), &gputest.Memory{LatencyCycles: 10}), gputest.Launch{
			Kernel: waiting(true), Blocks: 2, Cluster: inRow(2), Threads: 32, Record: func(w *gputest.Warp) {
				w.Visit(0, w.Lanes)
				if w.Block == 1 {
					parts = []uint32{w.Lanes}
				}
				for _, mask := range parts {
					w.Visit(2, mask)
				}
				for range late * (1 - w.Block) {
					w.Visit(3, w.Lanes)
				}
				w.Visit(4, w.Lanes)
				w.Visit(5, w.Lanes)
			},
		}).Cycles
	}
	whole, parted := cycles(40, ^uint32(0)), cycles(40, 0xffff, 0xffff0000)
	if more := parted - whole; more < 70 {
		t.Errorf("%d cycles in parts and %d as a whole: the barrier's latency is behind the wait", parted, whole)
	}
}

// A thread block that has ended is not waited for, whether it has arrived or not.
func TestAnEndedThreadBlockDoesNotHoldItsCluster(t *testing.T) {
	for first := range 2 {
		run := replay(t, build(t, clusterMachine(), &gputest.Memory{LatencyCycles: 10}), gputest.Launch{
			Kernel: waiting(true), Blocks: 2, Cluster: inRow(2), Threads: 64, Record: func(w *gputest.Warp) {
				w.Visit(0, w.Lanes)
				if w.Block == 0 && first == 0 {
					return
				}
				w.Visit(2, w.Lanes)
				if w.Block == 0 {
					return
				}
				w.Visit(4, w.Lanes)
				w.Visit(5, w.Lanes)
			},
		})
		if run.Total[counters.BlocksRetired] != 2 {
			t.Errorf("%d thread blocks retire", run.Total[counters.BlocksRetired])
		}
	}
}

// A warp that arrives and ends, without waiting, counts in the phase in which it has arrived and
// in no later one: the thread block that is left passes as many phases as it likes.
func TestAWarpThatEndsBehindItsPhaseIsInNoOther(t *testing.T) {
	for late := range 30 { // it ends before its phase is complete, and in cycles of the phases behind it
		run := replay(t, build(t, clusterMachine(), &gputest.Memory{LatencyCycles: 10}), gputest.Launch{
			Kernel: waiting(true), Blocks: 2, Cluster: inRow(2), Threads: 64, Record: func(w *gputest.Warp) {
				w.Visit(0, w.Lanes)
				w.Visit(2, w.Lanes)
				if w.Block == 0 && w.Warp == 0 {
					for range late {
						w.Visit(3, w.Lanes)
					}
					return
				}
				w.Visit(4, w.Lanes)
				for range 3 {
					w.Visit(2, w.Lanes)
					w.Visit(4, w.Lanes)
				}
				w.Visit(5, w.Lanes)
			},
		})
		if got := run.Total[counters.BlocksRetired]; got != 2 || run.Cycles < 4*70 {
			t.Errorf("%d additions: %d thread blocks retire within %d cycles, which four phases of 70 are longer than", late, got, run.Cycles)
		}
	}
}

// remote is a kernel of n accesses to the shared memory of a rank, each behind the one before
// when it is a load.
func remote(t *testing.T, m *arch.Machine, n int, class trace.OpClass, laneBytes uint8, stride int64, ranks []int, release bool) *Run {
	t.Helper()
	k := gputest.NewKernel("remote")
	for range n {
		dst := 1
		if class == trace.ClassStore {
			dst = gputest.None
		}
		k.Memory(class, trace.SpaceShared, dst, 1, gputest.None)
		k.Instructions[len(k.Instructions)-1].LaneBytes = laneBytes
	}
	k.ClusterArrive(!release)
	k.ClusterWait()
	k.Exit()
	return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 10}), gputest.Launch{
		Kernel: k, Blocks: len(ranks), Cluster: inRow(len(ranks)), Threads: 32, Record: func(w *gputest.Warp) {
			w.VisitAt(0, uint64(ranks[w.Block]+1)<<trace.ClusterRankShift, stride)
			w.Visit(1, w.Lanes)
		},
	})
}

// A load takes the network's latency; of a warp whose lanes touch other segments, or of several
// words in a bank, it takes what the port moves or the banks serve in addition.
func TestALoadFromAnotherSMTakesTheNetwork(t *testing.T) {
	cycles := func(n, remoteCycles int, stride int64) clock.Cycle {
		m := clusterMachine()
		m.GPU.Clusters.RemoteCycles = remoteCycles
		return remote(t, m, n, trace.ClassLoad, 4, stride, []int{1, 1}, true).Cycles
	}
	base := cycles(5, 150, 0)
	if got := cycles(6, 150, 0) - base; got != 150+gputest.OperandRead {
		t.Errorf("one more load takes %d cycles, want the latency and the operands", got)
	}
	if got := cycles(5, 190, 0) - base; got != 5*40 {
		t.Errorf("40 cycles more of latency make %d of five loads", got)
	}
	if got := cycles(5, 150, 4) - base; got != 5*(4-1)*2 {
		t.Errorf("four segments in place of one take %d cycles more in five loads, want two for each", got)
	}
	if got := cycles(5, 150, 128) - base; got != 5*(64-2) { // 32 segments of two cycles; 32 wavefronts are less
		t.Errorf("32 segments take %d cycles more in five loads", got)
	}
	if run := remote(t, clusterMachine(), 5, trace.ClassLoad, 4, 4, []int{1, 1}, true); run.Total[counters.RemoteSharedAccess] != 5 {
		t.Errorf("%d remote accesses, want those of thread block 0", run.Total[counters.RemoteSharedAccess])
	}
}

// Stores of two SMs to one share its port; an arrival with release waits for them, a relaxed one
// does not.
func TestStoresToOneSMShareItsPort(t *testing.T) {
	m := clusterMachine()
	m.GPU.Clusters.GPCs = 1
	cycles := func(n int, ranks []int, release bool) clock.Cycle {
		return remote(t, m, n, trace.ClassStore, 4, 4, ranks, release).Cycles
	}
	// 128 bytes at 16 a cycle.
	if got := cycles(60, []int{1, 1, 2}, true) - cycles(50, []int{1, 1, 2}, true); got != 10*8 {
		t.Errorf("ten stores more of one SM take %d cycles, want 80", got)
	}
	if got := cycles(60, []int{2, 2, 2}, true) - cycles(50, []int{2, 2, 2}, true); got != 2*10*8 {
		t.Errorf("ten stores more of each of two SMs take %d cycles, want 160", got)
	}
	released, relaxed := cycles(1, []int{1, 1, 2}, true), cycles(1, []int{1, 1, 2}, false)
	// Relaxed, the barrier's 70 cycles pass while the store is under way, which the warp's end waits for.
	if got := released - relaxed; got < 70 || got > 72 {
		t.Errorf("an arrival with release ends %d cycles later than a relaxed one, want the cycles of the barrier", got)
	}
}

// Lanes that name their own thread block's memory go nowhere, by whichever address.
func TestLanesStayWithTheirOwnMemory(t *testing.T) {
	m := clusterMachine()
	own, zero := remote(t, m, 9, trace.ClassLoad, 4, 4, []int{0, 1}, true), remote(t, m, 9, trace.ClassLoad, 4, 4, []int{-1, -1}, true)
	if own.Cycles != zero.Cycles || own.Total[counters.RemoteSharedAccess] != 0 {
		t.Errorf("%d cycles and %d remote accesses by rank, %d without", own.Cycles, own.Total[counters.RemoteSharedAccess], zero.Cycles)
	}
}

func TestClustersThatCannotRunAreRefusedByName(t *testing.T) {
	for want, change := range map[string]func(m *arch.Machine, l *gputest.Launch){
		"sm.lacks.clusters": func(m *arch.Machine, _ *gputest.Launch) { m.SM.Lacks.Clusters = true },
		"gpu.clusters.gpcs": func(m *arch.Machine, _ *gputest.Launch) { m.GPU.Clusters.GPCs, m.SM.MaxBlocks = 4, 3 },
		"(gpu.sms, ":        func(m *arch.Machine, l *gputest.Launch) { m.GPU.SMs, m.GPU.Clusters.GPCs, m.SM.MaxBlocks = 1, 1, 3 },
	} {
		m := clusterMachine()
		l := gputest.Launch{Kernel: loads(), Blocks: 4, Cluster: inRow(4), Threads: 32}
		change(m, &l)
		_, err := build(t, m, &gputest.Memory{}).Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "clusters of 4 thread blocks") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Where a GPC has fewer SMs than a cluster has thread blocks, they share SMs.
func TestAClusterSharesTheSMsOfASmallGPC(t *testing.T) {
	m := clusterMachine()
	sms, cycles := placed(t, m, gputest.Launch{Kernel: loads(), Blocks: 10, Cluster: inRow(5), Threads: 32})
	for c := range 2 {
		if part := sms[5*c : 5*c+5]; slices.Max(part)/2 != c || slices.Min(part)/2 != c || slices.Max(cycles[5*c:5*c+5]) != slices.Min(cycles[5*c:5*c+5]) {
			t.Errorf("cluster %d: SMs %v in cycles %v", c, part, cycles)
		}
	}
}

// counting counts the thread blocks that a policy has on each SM; it takes no more than most.
type counting struct {
	seam.Dispatcher
	t           *testing.T
	on          []int
	taken, most int
}

func (c *counting) Next(now clock.Cycle, launch int, fits func(sm int) bool) int {
	if c.taken == c.most {
		return -1
	}
	sm := c.Dispatcher.Next(now, launch, fits)
	if sm >= 0 {
		c.on[sm]++
		c.taken++
	}
	return sm
}

func (c *counting) Retired(now clock.Cycle, launch, sm int, block uint64) {
	if c.on[sm]--; c.on[sm] < 0 {
		c.t.Errorf("a thread block leaves SM %d that the policy has not placed there", sm)
	}
	c.Dispatcher.Retired(now, launch, sm, block)
}

// The dispatch policy chooses for each thread block of a cluster once, also where they share SMs.
func TestTheDispatcherChoosesForAllOfACluster(t *testing.T) {
	for _, size := range []int{2, 3, 5, 8} {
		g := build(t, clusterMachine(), &gputest.Memory{LatencyCycles: 30})
		c := &counting{Dispatcher: g.dispatcher, t: t, on: make([]int, 4), most: 6*size + 1}
		g.dispatcher = c
		replay(t, g, gputest.Launch{Kernel: loads(), Blocks: 6 * size, Cluster: inRow(size), Threads: 32})
		if c.taken != 6*size || slices.Max(c.on) != 0 {
			t.Errorf("clusters of %d: the policy has placed %d thread blocks of %d; %v are on SMs", size, c.taken, 6*size, c.on)
		}
	}
}

// A policy that places some thread blocks of a cluster and not the others is refused: those would
// never come.
func TestAPolicyThatPlacesPartOfAClusterIsRefused(t *testing.T) {
	for most, want := range map[int]string{1: "takes 1 thread blocks of a cluster and leaves 2", 5: "takes 2 thread blocks of a cluster and leaves 1"} {
		g := build(t, clusterMachine(), &gputest.Memory{LatencyCycles: 30})
		g.dispatcher = &counting{Dispatcher: g.dispatcher, t: t, on: make([]int, 4), most: most}
		l := gputest.Launch{Kernel: loads(), Blocks: 6, Cluster: inRow(3), Threads: 32}
		_, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A cluster takes the dispatcher for as long as its thread blocks would by themselves.
func TestAClusterTakesTheDispatcherForAllOfIt(t *testing.T) {
	for _, c := range []struct{ blocks, every, size, want int }{{1, 0, 4, 4}, {1, 1, 4, 4}, {1, 3, 4, 12}, {3, 1, 4, 2}, {2, 5, 4, 10}, {8, 1, 4, 1}} {
		m := clusterMachine()
		m.GPU.Clusters.GPCs = 1
		m.GPU.BlocksPerCycle, m.GPU.DispatchCycles = c.blocks, c.every
		_, cycles := placed(t, m, gputest.Launch{Kernel: loads(), Blocks: 3 * c.size, Cluster: inRow(c.size), Threads: 32})
		second := c.size // where a cycle has room for two clusters, both come in one
		if c.blocks >= 2*c.size {
			second *= 2
		}
		if got := int(cycles[second] - cycles[0]); got != c.want {
			t.Errorf("%+v: the next cluster comes %d cycles later", c, got)
		}
	}
}

// What holds of all traces holds of clusters on random machines: the invariants, an empty
// machine at the end, the same bytes when every cycle is visited, and with several cores.
func TestRandomClustersOnRandomMachines(t *testing.T) {
	ran := 0
	seeds := tracetest.Seeds(t, 200, tracetest.Fewer(15, 40))
	for _, seed := range seeds {
		var first *Run
		for variant := range 3 {
			r := rand.New(rand.NewPCG(seed, 11))
			m, memory, l := gputest.RandomClusterMachine(r), gputest.RandomMemory(r), gputest.RandomClusterLaunch(r)
			o := with(memory)
			o.EveryCycle = variant == 1
			if variant == 2 {
				o.Cores, o.Apart = 2, true
			}
			launches := []gputest.Launch{l}
			if m.GPU.ConcurrentKernels = 1 + r.IntN(3); r.IntN(2) == 0 {
				m.GPU.KernelOrder = []string{"leftover", "round_robin"}[r.IntN(2)]
				more := gputest.RandomClusterLaunch(r) // at the same time, perhaps without clusters
				if more.Stream = 1; r.IntN(2) == 0 {
					more.Cluster = trace.Dim3{}
				}
				launches = append(launches, more)
			}
			g, err := New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			src := gputest.NewSource(gputest.Trace(t, launches...))
			run, err := g.Replay(context.Background(), src, nil)
			if err != nil {
				if strings.Contains(err.Error(), "too large: a GPC has room") {
					break
				}
				t.Fatalf("seed %d: %v", seed, err)
			}
			gputest.Conserves(t, m, &run.Total)
			if src.Held() != 0 {
				t.Errorf("seed %d: %d chunks are still held", seed, src.Held())
			}
			if first == nil {
				first, ran = run, ran+1
				continue
			}
			if diff := cmp.Diff(first, run); diff != "" {
				t.Fatalf("seed %d: variant %d gives another result:\n%s", seed, variant, diff)
			}
		}
	}
	if tracetest.Whole() && ran < len(seeds)/2 {
		t.Errorf("%d of %d draws were replayed", ran, len(seeds))
	}
}

// Launches in clusters run beside others of other streams, with and without clusters: the
// invariants hold, and the bytes are the same when every cycle is visited, and with several cores.
func TestClustersBesideOtherLaunches(t *testing.T) {
	overlapped := 0
	seeds := tracetest.Seeds(t, 150, tracetest.Fewer(4, 40))
	for _, seed := range seeds {
		var first *Run
		for variant := range 3 {
			r := rand.New(rand.NewPCG(seed, 12))
			m, memory := gputest.RandomClusterMachine(r), gputest.RandomMemory(r)
			m.GPU.ConcurrentKernels = 1 + r.IntN(4)
			var launches []gputest.Launch
			for i := range 2 + r.IntN(3) {
				l := gputest.RandomClusterLaunch(r)
				if r.IntN(3) == 0 {
					l.Cluster = trace.Dim3{}
				}
				l.Stream = uint32(i % 3)
				launches = append(launches, l)
			}
			o := with(memory)
			o.EveryCycle = variant == 1
			if variant == 2 {
				o.Cores, o.Apart = 2, true
			}
			g, err := New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			src := gputest.NewSource(gputest.Trace(t, launches...))
			run, err := g.Replay(context.Background(), src, nil)
			if err != nil {
				if strings.Contains(err.Error(), "too large: a GPC has room") {
					break
				}
				t.Fatalf("seed %d: %v", seed, err)
			}
			gputest.Conserves(t, m, &run.Total)
			if src.Held() != 0 || run.Total[counters.BlocksRetired] != run.Total[counters.BlocksDispatched] {
				t.Errorf("seed %d: %d chunks are still held; %d of %d thread blocks retire", seed, src.Held(), run.Total[counters.BlocksRetired], run.Total[counters.BlocksDispatched])
			}
			if first == nil {
				first = run
				if slices.ContainsFunc(run.Launches, func(l Launch) bool { return l.Overlapped }) {
					overlapped++
				}
				continue
			}
			if diff := cmp.Diff(first, run); diff != "" {
				t.Fatalf("seed %d: variant %d gives another result:\n%s", seed, variant, diff)
			}
		}
	}
	if tracetest.Whole() && overlapped < len(seeds)/4 {
		t.Errorf("launches overlap in %d of %d draws", overlapped, len(seeds))
	}
}

// On h100 a load from another SM and the rate of stores are those that were measured (Luo et al.,
// arXiv 2402.13499, recalled: 180 cycles; 3.27 TB/s in clusters of two on 114 SMs at 1755 MHz).
func TestTheNetworkOfH100IsAsMeasured(t *testing.T) {
	m, err := arch.Load("h100")
	if err != nil {
		t.Fatal(err)
	}
	m.GPU.Lowering = arch.NoLowering
	cycles := func(n int, class trace.OpClass, stride int64) float64 {
		return float64(remote(t, m, n, class, 4, stride, []int{1, 0}, true).Cycles)
	}
	if got := (cycles(60, trace.ClassLoad, 0) - cycles(40, trace.ClassLoad, 0)) / 20; got < 180*0.9 || got > 180*1.1 {
		t.Errorf("a load takes %.1f cycles, was measured at 180", got)
	}
	want := 3270e9 / 114 / 1755e6
	if got := 20 * 128 / (cycles(60, trace.ClassStore, 4) - cycles(40, trace.ClassStore, 4)); got < want*0.85 || got > want*1.15 {
		t.Errorf("an SM sends %.1f bytes a cycle, measured at %.1f", got, want)
	}
}
