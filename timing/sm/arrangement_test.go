// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// chainKernel is an address calculation between two loads of a run.
func chainKernel() *trace.Kernel {
	k := gputest.NewKernel("run")
	k.Load(trace.SpaceGlobal, 1, 10).Op(trace.ClassIntAdd, 11, 20).Load(trace.SpaceGlobal, 2, 11)
	k.Op(trace.ClassF32Add, 3, 1, 2).Store(trace.SpaceGlobal, 12, 3).Exit()
	return &k.Kernel
}

func chainArrangement() *core.Arrangement {
	return &core.Arrangement{
		Order: []uint32{1, 0, 2, 3, 4, 5},
		Runs:  []core.Run{core.RunFirst, core.RunNone, core.RunInside, core.RunInside, core.RunLast, core.RunNone},
	}
}

func TestAnArrangedProgramKnowsTheNumbersOfTheTrace(t *testing.T) {
	p, err := Compile(gputest.Machine(), chainKernel(), core.Compilation{Arrangement: chainArrangement()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var original []uint32
	for place := range uint32(6) {
		original = append(original, p.Original(place))
	}
	if diff := cmp.Diff([]uint32{1, 0, 2, 3, 4, 5}, original); diff != "" {
		t.Error(diff)
	}
	if p.kernel.Instructions[0].Class != trace.ClassIntAdd || p.recorded.Instructions[0].Class != trace.ClassLoad {
		t.Error("the program's kernel is not in its order, or the trace's is")
	}
	if diff := cmp.Diff([]uint32{1, 0, 1, 2, 2, 3}, p.arranged.ordinal); diff != "" {
		t.Errorf("numbers among memory instructions: %s", diff)
	}
	plain, err := Compile(gputest.Machine(), chainKernel(), core.Compilation{}, 0)
	if err != nil || plain.Original(4) != 4 {
		t.Errorf("without an arrangement place 4 is instruction %d, %v", plain.Original(4), err)
	}
}

// A rewritten kernel has instructions of its own. Each stands for one of the trace.
func TestARewrittenProgramKnowsTheNumbersOfTheTrace(t *testing.T) {
	recorded, k := chainKernel(), gputest.NewKernel("rewritten")
	k.Op(trace.ClassIntAdd, 1, 2).Op(trace.ClassIntAdd, 3, 1).Exit()
	k.Block() // which may be empty
	r := &core.Rewriting{Kernel: &k.Kernel, Origin: []uint32{4, 1, 5}, Assisted: []bool{false, true, false}}
	p, err := Compile(gputest.Machine(), recorded, core.Compilation{Rewriting: r}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.Instructions() != 3 || p.Recorded() != 6 || p.Kernel() != &k.Kernel {
		t.Errorf("%d instructions of %d recorded", p.Instructions(), p.Recorded())
	}
	for i, want := range r.Origin {
		if p.Original(uint32(i)) != want || p.originals()[i] != want || p.code[i].assisted != r.Assisted[i] {
			t.Errorf("instruction %d is %d of the trace, assisted %v", i, p.Original(uint32(i)), p.code[i].assisted)
		}
	}
	l := &core.Lowering{Kernel: &k.Kernel, Origin: r.Origin, Guarded: []bool{true, false, true}}
	if p, err = Compile(gputest.Machine(), recorded, core.Compilation{Lowering: l}, 0); err != nil {
		t.Fatal(err)
	}
	for i, want := range l.Origin {
		if p.Original(uint32(i)) != want || p.code[i].guarded != l.Guarded[i] || p.Recorded() != 6 {
			t.Errorf("operation %d is %d of the trace's %d, guarded %v", i, p.Original(uint32(i)), p.Recorded(), p.code[i].guarded)
		}
	}
}

// The first load waits for the addresses of the whole run, and for the registers
// that it writes, but not for what the run computes itself.
func TestTheFirstOfARunWaitsForAllThatTheRunTakesFromOutside(t *testing.T) {
	p, err := Compile(gputest.Machine(), chainKernel(), core.Compilation{Arrangement: chainArrangement()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got uint64
	for r := range p.code[1].hazard.All(p.sets) {
		got |= r.Mask // all registers are in the first word
	}
	want := uint64(1<<10 | 1<<11 | 1<<12 | 1<<1 | 1<<2 | 1<<3)
	if got != want {
		t.Errorf("the first load waits for registers %b, want %b", got, want)
	}
}

func TestAWarpIsMarkedFromTheFirstToTheLastOfARun(t *testing.T) {
	p, err := Compile(gputest.Machine(), chainKernel(), core.Compilation{Arrangement: chainArrangement()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var set warpset.Set
	inside := warpset.Of(5)
	for place, want := range []warpset.Set{{}, inside, inside, inside, {}, {}} {
		set = p.mark(set, 5, uint32(place), 1)
		if set != want {
			t.Errorf("behind place %d the set is %v, want %v", place, set, want)
		}
	}
	if first(warpset.First(4), inside.With(2)) != warpset.Of(2) || first(warpset.Of(3), warpset.First(3)) != warpset.Of(3) {
		t.Error("marked warps must go before others, and others when no marked one can")
	}
}

func TestADamagedKernelIsRefusedArrangedOrNot(t *testing.T) {
	k := chainKernel()
	k.Blocks[0].Count = 99
	if _, err := Compile(gputest.Machine(), k, core.Compilation{Arrangement: chainArrangement()}, 0); err == nil || !strings.Contains(err.Error(), "basic block 0") {
		t.Errorf("got %v", err)
	}
}
