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
