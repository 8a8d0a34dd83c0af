// SPDX-License-Identifier: Apache-2.0

package projection

// frontier fills in where the paths come from that meet at a join: from the basic blocks
// between the branches that it joins and the join itself. While a path is at one of
// their instructions, or between them, those at the join wait for it.
func (p *Plan) frontier() {
	k := p.kernel
	p.from = make([]uint32, len(k.Blocks))
	parts := make([][]uint32, len(k.Blocks)) // by join: the branches
	for id := range k.Blocks {
		p.from[id] = k.Blocks[id].First
		for _, join := range p.blocks[id].joins {
			parts[join] = append(parts[join], uint32(id))
		}
	}
	seen := make([]uint32, len(k.Blocks)) // by block: the number, plus one, of the join that has seen it last
	var list []uint32
	for join, branches := range parts {
		for list = append(list[:0], branches...); len(list) > 0; {
			b := list[len(list)-1]
			list = list[:len(list)-1]
			for _, next := range k.Blocks[b].Successors {
				if seen[next] == uint32(join)+1 || next == uint32(join) {
					continue
				}
				seen[next] = uint32(join) + 1
				p.from[join] = min(p.from[join], k.Blocks[next].First)
				list = append(list, next)
			}
		}
	}
}

// WaitsFrom gives, for a path at the first instruction of a basic block, the lowest
// instruction from which others are on their way there from a branch that it joins. The
// path waits for those that are at one from there on, below the basic block. The basic
// block's own first instruction says that it waits for none.
func (p *Plan) WaitsFrom(block uint32) uint32 {
	p.joins.Do(p.frontier)
	return p.from[block]
}
