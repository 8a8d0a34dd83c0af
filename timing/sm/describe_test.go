// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// describedAt gives what SM 0 says of its warps before a cycle.
func describedAt(t *testing.T, m *arch.Machine, memory *gputest.Memory, l gputest.Launch, at clock.Cycle) (lines []string) {
	t.Helper()
	stepped(t, m, memory, l, func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		if now == at && s.ID() == 0 {
			lines = s.Describe()
		}
	})
	return lines
}

// Each warp says where it is and what it waits for. A chain of additions issues one every six cycles.
func TestEveryWarpSaysWhatItWaitsFor(t *testing.T) {
	program := func(build func(k *gputest.Kernel)) gputest.Launch {
		k := gputest.NewKernel("k")
		build(k)
		k.Exit()
		return straight(k)
	}
	blocks := func(l gputest.Launch, threads int, visits ...[]uint32) gputest.Launch { // of each warp
		l.Threads = threads
		l.Record = func(w *gputest.Warp) {
			for _, b := range visits[w.Warp] {
				w.Visit(b, w.Lanes)
			}
		}
		return l
	}
	chain := func(k *gputest.Kernel) { k.Op(trace.ClassIntAdd, 1, 1).Op(trace.ClassIntAdd, 1, 1) }
	const warp0, warp1 = "SM 0 warp slot 0 (thread block 0): ", "SM 0 warp slot 1 (thread block 0): "
	for name, c := range map[string]struct {
		change func(m *arch.Machine)
		miss   clock.Cycle
		launch gputest.Launch
		at     clock.Cycle
		want   []string
	}{
		"a unit's result": {nil, 0, program(chain), firstIssue + 3, []string{warp0 + "int-add at k.ptx:2 waits for a register that a functional unit writes"}},
		"a load's result": {nil, 0, program(func(k *gputest.Kernel) { k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1) }), firstIssue + 3,
			[]string{warp0 + "int-add at k.ptx:2 waits for a register that a load or atomic writes"}},
		"an instruction line": {nil, 30, program(chain), gputest.LaunchCycles + 9, []string{warp0 + "waits for the instruction line at 0x10000000000 (int-add at k.ptx:1)"}},
		"decode":              {nil, 0, program(chain), gputest.LaunchCycles + 1, []string{warp0 + "waits for instructions (int-add at k.ptx:1)"}},
		"a fence behind a store": {nil, 0, program(func(k *gputest.Kernel) {
			k.Op(trace.ClassIntAdd, 1, 1).Store(trace.SpaceGlobal, 1, 2).Op(trace.ClassFence, gputest.None)
		}), firstIssue + addition + 20, []string{warp0 + "fence at k.ptx:3 waits for 0 accesses and 1 stores"}},
		"a fence behind loads": {nil, 0, program(func(k *gputest.Kernel) {
			k.Load(trace.SpaceGlobal, 1, 2).Load(trace.SpaceGlobal, 3, 2).Op(trace.ClassFence, gputest.None)
		}), firstIssue + 20, []string{warp0 + "fence at k.ptx:3 waits for 2 accesses and 0 stores"}},
		"a unit": {nil, 0, program(func(k *gputest.Kernel) { k.Op(trace.ClassSpecial, 1).Op(trace.ClassSpecial, 2) }), firstIssue + 3,
			[]string{warp0 + "special at k.ptx:2 waits for a sfu unit"}},
		"its end": {nil, 0, program(func(k *gputest.Kernel) { k.Store(trace.SpaceGlobal, 1, 2).Op(trace.ClassSpecial, 3) }), firstIssue + 10,
			[]string{warp0 + "has issued everything; waits for 1 results and 1 stores"}},
		"a barrier": {nil, 0, blocks(program(func(k *gputest.Kernel) {
			k.Barrier("sync", 3)
			chained(k, 40).Branch()
		}), 64, []uint32{0, 2}, []uint32{1, 0, 2}), firstIssue + 50, []string{
			warp0 + "bar at k.ptx:1 waits: 1 of 2 warps have arrived at barrier 3, 1 of them wait",
			warp1 + "int-add at k.ptx:11 waits for a register that a functional unit writes",
		}},
		"a barrier for threads": {nil, 0, blocks(program(func(k *gputest.Kernel) {
			k.BarrierApart("sync", 5, 64)
			chained(k, 40).Branch()
		}), 64, []uint32{0, 2}, []uint32{1, 0, 2}), firstIssue + 50, []string{
			warp0 + "barrier at k.ptx:1 waits: 32 of 64 threads have arrived at barrier 5, 1 warps wait",
			warp1 + "int-add at k.ptx:11 waits for a register that a functional unit writes",
		}},
		"a barrier that has opened": {func(m *arch.Machine) { m.SM.Latencies.Barrier.Cycles = 20 }, 0, program(func(k *gputest.Kernel) { k.Barrier("sync", 3) }), firstIssue + 9,
			[]string{warp0 + "bar at k.ptx:1 waits: barrier released"}},
		"groups of copies": {nil, 0, program(func(k *gputest.Kernel) { k.AsyncCopy(2).Commit().AwaitGroups(0) }), firstIssue + 20,
			[]string{warp0 + "cp at k.ptx:3 waits for groups of asynchronous copies"}},
	} {
		m := gputest.Machine()
		if c.change != nil {
			c.change(m)
		}
		if got := describedAt(t, m, &gputest.Memory{LatencyCycles: memoryLatency, FetchMissCycles: c.miss}, c.launch, c.at); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Lanes that wait at a barrier while their warp goes on with others are told of there, and of a cluster's barrier the arrivals from
// its other thread blocks.
func TestABarrierSaysWhoIsMissing(t *testing.T) {
	const warp0, warp1 = "SM 0 warp slot 0 (thread block 0): ", "SM 0 warp slot 1 (thread block 0): "
	k := gputest.NewKernel("k")
	k.BarrierApart("sync", 4)      // block 0
	chained(k, 60).Branch()        // block 1
	k.ClusterArrive(true).Branch() // block 2
	k.ClusterWait()                // block 3
	k.Exit()
	const end = 4
	parts := gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		if w.Warp == 0 {
			w.Visit(0, w.Lanes)
		} else {
			w.Visit(0, 0xffff)
			w.Visit(1, 0xffff0000)
			w.Visit(0, 0xffff0000)
		}
		w.Visit(end, w.Lanes)
	}}
	want := []string{warp0 + "barrier at k.ptx:1 waits: 1 of 2 warps have arrived at barrier 4, 1 of them wait; 16 lanes wait there whose warps go on with others",
		warp1 + "int-add at k.ptx:16 waits for a register that a functional unit writes"}
	if got := describedAt(t, gputest.Machine(), steady(), parts, firstIssue+84); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	cluster := gputest.Launch{Kernel: k, Blocks: 2, Cluster: inRow(2), Threads: 64, Record: func(w *gputest.Warp) {
		if w.Warp == 1 || w.Block == 1 {
			w.Visit(1, w.Lanes)
		}
		if w.Block == 0 {
			w.Visit(2, w.Lanes)
			w.Visit(3, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}}
	want = []string{warp0 + "barrier at k.ptx:65 waits: 1 of 2 warps of the thread block wait at the cluster's barrier, at which 1 of 4 warps of the cluster have arrived",
		warp1 + "int-add at k.ptx:16 waits for a register that a functional unit writes"}
	if got := describedAt(t, clusterMachine(), steady(), cluster, firstIssue+84); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	alone := cluster
	alone.Blocks, alone.Cluster = 1, trace.Dim3{}
	want[0] = warp0 + "barrier at k.ptx:65 waits: 1 of 2 warps of the thread block wait at the cluster's barrier"
	if got := describedAt(t, gputest.Machine(), steady(), alone, firstIssue+84); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A look at an mbarrier says how much its phase lacks, or, where that is not known, that copies are under way.
func TestALookSaysWhatThePhaseLacks(t *testing.T) {
	for name, c := range map[string]struct {
		look uint64 // the word
		want string
	}{
		"a phase": {trace.WithNumber(8, trace.Look{Passed: true, Known: true}.Number()), "the phase of parity 0 of the mbarrier at 0x8 waits for 2 of 3 arrivals and 64 bytes"},
		"copies":  {8, ""},
	} {
		l := gputest.Launch{Kernel: newEarly(), Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
			e := earlyWarp{w}
			if w.Warp == 0 {
				e.number(earlyInit, 8, 3)
				e.times(1, earlyMeet)
				var b trace.BulkCopy
				b.Add(0xD000_0000, 64)
				b.Completes(8, 0, 64)
				w.Copied(earlyCopy, 1, &b)
				e.number(earlyExpect, 8, 64)
				e.number(earlyArrive, 8, 1)
				e.times(100, earlyWork)
				e.number(earlyArrive, 8, 2)
			} else {
				e.times(1, earlyMeet)
				e.times(20, earlyWork)
				e.at(earlyLook, 1, c.look)
			}
			e.times(1, earlyEnd)
		}}
		const memory = 1000
		got := describedAt(t, gputest.Machine(), &gputest.Memory{LatencyCycles: memory}, l, 500)
		want := "SM 0 warp slot 1 (thread block 0): mbarrier at early.ptx:4 waits: " + c.want
		if c.want == "" {
			want = "SM 0 warp slot 1 (thread block 0): mbarrier at early.ptx:4 waits for bulk copies that complete the mbarrier"
		}
		if len(got) != 2 || got[1] != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The warp of a mechanism belongs to no thread block.
func TestAMechanismsWarpIsToldApart(t *testing.T) {
	k := gputest.NewKernel("k")
	chained(k, 100).Branch()
	k.Exit()
	a := &starting{left: 1}
	var lines []string
	x := driven(func(s *sm.SM, next seam.FrontEnd) (front seam.FrontEnd, err error) {
		a.FrontEnd, a.sm, a.asked = next, s, map[uint32]int{}
		a.seen = func(now clock.Cycle) {
			if now == 100 {
				lines = s.Describe()
			}
		}
		a.hook, err = s.Assist(a)
		return a, err
	})
	x.Divergence = func(_ *arch.Machine, next divergence.Policy) divergence.Policy {
		next.KeepsInstructions = false // there are more
		return next
	}
	m := gputest.Machine()
	m.SM.MaxWarps = 8
	l := straight(k)
	l.Record = func(w *gputest.Warp) { // longer than the mechanism's warp
		for _, b := range []uint32{0, 0, 0, 1} {
			w.Visit(b, w.Lanes)
		}
	}
	tried(t, m, steady(), x, l)
	if want := []string{"SM 0 warp slot 0 (thread block 0): ", "SM 0 warp slot 8 (a mechanism's): "}; len(lines) != 2 || lines[0][:len(want[0])] != want[0] || lines[1][:len(want[1])] != want[1] {
		t.Errorf("%q, want %q and more", lines, want)
	}
}
