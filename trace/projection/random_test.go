// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// graph is the control flow of a random kernel: sections of basic blocks. Each section leads
// to its last block alone, which ends with a barrier, or ends the kernel.
type graph struct {
	kernel trace.Kernel
	lasts  []uint32 // last block of each section
}

// block adds a basic block with a few instructions, some of them guarded, and its end.
func (g *graph) block(r *rand.Rand, end trace.OpClass, successors ...uint32) uint32 {
	k := &g.kernel
	b := trace.BasicBlock{First: uint32(len(k.Instructions)), Successors: successors, PostDominator: trace.NoBlock}
	guard := trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
	for range r.IntN(3) {
		in := trace.Instruction{Opcode: "add", Class: trace.ClassIntAdd}
		if r.IntN(2) == 0 {
			in = trace.Instruction{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4}
		}
		if r.IntN(3) == 0 {
			in.Guard = guard
		}
		k.Instructions = append(k.Instructions, in)
	}
	last := trace.Instruction{Opcode: end.String(), Class: end}
	if end == trace.ClassBranch && len(successors) > 1 {
		last.Guard = guard
	}
	k.Instructions = append(k.Instructions, last)
	b.Count = uint32(len(k.Instructions)) - b.First
	k.Blocks = append(k.Blocks, b)
	return uint32(len(k.Blocks) - 1)
}

// unstructured draws sections in which any block may lead to any other.
func unstructured(r *rand.Rand) *graph {
	g := &graph{kernel: trace.Kernel{Name: "unstructured"}}
	sections := 1 + r.IntN(3)
	for s := range sections {
		first, n := uint32(len(g.kernel.Blocks)), uint32(1+r.IntN(7))
		last := first + n
		for i := range n {
			// One successor lies behind, so that each block leads to the last.
			to := []uint32{first + i + 1 + r.Uint32N(n-i)}
			if other := first + r.Uint32N(n+1); r.IntN(3) > 0 && other != to[0] {
				to = append(to, other)
			}
			g.block(r, trace.ClassBranch, to...)
		}
		g.end(r, s == sections-1, last)
	}
	g.placeJoins(r.IntN(3) > 0, r)
	return g
}

// end adds the last block of a section.
func (g *graph) end(r *rand.Rand, exit bool, last uint32) {
	g.lasts = append(g.lasts, last)
	if exit {
		g.block(r, trace.ClassExit)
		return
	}
	g.block(r, trace.ClassBarrier, last+1)
}

// structured draws sections of nested branches and loops with one way in and one out, in
// the order of the text.
func structured(r *rand.Rand) *graph {
	g := &graph{kernel: trace.Kernel{Name: "structured"}}
	sections := 1 + r.IntN(2)
	for s := range sections {
		g.sequence(r, 3)
		g.end(r, s == sections-1, uint32(len(g.kernel.Blocks)))
	}
	g.placeJoins(true, r)
	return g
}

// sequence adds statements; each leads to the block that comes next.
func (g *graph) sequence(r *rand.Rand, depth int) {
	for range 1 + r.IntN(2) {
		at := uint32(len(g.kernel.Blocks))
		kind := r.IntN(3)
		if depth == 0 {
			kind = 0
		}
		switch kind {
		case 0:
			g.block(r, trace.ClassBranch, at+1)
		case 1: // if with else: the first side goes round the second
			g.block(r, trace.ClassBranch, at+1, 0)
			g.sequence(r, depth-1)
			leave := g.block(r, trace.ClassBranch, 0)
			g.kernel.Blocks[at].Successors[1] = leave + 1
			g.sequence(r, depth-1)
			g.kernel.Blocks[leave].Successors[0] = uint32(len(g.kernel.Blocks))
		case 2: // do while
			g.sequence(r, depth-1)
			end := g.block(r, trace.ClassBranch, 0, at)
			g.kernel.Blocks[end].Successors[0] = end + 1
		}
	}
}

// placeJoins fills in immediate post-dominators, right ones or any.
func (g *graph) placeJoins(right bool, r *rand.Rand) {
	blocks := g.kernel.Blocks
	for b := range blocks {
		if !right {
			blocks[b].PostDominator = r.Uint32N(uint32(len(blocks)))
			continue
		}
		for p := range blocks {
			// All others that post-dominate b do p, too.
			if g.dominates(p, b) && !slices.ContainsFunc(g.kernel.Blocks, func(other trace.BasicBlock) bool {
				o := g.at(other.First)
				return o != p && g.dominates(o, b) && !g.dominates(o, p)
			}) {
				blocks[b].PostDominator = uint32(p)
			}
		}
	}
}

// at is the basic block that begins with an instruction.
func (g *graph) at(first uint32) int {
	return slices.IndexFunc(g.kernel.Blocks, func(b trace.BasicBlock) bool { return b.First == first })
}

// dominates reports whether every path from block b to the kernel's end goes through p.
func (g *graph) dominates(p, b int) bool { return p != b && !g.avoids(uint32(b), uint32(p)) }

