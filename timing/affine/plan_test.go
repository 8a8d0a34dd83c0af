// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

func reg(name string, number uint16, words uint8) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: number, Words: words, Virtual: name}}
}

func predicate(name string, number uint16) trace.Register {
	return trace.Register{File: trace.FilePredicate, Number: number, Words: 1, Virtual: name}
}

func imm(v int64) trace.Operand { return trace.Operand{Kind: trace.OperandImmediate, Value: v} }

func specialRegister(name string) trace.Operand {
	return trace.Operand{Kind: trace.OperandSpecial, Symbol: name}
}

func param(name string) trace.Operand {
	return trace.Operand{Kind: trace.OperandAddress, Symbol: name}
}

func at(o trace.Operand) trace.Operand {
	return trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: o.Register}
}

func op(opcode, typ string, class trace.OpClass, operands ...trace.Operand) trace.Instruction {
	parts := strings.Split(opcode, ".")
	return trace.Instruction{Opcode: parts[0], Modifiers: parts[1:], Types: []string{typ}, Class: class, Operands: operands, Destinations: 1}
}

// figure4 is the example kernel of figure 4b, with 32-bit addresses as there.
func figure4() *trace.Kernel {
	r0, tid, r1, a, b, i, tmp, r2, r3 := reg("r0", 0, 1), reg("tid", 1, 1), reg("r1", 2, 1), reg("addrA", 3, 1), reg("addrB", 4, 1), reg("i", 5, 1), reg("tmp", 6, 1), reg("r2", 7, 1), reg("r3", 8, 1)
	baseA, baseB, dim, num := reg("A", 9, 1), reg("B", 10, 1), reg("dim", 11, 1), reg("num", 12, 1)
	load := func(to trace.Operand, name string) trace.Instruction {
		in := op("ld.param", "u32", trace.ClassLoad, to, param(name))
		in.Space, in.LaneBytes = trace.SpaceParam, 4
		return in
	}
	list := []trace.Instruction{
		load(baseA, "A"), load(baseB, "B"), load(dim, "dim"), load(num, "num"),
		op("mul.lo", "u32", trace.ClassIntMul, r0, specialRegister("ctaid.x"), specialRegister("ntid.x")),
		op("add", "u32", trace.ClassIntAdd, tid, specialRegister("tid.x"), r0),
		op("mul.lo", "u32", trace.ClassIntMul, r1, tid, imm(4)),
		op("add", "u32", trace.ClassIntAdd, a, baseA, r1),
		op("add", "u32", trace.ClassIntAdd, b, baseB, r1),
		op("mov", "u32", trace.ClassMove, i, imm(0)),
		// LOOP
		op("ld.global", "u32", trace.ClassLoad, tmp, at(a)),
		op("add", "u32", trace.ClassIntAdd, r2, tmp, imm(1)),
		op("st.global", "u32", trace.ClassStore, at(b), r2),
		op("add", "u32", trace.ClassIntAdd, i, i, imm(1)),
		op("mul.lo", "u32", trace.ClassIntMul, r3, num, imm(4)),
		op("add", "u32", trace.ClassIntAdd, a, r3, a),
		op("add", "u32", trace.ClassIntAdd, b, r3, b),
		op("setp.ne", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: predicate("p0", 0)}, dim, i),
		{Opcode: "bra", Class: trace.ClassBranch, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: 1}}, Guard: trace.Guard{Present: true, Register: predicate("p0", 0)}},
		{Opcode: "ret", Class: trace.ClassExit},
	}
	list[10].Space, list[10].LaneBytes = trace.SpaceGlobal, 4
	list[12].Space, list[12].LaneBytes, list[12].Destinations = trace.SpaceGlobal, 4, 0
	return &trace.Kernel{
		Name: "example_kernel", Instructions: list,
		Params: []trace.Param{{Name: "A", Bytes: 4}, {Name: "B", Offset: 4, Bytes: 4}, {Name: "dim", Offset: 8, Bytes: 4}, {Name: "num", Offset: 12, Bytes: 4}},
		Blocks: []trace.BasicBlock{
			{First: 0, Count: 10, Successors: []uint32{1}, PostDominator: 1},
			{First: 10, Count: 9, Successors: []uint32{1, 2}, PostDominator: 2},
			{First: 19, Count: 1, PostDominator: trace.NoBlock},
		},
	}
}

