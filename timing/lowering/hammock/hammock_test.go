// SPDX-License-Identifier: Apache-2.0

package hammock_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering/hammock"
	"github.com/warptape/warptape/trace"
)

// kernel makes basic blocks of a text: a line a block, "SUCCESSORS: WORDS". Each word is an
// instruction: a (an addition), g (one under a guard), l (a load), s (a store), b (a branch under a predicate), j (a
// branch). Others are p (a comparison that writes the predicate), w (a barrier) and x (an
// exit). Loads through the read-only cache are c, relaxed ones v, those of constants k. A load of a matrix is m, a store n. The post-dominator is the last successor of the diamond, given behind a slash.
func kernel(t *testing.T, text string) *trace.Kernel {
	t.Helper()
	k := &trace.Kernel{Name: "k"}
	predicate := trace.Register{File: trace.FilePredicate, Number: 1, Words: 1}
	value := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FileGeneral, Number: 3, Words: 1}}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		head, words, _ := strings.Cut(strings.TrimSpace(line), ":")
		next, join, _ := strings.Cut(head, "/")
		b := trace.BasicBlock{First: uint32(len(k.Instructions)), PostDominator: trace.NoBlock}
		for _, s := range strings.Fields(next) {
			n := uint32(0)
			fmt.Sscan(s, &n)
			b.Successors = append(b.Successors, n)
		}
		if len(b.Successors) > 0 {
			b.PostDominator = b.Successors[0]
		}
		if join != "" {
			fmt.Sscan(join, &b.PostDominator)
		}
		for _, w := range strings.Fields(words) {
			in := trace.Instruction{Opcode: "add", Types: []string{"u32"}, Class: trace.ClassIntAdd, Operands: []trace.Operand{value, value, value}, Destinations: 1}
			if n, of, ok := strings.Cut(w, "+"); ok { // n+m adds register 100+m to register 3, as a does
				from := 0
				fmt.Sscan(of, &from)
				in.Operands = []trace.Operand{value, value, {Kind: trace.OperandRegister, Register: trace.Register{File: trace.FileGeneral, Number: uint16(100 + from), Words: 1}}}
				w = n
			}
			if n, of, ok := strings.Cut(w, ">"); ok { // n>m adds to register 100+m
				to := 0
				fmt.Sscan(of, &to)
				in.Operands = []trace.Operand{{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FileGeneral, Number: uint16(100 + to), Words: 1}}, value, value}
				w = n
			}
			switch w {
			case "g":
				in.Guard = trace.Guard{Present: true, Register: predicate}
			case "k":
				in.Opcode, in.Class, in.Space = "ld", trace.ClassLoad, trace.SpaceConst
			case "l":
				in.Opcode, in.Class = "ld", trace.ClassLoad
			case "s":
				in.Opcode, in.Class, in.Destinations = "st", trace.ClassStore, 0
			case "b", "j":
				in = trace.Instruction{Opcode: "bra", Class: trace.ClassBranch}
				if w == "b" {
					in.Guard = trace.Guard{Present: true, Register: predicate}
				}
			case "p":
				in.Opcode, in.Class, in.Operands = "setp", trace.ClassIntAdd, []trace.Operand{{Kind: trace.OperandRegister, Register: predicate}, value, value}
			case "c":
				in.Opcode, in.Class, in.Modifiers = "ld", trace.ClassLoad, []string{"global", "nc"}
			case "v":
				in.Opcode, in.Class, in.Modifiers = "ld", trace.ClassLoad, []string{"relaxed", "gpu", "global"}
			case "m":
				in.Opcode, in.Class = "ldmatrix", trace.ClassLoad
			case "n":
				in.Opcode, in.Class = "stmatrix", trace.ClassStore
			case "w":
				in = trace.Instruction{Opcode: "bar", Class: trace.ClassBarrier}
			case "x":
				in = trace.Instruction{Opcode: "exit", Class: trace.ClassExit}
			}
			k.Instructions = append(k.Instructions, in)
		}
		b.Count = uint32(len(k.Instructions)) - b.First
		k.Blocks = append(k.Blocks, b)
	}
	return k
}

// sunk are additions of as many registers from outside as those have that LLVM has sunk
// into a block.
var sunk = func() string {
	var words []string
	for n := range 24 {
		words = append(words, fmt.Sprintf("a+%d", n))
	}
	return strings.Join(words, " ")
}()

// made writes the registers that sunk reads.
var made = strings.ReplaceAll(sunk, "+", ">")

// fewest reads 24 registers from outside: 23, and the one to which it adds.
var fewest = strings.TrimSuffix(sunk, " a+23") + " a"

// text writes groups: parts of a block behind one another, optional ones in parentheses.
func text(k *trace.Kernel, predicate bool) string {
	var groups []string
	for _, parts := range hammock.Form(k, predicate) {
		var words []string
		for _, p := range parts {
			word := fmt.Sprint(p.Block)
			if p.Optional {
				word = "(" + word + ")"
			}
			words = append(words, word)
		}
		if words != nil {
			groups = append(groups, strings.Join(words, " "))
		}
	}
	return strings.Join(groups, ", ")
}