// avoids reports whether a path leads from one block to the kernel's end past another:
// the slow definition of what post-dominates.
func (g *graph) avoids(from, past uint32) bool {
	if from == past {
		return false
	}
	seen := map[uint32]bool{from: true}
	for list := []uint32{from}; len(list) > 0; {
		b := list[len(list)-1]
		list = list[:len(list)-1]
		to := g.kernel.Blocks[b].Successors
		if len(to) == 0 {
			return true
		}
		for _, next := range to {
			if next != past && !seen[next] {
				seen[next] = true
				list = append(list, next)
			}
		}
	}
	return false
}

// walk draws what a thread does: it wanders for a while, then takes first successors,
// which lead on.
func (g *graph) walk(r *rand.Rand) (path []did) {
	wander := r.IntN(25)
	for b := uint32(0); ; {
		d := did{block: b}
		source := &g.kernel.Blocks[b]
		for i := source.First; i < source.First+source.Count; i++ {
			in, held := &g.kernel.Instructions[i], true
			if in.Guarded() {
				held = r.IntN(3) > 0
				d.held = append(d.held, held)
			}
			if in.Class.IsMemory() {
				d.takes, d.addresses = append(d.takes, held), append(d.addresses, 1<<32+r.Uint64N(1<<20)*4)
			}
		}
		path = append(path, d)
		to := source.Successors
		switch {
		case len(to) == 0:
			return path
		case len(to) == 1 || wander == 0:
			b = to[0]
		default:
			wander--
			b = to[r.IntN(len(to))]
		}
	}
}

// record records up to 32 threads in an order that no policy has: any lanes that are
// at the same basic block go together, or some of them. Lanes wait for each other at the
// end of a section.
func (g *graph) record(r *rand.Rand, w *wtape.Writer, warp int, threads [][]did) {
	next := make([]int, len(threads))
	for section := range g.lasts {
		for {
			able := uint32(0)
			for l, t := range threads {
				if next[l] < len(t) && t[next[l]].block <= g.lasts[section] {
					able |= 1 << l
				}
			}
			if able == 0 {
				break
			}
			g.visit(w, warp, threads, next, g.some(r, able, threads, next))
		}
	}
}

// some chooses lanes that are at the same basic block.
func (g *graph) some(r *rand.Rand, able uint32, threads [][]did, next []int) (mask uint32) {
	at := func(l int) uint32 { return threads[l][next[l]].block }
	lead := bits.TrailingZeros32(able)
	for m := able; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); at(l) < at(lead) || r.IntN(40) == 0 {
			lead = l
		}
	}
	alone := r.IntN(4) == 0
	for m := able; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); l == lead || at(l) == at(lead) && !(alone && r.IntN(2) == 0) {
			mask |= 1 << l
		}
	}
	return mask
}

// visit records a visit of lanes that are at the same basic block.
func (g *graph) visit(w *wtape.Writer, warp int, threads [][]did, next []int, mask uint32) {
	first := &threads[bits.TrailingZeros32(mask)][next[bits.TrailingZeros32(mask)]]
	w.Visit(warp, first.block, mask)
	lanesThat := func(holds func(d *did) bool) (lanes uint32) {
		for m := mask; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m); holds(&threads[l][next[l]]) {
				lanes |= 1 << l
			}
		}
		return lanes
	}
	b := &g.kernel.Blocks[first.block]
	guards, accesses := 0, 0
	for i := b.First; i < b.First+b.Count; i++ {
		in := &g.kernel.Instructions[i]
		if in.Guarded() {
			n := guards
			guards++
			w.Guard(warp, lanesThat(func(d *did) bool { return d.held[n] }))
		}
		if in.Class.IsMemory() {
			n := accesses
			accesses++
			var at [trace.WarpSize]uint64
			lanes := lanesThat(func(d *did) bool { return d.takes[n] })
			for m := lanes; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				at[l] = threads[l][next[l]].addresses[n]
			}
			w.Access(warp, lanes, &at)
		}
	}
	for m := mask; m != 0; m &= m - 1 {
		next[bits.TrailingZeros32(m)]++
	}
}

// recorded records a thread block of threads.
func (g *graph) recorded(t *testing.T, r *rand.Rand, threads [][]did) *wtape.Chunk {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, g.kernel.Name, trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(&g.kernel); err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: uint32(len(threads)), Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(0)
	for warp := 0; warp*32 < len(threads); warp++ {
		g.record(r, w, warp, threads[warp*32:min(len(threads), warp*32+32)])
	}
	for _, step := range []func() error{w.EndBlock, w.EndLaunch, w.Finish} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	file2, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if err := verification.Verify(file2); err != nil {
		t.Fatal(err)
	}
	c := wtape.NewChunk()
	if err := file2.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (g *graph) threads(r *rand.Rand, n int) [][]did {
	all := make([][]did, n)
	for i := range all {
		all[i] = g.walk(r)
	}
	return all
}

// TestEveryRuleExecutesEachThreadsPath of random programs, structured or not, recorded in
// orders that are no rule's: basic blocks, guards and addresses, whether the trace knows
// where paths join or is wrong.
func TestEveryRuleExecutesEachThreadsPath(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 120, 20) {
		r := rand.New(rand.NewPCG(seed, 22))
		draw := []func(*rand.Rand) *graph{unstructured, structured}[seed%2]
		g := draw(r)
		threads := g.threads(r, 1+r.IntN(100))
		c := g.recorded(t, r, threads)
		for rule := range ruleEnd {
			for _, width := range []int{1, 8, 32, 128} {
				p, err := New(&g.kernel, width, rule)
				if err != nil {
					t.Fatal(err)
				}
				for h := 0; h*width < len(threads); h++ {
					checkThreads(t, p, p.Open(c, 0, h), threads, h*width, width)
				}
				if t.Failed() {
					t.Fatalf("seed %d (%s): %v, %d lanes", seed, g.kernel.Name, rule, width)
				}
			}
		}
		checkAlone(t, g, c, threads)
		checkRecording(t, g, c, threads)
		if t.Failed() {
			t.Fatalf("seed %d (%s): threads by themselves", seed, g.kernel.Name)
		}
	}
}

