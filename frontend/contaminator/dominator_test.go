// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// iteratedDominators is the slow twin of immediateDominators, by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm" (2001). The root is its own; nodes that root does not
// reach have -1.
func iteratedDominators(g graph, root int) []int {
	order := postorder(g, root)
	number := make([]int, len(g)) // postorder numbers, -1 where not reached
	for i := range number {
		number[i] = -1
	}
	for i, n := range order {
		number[n] = i
	}
	dominator := make([]int, len(g))
	for i := range dominator {
		dominator[i] = -1
	}
	dominator[root] = root
	predecessors := g.reverse()
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			n := order[i]
			best := -1
			for _, p := range predecessors[n] {
				switch {
				case number[p] < 0 || dominator[p] < 0:
				case best < 0:
					best = p
				default:
					best = intersect(dominator, number, best, p)
				}
			}
			if dominator[n] != best {
				dominator[n] = best
				changed = true
			}
		}
	}
	return dominator
}

// intersect finds the nearest common dominator of a and b.
func intersect(dominator, number []int, a, b int) int {
	for a != b {
		for number[a] < number[b] {
			a = dominator[a]
		}
		for number[b] < number[a] {
			b = dominator[b]
		}
	}
	return a
}

// randomGraph has edges to anywhere (irreducible for the most part), only forward,
// or to near neighbours (deep), and nodes that nothing reaches.
func randomGraph(r *rand.Rand, n int) graph {
	g := make(graph, n)
	shape, most := r.IntN(4), 1+r.IntN(4)
	for i := range g {
		for range r.IntN(most + 1) {
			to := r.IntN(n)
			switch shape {
			case 1:
				to = i + r.IntN(n-i)
			case 2:
				to = min(max(i+r.IntN(7)-3, 0), n-1)
			case 3:
				to = min(i+1, n-1)
				if r.IntN(3) == 0 {
					to = r.IntN(i + 1) // reducible: loops around a chain
				}
			}
			g[i] = append(g[i], to)
		}
	}
	return g
}

func TestDominatorsAgreeWithTheIteration(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 3000 {
		n := 1 + r.IntN(200)
		g, root := randomGraph(r, n), r.IntN(n)
		if want, got := iteratedDominators(g, root), immediateDominators(g, root); !slices.Equal(want, got) {
			t.Fatalf("trial %d: %d nodes from %d: got %v, want %v; %v", trial, n, root, got, want, g)
		}
	}
}
