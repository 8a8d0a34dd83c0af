// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// inCluster replays thread blocks in one cluster on three SMs. A remote load takes
// 150 cycles, a port moves 16 bytes in a cycle, and the barrier takes 70.
func inCluster(t *testing.T, l gputest.Launch, seen func(sm int, a *seam.MemoryAccess)) *gpu.Run {
	t.Helper()
	return inClusterOf(t, arch.Clusters{GPCs: 1, RemoteCycles: 150, BytesPerCycle: 16, BarrierCycles: 70}, l, seen)
}

// inClusterOf is inCluster with other numbers of the network.
func inClusterOf(t *testing.T, c arch.Clusters, l gputest.Launch, seen func(sm int, a *seam.MemoryAccess)) *gpu.Run {
	t.Helper()
	m := gputest.Machine()
	m.GPU.SMs, m.GPU.Clusters = 3, c
	l.Cluster = trace.Dim3{X: uint32(l.Blocks), Y: 1, Z: 1}
	l.Threads = max(l.Threads, 32)
	memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(_ clock.Cycle, sm int, a *seam.MemoryAccess) {
		if seen != nil {
			seen(sm, a)
		}
	}}
	g, err := gpu.New(m, optionsWith(memory, nil))
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A load ends with its remote lanes, and its others go to the own port meanwhile. Lanes that reach
// several thread blocks leave one after the other, two cycles for a segment of 32 bytes.
func TestLanesOfALoadGoWhereTheirAddressesSay(t *testing.T) {
	const own, one, two, self = 0, 2 << trace.ClusterRankShift, 3 << trace.ClusterRankShift, 1 << trace.ClusterRankShift
	k := gputest.NewKernel("load")
	k.Load(trace.SpaceShared, 1, 2)
	k.Exit()
	const alone = firstIssue + gputest.OperandRead + 150 + 1
	for _, c := range []struct {
		name     string
		of       func(lane int) uint64
		accesses uint64
		mask     uint32 // of those that go to the own port
		cycles   clock.Cycle
	}{
		{"all to one", func(int) uint64 { return one }, 1, 0, alone},
		{"half to one", func(lane int) uint64 { return []uint64{own, one}[lane%2] }, 1, 0x55555555, alone},
		{"half to one, others by rank", func(lane int) uint64 { return []uint64{one, self}[lane%2] }, 1, 0xaaaaaaaa, alone},
		{"to two", func(lane int) uint64 { return []uint64{two, one}[lane/16] }, 2, 0, alone + 2},
		{"to all", func(lane int) uint64 { return []uint64{one, two, own, self}[lane/8] }, 2, 0xffff0000, alone + 2},
		{"to none", func(lane int) uint64 { return []uint64{own, self}[lane/16] }, 0, ^uint32(0), firstIssue + access + 1},
	} {
		mask := uint32(0)
		r := inCluster(t, gputest.Launch{Kernel: k, Blocks: 3, Record: func(w *gputest.Warp) {
			if w.Block > 0 {
				return
			}
			var at [trace.WarpSize]uint64
			for lane := range at {
				at[lane] = c.of(lane) | 64
			}
			w.VisitWith(0, w.Lanes, func(int) (uint64, int64, *[32]uint64) { return 0, 0, &at })
		}}, func(sm int, a *seam.MemoryAccess) {
			if sm != 0 {
				t.Errorf("%s: SM %d has an access", c.name, sm)
			}
			mask |= a.Mask
		})
		if r.Cycles != c.cycles || mask != c.mask || r.Total[counters.RemoteSharedAccess] != c.accesses {
			t.Errorf("%s: %d cycles, %d remote accesses, and lanes %#x to the own port; want %d, %d and %#x", c.name, r.Cycles, r.Total[counters.RemoteSharedAccess], mask, c.cycles, c.accesses, c.mask)
		}
	}
}

// Lanes that stay can be the last of a load: where the network is fast, and they want 31 words of a
// bank one after the other.
func TestALoadEndsWithTheLastOfItsLanes(t *testing.T) {
	k := gputest.NewKernel("load")
	k.Load(trace.SpaceShared, 1, 2)
	k.Exit()
	r := inClusterOf(t, arch.Clusters{GPCs: 1, RemoteCycles: 2, BytesPerCycle: 64, BarrierCycles: 1}, gputest.Launch{Kernel: k, Blocks: 2, Record: func(w *gputest.Warp) {
		if w.Block > 0 {
			return
		}
		var at [trace.WarpSize]uint64
		for lane := range at {
			at[lane] = uint64(lane) * 128
		}
		at[31] = 2 << trace.ClusterRankShift
		w.VisitWith(0, w.Lanes, func(int) (uint64, int64, *[32]uint64) { return 0, 0, &at })
	}}, nil)
	if want := clock.Cycle(firstIssue + gputest.OperandRead + 30 + gputest.Machine().Shared.LatencyCycles + 1); r.Cycles != want {
		t.Errorf("%d cycles, want %d", r.Cycles, want)
	}
}

