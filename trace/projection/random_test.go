// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection/flowtest"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// recorded is the chunk of a thread block of threads.
func recorded(t *testing.T, g *flowtest.Graph, r *rand.Rand, threads [][]flowtest.Step) *wtape.Chunk {
	t.Helper()
	c := wtape.NewChunk()
	if err := g.Record(t, r, threads).ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryRuleExecutesEachThreadsPath of random programs, structured or not, recorded in
// orders that are no rule's: basic blocks, guards and addresses, whether the trace knows
// where paths join or is wrong.
func TestEveryRuleExecutesEachThreadsPath(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 120, 20) {
		r := rand.New(rand.NewPCG(seed, 22))
		draw := []func(*rand.Rand) *flowtest.Graph{flowtest.Unstructured, flowtest.Structured}[seed%2]
		g := draw(r)
		threads := g.Threads(r, 1+r.IntN(100))
		c := recorded(t, g, r, threads)
		for rule := range ruleEnd {
			for _, width := range []int{1, 8, 32, 128} {
				p, err := New(&g.Kernel, width, rule)
				if err != nil {
					t.Fatal(err)
				}
				for h := 0; h*width < len(threads); h++ {
					checkThreads(t, p, p.Open(c, 0, h), threads, h*width, width)
				}
				if t.Failed() {
					t.Fatalf("seed %d (%s): %v, %d lanes", seed, g.Kernel.Name, rule, width)
				}
			}
		}
		checkAlone(t, g, c, threads)
		checkRecording(t, g, c, threads)
		if t.Failed() {
			t.Fatalf("seed %d (%s): threads by themselves", seed, g.Kernel.Name)
		}
	}
}

// checkAlone compares each thread by itself with what it does, and says where it waits.
func checkAlone(t *testing.T, g *flowtest.Graph, c *wtape.Chunk, threads [][]flowtest.Step) {
	t.Helper()
	plan := NewPlan(&g.Kernel)
	for n, want := range threads {
		thread, at := plan.Thread(c, 0, n), 0
		for b, ok := thread.Next(); ok; b, ok = thread.Next() {
			if at == len(want) || want[at].Block != b {
				t.Errorf("thread %d visits block %d as number %d", n, b, at)
				return
			}
			d := &want[at]
			at++
			for i, held := range d.Held {
				if thread.Guard(i) != held {
					t.Errorf("thread %d, block %d: guard %d is %v", n, b, i, !held)
				}
			}
			for i, takes := range d.Takes {
				if a, ok := thread.Address(i); ok != takes || ok && a != d.Addresses[i] {
					t.Errorf("thread %d, block %d: access %d at %#x (%v)", n, b, i, a, ok)
				}
			}
			if want := slices.Contains(g.Lasts[:len(g.Lasts)-1], b); thread.Waits() != want {
				t.Errorf("thread %d, block %d: it waits: %v", n, b, !want)
			}
		}
		if at != len(want) {
			t.Errorf("thread %d makes %d visits of %d", n, at, len(want))
		}
	}
}

// checkRecording follows threads together while they are at the same visit, and compares
// each with what it does.
func checkRecording(t *testing.T, g *flowtest.Graph, c *wtape.Chunk, threads [][]flowtest.Step) {
	t.Helper()
	plan := NewPlan(&g.Kernel)
	for h := 0; h*trace.WarpSize < len(threads); h++ {
		r, at := plan.Recording(c, 0, h), [trace.WarpSize]int{}
		for next, of := r.Next(Place{}, ^uint32(0)); of != 0; next, of = r.Next(next, ^uint32(0)) {
			for rest := of; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest)
				path := threads[h*trace.WarpSize+l]
				if at[l] == len(path) || path[at[l]].Block != r.Block(next) {
					t.Fatalf("warp %d, lane %d visits block %d as number %d", h, l, r.Block(next), at[l])
				}
				d := &path[at[l]]
				at[l]++
				for i, held := range d.Held {
					if r.Guard(next, i)>>l&1 != 0 != held {
						t.Errorf("warp %d, lane %d, block %d: guard %d is %v", h, l, d.Block, i, !held)
					}
				}
				for i, takes := range d.Takes {
					var to [trace.WarpSize]uint64
					r.Addresses(r.Access(next, i), 1<<l, &to)
					if takes && to[l] != d.Addresses[i] {
						t.Errorf("warp %d, lane %d, block %d: access %d at %#x", h, l, d.Block, i, to[l])
					}
				}
				if one, only := r.Next(next, 1<<l); only != 0 && one.after <= next.after {
					t.Errorf("warp %d, lane %d: what follows visit %d is visit %d", h, l, next.after, one.after)
				}
			}
		}
		for l := range at {
			if n := h*trace.WarpSize + l; n < len(threads) && at[l] != len(threads[n]) {
				t.Errorf("thread %d makes %d visits of %d", n, at[l], len(threads[n]))
			}
		}
	}
}

