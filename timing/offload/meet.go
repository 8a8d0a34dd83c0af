// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/network"
)

// nowhere is no node.
const nowhere = -1

// meetNodes is the table that each core has of the nodes where the ways to two
// memory partitions meet (Algorithm 1; section 5: 8 x 8 entries).
type meetNodes struct {
	slices int
	table  []int16 // by core, slice and slice: an end, or nowhere
}

func (t *meetNodes) at(core, a, b int) int {
	return int(t.table[(core*t.slices+a)*t.slices+b])
}

// newMeetNodes fills the table for the cores of a mesh. Of the nodes that the ways from one
// to two slices have in common, it takes the one nearest to both, and of those the first on
// the way. Partitions are left out when only cores compute. Both ways go along columns
// first, or both along rows; packets themselves follow the mesh's routing, which reaches
// every node.
func newMeetNodes(p *arch.Placement, yx, partitions bool) *meetNodes {
	t := &meetNodes{slices: len(p.Slices), table: make([]int16, len(p.SMs)*len(p.Slices)*len(p.Slices))}
	endAt := make([]int, p.Rows*p.Columns)
	for i := range endAt {
		endAt[i] = nowhere
	}
	for core, node := range p.SMs {
		endAt[node] = core
	}
	if partitions {
		for slice, node := range p.Slices {
			endAt[node] = len(p.SMs) + slice
		}
	}
	for core, from := range p.SMs {
		for a := range p.Slices {
			for b := range p.Slices {
				t.table[(core*t.slices+a)*t.slices+b] = int16(meet(p, endAt, from, p.Slices[a], p.Slices[b], yx))
			}
		}
	}
	return t
}

// newMeetRouters fills the table with the last router of a butterfly that the ways from a core to two
// slices have in common; they have the first one at least. Of two of these on one way the lower
// number comes first.
func newMeetRouters(p *arch.Placement, radix, stages int) *meetNodes {
	t := &meetNodes{slices: len(p.Slices), table: make([]int16, len(p.SMs)*len(p.Slices)*len(p.Slices))}
	for core, from := range p.SMs {
		for a := range p.Slices {
			first := network.ButterflyWay(radix, stages, from, p.Slices[a])
			for b := range p.Slices {
				last := 0
				for i, router := range network.ButterflyWay(radix, stages, from, p.Slices[b]) {
					if router != first[i] {
						break
					}
					last = router
				}
				t.table[(core*t.slices+a)*t.slices+b] = int16(last)
			}
		}
	}
	return t
}

// meet is the end where the ways from a node to two others meet.
func meet(p *arch.Placement, endAt []int, from, a, b int, yx bool) int {
	best, nearest := nowhere, 0
	for _, columnsFirst := range [...]bool{yx, !yx} {
		first, second := way(p, from, a, columnsFirst), way(p, from, b, columnsFirst)
		for i := 0; i < len(first) && i < len(second) && first[i] == second[i]; i++ {
			end := endAt[first[i]]
			far := distance(p, first[i], a) + distance(p, first[i], b)
			if end != nowhere && (best == nowhere || far < nearest) {
				best, nearest = end, far
			}
		}
	}
	return best
}

// way lists the nodes from one to another, the first left out.
func way(p *arch.Placement, from, to int, columnsFirst bool) []int {
	var nodes []int
	y, x := from/p.Columns, from%p.Columns
	toY, toX := to/p.Columns, to%p.Columns
	for y != toY || x != toX {
		if y != toY && (columnsFirst || x == toX) {
			y += sign(toY - y)
		} else {
			x += sign(toX - x)
		}
		nodes = append(nodes, y*p.Columns+x)
	}
	return nodes
}

func distance(p *arch.Placement, a, b int) int {
	return abs(a/p.Columns-b/p.Columns) + abs(a%p.Columns-b%p.Columns)
}

func abs(n int) int { return max(n, -n) }

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
