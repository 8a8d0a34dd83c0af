// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// nested is a kernel with n branches inside each other. At each branch some threads wait
// for the others, at a post-dominator of its own. Block i, inside i branches, loads a
// word; deepest is appended to the last.
func nested(n int, deepest ...trace.Instruction) *trace.Kernel {
	k := &trace.Kernel{Name: "nested", Params: []trace.Param{{Name: "A", Bytes: 4}}}
	a, tid, x := reg("a", 0, 1), reg("tid", 1, 1), reg("x", 2, 1)
	block := func(join uint32, successors []uint32, list ...trace.Instruction) {
		k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(len(k.Instructions)), Count: uint32(len(list)), Successors: successors, PostDominator: join})
		k.Instructions = append(k.Instructions, list...)
	}
	base := op("ld.param", "u32", trace.ClassLoad, a, param("A"))
	base.Space, base.LaneBytes = trace.SpaceParam, 4
	load := op("ld.global", "u32", trace.ClassLoad, x, at(a))
	load.Space, load.LaneBytes = trace.SpaceGlobal, 4
	start := []trace.Instruction{base, op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")), op("add", "u32", trace.ClassIntAdd, a, a, tid)}
	for i := range n {
		p, join := predicate(fmt.Sprint("p", i), uint16(i)), uint32(2*n-i)
		block(join, []uint32{join, uint32(i + 1)}, append(start, load,
			op("setp.ge", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: p}, tid, imm(int64(30-i))),
			trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: trace.Guard{Present: true, Register: p}, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: int64(join)}}})...)
		start = nil
	}
	block(uint32(n+1), []uint32{uint32(n + 1)}, append([]trace.Instruction{load}, deepest...)...)
	for i := n - 1; i > 0; i-- {
		join := uint32(2*n - i + 1)
		block(join, []uint32{join}, op("add", "u32", trace.ClassIntAdd, x, x, imm(1)))
	}
	block(trace.NoBlock, nil, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
	for i := range k.Instructions {
		k.Instructions[i].Line = uint32(i + 1)
	}
	return k
}

// Of nine branches inside each other the affine warp follows eight: what is inside the
// ninth stays with the warps, and the ninth itself. It is the same where the trace names the
// blocks at which threads meet again.
func TestNinthNestedBranchStaysWithTheWarps(t *testing.T) {
	for n, c := range slices.Repeat([]struct{ n, depth, want int }{{8, 0, 8}, {9, 0, 8}, {9, 8, 8}, {9, 9, 9}, {9, 2, 2}, {3, 1, 1}}, 2) {
		k := nested(c.n)
		for b := range k.Blocks {
			if n >= 6 && len(k.Blocks[b].Successors) > 1 {
				k.Blocks[b].Joins = []uint32{k.Blocks[b].PostDominator}
			}
		}
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		p := CompileWith(k, Options{StackDepth: c.depth})
		branches, loads := 0, 0
		for i := range k.Instructions {
			in, f := &k.Instructions[i], &p.Fates[i]
			switch {
			case in.Class == trace.ClassBranch && f.Affine:
				branches++
			case in.Space != trace.SpaceGlobal:
			case f.Enqueue == Data:
				loads++
			case f.Reason != fmt.Sprintf("nested deeper than the affine SIMT stack of %d entries (section 4.5, Table 1)", c.want):
				t.Errorf("%d branches, depth %d: line %d stays because %q", c.n, c.depth, in.Line, f.Reason)
			}
		}
		if branches != c.want || loads != c.want+1 {
			t.Errorf("%d branches, depth %d: %d branches are in the affine stream and %d loads decoupled, want %d and %d", c.n, c.depth, branches, loads, c.want, c.want+1)
		}
	}
}

// An address that is computed where the stack does not reach is not affine where it is used.
func TestValuesFromBeyondTheStackAreNotAffine(t *testing.T) {
	a, tid := reg("a", 0, 1), reg("tid", 1, 1)
	k := nested(2, op("add", "u32", trace.ClassIntAdd, a, a, tid))
	last := len(k.Instructions) - 1
	load := op("ld.global", "u32", trace.ClassLoad, reg("y", 3, 1), at(a))
	load.Space, load.LaneBytes = trace.SpaceGlobal, 4
	k.Instructions = slices.Insert(k.Instructions, last, load)
	k.Blocks[len(k.Blocks)-1].Count++
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	if f := CompileWith(k, Options{StackDepth: 2}).Fates[last]; f.Enqueue != Data || f.Conditions != 2 {
		t.Errorf("with two entries the address has four tuples: %+v", f)
	}
	if f := CompileWith(k, Options{StackDepth: 1}).Fates[last]; f.Enqueue != NoQueue || !strings.Contains(f.Reason, "(add.u32): nested deeper than the affine SIMT stack of 1 entries") {
		t.Errorf("with one: %+v", f)
	}
}