// instructions counts what a warp issues under a rule.
func instructions(t *testing.T, g *flowtest.Graph, c *wtape.Chunk, rule Rule) (n int) {
	t.Helper()
	p, err := New(&g.Kernel, trace.WarpSize, rule)
	if err != nil {
		t.Fatal(err)
	}
	w := p.Open(c, 0, 0)
	defer w.Close()
	for v := (Visit{}); w.Next(&v); {
		n += int(g.Kernel.Blocks[v.Block].Count)
	}
	return n
}

// TestThreadFrontiersJoinPathsWherePostDominatorsDo: in structured programs, whose text is
// in the order of control flow, both issue the same instructions (Diamos et al., MICRO
// 2011, section 3). Two contexts that wait at joins change nothing in that. In
// unstructured ones frontiers join paths earlier, and serial execution never.
func TestThreadFrontiersJoinPathsWherePostDominatorsDo(t *testing.T) {
	var frontiers, dominators, serial int
	for _, seed := range tracetest.Seeds(t, 200, 33) {
		r := rand.New(rand.NewPCG(seed, 23))
		g := flowtest.Structured(r)
		c := recorded(t, g, r, g.Threads(r, 32))
		if a, b := instructions(t, g, c, Interleaved), instructions(t, g, c, PostDominator); a != b {
			t.Errorf("seed %d: %d instructions with thread frontiers, %d with post-dominators", seed, a, b)
		}
		g = flowtest.Unstructured(r)
		for len(g.Lasts) == 0 || !right(g) {
			g = flowtest.Unstructured(r)
		}
		c = recorded(t, g, r, g.Threads(r, 32))
		frontiers += instructions(t, g, c, Interleaved)
		dominators += instructions(t, g, c, PostDominator)
		serial += instructions(t, g, c, Serial)
	}
	if tracetest.Whole() && (frontiers >= dominators || dominators >= serial) {
		t.Errorf("unstructured programs: %d instructions with thread frontiers, %d with post-dominators, %d serially", frontiers, dominators, serial)
	}
}

// right reports whether a graph has its true post-dominators.
func right(g *flowtest.Graph) bool {
	other := flowtest.Graph{Kernel: g.Kernel, Lasts: g.Lasts}
	other.Kernel.Blocks = slices.Clone(g.Kernel.Blocks)
	other.PlaceJoins(true, nil)
	for b := range g.Kernel.Blocks {
		if g.Kernel.Blocks[b].PostDominator != other.Kernel.Blocks[b].PostDominator || len(g.Kernel.Blocks[b].Joins) > 0 {
			return false
		}
	}
	return true
}

func TestWarpLevelInstructionsAreThoseOfLanesTogether(t *testing.T) {
	for _, c := range []struct {
		in   trace.Instruction
		want bool
	}{
		{trace.Instruction{Opcode: "shfl", Class: trace.ClassShuffle}, true},
		{trace.Instruction{Opcode: "wmma", Class: trace.ClassTensor}, true},
		{trace.Instruction{Opcode: "bar", Modifiers: []string{"warp", "sync"}, Class: trace.ClassBarrier}, true},
		{trace.Instruction{Opcode: "bar", Modifiers: []string{"sync"}, Class: trace.ClassBarrier}, false},
		{trace.Instruction{Opcode: "add", Class: trace.ClassIntAdd}, false},
	} {
		k := diamond()
		k.Instructions[1] = c.in
		if i, ok := NewPlan(k).WarpLevel(); ok != c.want || ok && i != 1 {
			t.Errorf("%s: instruction %d, %v", c.in.Name(), i, ok)
		}
	}
}