// Stores of 128 bytes leave eight cycles apart; the warp ends when the last has been performed, six
// cycles behind a single segment.
func TestRemoteStoresLeaveOneAfterTheOther(t *testing.T) {
	for n := 1; n <= 5; n++ {
		k := gputest.NewKernel("stores")
		for range n {
			k.Store(trace.SpaceShared, 1, 2)
		}
		k.Exit()
		r := inCluster(t, gputest.Launch{Kernel: k, Blocks: 2, Record: func(w *gputest.Warp) {
			if w.Block == 0 {
				w.VisitAt(0, 2<<trace.ClusterRankShift, 4)
			}
		}}, nil)
		if want := clock.Cycle(firstIssue + gputest.OperandRead + 8*(n-1) + 150 + 6 + 1); r.Cycles != want {
			t.Errorf("%d stores: %d cycles, want %d", n, r.Cycles, want)
		}
	}
}

// The barrier opens 70 cycles behind the arrival of the last warp with instructions left. One that
// arrives with a part of its lanes does so when it waits.
func TestAWarpArrivesAtItsClusterOnce(t *testing.T) {
	for _, relaxed := range []bool{true, false} {
		arrivesOnce(t, relaxed)
	}
}

func arrivesOnce(t *testing.T, relaxed bool) {
	t.Helper()
	k := gputest.NewKernel("barrier")
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch() // block 0: an addition, on which the next waits
	k.Op(trace.ClassIntAdd, 1, 1).ClusterArrive(relaxed)
	k.Branch() // block 1: the arrival
	k.ClusterWait()
	k.Exit()
	cycles := func(visits ...func(w *gputest.Warp)) clock.Cycle {
		return inCluster(t, gputest.Launch{Kernel: k, Blocks: len(visits), Record: func(w *gputest.Warp) { visits[w.Block](w) }}, nil).Cycles
	}
	path := func(blocks ...uint32) func(w *gputest.Warp) {
		return func(w *gputest.Warp) {
			for _, b := range blocks {
				w.Visit(b, w.Lanes)
			}
		}
	}
	late := slices.Repeat([]uint32{0}, 60) // work that hides the barrier
	once := cycles(path(1, 2, 3), path(1, 2, 3))
	twice := cycles(path(1, 2, 1, 2, 3), path(1, 2, 1, 2, 3))
	if each := twice - once; each < 70 || each > 90 {
		t.Errorf("a second phase takes %d cycles, want those of the barrier and a few", each)
	}
	if got := cycles(path(1, 2, 3), path()); got != once {
		t.Errorf("%d cycles beside a warp without instructions, want %d", got, once)
	}
	if got := cycles(path(1, 2, 1, 2, 3), path(1)); got != twice {
		t.Errorf("%d cycles beside a warp that ends behind its first arrival, want %d", got, twice)
	}
	both := path(append(slices.Clone(late), 1, 2, 3)...)
	if one, two := cycles(both, path(1, 2, 3)), cycles(both, both); one != two {
		t.Errorf("%d cycles when one warp is late, %d when both are", one, two)
	}
	warps := func(late0, late1 int) clock.Cycle { // of two warps in each thread block
		return inCluster(t, gputest.Launch{Kernel: k, Blocks: 2, Threads: 64, Record: func(w *gputest.Warp) {
			path(append(slices.Clone(late[:[]int{late0, late1}[w.Warp]]), 1, 2, 3)...)(w)
		}}, nil).Cycles
	}
	if one, other, two := warps(60, 1), warps(1, 60), warps(60, 60); one > two || one < two-5 || other > two || other < two-5 {
		t.Errorf("%d and %d cycles when one warp of each thread block is late, %d when both are", one, other, two)
	}
	hidden := cycles(path(append(append([]uint32{0, 1}, late...), 2, 3)...), path(1, 2, 3))
	parted := cycles(func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		w.Visit(1, 0xff)
		w.Visit(1, ^uint32(0xff))
		path(append(slices.Clone(late), 2, 3)...)(w)
	}, path(1, 2, 3))
	if more := parted - hidden; more < 70 {
		t.Errorf("a warp that arrives in parts ends %d cycles behind one that arrives whole, want the barrier's 70 at least", more)
	}
}

// Stores go to the thread block that they name: those of two SMs to one share its port, those to different ones do not.
func TestStoresGoToTheSMOfTheirThreadBlock(t *testing.T) {
	const n = 20
	k := gputest.NewKernel("stores")
	for range n {
		k.Store(trace.SpaceShared, 1, 2)
	}
	k.Exit()
	cycles := func(to ...int) clock.Cycle { // the rank that each thread block stores to
		r := inCluster(t, gputest.Launch{Kernel: k, Blocks: 3, Record: func(w *gputest.Warp) {
			if to[w.Block] >= 0 {
				w.VisitAt(0, uint64(to[w.Block]+1)<<trace.ClusterRankShift, 4)
			}
		}}, nil)
		return r.Cycles
	}
	alone := cycles(2, -1, -1)
	for _, to := range [][]int{{1, 2, 0}, {1, 2, -1}, {2, 0, -1}} {
		if got := cycles(to...); got > alone+2 { // dispatched one a cycle
			t.Errorf("stores to ranks %v: %d cycles, of one thread block alone %d", to, got, alone)
		}
	}
	for _, to := range [][]int{{2, 2, -1}, {1, -1, 1}, {-1, 0, 0}} {
		if got := cycles(to...); got < alone+8*(n-1) {
			t.Errorf("stores to ranks %v: %d cycles, of one thread block alone %d: they share the port", to, got, alone)
		}
	}
}

