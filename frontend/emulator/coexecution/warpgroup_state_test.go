// SPDX-License-Identifier: Apache-2.0

package coexecution

import "testing"

// Products leave in the order in which they came, when all four warps have executed them. Their memory serves later
// ones, and a new thread block begins at the first product with none pending.
func TestProductsOfWarpgroupsComeAndGo(t *testing.T) {
	var b BlockState
	g := &b.Warpgroups[0]
	steps := map[*WarpgroupStep]bool{}
	for range 3 {
		s := g.NewStep()
		if s.Left != 4 {
			t.Errorf("a new product waits for %d warps", s.Left)
		}
		g.Pending, steps[s] = append(g.Pending, s), true
	}
	g.Pending[0].Left, g.Pending[2].Left = 0, 0
	last := g.Pending[2]
	if g.Leave(); g.First != 1 || len(g.Pending) != 2 || g.Pending[1] != last {
		t.Errorf("%d products are pending from number %d on", len(g.Pending), g.First)
	}
	g.Pending[0].Left = 0
	if g.Leave(); g.First != 3 || len(g.Pending) != 0 {
		t.Errorf("%d products are pending from number %d on", len(g.Pending), g.First)
	}
	g.Pending, g.Done[2] = append(g.Pending, g.NewStep()), 5
	if b.StartWarpgroups(); g.First != 0 || len(g.Pending) != 0 || g.Done != [WarpgroupWarps]int{} {
		t.Errorf("a new thread block begins with %d products from number %d on, done %d", len(g.Pending), g.First, g.Done)
	}
	for range 3 {
		if s := g.NewStep(); !steps[s] || s.Left != 4 {
			t.Error("memory of a product that has left is not used again")
		}
	}
}
