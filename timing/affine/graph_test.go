// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// reaches lists the blocks to which a walk from one comes that passes no avoided block; edges may be left out.
func reaches(k *trace.Kernel, from, avoid int, without func(a, b int) bool) []bool {
	seen := make([]bool, len(k.Blocks))
	if from == avoid {
		return seen
	}
	work := []int{from}
	seen[from] = true
	for len(work) > 0 {
		a := work[0]
		work = work[1:]
		for _, s := range k.Blocks[a].Successors {
			if b := int(s); !seen[b] && b != avoid && (without == nil || !without(a, b)) {
				seen[b] = true
				work = append(work, b)
			}
		}
	}
	return seen
}

// Dominators and loops of random graphs are those of their definitions: a block dominates those that nothing reaches without
// it. A loop has what reaches its end without passing its header. Without edges back to dominators no cycle is left, or the graph
// is irreducible.
func TestDominatorsAndLoopsAreThoseOfTheirDefinitions(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	reducible, nested := 0, 0
	for range 400 {
		n := 2 + r.IntN(9)
		k := &trace.Kernel{Blocks: make([]trace.BasicBlock, n)}
		for b := range k.Blocks {
			for range r.IntN(3) {
				s := uint32(min(b+1+r.IntN(2), n-1))
				if r.IntN(4) == 0 {
					s = uint32(r.IntN(n))
				}
				k.Blocks[b].Successors = append(k.Blocks[b].Successors, s)
			}
		}
		g := newGraph(k)
		all := reaches(k, 0, -1, nil)
		dominates := make([][]bool, n) // by the block that is taken away
		for a := range n {
			without := reaches(k, 0, a, nil)
			dominates[a] = make([]bool, n)
			for b := range n {
				dominates[a][b] = all[b] && !without[b]
				if all[a] && all[b] && g.dominates(uint32(a), uint32(b)) != dominates[a][b] {
					t.Fatalf("%v: block %d dominates %d: %v", k.Blocks, a, b, !dominates[a][b])
				}
			}
		}
		back := func(a, b int) bool { return dominates[b][a] }
		cyclic := false
		for a := range n {
			if all[a] {
				for _, s := range k.Blocks[a].Successors {
					cyclic = cyclic || !back(a, int(s)) && reaches(k, int(s), -1, back)[a]
				}
			}
		}
		if g.irreducible != cyclic {
			t.Fatalf("%v: irreducible %v, want %v", k.Blocks, g.irreducible, cyclic)
		}
		if cyclic {
			continue
		}
		reducible++
		for b := range n {
			if !all[b] {
				continue
			}
			in := map[uint32]bool{}
			for l := g.loop[b]; l >= 0; l = g.loops[l].parent {
				in[g.loops[l].header] = true
			}
			if len(in) > 1 {
				nested++
			}
			for h := range n {
				want := false
				for latch := range n {
					for _, s := range k.Blocks[latch].Successors {
						if all[latch] && int(s) == h && dominates[h][latch] {
							want = want || b == h || dominates[h][b] && reaches(k, b, h, nil)[latch]
						}
					}
				}
				if in[uint32(h)] != want {
					t.Fatalf("%v: block %d is in the loop of %d: %v", k.Blocks, b, h, !want)
				}
			}
		}
	}
	if reducible < 100 || nested == 0 {
		t.Errorf("%d graphs are reducible, %d blocks lie in loops of loops", reducible, nested)
	}
}
