// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/sm/residency"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

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
	for _, words := range []string{"test: launch 0 (stuck): BUG:", "SM 0 warp slot 1 (thread block 0): int-add at stuck.ptx:2 waits for a register that a load or atomic writes", "memory: 2 requests wait"} {
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
		"max_warps":   func(m *arch.Machine) { m.SM.MaxWarps = warpset.Max + 1 },
		"max_blocks":  func(m *arch.Machine) { m.SM.MaxBlocks = residency.MaxBlocks + 1 },
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
