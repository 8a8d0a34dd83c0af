// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

func TestSegmentsAreCutAtBranchesLabelsAndBarriers(t *testing.T) {
	k := fromText(t, `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 5;
	@%p1 bra THEN;
	mov.u32 %r2, 1;
	bra.uni JOIN;
UNREACHED:
	mov.u32 %r3, 1;
	bra UNREACHED;
THEN:
	mov.u32 %r2, 2;
NOTARGET:
	bar.sync 0;
	mov.u32 %r4, 2;
JOIN:
	ret;`)
	want := []Segment{
		{First: 0, Count: 3, Successors: []int{1, 2}, FallThrough: 1, PostDominator: 4, Joins: []int{4}, Divergent: true},
		{First: 3, Count: 2, Successors: []int{4}, FallThrough: Exit, PostDominator: 4, Joins: []int{4}, Tail: true},
		{First: 7, Count: 2, Successors: []int{3}, FallThrough: 3, PostDominator: 3, Joins: []int{3}, Tail: true, Barrier: true},
		{First: 9, Count: 1, Successors: []int{4}, FallThrough: 4, PostDominator: 4, Joins: []int{4}, Tail: true},
		{First: 10, Count: 1, FallThrough: Exit, PostDominator: Exit, Tail: true},
	}
	if diff := cmp.Diff(want, k.Segments); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
	if len(k.Static.Instructions) != len(k.PTX.Body) {
		t.Errorf("%d rows for %d instructions", len(k.Static.Instructions), len(k.PTX.Body))
	}
	if got := k.SegmentAt(7); got != 2 {
		t.Errorf("instruction 7 begins segment %d", got)
	}
	for _, i := range []int{1, 5, 11} {
		if got := k.SegmentAt(i); got != Exit {
			t.Errorf("instruction %d begins segment %d", i, got)
		}
	}
}

func TestFallingOffTheEndLeavesTheKernel(t *testing.T) {
	k := fromText(t, "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nmov.u32 %r1, 1;\nEND:")
	want := []Segment{
		{First: 0, Count: 2, Successors: []int{1}, FallThrough: 1, PostDominator: Exit, Tail: true},
		{First: 2, Count: 1, FallThrough: Exit, PostDominator: Exit, Tail: true},
	}
	if diff := cmp.Diff(want, k.Segments); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
	if o := k.Static.Instructions[1].Operands[0]; o.Kind != trace.OperandSink {
		t.Errorf("the branch to the end has operand %+v", o)
	}
	if err := k.Static.Validate(); err != nil {
		t.Error(err)
	}
}

func TestKernelWithoutInstructionsIsRefused(t *testing.T) {
	m, err := ptx.Parse("empty.ptx", []byte(".version 7.0\n.entry k() { }"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Contaminate(m.Kernels[0]); err == nil {
		t.Error("contaminated nothing")
	}
}

// Every random kernel is cut into segments that partition the instructions
// that some path reaches, found here by walking instruction by instruction.
func TestSegmentsPartitionTheReachableInstructions(t *testing.T) {
	for seed := range uint64(200) {
		k := mustContaminate(t, randomKernel(t, seed, 12))
		covered := make(map[int]bool)
		for i, s := range k.Segments {
			if s.Count < 1 || i > 0 && s.First < k.Segments[i-1].First+k.Segments[i-1].Count {
				t.Fatalf("seed %d: segment %d: %+v", seed, i, s)
			}
			for j := s.First; j < s.First+s.Count; j++ {
				covered[j] = true
				if j < s.First+s.Count-1 && k.PTX.Body[j].Class().EndsSegment() {
					t.Fatalf("seed %d: instruction %d ends a segment and stands inside one", seed, j)
				}
			}
		}
		if diff := cmp.Diff(reachableInstructions(k.PTX), covered); diff != "" {
			t.Fatalf("seed %d: covered instructions (-want +got):\n%s", seed, diff)
		}
	}
}

func reachableInstructions(k *ptx.Kernel) map[int]bool {
	reached := make(map[int]bool)
	var walk func(i int)
	walk = func(i int) {
		if i == len(k.Body) || reached[i] {
			return
		}
		reached[i] = true
		in := &k.Body[i]
		for _, l := range labelsOf(in) {
			walk(l.Index)
		}
		c := in.Class()
		if in.Guard.Register == nil && (c == trace.ClassBranch || c == trace.ClassExit) {
			return
		}
		walk(i + 1)
	}
	walk(0)
	return reached
}