// The paper's example is split as figure 7 shows it.
func TestExampleKernelIsSplitAsFigure7(t *testing.T) {
	k := figure4()
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	p := Compile(k)
	var affine, rest []string
	for _, r := range p.rows() {
		if r.affine != "" {
			affine = append(affine, r.affine)
		}
		if r.rest != "" {
			rest = append(rest, r.rest)
		}
	}
	wantRest := []string{"ld.global.u32 tmp, deq.data", "add.u32 r2, tmp, 1", "st.global.u32 [deq.addr], r2", "@deq.pred bra block 1", "ret"}
	if got := strings.Join(rest, "; "); got != strings.Join(wantRest, "; ") {
		t.Errorf("non-affine stream: %s", got)
	}
	tail := []string{"enq.data addrA", "enq.addr addrB", "add.u32 i, i, 1", "mul.lo.u32 r3, num, 4", "add.u32 addrA, r3, addrA", "add.u32 addrB, r3, addrB", "setp.ne.u32 p0, dim, i", "enq.pred p0", "@p0 bra block 1", "ret"}
	if got := strings.Join(affine[len(affine)-len(tail):], "; "); got != strings.Join(tail, "; ") || len(affine) != 10+len(tail) {
		t.Errorf("affine stream has %d instructions and ends with: %s", len(affine), got)
	}
	for i, f := range p.Fates {
		if f.Reason != "" {
			t.Errorf("instruction %d: %s", i, f.Reason)
		}
	}
}

// replaced compiles the example with another instruction in the place of one.
func replaced(i int, in trace.Instruction) *Plan {
	k := figure4()
	k.Instructions[i] = in
	return Compile(k)
}

func TestReasonsNameTheRoot(t *testing.T) {
	tid, r1, a := reg("tid", 1, 1), reg("r1", 2, 1), reg("addrA", 3, 1)
	for _, c := range []struct {
		what string
		plan *Plan
		want string
	}{
		{"a product", replaced(6, op("mul.lo", "u32", trace.ClassIntMul, r1, tid, tid)), productReason},
		{"a shift to the right", replaced(6, op("shr", "u32", trace.ClassIntAdd, r1, tid, imm(2))), "shr" + nonlinear},
		{"a lane number", replaced(6, op("mov", "u32", trace.ClassMove, r1, specialRegister("laneid"))), "%laneid is no affine function"},
		{"a loop that changes the stride", replaced(15, op("mul.lo", "u32", trace.ClassIntMul, a, a, a)), productReason},
	} {
		if got := c.plan.Fates[10].Reason; !strings.Contains(got, c.want) {
			t.Errorf("%s: reason %q, want %q", c.what, got, c.want)
		}
		if c.plan.Fates[10].Enqueue != NoQueue {
			t.Errorf("%s: decoupled", c.what)
		}
	}
}