func TestBranchesThatBecomePredicates(t *testing.T) {
	for _, c := range []struct{ name, blocks, want string }{
		{"around one block", "1 2/2: a b\n 2: a l s\n : x", "0 (1) 2"},
		{"two sides, the one that falls through first", "1 2/3: a b\n 3: a j\n 3: l s\n : x", "0 (1) (2) 3"},
		{"two sides whose second falls through", "2 1/3: a b\n 3: a\n 3: a j\n : x", "0 (2) (1) 3"},
		{"sides too long together", "1 2/3: b\n 3: a a a a a a j\n 3: a a a a a a\n : x", "0, 1, 2, 3"},
		{"a side with a barrier", "1 2/3: b\n 3: a w\n 3: a\n : x", "0, 1, 2, 3"},
		{"a side that writes the predicate", "1 2/3: b\n 3: p j\n 3: a\n : x", "0, 1, 2, 3"},
		{"a side to which another block goes", "1 2/4: b\n 4: a j\n 4: a\n 2/2: a\n : x", "0, 1, 2, 3, 4"},
		{"a diamond with another behind it", "1 2/3: b\n 3: a j\n 3: a\n 4 5/6: b\n 6: a j\n 6: a\n : x", "0 (1) (2) 3 (4) (5) 6"},
		{"a long side that the program computes in front", "1 2/3: b\n 3: a j\n 3: " + sunk + " s\n : x", "0 (1) (2) 3"},
		{"a long side of its own work", "1 2/3: b\n 3: a j\n 3: " + strings.Repeat("a ", 30) + "s\n : x", "0, 1, 2, 3"},
		{"a loop is none", "1: a\n 1 2/2: a b\n : x", "0, 1, 2"},
		{"a loop whose end lies in front of its begin", "2: a j\n 3 2/3: a b\n 1: a j\n : x", "0, 2 1, 3"},
		{"around as many as a branch may go", "1 2/2: b\n 2: " + strings.Repeat("a ", hammock.MaxInstructions) + "\n : x", "0 (1) 2"},
		{"around one more", "1 2/2: b\n 2: " + strings.Repeat("a ", hammock.MaxInstructions+1) + "\n : x", "0, 1, 2"},
		{"around as many with a load", "1 2/2: b\n 2: a a a a a a a l\n : x", "0 (1) 2"},
		{"around one more with a load", "1 2/2: b\n 2: a a a a a a a a l\n : x", "0, 1, 2"},
		{"sides as long together with a store", "1 2/3: b\n 3: a a a j\n 3: a a a s\n : x", "0 (1) (2) 3"},
		{"sides too long together with a store", "1 2/3: b\n 3: a a a j\n 3: a a a a s\n : x", "0, 1, 2, 3"},
		{"around as many with a constant as a branch may go", "1 2/2: b\n 2: k " + strings.Repeat("a ", hammock.MaxInstructions-1) + "\n : x", "0 (1) 2"},
		{"two branches around a constant", "1 3/3: b\n 2 3/3: a b\n 3: k\n : x", "0 (1) (2) 3"},
		{"a branch over a branch without a condition to a load", "1 3/3: b\n 2: j\n 3: l\n : x", "0 (1) (2) 3"},
		{"two branches around a load", "1 3/3: b\n 2 3/3: a b\n 3: l\n : x", "0, 1 (2), 3"},
		{"two branches, a store first", "1 3/3: b\n 2 3/3: s b\n 3: a\n : x", "0, 1 (2), 3"},
		{"around what has a guard itself", "1 2/2: b\n 2: a g\n : x", "0, 1, 2"},
		{"around a barrier", "1 2/2: b\n 2: w a\n : x", "0, 1, 2"},
		{"around as few registers from outside as LLVM sinks", "1 2/3: b\n 3: a j\n 3: " + fewest + "\n : x", "0 (1) (2) 3"},
		{"a block in a row that another has in front of it, and that ends by a barrier", "2: a j\n : x\n 3: a w\n : x", "0, 1, 2, 3"},
		{"a block in a row that another has in front of it, and that ends the kernel", "2: a j\n : x\n : a x", "0 2, 1"},
		{"a long side that reads what it has made", "1 2/3: b\n 3: a j\n 3: " + made + " " + sunk + "\n : x", "0, 1, 2, 3"},
		{"what nothing reaches", " : x\n : x\n 1: a j", "0, 1, 2"},
		{"around one block to one that ends by a barrier", "1 2/2: b\n 2: a\n 3: a w\n : x", "0 (1) 2, 3"},
		{"around one block to one that another has in front of it, and that ends by a barrier", "1 3/3: b\n 3: a\n : x\n 4: a w\n : x", "0 (1), 2, 3, 4"},
		{"around a block to which another goes", "1 2/2: b\n 2: a\n 3: a\n 1 4/4: b\n : x", "0, 1, 2 3, 4"},
		{"a side that branches itself", "1 2/4: b\n 4 3/4: b\n 4: a\n 4: a\n : x", "0, 1 (3), 2, 4"},
		{"a branch in a branch", "1 3/3: b\n 2 3/3: a b\n 3: a\n : x", "0 (1) (2) 3"},
		{"around a block to whose end others come, too", "1 2/2: b\n 2: a\n 3 4/4: b\n 2: a j\n : x", "0 (1), 2, 3, 4"},
		{"a side with what has a guard itself", "1 2/3: b\n 3: a g j\n 3: a\n : x", "0, 1, 2, 3"},
		{"sides as long together as a branch may go around", "1 2/3: b\n 3: a a a a a j\n 3: a a a a a a\n : x", "0 (1) (2) 3"},
		{"sides in front of what writes the predicate", "1 2/3: b\n 3: a j\n 3: a\n : p x", "0 (1) (2) 3"},
		{"around a block in front of a barrier", "1 2/2: a b\n 2: a l s\n : w x", "0 (1) 2"},
		{"a block in a row that lies last", "2: a j\n : x\n 1: a j", "0 2 1"},
		{"around a load through the read-only cache", "1 2/2: b\n 2: c\n : x", "0 (1) 2"},
		{"around a load that others may see", "1 2/2: b\n 2: v\n : x", "0, 1, 2"},
		{"around a load of a matrix", "1 2/2: b\n 2: m\n : x", "0, 1, 2"},
		{"around a store of a matrix", "1 2/2: b\n 2: n\n : x", "0, 1, 2"},
		{"a side that writes the predicate behind another operation", "1 2/3: b\n 3: a p j\n 3: a\n : x", "0, 1, 2, 3"},
		{"a second side that writes the predicate behind another operation", "1 2/3: b\n 3: a j\n 3: a p\n : x", "0, 1, 2, 3"},
		{"a long side of 23 registers from outside, in front of another one", "1 2/3: b\n 3: a j\n 3: " + strings.TrimSuffix(fewest, " a+22 a") + " a a\n : a+50 x", "0, 1, 2, 3"},
		{"an empty block in front", "1:\n : x", "0, 1"},
		{"an empty block in a row that one that ends the kernel has in front of it", "2: a j\n : x\n 3:\n : x", "0, 1, 2, 3"},
		{"a branch of two ways to one block", "1 1/1: b\n : x", "0 1"},
		{"blocks in a row", "1: a\n 2: a\n : x", "0 1 2"},
	} {
		k := kernel(t, c.blocks)
		if got := text(k, true); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for _, parts := range hammock.Form(k, false) {
			if len(parts) != 1 {
				t.Errorf("%s: without predicates a block has the parts %v", c.name, parts)
			}
		}
	}
}

