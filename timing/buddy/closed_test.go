// SPDX-License-Identifier: Apache-2.0

package buddy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/buddy"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

const latency = 50

// chain is a kernel of n additions; each needs the one before.
func chain(n int) *gputest.Kernel {
	k := gputest.NewKernel("chain")
	for range n {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	return k.Exit()
}

func run(t *testing.T, m *arch.Machine, launches ...gputest.Launch) *gpu.Run {
	t.Helper()
	return replay(t, m, &gputest.Memory{LatencyCycles: latency}, gputest.NewSource(gputest.Trace(t, launches...)))
}

func machine(sms int) *arch.Machine {
	m := gputest.Machine()
	m.GPU.SMs, m.GPU.BlocksPerCycle = sms, sms
	return m
}

// TestACommunicateStageIsPaidOncePerDependence: n dependent additions take the
// stage n times longer each. The stage is 1 cycle for two and four members
// (farthest neighbour 1 and 2 hops at twice the clock), 2 for eight (4 hops).
func TestACommunicateStageIsPaidOncePerDependence(t *testing.T) {
	const n = 37
	for size, stage := range map[int]clock.Cycle{2: 1, 4: 1, 8: 2} {
		m := machine(8)
		l := gputest.Launch{Kernel: chain(n), Blocks: 8, Threads: 32}
		want := run(t, m, l).Cycles + (n-1)*stage
		got := run(t, with(m, size), l)
		// The instructions travel once more for the last one's result.
		if got.Cycles != want && got.Cycles != want+stage {
			t.Errorf("clusters of %d: %d cycles, want %d, or %d with the last result", size, got.Cycles, want, want+stage)
		}
		if c := counter(t, &got.Total, "buddy_instruction_packets"); c != uint64(8-8/size)*(n+1) {
			t.Errorf("clusters of %d: %d packets", size, c)
		}
		if c := counter(t, &got.Total, "buddy_master_instructions"); c != uint64(8/size)*(n+1) {
			t.Errorf("clusters of %d: masters issued %d instructions", size, c)
		}
		if c := counter(t, &got.Total, "buddy_lockstep_cycles"); c != 8*uint64(got.Cycles) {
			t.Errorf("clusters of %d: together in %d SM cycles of %d", size, c, 8*got.Cycles)
		}
		if c := counter(t, &got.Total, "buddy_gated_cycles"); c != uint64(8-8/size)*uint64(got.Cycles) {
			t.Errorf("clusters of %d: gated in %d SM cycles", size, c)
		}
	}
}

// TestALoadIsAcknowledged: a chain of loads takes the stage and, for a slave a
// hop away, the acknowledgement's cycle longer each.
func TestALoadIsAcknowledged(t *testing.T) {
	const n = 9
	k := gputest.NewKernel("loads")
	for range n {
		k.Load(trace.SpaceGlobal, 1, 1)
	}
	k.Exit()
	m := machine(2)
	l := gputest.Launch{Kernel: k, Blocks: 2, Threads: 32}
	alone, both := run(t, m, l), run(t, with(m, 2), l)
	if extra := both.Cycles - alone.Cycles; extra < 2*(n-1) || extra > 2*n {
		t.Errorf("%d cycles more for %d loads, want two for each", extra, n)
	}
	if c := counter(t, &both.Total, "buddy_ack_packets"); c != n {
		t.Errorf("%d acknowledgements of %d loads", c, n)
	}
	if c, want := counter(t, &both.Total, "buddy_bit_hops"), uint64((n+1)*64+n*16); c != want {
		t.Errorf("%d bits times hops, want %d", c, want)
	}
}

// split is a kernel whose odd thread blocks visit a block of n more additions; all
// reconverge in the last one, which has tail of them.
func split(n, tail int) *gputest.Kernel {
	k := gputest.NewKernel("split")
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch()
	for range n {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	last := k.Block()
	for range tail {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	k.Blocks[0].PostDominator, k.Blocks[1].PostDominator = last, last
	return k
}

func odd(w *gputest.Warp) {
	w.Visit(0, w.Lanes)
	if w.Block%2 == 1 {
		w.Visit(1, w.Lanes)
	}
	w.Visit(2, w.Lanes)
}

// TestTheMemberThatWaitsIsToBlame: each member could issue one warp, and has the other one's load under way, so that
// none can issue on both. Slots are lost for the same reason as where all loads are under way on both. One
// cycle of two members may differ, in which an acknowledgement is on its way.
func TestTheMemberThatWaitsIsToBlame(t *testing.T) {
	k := gputest.NewKernel("guarded")
	k.Load(trace.SpaceGlobal, 1, 1).Guarded(1)
	k.Op(trace.ClassIntAdd, 2, 1).Exit()
	stalls := func(loads func(w *gputest.Warp) bool) (slots [counters.CauseCount]uint64) {
		got := run(t, with(machine(2), 2), gputest.Launch{Kernel: k, Blocks: 2, Threads: 64, Record: func(w *gputest.Warp) {
			guard := uint32(0)
			if loads(w) {
				guard = w.Lanes
			}
			w.VisitGuarded(0, w.Lanes, guard)
		}})
		for cause := range slots {
			slots[cause] = got.Total[counters.Cause(cause).Counter()]
		}
		return slots
	}
	want := stalls(func(*gputest.Warp) bool { return true })
	if want[counters.CauseMemory] < 2*latency {
		t.Fatalf("%d slots wait for loads of %d cycles", want[counters.CauseMemory], latency)
	}
	for _, odd := range []int{0, 1} {
		got := stalls(func(w *gputest.Warp) bool { return (w.Block+w.Warp)%2 == odd })
		early := want[counters.CauseMemory] - got[counters.CauseMemory]
		got[counters.CauseMemory], got[counters.CauseIdle] = got[counters.CauseMemory]+early, got[counters.CauseIdle]-early
		if got != want || early > 2 {
			t.Errorf("slots by cause are %v where members wait for other warps' loads, want %v; %d of these are over early", got, want, early)
		}
	}
}

// TestAMemberOnAnotherPathUngroups: the branch issues as in the baseline, a cycle
// of the network later per hop the request is there, and the slave starts the power-up
// cycles after that.
func TestAMemberOnAnotherPathUngroups(t *testing.T) {
	m := machine(2)
	l := gputest.Launch{Kernel: split(20, 5), Blocks: 2, Threads: 32, Record: odd}
	base := run(t, m, l)
	var before clock.Cycle
	for _, power := range []int{0, 12, 40, 100} {
		got := run(t, with(m, 2, func(s *buddy.Section) { s.PowerUpCycles = power }), l)
		if c := counter(t, &got.Total, "buddy_ungroups"); c != 1 {
			t.Errorf("ungrouped %d times", c)
		}
		// Per SM: a cycle for the message down to the slaves, then the power-up.
		if c, want := counter(t, &got.Total, "buddy_ramp_down_cycles"), 2*uint64(max(power, 0)+1); power >= 12 && c != want {
			t.Errorf("power-up of %d cycles: ramp-down of %d SM cycles, want %d", power, c, want)
		}
		if power > 12 && got.Cycles != before+clock.Cycle(power) {
			t.Errorf("power-up of %d cycles: %d cycles, want %d", power, got.Cycles, before+clock.Cycle(power))
		}
		if power >= 12 {
			before = got.Cycles - clock.Cycle(power)
		}
		if got.Cycles <= base.Cycles {
			t.Errorf("power-up of %d cycles: %d cycles, the baseline takes %d", power, got.Cycles, base.Cycles)
		}
	}
}

// TestTheWayToUngroupingIsPaidByTheHop: the last of four members is on another path. Its
// request passes the hops to the master, whose answer goes to all members.
func TestTheWayToUngroupingIsPaidByTheHop(t *testing.T) {
	last := func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Block == 3 {
			w.Visit(1, w.Lanes)
		}
		w.Visit(2, w.Lanes)
	}
	got := run(t, with(machine(4), 4), gputest.Launch{Kernel: split(20, 5), Blocks: 4, Threads: 32, Record: last})
	const all = 1 + 1 + 2 // hops: members 1 and 2 are neighbours of the master, 3 is one of theirs
	sent := (counter(t, &got.Total, "buddy_instruction_packets") + counter(t, &got.Total, "buddy_mask_packets")) / 3
	if c, want := counter(t, &got.Total, "buddy_bit_hops"), sent*64*all+16*(2+all); c != want {
		t.Errorf("%d bits times hops, want %d", c, want)
	}
}

// TestAllOnOnePathStayTogether: other lanes of a warp are no other path, unless
// masks are compared.
func TestAllOnOnePathStayTogether(t *testing.T) {
	m := machine(2)
	k := split(3, 3)
	some := func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		w.Visit(1, 0xFF>>(w.Block%2*4))
		w.Visit(2, w.Lanes)
	}
	l := gputest.Launch{Kernel: k, Blocks: 2, Threads: 32, Record: some}
	for rule, want := range map[string]uint64{"path": 0, "mask": 1} {
		got := run(t, with(m, 2, func(s *buddy.Section) { s.Divergence = rule }), l)
		if c := counter(t, &got.Total, "buddy_ungroups"); c != want {
			t.Errorf("%s: ungrouped %d times, want %d", rule, c, want)
		}
	}
}

// TestHalfwayMeetsAtTheReconvergencePoint: from there on the members issue
// together again, so that the tail is issued by the master.
func TestHalfwayMeetsAtTheReconvergencePoint(t *testing.T) {
	m := machine(2)
	l := gputest.Launch{Kernel: split(20, 30), Blocks: 2, Threads: 32, Record: odd}
	apart := run(t, with(m, 2), l)
	got := run(t, with(m, 2, func(s *buddy.Section) { s.Regroup = "halfway" }), l)
	if c := counter(t, &got.Total, "buddy_regroups"); c != 1 {
		t.Errorf("grouped again %d times", c)
	}
	more := counter(t, &got.Total, "buddy_slave_instructions") - counter(t, &apart.Total, "buddy_slave_instructions")
	if more != 31 {
		t.Errorf("the master issued %d instructions of the tail, want 31", more)
	}
}

// TestEachKernelMeetsHalfway: members that have been grouped again are so in the next kernel too.
func TestEachKernelMeetsHalfway(t *testing.T) {
	l := gputest.Launch{Kernel: split(20, 30), Blocks: 2, Threads: 32, Record: odd}
	got := run(t, with(machine(2), 2, func(s *buddy.Section) { s.Regroup = "halfway" }), l, l, l)
	if c := counter(t, &got.Total, "buddy_regroups"); c != 3 {
		t.Errorf("three kernels: grouped again %d times", c)
	}
}

// TestAMemberDoesNotWaitForLanesThatHaveEnded: half of a warp ends on the path of its own, and
// the rest passes the reconvergence point without it. The other member waits there with all
// lanes, until the first is at its end, and goes there as well.
func TestAMemberDoesNotWaitForLanesThatHaveEnded(t *testing.T) {
	k := gputest.NewKernel("half")
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch()
	k.Op(trace.ClassExit, gputest.None).Guarded(1)
	last := k.Block()
	for range 30 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	k.Blocks[0].PostDominator, k.Blocks[1].PostDominator = last, last
	half := func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		lanes := w.Lanes
		if w.Block == 1 {
			lanes = 0xFFFF
			w.VisitGuarded(1, w.Lanes, w.Lanes&^lanes)
		}
		w.Visit(last, lanes)
	}
	l := gputest.Launch{Kernel: k, Blocks: 2, Threads: 32, Record: half}
	apart := run(t, with(machine(2), 2), l)
	got := run(t, with(machine(2), 2, func(s *buddy.Section) { s.Regroup = "halfway" }), l)
	if c := counter(t, &got.Total, "buddy_regroups"); c != 1 || got.Cycles < apart.Cycles || got.Cycles > 2*apart.Cycles {
		t.Errorf("grouped again %d times, want once at the end, in %d cycles; %d apart", c, got.Cycles, apart.Cycles)
	}
}

