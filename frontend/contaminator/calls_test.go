// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

const callsText = `.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 r) leaf(.param .b32 n) {
	.local .align 8 .b8 depot[24];
	.reg .b32 %r<9>;
	ld.param.b32 %r1, [n];
	add.u32 %r2, %r1, 1;
	st.param.b32 [r], %r2;
	ret;
}
.func (.param .b32 r) down(.param .b32 n) {
	.reg .b32 %r<9>; .reg .pred %p;
	ld.param.b32 %r1, [n];
	setp.eq.u32 %p, %r1, 0;
	@%p bra END;
	{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), down, (a); ld.param.b32 %r2, [b]; }
	{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call.uni (b), leaf, (a); ld.param.b32 %r3, [b]; }
	add.u32 %r1, %r3, %r2;
END:	st.param.b32 [r], %r1;
	ret;
}
.entry k(.param .u64 out) {
	.reg .b32 %r<9>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), leaf, (a); ld.param.b32 %r2, [b]; }
	{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call.uni (b), down, (a); ld.param.b32 %r3, [b]; }
	st.global.b32 [%d1], %r3;
	ret;
}
`

func callsKernel(t *testing.T) *Kernel {
	t.Helper()
	m, err := ptx.Parse("calls.ptx", []byte(callsText))
	if err != nil {
		t.Fatal(err)
	}
	k, err := Contaminate(m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// unitNamed finds a unit by its function.
func unitNamed(t *testing.T, k *Kernel, name string) int {
	t.Helper()
	for i := range k.Units {
		if f := k.Units[i].PTX.Function; f != nil && f.Name == name {
			return i
		}
	}
	t.Fatalf("no unit of function %s", name)
	return 0
}

func TestFunctionsAreThereOnceWithTheirReturns(t *testing.T) {
	k := callsKernel(t)
	leaf, down := &k.Units[unitNamed(t, k, "leaf")], &k.Units[unitNamed(t, k, "down")]
	if len(k.Units) != 3 || len(leaf.Returns) != 2 || len(down.Returns) != 2 {
		t.Fatalf("%d units; leaf returns to %v, down to %v", len(k.Units), leaf.Returns, down.Returns)
	}
	if leaf.Recursive || !down.Recursive || k.Units[0].Recursive || leaf.Cycle >= down.Cycle || down.Cycle >= k.Units[0].Cycle {
		t.Errorf("cycles %d, %d, %d; recursive %v, %v", leaf.Cycle, down.Cycle, k.Units[0].Cycle, leaf.Recursive, down.Recursive)
	}
}

// The trace's graph leads from a call to the function's entry, and from its ret
// to what follows each of its calls; reconvergence stays inside each function.
func TestStaticGraphLeadsThroughFunctions(t *testing.T) {
	k := callsKernel(t)
	leaf := &k.Units[unitNamed(t, k, "leaf")]
	calls := 0
	for id, b := range k.Static.Blocks {
		last := &k.Static.Instructions[b.First+b.Count-1]
		s := &k.Segments[id]
		switch {
		case last.Class == trace.ClassCall:
			calls++
			callee := k.calleesOf(s.First + s.Count - 1)
			if len(callee) != 1 || !slices.Equal(b.Successors, []uint32{uint32(k.Units[callee[0]].Entry)}) {
				t.Errorf("block %d calls unit %v and leads to %v", id, callee, b.Successors)
			}
			if b.PostDominator != uint32(s.FallThrough) {
				t.Errorf("block %d reconverges at %d, not behind the call, at %d", id, b.PostDominator, s.FallThrough)
			}
		case last.Opcode == "ret" && s.Unit > 0:
			if last.Class != trace.ClassBranch {
				t.Errorf("ret of a function has class %v", last.Class)
			}
		}
	}
	end := k.Static.Blocks[leaf.Entry]
	var want []uint32
	for _, r := range leaf.Returns {
		want = append(want, uint32(r))
	}
	if calls != 4 || !slices.Equal(end.Successors, want) {
		t.Errorf("%d calls; leaf leads to %v, want %v", calls, end.Successors, want)
	}
	if err := k.Static.Validate(); err != nil {
		t.Error(err)
	}
}

// Each instruction of the static part has the name of its function, whose text
// goes along; a kernel without calls has none.
func TestStaticPartNamesFunctionsAndHasTheirText(t *testing.T) {
	k := callsKernel(t)
	want := []struct {
		name string
		line uint32
	}{{"leaf", 4}, {"down", 12}}
	if len(k.Static.Functions) != len(want) {
		t.Fatalf("functions %+v", k.Static.Functions)
	}
	lines := strings.Split(callsText, "\n")
	for i, f := range k.Static.Functions {
		if f.Name != want[i].name || f.FirstLine != want[i].line || !strings.HasPrefix(f.Source, lines[f.FirstLine-1]+"\n") || !strings.HasSuffix(f.Source, "ret;\n}\n") {
			t.Errorf("function %s from line %d: %q", f.Name, f.FirstLine, f.Source)
		}
	}
	for i := range k.Static.Instructions {
		name := ""
		if f := k.Units[k.UnitAt(i)].PTX.Function; f != nil {
			name = f.Name
		}
		if got := k.Static.FunctionName(i); got != name {
			t.Errorf("instruction %d is of %q, want %q", i, got, name)
		}
	}
	m, err := ptx.Parse("alone.ptx", []byte(".version 7.0\n.target sm_70\n.func f() { ret; }\n.entry alone() { ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Contaminate(m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if alone.Static.Functions != nil || alone.Static.FunctionName(0) != "" {
		t.Errorf("a kernel without calls has functions %+v", alone.Static.Functions)
	}
}

// A function's registers stand above those that live across the call; the
// frames of the deepest chain and the stack make up local memory.
func TestCalleesTakeRegistersAndFramesAboveTheirCallers(t *testing.T) {
	k := callsKernel(t)
	var d1 trace.Register
	for _, in := range k.Static.Instructions {
		for _, r := range in.Writes(nil) {
			if r.Virtual == "%d1" {
				d1 = r
			}
		}
	}
	for i, in := range k.Static.Instructions {
		if k.UnitAt(i) == 0 {
			continue
		}
		for _, r := range in.Writes(nil) {
			if r.File == trace.FileGeneral && r.Number < d1.Number+2 {
				t.Errorf("line %d writes %s in register %d, where %%d1 of the kernel lives", in.Line, r.Virtual, r.Number)
			}
		}
	}
	leaf, down := &k.Units[unitNamed(t, k, "leaf")], &k.Units[unitNamed(t, k, "down")]
	if leaf.FrameBytes != 32 || k.LocalBytes != k.Units[0].FrameBytes+down.FrameBytes+leaf.FrameBytes+StackBytes {
		t.Errorf("frames %d, %d, %d; local memory %d", k.Units[0].FrameBytes, down.FrameBytes, leaf.FrameBytes, k.LocalBytes)
	}
}

func TestTooManyCallsOfOneFunctionAreRefused(t *testing.T) {
	call := "call.uni f, ();\n"
	m, err := ptx.Parse("many.ptx", []byte(".version 7.0\n.target sm_70\n.func f() { ret; }\n.entry k() {\n"+strings.Repeat(call, maxReturns+1)+"ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Contaminate(m.Kernels[0]); err == nil || !strings.Contains(err.Error(), "many.ptx:3:7: kernel k calls function f from 1001 places") {
		t.Errorf("%v", err)
	}
}
