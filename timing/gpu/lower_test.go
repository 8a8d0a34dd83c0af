// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// same lowers kernels to themselves.
func same(_ *arch.Machine, k *trace.Kernel, _ int, _ bool) (*core.Lowering, error) {
	return lowering.Identity(k), nil
}

func TestALoweringToTheRecordedInstructionsChangesNothing(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(2, 4)) {
		var runs [2]*Run
		for i := range runs {
			r := rand.New(rand.NewPCG(seed, 8))
			m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
			o := with(memory)
			if i == 1 {
				m.GPU.Lowering, o.Lower = "volta", same
			}
			g, err := New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
			if runs[i], err = g.Replay(context.Background(), src, nil); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
			t.Fatalf("seed %d (-recorded +lowered):\n%s", seed, diff)
		}
	}
}

// The replay checks by itself that what was recorded has passed, and what was issued stands
// in its place.
func TestRandomKernelsReplayInMachineOperations(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
		m.GPU.Lowering = []string{"fermi", "volta", "turing", "ampere", "hopper"}[seed%5]
		m.SM.Registers = max(m.SM.Registers, 65536)
		g := build(t, m, memory)
		src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
		run, err := g.Replay(context.Background(), src, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		gputest.Conserves(t, m, &run.Total)
	}
}

// slower lowers each addition to an operation of the special function unit, and leaves
// kernels without one as they are.
func slower(_ *arch.Machine, k *trace.Kernel, _ int, _ bool) (*core.Lowering, error) {
	add := func(in trace.Instruction) bool { return in.Class == trace.ClassIntAdd }
	if !slices.ContainsFunc(k.Instructions, add) {
		return nil, nil
	}
	l, err := same(nil, k, 0, false)
	if err != nil {
		return nil, err
	}
	l.Kernel.Instructions = slices.Clone(k.Instructions)
	for i := range l.Kernel.Instructions {
		if in := &l.Kernel.Instructions[i]; add(*in) {
			in.Class = trace.ClassSpecial
		}
	}
	return l, nil
}

// A machine that lowers kernels executes the machine operations where there are some, and the recorded
// instructions where there are none.
func TestAMachineExecutesWhatAKernelIsLoweredTo(t *testing.T) {
	adds := func(class trace.OpClass) *gputest.Kernel {
		k := gputest.NewKernel("adds")
		for range 7 {
			k.Op(class, 1, 1)
		}
		return k.Exit()
	}
	for _, c := range []struct {
		name           string
		kernel, timing *gputest.Kernel // the recorded one, and another that takes as long
	}{{"lowered", adds(trace.ClassIntAdd), adds(trace.ClassSpecial)}, {"as recorded", adds(trace.ClassIntMul), adds(trace.ClassIntMul)}} {
		m := gputest.Machine()
		m.GPU.Lowering = "volta"
		o := with(&gputest.Memory{LatencyCycles: 50})
		o.Lower = slower
		g, err := New(m, o)
		if err != nil {
			t.Fatal(err)
		}
		run := replay(t, g, gputest.Launch{Kernel: c.kernel, Blocks: 1, Threads: 32})
		if want := cyclesOf(t, gputest.Machine(), c.timing); run.Cycles != want {
			t.Errorf("%s: %d cycles, want %d", c.name, run.Cycles, want)
		}
	}
}

// Concurrent launches of one kernel share its lowered code. Its account closes when the last of these launches ends, whether
// another kernel runs at the same time or not.
func TestLaunchesOfOneLoweredKernelSideBySide(t *testing.T) {
	one, two := chain(30), chain(20)
	two.Name = "other"
	for _, list := range [][]gputest.Launch{
		{{Kernel: one, Blocks: 1}, {Kernel: one, Blocks: 7}},
		{{Kernel: one, Blocks: 1}, {Kernel: one, Blocks: 7}, {Kernel: two, Blocks: 2}, {Kernel: one, Blocks: 2}},
	} {
		for i := range list {
			list[i].Threads, list[i].Stream = 32, uint32(i)
		}
		var runs [2]*Run
		for i := range runs {
			m, o := concurrent(4, 16), with(&gputest.Memory{LatencyCycles: 50})
			if i == 1 {
				m.GPU.Lowering, o.Lower = "volta", same
			}
			g, err := New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			runs[i] = replay(t, g, list...)
			if l := runs[i].Launches; l[0].End >= l[1].End || l[1].Start >= l[0].End {
				t.Fatalf("the launches run from %d to %d and from %d to %d, want both to run at the same time", l[0].Start, l[0].End, l[1].Start, l[1].End)
			}
		}
		if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
			t.Errorf("%d launches (-recorded +lowered)\n%s", len(list), diff)
		}
	}
}

// A kernel that no launch uses is not lowered, and those behind it are.
func TestKernelsThatAreLaunchedAreLowered(t *testing.T) {
	m := gputest.Machine()
	m.GPU.Lowering = "volta"
	var lowered []string
	o := with(&gputest.Memory{})
	o.Lower = func(m *arch.Machine, k *trace.Kernel, threads int, together bool) (*core.Lowering, error) {
		lowered = append(lowered, fmt.Sprint(k.Name, " ", threads))
		return same(m, k, threads, together)
	}
	g, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	kernels := []trace.Kernel{chain(1).Kernel, chain(2).Kernel, chain(3).Kernel}
	for i, name := range []string{"first", "second", "third"} {
		kernels[i].Name = name
	}
	block := func(threads uint32) trace.Dim3 { return trace.Dim3{X: threads, Y: 1, Z: 1} }
	launches := []trace.Launch{{Kernel: 2, Grid: block(1), Block: block(32)}, {Kernel: 1, Grid: block(1), Block: block(40)}, {Kernel: 2, Grid: block(1), Block: block(128)}}
	if err := g.Check(kernels, launches); err != nil {
		t.Fatal(err)
	}
	if want := []string{"second 64", "third 128"}; !slices.Equal(lowered, want) { // with the threads of the largest thread block, in whole warps
		t.Errorf("lowered are %q, want %q", lowered, want)
	}
}
