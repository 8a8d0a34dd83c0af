// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// observed replays a launch of so many thread blocks, of three warps that compute and
// wait for loads, with checkpoints before every thread block.
func observed(t *testing.T, blocks int) (l *Launch, resident int) {
	t.Helper()
	k := gputest.NewKernel("mixed")
	for range 8 {
		k.Load(trace.SpaceGlobal, 0, 0).Op(trace.ClassF32Add, 1, 0)
	}
	k.Exit()
	o := with(&gputest.Memory{LatencyCycles: 50})
	o.Checkpoints = func(_, n int) uint64 {
		resident = n
		return 1
	}
	g, err := New(gputest.Machine(), o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 96})), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &run.Launches[0], resident
}

// A machine begins to drain when a longer launch would place its next thread block:
// the last checkpoint is the one that this launch has there.
func TestLastCheckpointIsWhereALongerLaunchPlacesItsNextThreadBlock(t *testing.T) {
	_, resident := observed(t, 1)
	for _, blocks := range []int{resident, resident + 1, 2*resident - 1, 3 * resident} {
		l, _ := observed(t, blocks)
		longer, _ := observed(t, blocks+1)
		if len(l.Checkpoints) != blocks+1 {
			t.Fatalf("%d thread blocks: %d checkpoints", blocks, len(l.Checkpoints))
		}
		got, want := l.Checkpoints[blocks], longer.Checkpoints[blocks]
		if got.Dispatched != uint64(blocks) || got.Cycle != want.Cycle || got.Counters != want.Counters {
			t.Errorf("%d thread blocks: the last checkpoint is after %d of them in cycle %d, the next would be placed in cycle %d", blocks, got.Dispatched, got.Cycle, want.Cycle)
		}
	}
}

// Checkpoints count from the begin of their launch: those of a launch are the same behind another one.
func TestCheckpointsCountFromTheBeginOfTheirLaunch(t *testing.T) {
	o := with(&gputest.Memory{LatencyCycles: 50})
	o.Checkpoints = func(_, resident int) uint64 { return uint64(resident) }
	m := gputest.Machine()
	m.GPU.SMs, m.SM.MaxBlocks = 2, 1
	g, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	l := gputest.Launch{Kernel: chain(20), Blocks: 7, Threads: 64}
	launches := replay(t, g, l, l, l).Launches
	if n := len(launches[0].Checkpoints); n != 5 { // before 0, 2, 4 and 6 thread blocks, and with room for an eighth
		t.Errorf("%d checkpoints of 7 thread blocks, two at a time", n)
	}
	for i := range launches[1:] {
		if diff := cmp.Diff(launches[0].Checkpoints, launches[i+1].Checkpoints); diff != "" {
			t.Errorf("launch %d (-first +this):\n%s", i+1, diff)
		}
	}
}

// A checkpoint comes before every n-th thread block and after the last one. Until then quiet says how many can be placed.
func TestNoCheckpointComesBeforeItsThreadBlock(t *testing.T) {
	const blocks = 20
	for every := uint64(1); every < 25; every++ {
		for placed := range uint64(blocks + 1) {
			want := uint64(0)
			for (placed+want)%every != 0 && placed+want != blocks {
				want++
			}
			w := watch{every: every, blocks: blocks, dispatches: make([]clock.Cycle, placed)}
			if got := w.quiet(); got != want {
				t.Errorf("a checkpoint before every %d of %d, %d are placed: the next after %d more, want %d", every, blocks, placed, got, want)
			}
			if w.drains = true; w.quiet() < 1<<60 {
				t.Errorf("every %d of %d, %d are placed and the machine drains: another after %d", every, blocks, placed, w.quiet())
			}
		}
	}
	if w := (watch{blocks: blocks}); w.quiet() < 1<<60 {
		t.Errorf("without checkpoints: one after %d", w.quiet())
	}
}

// Parts of the machine that run apart come to every checkpoint in its cycle, with its counts.
func TestCheckpointsAreTheSameWherePartsRunApart(t *testing.T) {
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	m.GPU.SMs, m.SM.MaxBlocks = 5, 2
	const blocks = 120
	src := gputest.Trace(t, waves(blocks))
	apart := false
	for _, c := range []struct {
		every    uint64
		perCycle int
	}{{3, 1}, {50, 1}, {50, 2}} {
		m.GPU.BlocksPerCycle = c.perCycle
		var want *Run
		for _, cores := range []int{0, 1} {
			g, err := New(m, Options{Cores: cores, Apart: true, Checkpoints: func(int, int) uint64 { return c.every }})
			if err != nil {
				t.Fatal(err)
			}
			run, err := g.Replay(context.Background(), gputest.NewSource(src), nil)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = run
			}
			if diff := cmp.Diff(want, run); diff != "" {
				t.Errorf("%+v: %d cores change the result (-none apart +these):\n%.2000s", c, cores, diff)
			}
			apart = apart || g.CyclesApart() > 0
		}
		for i, p := range want.Launches[0].Checkpoints {
			if place := min(c.every*uint64(i), blocks); p.Dispatched != place {
				t.Errorf("%+v: checkpoint %d is before thread block %d, want %d", c, i, p.Dispatched, place)
			}
		}
	}
	if !apart {
		t.Error("no cycles apart")
	}
}

// Thread blocks of one length that began one by one end in cycles that follow one another. Then the checkpoint is in the first
// cycle in which it can be, and no part of the machine may have run it.
func TestACheckpointInTheFirstPossibleCycleIsTheSameWherePartsRunApart(t *testing.T) {
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	m.GPU.SMs, m.SM.MaxBlocks, m.Instruction = 15, 1, arch.Cache{}
	src := gputest.Trace(t, gputest.Launch{Kernel: chain(30), Blocks: 75, Threads: 32})
	apart := false
	for every := uint64(36); every < 50; every += 2 {
		var want *Run
		for _, cores := range []int{0, 1} {
			g, err := New(m, Options{Cores: cores, Apart: true, Checkpoints: func(int, int) uint64 { return every }})
			if err != nil {
				t.Fatal(err)
			}
			run, err := g.Replay(context.Background(), gputest.NewSource(src), nil)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = run
			}
			apart = apart || g.CyclesApart() > 0
			if diff := cmp.Diff(want, run); diff != "" {
				t.Errorf("before every %d: running apart changes the result (-without +with):\n%.2000s", every, diff)
			}
		}
	}
	if !apart {
		t.Error("no cycles apart")
	}
}
