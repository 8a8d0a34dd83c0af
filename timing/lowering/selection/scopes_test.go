// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// controlOf lists the operations of control flow of each lowered block in the order of
// memory; each recorded block is its own.
func controlOf(t *testing.T, k *trace.Kernel) string {
	t.Helper()
	var groups []string
	for b := range k.Blocks {
		groups = append(groups, fmt.Sprint(b))
	}
	return controlIn(grouped(t, k, strings.Join(groups, ", ")))
}

// controlIn lists them of a lowered kernel.
func controlIn(f *ir.Function) string {
	var text []string
	for _, b := range f.Layout {
		words := []string{fmt.Sprint(b)}
		for i := range f.Blocks[b].Ops {
			switch f.Blocks[b].Ops[i].Code {
			case ir.BSSY, ir.BSYNC, ir.BRA, ir.EXIT:
				words = append(words, f.Blocks[b].Ops[i].Code.Name)
			}
		}
		text = append(text, strings.Join(words, " "))
	}
	return strings.Join(text, ", ")
}

// Lanes that a branch may part announce where they meet, once for all branches that meet
// there and outside of the loops that they leave. What all lanes do together needs none of
// it, and lanes that end do not wait. Blocks lie so that one branch a loop is left, and those
// to what lies behind are gone (Z. Jia et al., arXiv 1903.07486, section 2; disassemblies of
// the CUDA samples for sm_75 show BSSY in front of such loops and BSYNC behind them).
func TestLanesMeetWhereTheyParted(t *testing.T) {
	const lane, block = "mov.u32 r1, %tid.x; setp.u32 p1, r1, 5", "mov.u32 r1, %ctaid.x; setp.u32 p1, r1, 5"
	for _, c := range []struct{ name, blocks, want string }{
		{"a branch on the thread's number", "1 2/2: " + lane + "; bra 2\n2: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit", "0 BSSY BRA, 1, 2 BSYNC EXIT"},
		{"a branch on the block's number", "1 2/2: " + block + "; bra 2\n2: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit", "0 BRA, 1, 2 EXIT"},
		{"a branch on memory", "1 2/2: mov.u64 d1, 0; ld.global.u32 r1, [d1]; setp.u32 p1, r1, 5; bra 2\n2: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit", "0 BSSY BRA, 1, 2 BSYNC EXIT"},
		{"a branch on a vote", "1 2/2: " + block + "; vote.sync.any.pred p1, p1, -1; bra 2\n2: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit", "0 BRA, 1, 2 EXIT"},
		{"a branch on another lane's value", "1 2/2: mov.u32 r1, %ctaid.x; shfl.sync.idx.b32 r1, r1, 3, 31; setp.u32 p1, r1, 5; bra 2\n2: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit", "0 BSSY BRA, 1, 2 BSYNC EXIT"},
		{"lanes that end", "1 2/2: " + lane + "; bra 2\n2: st.global.u32 [d1], r1\n: exit", "0 BRA, 1, 2 EXIT"},
		{"a loop that lanes leave one by one", "1: mov.u32 r1, %tid.x\n1 2/2: add.u32 r1, r1, 1; setp.u32 p1, r1, 5; bra 1\n: st.global.u32 [d1], r1; exit", "0 BSSY, 1 BRA, 2 BSYNC EXIT"},
		{"a loop that all lanes leave together", "1: mov.u32 r1, 0\n1 2/2: add.u32 r1, r1, 1; setp.u32 p1, r1, 5; bra 1\n: st.global.u32 [d1], r1; exit", "0, 1 BRA, 2 EXIT"},
		{"a guarded loop announces once", "1 2/2: " + lane + "; bra 2\n1 2/2: add.u32 r1, r1, 1; setp.u32 p1, r1, 5; bra 1\n: st.global.u32 [d1], r1; exit", "0 BSSY BRA, 1 BRA, 2 BSYNC EXIT"},
		{"a branch behind a guarded loop", "1 2/2: " + lane + "; bra 2\n1 2/2: add.u32 r1, r1, 1; setp.u32 p1, r1, 5; bra 1\n3 4/4: st.global.u32 [d1], r1; bra 4\n4: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit", "0 BSSY BRA, 1 BRA, 2 BSYNC BSSY BRA, 3, 4 BSYNC EXIT"},
		{"a branch over what lies elsewhere", "2: " + block + "; go 2\n3: st.global.u32 [d1], r1; go 3\n1: st.global.u32 [d1], r1; go 1\n: exit", "0, 2, 1, 3 EXIT"},
		{"a loop whose end lies in front of it", "2: mov.u32 r1, 0; go 2\n: exit\n2 1/1: add.u32 r1, r1, 1; setp.u32 p1, r1, 5; bra 2", "0, 2 BRA, 1 EXIT"},
	} {
		if got := controlOf(t, loweringtest.Blocks(t, c.blocks)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Behind the bounds of the analysis lanes may disagree on everything: here a value goes one copy on in each
// round of a loop, and takes more rounds to the branch than the analysis makes. With fewer copies it finds
// by itself that lanes part, or that none do.
func TestLanesMeetBehindTheBoundsOfTheAnalysis(t *testing.T) {
	for _, c := range []struct {
		copies int
		from   string
		meet   bool
	}{{3, "%tid.x", true}, {3, "%ctaid.x", false}, {2 * divergencePasses, "%tid.x", true}} {
		var loop []string
		for n := range c.copies {
			loop = append(loop, fmt.Sprintf("mov.u32 r%d, r%d", 10+n, 11+n))
		}
		text := fmt.Sprintf("1: mov.u32 r1, 0\n1 2/2: %s; mov.u32 r%d, %s; add.u32 r1, r1, 1; setp.u32 p1, r1, 5; bra 1\n3 4/4: setp.u32 p2, r10, 5; bra2 4\n4: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit", strings.Join(loop, "; "), 10+c.copies, c.from)
		if got := controlOf(t, loweringtest.Blocks(t, text)); strings.Contains(got, "BSSY BRA, 3, 4 BSYNC") != c.meet {
			t.Errorf("%d copies of %s: %s", c.copies, c.from, got)
		}
	}
}

// The width of a type is its number, whatever stands before and behind it.
func TestWidthsOfTypes(t *testing.T) {
	for name, want := range map[string]int{"u8": 8, "s32": 32, "b64": 64, "f16x2": 32, "bf16x2": 32, "u16x2": 32, "bf16": 16, "tf32": 32, "b128": 128, "pred": 1, "e4m3x2": 4} {
		in := trace.Instruction{Types: []string{"u64", name}}
		if got := bitsOf(&in, 1); got != want || bitsOf(&in, 2) != 32 || kindOf(&in, 2) != 'b' {
			t.Errorf("%s: %d bits, want %d", name, got, want)
		}
	}
}

// A loop behind a part that a predicate guards announces where its lanes meet, too.
func TestLanesMeetBehindPartsWithPredicates(t *testing.T) {
	k := loweringtest.Blocks(t, "1 2/2: mov.u32 r1, %tid.x; setp.u32 p1, r1, 5; bra 2\n2: add.u32 r1, r1, 1\n3: add.u32 r1, r1, 2\n3 4/4: add.u32 r1, r1, 1; setp.u32 p1, r1, 5; bra 3\n: st.global.u32 [d1], r1; exit")
	if got := controlIn(grouped(t, k, "0 1? 2, 3, 4")); got != "0 BSSY, 3 BRA, 4 BSYNC EXIT" {
		t.Error(got)
	}
}

// A variable that is set where only some lanes come may differ behind; one that all set
// alike does not.
func TestLanesDisagreeOnWhatOnlySomeSet(t *testing.T) {
	const begin = "1 2/2: mov.u32 r1, %tid.x; mov.u32 r2, 0; setp.u32 p1, r1, 5; bra 2\n"
	const end = "\n3 4/4: setp.u32 p2, r2, 5; st.global.u32 [d1], r1; bra2 4\n4: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit"
	if got := controlOf(t, loweringtest.Blocks(t, begin+"2: mov.u32 r2, 7"+end)); !strings.Contains(got, "2 BSYNC BSSY BRA") {
		t.Errorf("set by some: %s", got)
	}
	if got := controlOf(t, loweringtest.Blocks(t, begin+"2: mov.u32 r3, 7"+end)); !strings.Contains(got, "2 BSYNC BRA") {
		t.Errorf("set by all: %s", got)
	}
	far := "1 3/3: mov.u32 r1, %tid.x; mov.u32 r2, 0; setp.u32 p1, r1, 5; bra 3\n2: st.global.u32 [d1], r1\n3: mov.u32 r2, 7\n4 5/5: setp.u32 p2, r2, 5; st.global.u32 [d1], r1; bra2 5\n5: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit"
	if got := controlOf(t, loweringtest.Blocks(t, far)); !strings.Contains(got, "3 BSYNC BSSY BRA") {
		t.Errorf("set by some in the second block behind the branch: %s", got)
	}
}

// Blocks at which a function of the device begins are entries of the graph, as its calls are no edges, and no other block is.
func TestFunctionsAreEntriesOfTheGraph(t *testing.T) {
	k := &trace.Kernel{
		Instructions: make([]trace.Instruction, 8),
		Functions:    []trace.Function{{First: 4, Count: 3}, {First: 7, Count: 1}},
		Blocks:       []trace.BasicBlock{{First: 0, Count: 2, Successors: []uint32{1}}, {First: 2, Count: 2}, {First: 4, Count: 2, Successors: []uint32{3}}, {First: 6, Count: 1}, {First: 7, Count: 1}},
	}
	var groups [][]Part
	for b := range k.Blocks {
		groups = append(groups, []Part{{Block: uint32(b)}})
	}
	graph, entries := graphOf(k, groups, ownersOf(groups))
	if want := []uint32{2, 4}; !slices.Equal(entries, want) {
		t.Errorf("entries %v, want %v", entries, want)
	}
	if got := graph.Layout(entries...); len(got) != len(k.Blocks) {
		t.Errorf("blocks %v are laid out, of %d", got, len(k.Blocks))
	}
}