// diamonds is a kernel with n conditions one after the other; each leaves one of two
// values in the address. A loop carries the address if asked for.
func diamonds(n int, carried bool) *trace.Kernel {
	k := &trace.Kernel{Name: "diamonds", Params: []trace.Param{{Name: "A", Bytes: 8}}}
	address, tid := reg("a", 0, 1), reg("tid", 1, 1)
	load := op("ld.param", "u32", trace.ClassLoad, address, param("A"))
	load.Space, load.LaneBytes = trace.SpaceParam, 4
	block := func(list ...trace.Instruction) *trace.BasicBlock {
		k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(len(k.Instructions)), Count: uint32(len(list)), PostDominator: uint32(len(k.Blocks) + 1)})
		k.Instructions = append(k.Instructions, list...)
		return &k.Blocks[len(k.Blocks)-1]
	}
	block(load, op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x"))).Successors = []uint32{1}
	for i := range n {
		p := predicate("p", uint16(i))
		b := block(op("setp.lt", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: p}, tid, imm(int64(4+i))),
			trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: trace.Guard{Present: true, Register: p}, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: int64(2*i + 3)}}})
		b.Successors = []uint32{uint32(2*i + 3), uint32(2*i + 2)}
		b.PostDominator = uint32(2*i + 3)
		block(op("add", "u32", trace.ClassIntAdd, address, address, tid)).Successors = []uint32{uint32(2*i + 3)}
	}
	last := op("ld.global", "u32", trace.ClassLoad, reg("x", 2, 1), at(address))
	last.Space, last.LaneBytes = trace.SpaceGlobal, 4
	self := uint32(len(k.Blocks))
	p := predicate("q", 9)
	b := block(last, op("add", "u32", trace.ClassIntAdd, address, address, imm(boolStep(carried))),
		op("setp.lt", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: p}, address, imm(100)),
		trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: trace.Guard{Present: true, Register: p}, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: int64(self)}}})
	if !carried {
		b.Count = 1
		k.Instructions = k.Instructions[:len(k.Instructions)-3]
		b.Successors = []uint32{self + 1}
	} else {
		b.Successors = []uint32{self, self + 1}
	}
	block(trace.Instruction{Opcode: "ret", Class: trace.ClassExit}).PostDominator = trace.NoBlock
	return k
}

func boolStep(carried bool) int64 {
	if carried {
		return 4
	}
	return 0
}

func TestAtMostTwoDivergentConditionsNoneOfThemCarried(t *testing.T) {
	for _, c := range []struct {
		n       int
		carried bool
		want    string
	}{{0, false, ""}, {1, false, ""}, {2, false, ""}, {3, false, "more than two divergent conditions"}, {0, true, ""}, {1, true, "a loop carries a divergent tuple"}} {
		k := diamonds(c.n, c.carried)
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		p := Compile(k)
		for i := range k.Instructions {
			if k.Instructions[i].Space != trace.SpaceGlobal {
				continue
			}
			f := p.Fates[i]
			if c.want == "" && (f.Enqueue != Data || f.Conditions != c.n) || c.want != "" && !strings.Contains(f.Reason, c.want) {
				t.Errorf("%d conditions, carried %v: %+v", c.n, c.carried, f)
			}
		}
	}
}

func TestKernelWithoutOperandKindsSaysSo(t *testing.T) {
	k := figure4()
	for i := range k.Instructions {
		in := &k.Instructions[i]
		for j := range in.Operands {
			if kind := in.Operands[j].Kind; kind != trace.OperandRegister && !in.Operands[j].HasBase {
				in.Operands[j] = reg("x", 20, 1)
			}
		}
	}
	if p := Compile(k); p.Reason != NoOperandKinds || p.Decoupled() {
		t.Errorf("reason %q", p.Reason)
	}
}

// A comparison that the affine warp executes stays as the dequeue of its predicate.
func TestADequeueNamesThePredicate(t *testing.T) {
	p := Compile(figure4())
	found := false
	for i := range p.Fates {
		if p.Fates[i].Dequeue != Predicate {
			continue
		}
		found = true
		in := &p.Kernel.Instructions[i]
		if got, want := p.remaining(uint32(i)), "deq.pred "+in.Operands[0].Register.Virtual; got != want {
			t.Errorf("instruction %d stays as %q, want %q", i, got, want)
		}
	}
	if !found {
		t.Error("nothing dequeues a predicate")
	}
}

