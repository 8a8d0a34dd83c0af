// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// removalDominators is the slow twin by the definition: a dominates b when no
// path from root reaches b once a is taken out. The immediate one is the strict
// dominator that all other strict dominators dominate.
func removalDominators(g graph, root int) []int {
	n := len(g)
	reach := func(without int) []bool {
		seen := make([]bool, n)
		if root == without {
			return seen
		}
		seen[root] = true
		for work := []int{root}; len(work) > 0; {
			x := work[0]
			work = work[1:]
			for _, y := range g[x] {
				if y != without && !seen[y] {
					seen[y] = true
					work = append(work, y)
				}
			}
		}
		return seen
	}
	all := reach(-1)
	dominates := make([][]bool, n)
	for a := range n {
		left := reach(a)
		dominates[a] = make([]bool, n)
		for b := range n {
			dominates[a][b] = all[b] && !left[b]
		}
	}
	immediate := make([]int, n)
	for b := range n {
		immediate[b] = -1
		for a := range n {
			if a == b || !all[b] || !dominates[a][b] {
				continue
			}
			nearest := true
			for c := range n {
				if c != b && dominates[c][b] && !dominates[c][a] {
					nearest = false
				}
			}
			if nearest {
				immediate[b] = a
			}
		}
	}
	immediate[root] = root
	return immediate
}

func TestDominatorsAgreeWithTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 2000 {
		n := 1 + r.IntN(12)
		g := make(graph, n)
		for i := range g {
			for range r.IntN(4) {
				g[i] = append(g[i], r.IntN(n))
			}
		}
		want, got := removalDominators(g, 0), immediateDominators(g, 0)
		for i := range want {
			if want[i] != got[i] {
				t.Fatalf("trial %d: %v: node %d has dominator %d, want %d", trial, g, i, got[i], want[i])
			}
		}
	}
}

// By definition a segment's post-dominators are on every path from it to the
// exit; an endless loop counts as leading there.
func TestPostDominatorsOfRandomKernels(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 300, 50) {
		k := mustContaminate(t, randomKernel(t, seed, 10))
		exit := len(k.Segments)
		g := k.flowGraph()
		back := g.reverse()
		leaves := make([]bool, len(g))
		leaves[exit] = true
		for work := []int{exit}; len(work) > 0; {
			x := work[0]
			work = work[1:]
			for _, y := range back[x] {
				if !leaves[y] {
					leaves[y] = true
					work = append(work, y)
				}
			}
		}
		for i := range k.Segments {
			if !leaves[i] {
				g[i] = append(g[i], exit)
			}
		}
		want := removalDominators(g.reverse(), exit)
		for i, s := range k.Segments {
			got := s.PostDominator
			if got == Exit {
				got = exit
			}
			if got != want[i] {
				t.Fatalf("seed %d: segment %d has post-dominator %d, want %d", seed, i, got, want[i])
			}
		}
	}
}

func TestDeepGraphsDoNotRecurse(t *testing.T) {
	const n = 200_000
	g := make(graph, n)
	for i := range n - 1 {
		g[i] = []int{i + 1}
	}
	d := immediateDominators(g, 0)
	if d[n-1] != n-2 {
		t.Errorf("the last node's dominator is %d", d[n-1])
	}
}