// TestAKernelBesideAnotherSplitsTheLastCluster: it is chosen for the residue when the first
// thread block is dispatched, as that of a kernel that begins alone.
func TestAKernelBesideAnotherSplitsTheLastCluster(t *testing.T) {
	m := machine(16)
	m.GPU.ConcurrentKernels = 2
	got := run(t, with(m, 2),
		gputest.Launch{Kernel: chain(400), Blocks: 2, Threads: 32},
		gputest.Launch{Kernel: chain(50), Blocks: 1, Threads: 32, Stream: 1})
	var busy []int
	for i := range got.SMs {
		if counter(t, &got.SMs[i], "blocks_dispatched") > 0 {
			busy = append(busy, i+1)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 15}, busy); diff != "" {
		t.Errorf("SMs with thread blocks (-Table I +ours):\n%s", diff)
	}
}

// TestResidueOfTheDefaultFormationRunsAlone: 4k+3 thread blocks of equal length on
// clusters of four: the last three begin when a cluster has run empty.
func TestResidueOfTheDefaultFormationRunsAlone(t *testing.T) {
	m := machine(16)
	m.SM.MaxBlocks = 1
	long := gputest.Launch{Kernel: chain(400), Blocks: 19, Threads: 32}
	short := gputest.Launch{Kernel: chain(400), Blocks: 16, Threads: 32}
	cluster := with(m, 4, func(s *buddy.Section) { s.Formation = "default" })
	two, one := run(t, cluster, long), run(t, cluster, short)
	if ratio := float64(two.Cycles) / float64(one.Cycles); ratio < 1.7 || ratio > 2.1 {
		t.Errorf("19 thread blocks take %.2f times as long as 16, want about 2", ratio)
	}
	if c := counter(t, &two.Total, "buddy_residue_ungroups"); c != 1 {
		t.Errorf("%d clusters ungrouped for the residue", c)
	}
	m.SM.MaxBlocks = 8
	cluster.SM.MaxBlocks = 8 // a cluster with room for them has to run empty all the same
	roomy := run(t, cluster, long)
	if c := counter(t, &roomy.Total, "buddy_residue_ungroups"); c != 1 || float64(roomy.Cycles) < 1.7*float64(one.Cycles) {
		t.Errorf("with room for 8 thread blocks: %d clusters ungrouped for the residue, %d cycles, and %d for 16", c, roomy.Cycles, one.Cycles)
	}
	if a, b := run(t, with(m, 4), long), run(t, with(m, 4), short); float64(a.Cycles) > 1.05*float64(b.Cycles) {
		t.Errorf("adaptive: %d cycles for 19 thread blocks, %d for 16", a.Cycles, b.Cycles)
	}
}

