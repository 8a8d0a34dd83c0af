// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection/flowtest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// looped is a kernel with a branch around a loop of as many rounds as each thread wants;
// all blocks access memory, some of it under guards.
func looped() *trace.Kernel {
	predicate := trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
	access := func(opcode string, class trace.OpClass, g trace.Guard) trace.Instruction {
		return trace.Instruction{Opcode: opcode, Class: class, Space: trace.SpaceGlobal, LaneBytes: 4, Guard: g}
	}
	branch := trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: predicate}
	return &trace.Kernel{
		Name: "looped",
		Instructions: []trace.Instruction{
			access("ld", trace.ClassLoad, predicate), access("ld", trace.ClassLoad, trace.Guard{}), branch,
			access("st", trace.ClassStore, predicate), {Opcode: "add", Class: trace.ClassIntAdd, Guard: predicate}, access("ld", trace.ClassLoad, predicate), branch,
			access("ld", trace.ClassLoad, trace.Guard{}),
			access("st", trace.ClassStore, predicate), {Opcode: "ret", Class: trace.ClassExit},
		},
		Blocks: []trace.BasicBlock{
			{First: 0, Count: 3, Successors: []uint32{1, 3}, PostDominator: 3},
			{First: 3, Count: 4, Successors: []uint32{2, 1}, PostDominator: 2},
			{First: 7, Count: 1, Successors: []uint32{3}, PostDominator: 3},
			{First: 8, Count: 2, PostDominator: trace.NoBlock},
		},
	}
}

// threadsOf draws what the threads of a thread block do.
func threadsOf(rng *rand.Rand, k *trace.Kernel, threads int) [][]flowtest.Step {
	visit := func(block uint32) flowtest.Step {
		d := flowtest.Step{Block: block}
		b := k.Blocks[block]
		for i := b.First; i < b.First+b.Count; i++ {
			in, held := &k.Instructions[i], true
			if in.Guarded() {
				held = rng.IntN(3) > 0
				d.Held = append(d.Held, held)
			}
			if in.HasAccess() {
				d.Takes, d.Addresses = append(d.Takes, held), append(d.Addresses, 1<<32+rng.Uint64N(1<<20)*4)
			}
		}
		return d
	}
	all := make([][]flowtest.Step, threads)
	for t := range all {
		all[t] = []flowtest.Step{visit(0)}
		if rng.IntN(3) > 0 {
			for range 1 + rng.IntN(4) {
				all[t] = append(all[t], visit(1))
			}
			all[t] = append(all[t], visit(2))
		}
		all[t] = append(all[t], visit(3))
	}
	return all
}

// recordWarp records 32 threads under post-dominator reconvergence: the loop's rounds one
// after the other, then what comes behind it.
func recordWarp(w *wtape.Writer, k *trace.Kernel, warp int, threads [][]flowtest.Step) {
	next := make([]int, len(threads))
	step := func(block uint32) {
		var mask uint32
		for l, t := range threads {
			if next[l] < len(t) && t[next[l]].Block == block {
				mask |= 1 << l
			}
		}
		if mask == 0 {
			return
		}
		w.Visit(warp, block, mask)
		guards, accesses := 0, 0
		b := k.Blocks[block]
		for i := b.First; i < b.First+b.Count; i++ {
			in, held := &k.Instructions[i], mask
			if in.Guarded() {
				held = 0
				for l := range threads {
					if mask>>l&1 != 0 && threads[l][next[l]].Held[guards] {
						held |= 1 << l
					}
				}
				guards++
				w.Guard(warp, held)
			}
			if in.HasAccess() {
				var at [trace.WarpSize]uint64
				for m := held; m != 0; m &= m - 1 {
					l := bits.TrailingZeros32(m)
					at[l] = threads[l][next[l]].Addresses[accesses]
				}
				accesses++
				w.Access(warp, held, &at)
			}
		}
		for l := range threads {
			if mask>>l&1 != 0 {
				next[l]++
			}
		}
	}
	for _, block := range []uint32{0, 1, 1, 1, 1, 2, 3} {
		step(block)
	}
}

