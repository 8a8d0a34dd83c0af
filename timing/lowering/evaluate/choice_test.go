// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// ways are the different ways through a kernel that many draws give, with how often each comes.
func ways(k *trace.Kernel) map[string]int {
	list := map[string]int{}
	for seed := range uint64(300) {
		w := Path(k, rand.New(rand.NewPCG(seed, 41)), 8)
		list[fmt.Sprint(w.blocks, w.cut)]++
	}
	return list
}

// are checks that ways are those that are wanted, and that none is rare.
func are(t *testing.T, k *trace.Kernel, want ...string) {
	t.Helper()
	list := ways(k)
	for _, w := range want {
		if list[w] < 10 {
			t.Errorf("way %s comes %d times", w, list[w])
		}
		delete(list, w)
	}
	if len(list) > 0 {
		t.Errorf("there are other ways: %v", list)
	}
}

const loads = "ld.param.u64 d1, [first]; ld.global.u32 r1, [d1]; ld.global.u32 r2, [d1+4]"

// A condition that has been decided stays so: the same predicate, its opposite, a comparison that it implies, also one
// made of it by logic.
func TestPathsFollowWhatIsKnown(t *testing.T) {
	for second, want := range map[string][]string{
		"setp.lt.s32 p2, r2, 5":                         {"[0 1 2 3 4] false", "[0 1 2 4] false", "[0 2 3 4] false", "[0 2 4] false"}, // another one
		"setp.lt.s32 p2, r1, 5":                         {"[0 1 2 3 4] false", "[0 2 4] false"},
		"setp.lt.u32 p2, r1, 5; setp.lt.s32 p2, r1, 5":  {"[0 1 2 3 4] false", "[0 2 4] false"},
		"setp.lt.s32 p3, 4, r1; not.pred p2, p3":        {"[0 1 2 3 4] false", "[0 2 4] false"},
		"setp.lt.s32 p2, r1, 300":                       {"[0 1 2 3 4] false", "[0 2 4] false", "[0 1 2 4] false"},
		"and.pred p2, p1, p1":                           {"[0 1 2 3 4] false", "[0 2 4] false"},
		"setp.lt.s32 p3, r2, 5; and.pred p2, p1, p3":    {"[0 1 2 3 4] false", "[0 2 4] false", "[0 2 3 4] false"},
		"mov.u32 r4, r1; setp.lt.s32 p2, r4, 5":         {"[0 1 2 3 4] false", "[0 2 4] false"},
		"add.s32 r4, r1, 0; setp.lt.s32 p2, r4, 5":      {"[0 1 2 3 4] false", "[0 2 4] false"},
		"mov.pred p2, 0":                                {"[0 1 2 3 4] false", "[0 2 3 4] false"},
		"ld.global.u32 r1, [d1]; setp.lt.s32 p2, r1, 5": {"[0 1 2 3 4] false", "[0 1 2 4] false", "[0 2 3 4] false", "[0 2 4] false"}, // other threads may have written
	} {
		t.Run(second, func(t *testing.T) {
			are(t, loweringtest.Blocks(t, fmt.Sprintf("1 2/2: "+loads+"; setp.lt.s32 p1, r1, 5; %s; bra 2\n2: mov.u32 r5, r1\n3 4/4: bra2 4\n4: mov.u32 r5, r1\n: exit", second)), want...)
		})
	}
}

// Ends of blocks allow the successors that their conditions say: a branch to the kernel's end, an exit under a
// condition, a return, a call and a table of branches. What has no condition, or one that is not known, allows all.
func TestEndsOfBlocksAllowSuccessors(t *testing.T) {
	target := func(n int64) trace.Operand { return trace.Operand{Kind: trace.OperandBlock, Value: n} }
	guard := trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1, Virtual: "%p1"}}
	branch := func(to trace.Operand) trace.Instruction {
		return trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: guard, Operands: []trace.Operand{to}}
	}
	call := trace.Instruction{Opcode: "call", Class: trace.ClassCall, Guard: guard}
	exit := trace.Instruction{Opcode: "ret", Class: trace.ClassExit, Guard: guard}
	plain := trace.Instruction{Opcode: "add", Class: trace.ClassIntAdd}
	for _, c := range []struct {
		in            trace.Instruction
		successors    []uint32
		holds, others []uint32
	}{
		{branch(target(7)), []uint32{4, 7}, []uint32{7}, []uint32{4}},
		{branch(target(7)), []uint32{7, 4}, []uint32{7}, []uint32{4}},
		{branch(target(7)), []uint32{7}, []uint32{7}, []uint32{7}}, // to the next block
		{branch(trace.Operand{Kind: trace.OperandSink}), []uint32{4}, nil, []uint32{4}},
		{exit, []uint32{4}, nil, []uint32{4}},
		{exit, nil, nil, nil},
		{exit, []uint32{4, 8, 9}, []uint32{8, 9}, []uint32{4}},
		{call, []uint32{5, 6, 4}, []uint32{5, 6}, []uint32{4}},
		{call, []uint32{4}, []uint32{4}, []uint32{4}}, // of a function that is not recorded
		{plain, []uint32{4}, []uint32{4}, []uint32{4}},
	} {
		for _, negated := range []bool{false, true} {
			c.in.Guard.Negated = c.in.Guard.Present && negated
			for bit, want := range [][]uint32{c.others, c.holds} {
				m := newThread(&trace.Kernel{}, 1)
				if m.variables[guard.Register] = word(uint64(bit)); c.in.Guard.Negated {
					m.variables[guard.Register] = word(uint64(1 - bit))
				}
				if got := m.choices(&c.in, c.successors); !slices.Equal(got, want) {
					t.Errorf("%s under a condition that is %d, negated %v, of %v: %v, want %v", c.in.Opcode, bit, negated, c.successors, got, want)
				}
			}
			if got := newThread(&trace.Kernel{}, 1).choices(&c.in, c.successors); !slices.Equal(got, c.successors) {
				t.Errorf("%s under an unknown condition, of %v: %v", c.in.Opcode, c.successors, got)
			}
		}
	}
}

// A table of branches leads each index to one block.
func TestTablesOfBranchesLeadAnIndexToOneBlock(t *testing.T) {
	text := "1 2/: " + loads + "; brx r1, {5,6}\n3: mov.u32 r2, r1\n3: mov.u32 r2, r1\n4 5/: brx %s, {5,6}\n: exit\n: exit"
	same, others := []string{"[0 1 3 4] false", "[0 2 3 5] false"}, []string{"[0 1 3 5] false", "[0 2 3 4] false"}
	for index, want := range map[string][]string{"r1": same, "d1": append(others, same...), "r9": append(others, same...)} { // r9 is not written
		k := loweringtest.Blocks(t, fmt.Sprintf(text, index))
		for i := range k.Instructions {
			if in := &k.Instructions[i]; in.Opcode == "brx" {
				in.Class, in.Destinations = trace.ClassBranch, 0
			}
		}
		are(t, k, want...)
	}
}

// A way that is long enough is cut, if the thread goes on.
func TestLongWaysAreCut(t *testing.T) {
	k := loweringtest.Blocks(t, "0: mov.u32 r2, 1")
	are(t, k, "[0 0 0 0 0 0 0 0] true")
	are(t, loweringtest.Blocks(t, "7: mov.u32 r2, 1"), "[0] false") // there is no such block
}