// The affine stream has every barrier: a kernel with one that the stack does not reach
// is not decoupled.
func TestBarrierBeyondTheStackIsAReason(t *testing.T) {
	k := nested(3, trace.Instruction{Opcode: "bar", Modifiers: []string{"sync"}, Class: trace.ClassBarrier, Operands: []trace.Operand{imm(0)}})
	if p := CompileWith(k, Options{StackDepth: 3}); !p.Decoupled() {
		t.Errorf("with three entries: %s", p.Reason)
	}
	p := CompileWith(k, Options{StackDepth: 2})
	if p.Decoupled() || !strings.Contains(p.Reason, "(bar.sync), which the affine warp has to follow, is nested deeper") {
		t.Errorf("with two: %q", p.Reason)
	}
	if slices.ContainsFunc(p.Fates, func(f Fate) bool { return f.Enqueue != NoQueue || f.Affine || !f.Stays }) {
		t.Error("something is in the affine stream")
	}
}

// chosen is a kernel with n loads after each other; each chooses between two addresses.
func chosen(n int) *trace.Kernel {
	k := &trace.Kernel{Name: "chosen"}
	tid, x, a := reg("tid", 0, 1), reg("x", 1, 1), reg("a", 2, 1)
	k.Instructions = append(k.Instructions, op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")))
	for i := range n {
		load := op("ld.global", "u32", trace.ClassLoad, x, at(a))
		load.Space, load.LaneBytes = trace.SpaceGlobal, 4
		k.Instructions = append(k.Instructions, op("min", "u32", trace.ClassIntMinMax, a, tid, imm(int64(i+4))), load)
	}
	k.Instructions = append(k.Instructions, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
	k.Blocks = []trace.BasicBlock{{Count: uint32(len(k.Instructions)), PostDominator: trace.NoBlock}}
	return k
}

// Each condition takes a register; the ninth finds none.
func TestNinthDivergentConditionHasNoRegister(t *testing.T) {
	for _, c := range []struct{ n, depth, want int }{{8, 0, 8}, {9, 0, 8}, {12, 12, 12}, {3, 1, 1}} {
		k := chosen(c.n)
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		p := CompileWith(k, Options{StackDepth: c.depth})
		for i := range c.n {
			f := p.Fates[2+2*i]
			if i < c.want && (f.Enqueue != Data || f.Conditions != 1) {
				t.Errorf("%d conditions, %d registers: load %d is not decoupled: %s", c.n, c.want, i, f.Reason)
			}
			if want := fmt.Sprintf("all %d are taken (section 4.7, Table 1)", c.want); i >= c.want && !strings.Contains(f.Reason, want) {
				t.Errorf("%d conditions, %d registers: load %d stays because %q", c.n, c.want, i, f.Reason)
			}
		}
	}
}

// nestedTrace is a run of nested(n): a thread or more leaves the others at every branch.
func nestedTrace(t *testing.T, n int) *wtape.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "nested", trace.Header{Tool: "test"}, wtape.Options{})
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	k, err := w.AddKernel(nested(n))
	check(err)
	_, err = w.BeginLaunch(trace.Launch{Kernel: k, Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: binary.LittleEndian.AppendUint32(nil, 4096)})
	check(err)
	w.BeginBlock(0)
	threads := func(i int) uint32 { // in block i
		if i == 0 {
			return math.MaxUint32
		}
		return 1<<(31-i) - 1
	}
	for i := range n + 1 {
		w.Visit(0, uint32(i), threads(i))
		if i == 0 {
			w.AccessStrided(0, threads(i), 0, 0)
		}
		w.AccessStrided(0, threads(i), 4096, 1)
	}
	for i := n - 1; i >= 0; i-- {
		w.Visit(0, uint32(2*n-i), threads(i))
	}
	check(w.EndBlock())
	check(w.EndLaunch())
	check(w.Finish())
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(err)
	return r
}