// A printed plan names each block once, before its first instruction, and each reason below its
// instruction.
func TestAPrintedPlanHasBlocksInstructionsAndReasons(t *testing.T) {
	k := figure4()
	k.Instructions[8] = op("xor", "b32", trace.ClassIntAdd, reg("addrB", 4, 1), reg("B", 10, 1), reg("r1", 2, 1))
	for i := range k.Instructions {
		k.Instructions[i].Line = uint32(i + 1)
	}
	var out strings.Builder
	p := Compile(k)
	if err := p.Print(&out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		switch first, rest, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case first == "block":
			got = append(got, strings.TrimSpace(line))
		case first == "^":
			got = append(got, rest[:len("not decoupled")])
		case strings.Trim(first, "0123456789") == "":
			got = append(got, first)
		}
	}
	var want []string
	for b := range k.Blocks {
		want = append(want, fmt.Sprintf("block %d", b))
		for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
			want = append(want, fmt.Sprint(i+1))
			if i == 12 { // the store, whose address is no affine value
				want = append(want, "not decoupled")
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("printed are %q, want %q:\n%s", got, want, out.String())
	}
}

// What is executed under a branch that depends on data stays with the warps if the options say so. What
// comes behind it does, too, if the affine warp stops there. The reasons say which it is.
func TestOptionsDecideAboutBranchesThatDependOnData(t *testing.T) {
	base, tid, a, x, q := reg("base", 0, 1), reg("tid", 1, 1), reg("a", 2, 1), reg("x", 3, 1), predicate("q", 0)
	pointer := op("ld.param", "u32", trace.ClassLoad, base, param("A"))
	pointer.Space, pointer.LaneBytes = trace.SpaceParam, 4
	load := op("ld.global", "u32", trace.ClassLoad, x, at(a))
	load.Space, load.LaneBytes = trace.SpaceGlobal, 4
	operand := trace.Operand{Kind: trace.OperandRegister, Register: q}
	again, inside := pointer, op("mad.lo", "u32", trace.ClassIntMad, a, tid, imm(8), base)
	again.Operands = []trace.Operand{reg("again", 4, 1), param("A")}
	k := &trace.Kernel{Name: "data", RegistersPerThread: 5, Params: []trace.Param{{Name: "A", Bytes: 4}}, Instructions: []trace.Instruction{
		pointer, op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")), op("mad.lo", "u32", trace.ClassIntMad, a, tid, imm(4), base), load,
		op("setp.eq", "u32", trace.ClassIntAdd, operand, x, imm(0)), branch(operand, false, 2),
		again, inside, load,
		op("mad.lo", "u32", trace.ClassIntMad, a, tid, imm(16), base), load, {Opcode: "ret", Class: trace.ClassExit},
	}}
	k.Blocks = []trace.BasicBlock{
		{First: 0, Count: 6, Successors: []uint32{2, 1}, PostDominator: 2}, {First: 6, Count: 3, Successors: []uint32{2}, PostDominator: 2},
		{First: 9, Count: 3, PostDominator: trace.NoBlock},
	}
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	const under, behind = "it is executed under a branch that depends on data", "it is behind a branch that depends on data"
	for _, c := range []struct {
		choice          DataDependent
		inside, outside string
	}{{FollowData, "", ""}, {LeaveData, under, ""}, {StopAtData, under, ""}} {
		f := CompileWith(k, Options{DataDependent: c.choice}).Fates
		for i, want := range map[int]string{3: "", 6: "", 8: c.inside, 10: c.outside} {
			if !strings.HasPrefix(f[i].Reason, want) || want == "" && f[i].Reason != "" || i != 6 && (f[i].Enqueue == Data) != (want == "") {
				t.Errorf("choice %d, instruction %d: %+v, want reason %q", c.choice, i, f[i], want)
			}
		}
	}
	// With the branch's value needed behind it, the affine warp would have to follow.
	k.Instructions[9] = op("add", "u32", trace.ClassIntAdd, a, a, imm(64))
	for choice, want := range map[DataDependent]string{FollowData: "", LeaveData: "", StopAtData: behind} {
		if f := CompileWith(k, Options{DataDependent: choice}).Fates[10]; !strings.HasPrefix(f.Reason, want) || (f.Enqueue == Data) != (want == "") {
			t.Errorf("choice %d: the load behind the branch is %+v, want reason %q", choice, f, want)
		}
	}
}