// checkAlone compares each thread by itself with what it does, and says where it waits.
func checkAlone(t *testing.T, g *graph, c *wtape.Chunk, threads [][]did) {
	t.Helper()
	plan := NewPlan(&g.kernel)
	for n, want := range threads {
		thread, at := plan.Thread(c, 0, n), 0
		for b, ok := thread.Next(); ok; b, ok = thread.Next() {
			if at == len(want) || want[at].block != b {
				t.Errorf("thread %d visits block %d as number %d", n, b, at)
				return
			}
			d := &want[at]
			at++
			for i, held := range d.held {
				if thread.Guard(i) != held {
					t.Errorf("thread %d, block %d: guard %d is %v", n, b, i, !held)
				}
			}
			for i, takes := range d.takes {
				if a, ok := thread.Address(i); ok != takes || ok && a != d.addresses[i] {
					t.Errorf("thread %d, block %d: access %d at %#x (%v)", n, b, i, a, ok)
				}
			}
			if want := slices.Contains(g.lasts[:len(g.lasts)-1], b); thread.Waits() != want {
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
func checkRecording(t *testing.T, g *graph, c *wtape.Chunk, threads [][]did) {
	t.Helper()
	plan := NewPlan(&g.kernel)
	for h := 0; h*trace.WarpSize < len(threads); h++ {
		r, at := plan.Recording(c, 0, h), [trace.WarpSize]int{}
		for next, of := r.Next(Place{}, ^uint32(0)); of != 0; next, of = r.Next(next, ^uint32(0)) {
			for rest := of; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest)
				path := threads[h*trace.WarpSize+l]
				if at[l] == len(path) || path[at[l]].block != r.Block(next) {
					t.Fatalf("warp %d, lane %d visits block %d as number %d", h, l, r.Block(next), at[l])
				}
				d := &path[at[l]]
				at[l]++
				for i, held := range d.held {
					if r.Guard(next, i)>>l&1 != 0 != held {
						t.Errorf("warp %d, lane %d, block %d: guard %d is %v", h, l, d.block, i, !held)
					}
				}
				for i, takes := range d.takes {
					var to [trace.WarpSize]uint64
					r.Addresses(r.Access(next, i), 1<<l, &to)
					if takes && to[l] != d.addresses[i] {
						t.Errorf("warp %d, lane %d, block %d: access %d at %#x", h, l, d.block, i, to[l])
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
func (g *graph) instructions(t *testing.T, c *wtape.Chunk, rule Rule) (n int) {
	t.Helper()
	p, err := New(&g.kernel, trace.WarpSize, rule)
	if err != nil {
		t.Fatal(err)
	}
	w := p.Open(c, 0, 0)
	defer w.Close()
	for v := (Visit{}); w.Next(&v); {
		n += int(g.kernel.Blocks[v.Block].Count)
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
		g := structured(r)
		c := g.recorded(t, r, g.threads(r, 32))
		if a, b := g.instructions(t, c, Interleaved), g.instructions(t, c, PostDominator); a != b {
			t.Errorf("seed %d: %d instructions with thread frontiers, %d with post-dominators", seed, a, b)
		}
		g = unstructured(r)
		for len(g.lasts) == 0 || !right(g) {
			g = unstructured(r)
		}
		c = g.recorded(t, r, g.threads(r, 32))
		frontiers += g.instructions(t, c, Interleaved)
		dominators += g.instructions(t, c, PostDominator)
		serial += g.instructions(t, c, Serial)
	}
	if tracetest.Whole() && (frontiers >= dominators || dominators >= serial) {
		t.Errorf("unstructured programs: %d instructions with thread frontiers, %d with post-dominators, %d serially", frontiers, dominators, serial)
	}
}

// right reports whether a graph has its true post-dominators.
func right(g *graph) bool {
	other := graph{kernel: g.kernel, lasts: g.lasts}
	other.kernel.Blocks = slices.Clone(g.kernel.Blocks)
	other.placeJoins(true, nil)
	for b := range g.kernel.Blocks {
		if g.kernel.Blocks[b].PostDominator != other.kernel.Blocks[b].PostDominator {
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