// Executed on traces, the affine stream never has anything to do under more post-dominators
// at which threads wait than the stack has entries. What it expands is what was recorded,
// however much of a kernel it has.
func TestAffineStreamNeverNeedsMoreStackThanThereIs(t *testing.T) {
	traces := map[string]*wtape.Reader{"nested": nestedTrace(t, 9)}
	for _, name := range []string{"spmv", "needle"} {
		r, err := wtape.Open(filepath.Join("..", "..", "traces", "recorded", name+".wtape"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		traces[name] = r
	}
	for name, r := range traces {
		before := uint64(0)
		for _, depth := range []int{1, 2, 8, 9} {
			deepest, enqueues := deepestWork(t, r, depth)
			if deepest > depth || name == "nested" && deepest != depth {
				t.Errorf("%s: the affine stream works under %d post-dominators with a stack of %d", name, deepest, depth)
			}
			if enqueues < before {
				t.Errorf("%s: %d enqueues with a stack of %d, %d with a smaller one", name, enqueues, depth, before)
			}
			before = enqueues
		}
	}
}

// deepestWork executes the affine streams of the first launch's first chunk. It gives the
// most post-dominators at which threads wait while the stream works, and counts enqueues.
func deepestWork(t *testing.T, r *wtape.Reader, depth int) (deepest int, enqueues uint64) {
	t.Helper()
	l := &r.Launches()[0]
	p := CompileWith(&r.Kernels()[l.Kernel], Options{StackDepth: depth})
	if !p.Decoupled() {
		return 0, 0
	}
	e, err := NewEvaluator(p, l)
	if err != nil {
		t.Fatal(err)
	}
	c := wtape.NewChunk()
	first, _ := r.LaunchChunks(0)
	if err := r.ReadChunk(first, c); err != nil {
		t.Fatal(err)
	}
	e.Begin()
	for _, b := range c.Blocks() {
		if _, ok := e.Add(c, b); !ok {
			break
		}
	}
	var v Visit
	for {
		joins := e.joins()
		more, err := e.Next(&v)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return deepest, enqueues
		}
		enqueues += uint64(len(v.Enqueues))
		if b := &p.Kernel.Blocks[v.Block]; slices.ContainsFunc(p.Fates[b.First:b.First+b.Count], func(f Fate) bool { return f.Affine || f.Enqueue != NoQueue }) {
			deepest = max(deepest, joins)
		}
	}
}

// joins counts the post-dominators at which threads of the batch wait.
func (e *Evaluator) joins() int {
	var list []uint32
	for _, f := range e.stack[:e.depth] {
		if f.reconverge != trace.NoBlock && !slices.Contains(list, f.reconverge) {
			list = append(list, f.reconverge)
		}
	}
	return len(list)
}

// What a comparison reads takes registers for its conditions as addresses do, where the affine stream has the comparison:
// one with a value that was loaded it does not have.
func TestComparisonsTakeConditionRegisters(t *testing.T) {
	for _, c := range []struct {
		compared int
		loaded   bool // compared with what the kernel has loaded
		last     Queue
	}{{7, false, Data}, {8, false, NoQueue}, {8, true, Data}, {1, false, Data}} {
		k := chosen(1)
		tid, x, a := reg("tid", 0, 1), reg("x", 1, 1), reg("a", 2, 1)
		load := k.Instructions[2]
		base := load
		base.Operands = []trace.Operand{x, at(tid)}
		list := []trace.Instruction{k.Instructions[0], base}
		for i := range c.compared {
			with := imm(77)
			if c.loaded {
				with = x
			}
			p := trace.Operand{Kind: trace.OperandRegister, Register: predicate(fmt.Sprint("p", i), uint16(i))}
			list = append(list, op("min", "u32", trace.ClassIntMinMax, a, tid, imm(int64(i+4))), op("setp.lt", "u32", trace.ClassIntAdd, p, a, with))
		}
		list = append(list, op("min", "u32", trace.ClassIntMinMax, a, tid, imm(90)), load, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
		k.Instructions, k.Blocks[0].Count = list, uint32(len(list))
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		if f := Compile(k).Fates[len(list)-2]; f.Enqueue != c.last {
			t.Errorf("%+v: the load is enqueued in %v: %s", c, f.Enqueue, f.Reason)
		}
	}
}
