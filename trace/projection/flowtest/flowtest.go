// SPDX-License-Identifier: Apache-2.0

// Package flowtest draws programs with control flow for tests: structured or not, with what
// each thread does, recorded in an order that no policy has.
package flowtest

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// Step is what a thread does in a basic block.
type Step struct {
	Block     uint32
	Held      []bool   // by guarded instruction
	Takes     []bool   // by memory instruction: it takes part
	Addresses []uint64 // likewise
}

// Graph is the control flow of a random kernel: sections of basic blocks. Each section leads
// to its last block alone, which ends with a barrier, or ends the kernel.
type Graph struct {
	Kernel trace.Kernel
	Lasts  []uint32 // last block of each section
}

// newGraph begins a kernel.
func newGraph(name string) *Graph {
	return &Graph{Kernel: trace.Kernel{Name: name, File: name + ".ptx", RegistersPerThread: 16}}
}

// block adds a basic block with a few instructions, some of them guarded, and its end.
func (g *Graph) block(r *rand.Rand, end trace.OpClass, successors ...uint32) uint32 {
	k := &g.Kernel
	b := trace.BasicBlock{First: uint32(len(k.Instructions)), Successors: successors, PostDominator: trace.NoBlock}
	guard := trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
	register := func() trace.Operand {
		return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: uint16(r.IntN(16)), Words: 1}}
	}
	for range r.IntN(3) {
		in := trace.Instruction{Opcode: "add", Class: trace.ClassIntAdd, Destinations: 1, Operands: []trace.Operand{register(), register()}}
		if r.IntN(2) == 0 {
			address := register()
			address.Kind, address.HasBase = trace.OperandAddress, true
			in = trace.Instruction{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Destinations: 1, Operands: []trace.Operand{register(), address}}
		}
		if r.IntN(3) == 0 {
			in.Guard = guard
		}
		k.Instructions = append(k.Instructions, in)
	}
	last := trace.Instruction{Opcode: end.String(), Class: end}
	switch {
	case end == trace.ClassBarrier:
		last.Opcode, last.Modifiers, last.Operands = "bar", []string{"sync"}, []trace.Operand{{Kind: trace.OperandImmediate}}
	case end == trace.ClassBranch && len(successors) > 1:
		last.Guard = guard
	}
	k.Instructions = append(k.Instructions, last)
	b.Count = uint32(len(k.Instructions)) - b.First
	k.Blocks = append(k.Blocks, b)
	return uint32(len(k.Blocks) - 1)
}

// Unstructured draws sections in which any block may lead to any other.
func Unstructured(r *rand.Rand) *Graph {
	g := newGraph("unstructured")
	sections := 1 + r.IntN(3)
	for s := range sections {
		first, n := uint32(len(g.Kernel.Blocks)), uint32(1+r.IntN(7))
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
	g.PlaceJoins(r.IntN(3) > 0, r)
	return g
}

// end adds the last block of a section.
func (g *Graph) end(r *rand.Rand, exit bool, last uint32) {
	g.Lasts = append(g.Lasts, last)
	if exit {
		g.block(r, trace.ClassExit)
		return
	}
	g.block(r, trace.ClassBarrier, last+1)
}

// Structured draws sections of nested branches and loops with one way in and one out, in
// the order of the text.
func Structured(r *rand.Rand) *Graph {
	g := newGraph("structured")
	sections := 1 + r.IntN(2)
	for s := range sections {
		g.sequence(r, 3)
		g.end(r, s == sections-1, uint32(len(g.Kernel.Blocks)))
	}
	g.PlaceJoins(true, r)
	return g
}

// sequence adds statements; each leads to the block that comes next.
func (g *Graph) sequence(r *rand.Rand, depth int) {
	for range 1 + r.IntN(2) {
		at := uint32(len(g.Kernel.Blocks))
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
			g.Kernel.Blocks[at].Successors[1] = leave + 1
			g.sequence(r, depth-1)
			g.Kernel.Blocks[leave].Successors[0] = uint32(len(g.Kernel.Blocks))
		case 2: // do while
			g.sequence(r, depth-1)
			end := g.block(r, trace.ClassBranch, 0, at)
			g.Kernel.Blocks[end].Successors[0] = end + 1
		}
	}
}