// A branch goes around no block at which one of the kernel's functions begins: calls come to it, too.
func TestABranchGoesAroundNoFunction(t *testing.T) {
	k := kernel(t, "1 2/2: a b\n 2: a\n : x")
	if got := text(k, true); got != "0 (1) 2" {
		t.Fatalf("without a function: %s", got)
	}
	k.Functions = []trace.Function{{First: k.Blocks[1].First}}
	if got := text(k, true); got != "0, 1, 2" {
		t.Errorf("with a function: %s", got)
	}
	for side := range 2 {
		k = kernel(t, "1 2/3: a b\n 3: a j\n 3: a\n : x")
		k.Functions = []trace.Function{{First: k.Blocks[1+side].First}}
		if got := text(k, true); got != "0, 1, 2, 3" {
			t.Errorf("with a function at side %d: %s", side, got)
		}
	}
}

// A function's blocks are laid out from where it begins. The end of its loop lies in front of the loop's begin, which takes it in.
func TestLoopsOfFunctionsTakeTheirEndsIn(t *testing.T) {
	k := kernel(t, " : a x\n 3: a j\n 4 3/4: a b\n 2: a j\n : x")
	k.Functions = []trace.Function{{First: k.Blocks[1].First}}
	if got, want := text(k, true), "0, 1, 3 2, 4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A branch is kept whose lanes meet again at blocks that the trace names (trace.BasicBlock, Joins), and so is one around such a branch.
func TestBlocksWhereLanesJoinKeepTheirBranches(t *testing.T) {
	for _, text := range []struct{ blocks, plain string }{{"1 2/2: a b\n 2: a\n : x", "0 (1) 2"}, {"1 2/3: a b\n 3: a j\n 3: a\n : x", "0 (1) (2) 3"}} {
		if got := text0(t, text.blocks, -1); got != text.plain {
			t.Errorf("%q: %s", text.blocks, got)
		}
		for joins := range strings.Count(text.plain, " ") { // the branch, or what it goes around
			if got := text0(t, text.blocks, joins); strings.Contains(got, "(") {
				t.Errorf("%q, lanes join in block %d: %s", text.blocks, joins, got)
			}
		}
	}
}

// text0 is text of blocks with a join in one, or none.
func text0(t *testing.T, blocks string, joins int) string {
	k := kernel(t, blocks)
	if joins >= 0 {
		k.Blocks[joins].Joins = append(k.Blocks[joins].Joins, 0)
	}
	return text(k, true)
}
