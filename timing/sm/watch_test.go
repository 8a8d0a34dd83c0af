// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// state is what a watcher hears of a warp.
type state struct {
	at          clock.Cycle
	what        seam.WarpState
	instruction uint32
}

// warps is a watcher of one SM that notes what it hears of warp 0.
type warps struct {
	*gputest.SlotLedger
	watched int
	seen    []state
	others  int
}

func (w *warps) Watches(sm int) bool { return sm == w.watched }
func (w *warps) Warp(now clock.Cycle, s seam.WarpSlot) {
	switch {
	case s.SM != w.watched:
		w.others++
	case s.Warp == 0:
		w.seen = append(w.seen, state{now, s.State, s.Instruction})
	}
}

// A watcher hears when a warp comes to wait for something else, once each, with the instruction at which it waits.
func TestAWatcherHearsWhatAWarpWaitsFor(t *testing.T) {
	const none = seam.NoInstruction
	k := gputest.NewKernel("states")
	k.Op(trace.ClassIntAdd, 1, 1).Op(trace.ClassIntAdd, 1, 1)               // 0, 1
	k.Op(trace.ClassSpecial, 3).Op(trace.ClassSpecial, 4)                   // 2, 3: eight cycles apart
	k.Load(trace.SpaceGlobal, 5, 2).Op(trace.ClassIntAdd, 6, 5)             // 4, 5
	k.Store(trace.SpaceGlobal, 2, 6).Op(trace.ClassFence, gputest.None)     // 6, 7
	k.Barrier("sync", 0)                                                    // 8
	k.Op(trace.ClassSpecial, 7).Exit()                                      // 9, 10
	const result, slow, loaded = addition, gputest.OperandRead + 20, access // from issue to a register
	const chain = firstIssue + result                                       // instruction 1
	const second, read = chain + 1 + 8, chain + 1 + 8 + 1 + loaded          // 3 and 5
	const stored, passed = read + result, read + result + access + 1        // 6, and what is behind the fence
	want := []state{
		{gputest.LaunchCycles, seam.WarpFetch, 0}, {firstIssue, seam.WarpIssues, none}, {firstIssue + 1, seam.WarpCompute, 1}, {chain, seam.WarpIssues, none},
		{chain + 2, seam.WarpReady, 3}, {second, seam.WarpIssues, none}, {second + 2, seam.WarpMemory, 5}, {read, seam.WarpIssues, none}, {read + 1, seam.WarpCompute, 6},
		{stored, seam.WarpIssues, none}, {stored + 2, seam.WarpFence, 7}, {passed, seam.WarpIssues, none},
		{passed + 1, seam.WarpBarrier, 8}, {passed + 20, seam.WarpIssues, none}, {passed + 22, seam.WarpDrains, none}, {passed + 20 + slow, seam.WarpGone, none},
	}
	m := gputest.Machine()
	m.GPU.SMs = 2
	m.SM.Latencies.Barrier.Cycles = 20
	for watched := range 2 {
		w := &warps{SlotLedger: gputest.NewSlotLedger(), watched: watched}
		run(t, m, w, gputest.Launch{Kernel: k, Blocks: 2, Threads: 32})
		for i := range w.seen {
			w.seen[i].at -= clock.Cycle(watched) // the second thread block comes a cycle later
		}
		if !slices.Equal(w.seen, want) || w.others > 0 {
			t.Errorf("SM %d: %v and %d of others, want %v", watched, w.seen, w.others, want)
		}
	}
}