// PlaceJoins fills in where lanes meet again: the immediate post-dominators, or any blocks,
// and then up to three joins of a branch, too.
func (g *Graph) PlaceJoins(right bool, r *rand.Rand) {
	blocks := g.Kernel.Blocks
	for b := range blocks {
		if !right {
			blocks[b].PostDominator, blocks[b].Joins = r.Uint32N(uint32(len(blocks))), nil
			for range r.IntN(4) {
				blocks[b].Joins = append(blocks[b].Joins, r.Uint32N(uint32(len(blocks))))
			}
			continue
		}
		for p := range blocks {
			// All others that post-dominate b do p, too.
			if g.dominates(p, b) && !slices.ContainsFunc(g.Kernel.Blocks, func(other trace.BasicBlock) bool {
				o := g.at(other.First)
				return o != p && g.dominates(o, b) && !g.dominates(o, p)
			}) {
				blocks[b].PostDominator = uint32(p)
			}
		}
	}
}

// at is the basic block that begins with an instruction.
func (g *Graph) at(first uint32) int {
	return slices.IndexFunc(g.Kernel.Blocks, func(b trace.BasicBlock) bool { return b.First == first })
}

// dominates reports whether every path from block b to the kernel's end goes through p.
func (g *Graph) dominates(p, b int) bool { return p != b && !g.avoids(uint32(b), uint32(p)) }

// avoids reports whether a path leads from one block to the kernel's end past another:
// the slow definition of what post-dominates.
func (g *Graph) avoids(from, past uint32) bool {
	if from == past {
		return false
	}
	seen := map[uint32]bool{from: true}
	for list := []uint32{from}; len(list) > 0; {
		b := list[len(list)-1]
		list = list[:len(list)-1]
		to := g.Kernel.Blocks[b].Successors
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
func (g *Graph) walk(r *rand.Rand) (path []Step) {
	wander := r.IntN(25)
	for b := uint32(0); ; {
		d := Step{Block: b}
		source := &g.Kernel.Blocks[b]
		for i := source.First; i < source.First+source.Count; i++ {
			in, held := &g.Kernel.Instructions[i], true
			if in.Guarded() {
				held = r.IntN(3) > 0
				d.Held = append(d.Held, held)
			}
			if in.HasAccess() {
				d.Takes, d.Addresses = append(d.Takes, held), append(d.Addresses, 1<<32+r.Uint64N(1<<20)*4)
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
func (g *Graph) record(r *rand.Rand, w *wtape.Writer, warp int, threads [][]Step) {
	next := make([]int, len(threads))
	for section := range g.Lasts {
		for {
			able := uint32(0)
			for l, t := range threads {
				if next[l] < len(t) && t[next[l]].Block <= g.Lasts[section] {
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
func (g *Graph) some(r *rand.Rand, able uint32, threads [][]Step, next []int) (mask uint32) {
	at := func(l int) uint32 { return threads[l][next[l]].Block }
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
func (g *Graph) visit(w *wtape.Writer, warp int, threads [][]Step, next []int, mask uint32) {
	first := &threads[bits.TrailingZeros32(mask)][next[bits.TrailingZeros32(mask)]]
	w.Visit(warp, first.Block, mask)
	lanesThat := func(holds func(d *Step) bool) (lanes uint32) {
		for m := mask; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m); holds(&threads[l][next[l]]) {
				lanes |= 1 << l
			}
		}
		return lanes
	}
	b := &g.Kernel.Blocks[first.Block]
	guards, accesses := 0, 0
	for i := b.First; i < b.First+b.Count; i++ {
		in := &g.Kernel.Instructions[i]
		if in.Guarded() {
			n := guards
			guards++
			w.Guard(warp, lanesThat(func(d *Step) bool { return d.Held[n] }))
		}
		if in.HasAccess() {
			n := accesses
			accesses++
			var at [trace.WarpSize]uint64
			lanes := lanesThat(func(d *Step) bool { return d.Takes[n] })
			for m := lanes; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				at[l] = threads[l][next[l]].Addresses[n]
			}
			w.Access(warp, lanes, &at)
		}
	}
	for m := mask; m != 0; m &= m - 1 {
		next[bits.TrailingZeros32(m)]++
	}
}

// Record records a thread block of threads as a trace.
func (g *Graph) Record(t testing.TB, r *rand.Rand, threads [][]Step) *wtape.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, g.Kernel.Name, trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(&g.Kernel); err != nil {
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
	tape, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if err := verification.Verify(tape); err != nil {
		t.Fatal(err)
	}
	return tape
}

// Threads draws what n threads do.
func (g *Graph) Threads(r *rand.Rand, n int) [][]Step {
	all := make([][]Step, n)
	for i := range all {
		all[i] = g.walk(r)
	}
	return all
}
