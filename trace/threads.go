package trace

import "math/bits"

// threadInstructions counts the lanes that took part over one warp's path: the
// active lanes of every visit for its unguarded instructions, and the lanes of
// every guard mask.
func (p *plan) threadInstructions(path, masks, guards []uint32) uint64 {
	var n uint64
	for v, id := range path {
		n += uint64(p.blocks[id].unguarded) * uint64(bits.OnesCount32(masks[v]))
	}
	for _, g := range guards {
		n += uint64(bits.OnesCount32(g))
	}
	return n
}