// TestResponsibleSMs is Table I: where the residue's thread blocks run, on 16 SMs. They are in
// the last cluster, which may be the only one.
func TestResponsibleSMs(t *testing.T) {
	for _, c := range []struct {
		sms, size, residue int
		want               []int // SMs with two thread blocks, numbered from 1 as in the table
	}{{16, 4, 1, []int{15}}, {16, 4, 2, []int{13, 14}}, {16, 4, 3, []int{13, 14, 15}}, {16, 2, 1, []int{15}}, {4, 4, 2, []int{1, 2}}} {
		got := run(t, with(machine(c.sms), c.size), gputest.Launch{Kernel: chain(50), Blocks: c.sms + c.residue, Threads: 32})
		var twice []int
		for i := range got.SMs {
			if counter(t, &got.SMs[i], "blocks_dispatched") == 2 {
				twice = append(twice, i+1)
			}
		}
		if diff := cmp.Diff(c.want, twice); diff != "" {
			t.Errorf("clusters of %d, %d residue blocks (-Table I +ours):\n%s", c.size, c.residue, diff)
		}
	}
}

// TestAnSMThatIsNeverASlaveKeepsItsInstructions: a kernel of one thread block splits the last
// cluster when it begins, and SM 15 is responsible (Table I). Behind another such kernel that SM
// has not been a slave, so that its instruction cache has the code. Behind a kernel for which
// the cluster issues together it has been one, unless it is the master of two.
func TestAnSMThatIsNeverASlaveKeepsItsInstructions(t *testing.T) {
	one := gputest.Launch{Kernel: chain(20), Blocks: 1, Threads: 32}
	for _, size := range []int{2, 4, 8} {
		cycles := func(l ...gputest.Launch) clock.Cycle {
			memory := &gputest.Memory{LatencyCycles: latency, FetchMissCycles: 100}
			return replay(t, with(machine(16), size), memory, gputest.NewSource(gputest.Trace(t, l...))).Cycles
		}
		cold := cycles(one)
		for blocks, keeps := range map[int]bool{1: true, 16: size == 2} {
			before := gputest.Launch{Kernel: one.Kernel, Blocks: blocks, Threads: 32}
			behind := cycles(before, one) - cycles(before)
			if kept := behind < cold-500; kept != keeps {
				t.Errorf("clusters of %d: %d cycles behind a kernel of %d thread blocks, %d when it is the first", size, behind, blocks, cold)
			}
		}
	}
}