// Lanes that stay occupy the own port, and the next access waits for it. Accesses that leave are counted by instruction.
func TestLanesThatStayTakeTheOwnPort(t *testing.T) {
	const busy = 60
	k := gputest.NewKernel("loads")
	k.Load(trace.SpaceShared, 1, 2).Load(trace.SpaceGlobal, 3, 4).Exit()
	m := gputest.Machine()
	m.GPU.SMs, m.GPU.Clusters = 2, arch.Clusters{GPCs: 1, RemoteCycles: 2, BytesPerCycle: 64, BarrierCycles: 1}
	var at []clock.Cycle
	memory := &gputest.Memory{LatencyCycles: 500, TakesCycles: busy, Seen: func(now clock.Cycle, _ int, _ *seam.MemoryAccess) { at = append(at, now) }}
	o := optionsWith(memory, nil)
	o.Lines = true
	r := replay(t, buildWith(t, m, o), gputest.Launch{Kernel: k, Blocks: 2, Cluster: inRow(2), Threads: 32, Record: func(w *gputest.Warp) {
		if w.Block > 0 {
			return
		}
		var lanes [trace.WarpSize]uint64
		lanes[31] = 2 << trace.ClusterRankShift
		w.VisitWith(0, w.Lanes, func(n int) (uint64, int64, *[32]uint64) {
			if n == 0 {
				return 0, 0, &lanes
			}
			return 0xC000_0000, 4, nil
		})
	}})
	if len(at) != 2 || at[1] != at[0]+busy {
		t.Errorf("the port takes accesses in cycles %v, want %d apart", at, busy)
	}
	if got, other := r.Lines[0][0][counters.RemoteSharedAccess], r.Lines[0][1][counters.RemoteSharedAccess]; got != 1 || other != 0 {
		t.Errorf("the first instruction has %d remote accesses, the second %d, want one and none", got, other)
	}
}

// A bulk copy that completes mbarriers of several thread blocks does so a cycle later at others than at its own.
func TestOtherThreadBlocksHearOfACopyACycleLater(t *testing.T) {
	const blocks = 3
	var marks [blocks]clock.Cycle
	m := clusterMachine()
	m.GPU.Clusters.GPCs = 1
	memory := &gputest.Memory{LatencyCycles: 400, Seen: func(now clock.Cycle, sm int, a *seam.MemoryAccess) {
		if a.Class == trace.ClassStore && a.Space == trace.SpaceGlobal {
			marks[sm] = now
		}
	}}
	for from := range blocks {
		replay(t, build(t, m, memory), gputest.Launch{Kernel: newEarly(), Blocks: blocks, Cluster: inRow(blocks), Threads: 64, Record: func(w *gputest.Warp) {
			e := earlyWarp{w}
			if w.Warp == 0 {
				e.number(earlyInit, 8, 1)
			}
			e.times(1, earlyMeet)
			if w.Warp == 0 {
				e.number(earlyExpect, 8, 64)
				e.number(earlyArrive, 8, 1)
				e.times(20, earlyWork)
				if w.Block == from {
					var b trace.BulkCopy
					b.Add(0xD000_0000, 64)
					b.Completes(8, 1<<blocks-1, 64)
					w.Copied(earlyCopy, 1, &b)
				}
			} else {
				e.look(8, 0)
				e.mark()
			}
			e.times(1, earlyEnd)
		}})
		for block, mark := range marks {
			want := marks[from]
			if block != from {
				want++
			}
			if mark != want || mark == 0 {
				t.Errorf("a copy of thread block %d: the marks come in cycles %v", from, marks)
				break
			}
		}
	}
}

// A machine that has replayed a trace replays it again in the same way.
func TestAMachineReplaysATraceAgain(t *testing.T) {
	k := gputest.NewKernel("stores")
	for range 20 {
		k.Store(trace.SpaceShared, 1, 2).Store(trace.SpaceGlobal, 3, 4)
	}
	k.Barrier("sync", 0)
	k.Exit()
	g := build(t, clusterMachine(), steady())
	l := gputest.Launch{Kernel: k, Blocks: 2, Cluster: inRow(2), Threads: 64, Record: func(w *gputest.Warp) {
		w.VisitAt(0, uint64(2-w.Block)<<trace.ClusterRankShift, 4)
		w.Visit(1, w.Lanes)
	}}
	if first, again := replay(t, g, l), replay(t, g, l); first.Cycles != again.Cycles || first.Total != again.Total {
		t.Errorf("%d cycles, and then %d", first.Cycles, again.Cycles)
	}
}