// TestEveryThreadDoesAtAnyWidthWhatItDid, under every rule: its basic blocks in their
// order, its guards and its addresses.
func TestEveryThreadDoesAtAnyWidthWhatItDid(t *testing.T) {
	const threads = 100 // the last warp has four
	rng := rand.New(rand.NewPCG(6, 1))
	k := looped()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "looped", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddKernel(k); err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 2, Y: 1, Z: 1}, Block: trace.Dim3{X: threads, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	var all [][][]flowtest.Step
	for block := range 2 {
		list := threadsOf(rng, k, threads)
		all = append(all, list)
		w.BeginBlock(uint64(block))
		for warp := 0; warp*32 < threads; warp++ {
			recordWarp(w, k, warp, list[warp*32:min(threads, warp*32+32)])
		}
		if err := w.EndBlock(); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []func() error{w.EndLaunch, w.Finish} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	for rule := range ruleEnd {
		for _, width := range []int{1, 2, 8, 16, 32, 64, 128} {
			p, err := New(k, width, rule)
			if err != nil {
				t.Fatal(err)
			}
			for block, list := range all {
				for h := 0; h*width < threads; h++ {
					checkThreads(t, p, p.Open(c, uint64(block), h), list, h*width, width)
				}
			}
			if t.Failed() {
				t.Fatalf("%v, %d lanes", rule, width)
			}
		}
	}
}

// checkThreads compares a hardware warp, whose lane 0 is thread first, with what its
// threads do.
func checkThreads(t *testing.T, p *Projector, w *Warp, threads [][]flowtest.Step, first, width int) {
	t.Helper()
	defer w.Close()
	next := make([]int, len(threads))
	for v := (Visit{}); w.Next(&v); {
		var held, takes []Lanes
		var addresses [][MaxWidth]uint64
		for i := range p.Plan().Guards(v.Block) {
			held = append(held, w.Guard(&v, i))
		}
		for i := range p.Plan().Accesses(v.Block) {
			var at [MaxWidth]uint64
			takes = append(takes, w.Addresses(&v, i, &at))
			addresses = append(addresses, at)
		}
		if v.Lanes.Count() == 0 {
			t.Errorf("a visit of no lanes to block %d", v.Block)
		}
		for l := range MaxWidth {
			if !v.Lanes.Has(l) {
				continue
			}
			thread := first + l
			if thread >= len(threads) || next[thread] >= len(threads[thread]) || threads[thread][next[thread]].Block != v.Block {
				t.Errorf("thread %d visits block %d as number %d", thread, v.Block, next[min(thread, len(next)-1)])
				return
			}
			d := &threads[thread][next[thread]]
			next[thread]++
			for i := range held {
				if held[i].Has(l) != d.Held[i] {
					t.Errorf("thread %d, block %d: guard %d is %v", thread, v.Block, i, !d.Held[i])
				}
			}
			for i := range takes {
				if takes[i].Has(l) != d.Takes[i] || d.Takes[i] && addresses[i][l] != d.Addresses[i] {
					t.Errorf("thread %d, block %d: access %d at %#x (%v), recorded %#x (%v)", thread, v.Block, i, addresses[i][l], takes[i].Has(l), d.Addresses[i], d.Takes[i])
				}
			}
		}
	}
	for thread := first; thread < min(first+width, len(threads)); thread++ {
		if next[thread] != len(threads[thread]) {
			t.Errorf("thread %d makes %d visits of %d", thread, next[thread], len(threads[thread]))
		}
	}
}

func TestLanesAreCountedInAllOfTheirParts(t *testing.T) {
	s := Lanes{1 << 3, 1<<0 | 1<<31, 1 << 9, 1 << 31}
	if s.Count() != 5 || !s.Has(3) || !s.Has(32) || !s.Has(63) || !s.Has(73) || !s.Has(127) || s.Has(4) || s.lowest() != 3 {
		t.Errorf("%d lanes of %08x, the lowest is %d", s.Count(), s, s.lowest())
	}
}
