// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/flow"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// scopes are where lanes announce that they will meet (BSSY) and where they do (BSYNC), by
// lowered block. Lanes part at branches on which they may disagree, and meet at the block
// behind them. One announcement serves all branches with the same meeting point. It stands
// in front of the first of them, and outside of the loops that the lanes leave on the way.
type scopes struct {
	opens, closes []int
}

// scopesOf finds the scopes of lowered blocks; owners gives the lowered block of each
// recorded one.
func scopesOf(g *flow.Graph, groups [][]Part, owners []uint32, d *divergence) scopes {
	s := scopes{make([]int, len(groups)), make([]int, len(groups))}
	for b, parts := range groups {
		if parts == nil {
			continue
		}
		tail := parts[len(parts)-1].Block
		if !d.seen[tail] {
			continue
		}
		join := d.join(int(tail))
		if join == trace.NoBlock {
			continue
		}
		meet := owners[join]
		if groups[meet] == nil || int(meet) == b && len(parts) > 1 || s.closes[meet] > 0 {
			continue
		}
		if from := opening(g, meet); from != flow.None && groups[from] != nil {
			s.opens[from]++
			s.closes[meet]++
		}
	}
	return s
}

// opening is the block that announces a meeting point: the nearest in front of it that all
// lanes pass, outside of loops that do not go round it.
func opening(g *flow.Graph, meet uint32) int {
	at := g.Dominator(meet)
	for at != flow.None {
		loop := g.Loop(uint32(at))
		if loop == flow.None || g.Inside(loop, meet) {
			return at
		}
		at = g.Dominator(uint32(loop))
	}
	return flow.None
}

// ownersOf gives the lowered block to which each recorded one belongs.
func ownersOf(groups [][]Part) []uint32 {
	owners := make([]uint32, len(groups))
	for b, parts := range groups {
		for _, p := range parts {
			owners[p.Block] = uint32(b)
		}
	}
	return owners
}

// graphOf is the graph of the lowered blocks, and gives those at which functions begin.
func graphOf(k *trace.Kernel, groups [][]Part, owners []uint32) (*flow.Graph, []uint32) {
	next := make([][]uint32, len(groups))
	var entries []uint32
	for b, parts := range groups {
		if parts == nil {
			continue
		}
		for _, s := range successors(k, parts) {
			if int(s) < len(owners) {
				next[b] = append(next[b], owners[s])
			}
		}
		first := k.Blocks[parts[0].Block].First
		if slices.ContainsFunc(k.Functions, func(f trace.Function) bool { return f.First == first }) {
			entries = append(entries, uint32(b))
		}
	}
	return flow.New(next, entries...), entries
}

// meet lets lanes meet at the begin of a lowered block.
func (s *selector) meet(b int) {
	for range s.scopes.closes[b] {
		s.block.Ops = append(s.block.Ops, ir.Op{Code: ir.BSYNC, Origin: s.k.Blocks[s.block.Parts[0].Block].First})
	}
}

// announce says where lanes will meet again, in front of the instruction that ends a lowered
// block or behind its last one.
func (s *selector) announce(b int, pays uint32) {
	for range s.scopes.opens[b] {
		s.block.Ops = append(s.block.Ops, ir.Op{Code: ir.BSSY, Origin: pays, Part: s.part, Unmasked: true})
	}
}
