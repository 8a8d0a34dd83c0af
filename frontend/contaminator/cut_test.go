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

// Other warps have their turn at the end of a block, and the device's malloc may be PTX, whose
// calls end blocks. So a pause and a call of malloc are in two blocks.
func TestACallOfTheDeviceBehindAPauseBeginsASegment(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b64 p) malloc(.param .b64 n);\n.func mine() { ret; }\n.shared .align 8 .b64 meeting;\n.visible .entry k()\n{\n.reg .b64 %d<4>; .reg .pred %p<3>; .reg .b32 %r<4>;\n"
	const malloc = "{ .param .b64 n; .param .b64 p; st.param.b64 [n], %d1; call.uni (p), malloc, (n); ld.param.b64 %d2, [p]; }\n"
	for name, c := range map[string]struct {
		body string
		want []int // first instructions of segments
	}{
		"pause":                  {"nanosleep.u32 8; mov.u32 %r1, 1;" + malloc + "ret;", []int{0, 3, 4}},
		"pause with a guard":     {"@%p1 nanosleep.u32 8;" + malloc + "ret;", []int{0, 2, 3}},
		"wait":                   {"mbarrier.try_wait.parity.shared.b64 %p1, [meeting], 0;" + malloc + "ret;", []int{0, 2, 3}},
		"no wait":                {"mbarrier.init.shared.b64 [meeting], 32;" + malloc + "ret;", []int{0, 3}},
		"function of the module": {"nanosleep.u32 8; call mine; ret;", []int{0, 2}},
		"another block's pause":  {"nanosleep.u32 8; bar.sync 0;" + malloc + "ret;", []int{0, 2, 4}},
		"two calls":              {"nanosleep.u32 8;" + malloc + malloc + "ret;", []int{0, 2, 3, 6}},
	} {
		m, err := ptx.Parse("k.ptx", []byte(head+c.body+"\n}\n"))
		if err != nil {
			t.Fatal(name, err)
		}
		k, err := Contaminate(m.Kernels[0])
		if err != nil {
			t.Fatal(name, err)
		}
		var got []int
		for _, s := range k.Segments {
			if s.Unit == 0 {
				got = append(got, s.First)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: segments begin at (-want +got):\n%s", name, diff)
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
