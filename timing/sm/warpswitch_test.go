// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// switched replays two warps of k under a trigger and gives the warp slots of the
// loads in the order in which they reach the memory.
func switched(t *testing.T, k *gputest.Kernel, trigger string) (order []int, run *gpu.Run) {
	t.Helper()
	m := gputest.Machine()
	m.SM.WarpSwitch = trigger
	memory := &gputest.Memory{LatencyCycles: 40, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { order = append(order, a.WarpSlot) }}
	run = replay(t, build(t, m, memory), gputest.Launch{Kernel: k, Blocks: 1, Threads: 64})
	return order, run
}

func TestTriggersDecideWhereTheSchedulerSwitches(t *testing.T) {
	loads := gputest.NewKernel("loads")
	loads.Load(trace.SpaceGlobal, 1, 9).Load(trace.SpaceGlobal, 2, 9).Exit()
	branches := gputest.NewKernel("branches")
	branches.Load(trace.SpaceShared, 1, 9).Branch()
	branches.Load(trace.SpaceShared, 2, 9).Exit()
	shared := gputest.NewKernel("shared")
	shared.Load(trace.SpaceShared, 1, 9).Load(trace.SpaceShared, 2, 9).Exit()
	again := gputest.NewKernel("again")
	again.Load(trace.SpaceParam, 1, 9).Load(trace.SpaceParam, 2, 9).Exit()
	together, apart := "[0 0 1 1]", "[0 1 0 1]"
	for _, c := range []struct {
		trigger string
		kernel  *gputest.Kernel
		want    string
	}{
		{"non", loads, together}, {"mem", loads, apart}, {"bra", loads, together}, {"mbr", loads, apart}, {"all", loads, apart},
		{"non", branches, together}, {"mem", branches, together}, {"bra", branches, apart}, {"mbr", branches, apart}, {"all", branches, apart},
		{"mem", shared, together}, {"all", shared, apart},
		// Of each warp the first load misses the filter, the second is of another line.
		{"mem-every", loads, apart}, {"mem-every", shared, apart}, {"mem-miss", loads, apart}, {"mem-miss", shared, apart}, {"mem-miss", again, together},
		{"mbr-every", shared, apart}, {"mbr-every", branches, apart}, {"mbr-miss", branches, apart}, {"mbr-miss", again, together},
	} {
		if got, _ := switched(t, c.kernel, c.trigger); fmt.Sprint(got) != c.want {
			t.Errorf("%s under %s: loads of warps %v, want %s", c.kernel.Name, c.trigger, got, c.want)
		}
	}
}

// A warp's local memory is its own, and so is a thread block's shared memory: the same addresses are other lines. Global memory
// is that of all.
func TestTheFilterKnowsWhoseMemoryItIs(t *testing.T) {
	for _, c := range []struct {
		space  trace.Space
		blocks int // of 64 threads in all
		misses bool
	}{{trace.SpaceGlobal, 1, false}, {trace.SpaceGlobal, 2, false}, {trace.SpaceLocal, 1, true}, {trace.SpaceLocal, 2, true}, {trace.SpaceShared, 1, false}, {trace.SpaceShared, 2, true}} {
		k := gputest.NewKernel("again")
		k.Load(c.space, 1, 9).Load(c.space, 2, 9).Load(c.space, 3, 9).Exit()
		m := gputest.Machine()
		m.SM.WarpSwitch, m.GPU.BlocksPerCycle = "mem-miss", 2
		var order []int
		memory := &gputest.Memory{LatencyCycles: 40, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { order = append(order, a.WarpSlot) }}
		replay(t, build(t, m, memory), gputest.Launch{Kernel: k, Blocks: c.blocks, Threads: 64 / c.blocks, Record: func(w *gputest.Warp) { w.VisitAt(0, 0x400, 4) }})
		want := "[0 1 1 1 0 0]" // the first load of all misses, and then none
		if c.misses {
			want = "[0 1 0 0 1 1]"
		}
		if fmt.Sprint(order) != want {
			t.Errorf("%v in %d thread blocks: loads of warps %v, want %s", c.space, c.blocks, order, want)
		}
	}
}

// A miss that is noted of a warp counts once, at the instruction that it issues next.
func TestAMissCanBeNoted(t *testing.T) {
	k := gputest.NewKernel("adds")
	for i := range 8 {
		k.Op(trace.ClassIntAdd, 10+i, 2)
	}
	k.Exit()
	m := gputest.Machine()
	m.SM.WarpSwitch, m.SM.InstructionBuffer, m.SM.FetchWidth = "mem-miss", 16, 8
	left := uint32(0)
	stepped(t, m, steady(), gputest.Launch{Kernel: k, Blocks: 1, Threads: 64}, func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		switch now {
		case firstIssue + 3:
			s.NoteMiss(0)
			if taken, again := s.TakeMiss(0), s.TakeMiss(0); !taken || again {
				t.Errorf("a miss is taken %v and %v", taken, again)
			}
			s.NoteMiss(0)
		case firstIssue + 5:
			left, _ = s.At(0)
			if at, _ := s.At(1); at != 1 {
				t.Errorf("the other warp has issued %d instructions, want one", at)
			}
		}
	})
	if left != 4 {
		t.Errorf("warp 0 is left behind %d instructions, want four: the miss counts at the fourth", left)
	}
}

// Without a switch the second warp starts when the first has issued everything,
// its stalls included.
func TestNoSwitchLosesTheSlotsOfTheWaitingWarp(t *testing.T) {
	k := gputest.NewKernel("use")
	k.Load(trace.SpaceGlobal, 1, 9).Op(trace.ClassIntAdd, 2, 1).Exit()
	_, non := switched(t, k, "non")
	_, mem := switched(t, k, "mem")
	// The load's wait, from its issue to that of what uses it, is paid twice.
	wait := clock.Cycle(gputest.OperandRead + 40)
	if d := non.Cycles - mem.Cycles; d < wait-2 || d > wait+2 {
		t.Errorf("%d cycles without a switch, %d with one at loads, want about %d apart", non.Cycles, mem.Cycles, wait)
	}
	if non.Total[counters.StallMemory] < 2*uint64(wait-2) {
		t.Errorf("%d slots lost to memory, want twice about %d", non.Total[counters.StallMemory], wait)
	}
}

func TestBarriersSwitchUnderEveryTrigger(t *testing.T) {
	k := gputest.NewKernel("barrier")
	k.Barrier("sync", 0)
	k.Op(trace.ClassIntAdd, 1, 2).Exit()
	for _, trigger := range []string{"non", "mem", "mem-every", "mem-miss", "bra", "mbr", "mbr-every", "mbr-miss", "all"} {
		if _, run := switched(t, k, trigger); run.Total[counters.IssuedWarp] != 6 {
			t.Errorf("%s: %d instructions", trigger, run.Total[counters.IssuedWarp])
		}
	}
}