// TestMembersHaveTheirThreadBlocksInTheSameSlots: one thread block leaves the dispatcher a cycle,
// so that others end while the members of a group get theirs. Those of the members are equally
// long, and lie in the same slots all the same: nothing ungroups.
func TestMembersHaveTheirThreadBlocksInTheSameSlots(t *testing.T) {
	k := gputest.NewKernel("rounds")
	k.Op(trace.ClassIntAdd, 1, 1)
	body := k.Block()
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch()
	last := body + 1
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Exit()
	k.Blocks[body].PostDominator = last
	for _, size := range []int{2, 4, 8} {
		rounds := func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			for range 1 + w.Block/size*2654435761>>3%7 {
				w.Visit(body, w.Lanes)
			}
			w.Visit(last, w.Lanes)
		}
		for _, regroup := range []string{"new_kernel", "halfway"} {
			m := with(machine(8), size, func(s *buddy.Section) { s.Regroup = regroup })
			m.GPU.BlocksPerCycle = 1
			got := run(t, m, gputest.Launch{Kernel: k, Blocks: 800, Threads: 64, Record: rounds})
			if n := counter(t, &got.Total, "buddy_ungroups"); n != 0 {
				t.Errorf("clusters of %d, %s: ungrouped %d times", size, regroup, n)
			}
		}
	}
}
