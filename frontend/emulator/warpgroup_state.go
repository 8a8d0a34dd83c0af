package emulator

// warpgroupWarps is the number of warps of a warpgroup (9.7.15.1).
const warpgroupWarps = 4

// warpgroup has the products (wgmma.mma_async) that some of its warps have executed,
// and others not yet. A product reads shared memory once, when the first warp comes
// to it; the warps multiply their rows of a with all of b one after the other. So
// shared memory may be written anew as soon as one warp has waited for the product,
// as on a machine where it begins when all four have come.
type warpgroup struct {
	done  [warpgroupWarps]int // products of each warp
	first int                 // number of the first pending product
	// pending products follow each other; spare ones are reused.
	pending, spare []*warpgroupStep
}

// warpgroupStep is a product with its factors from shared memory.
type warpgroupStep struct {
	instruction  int
	descriptorA  uint64
	descriptorB  uint64
	left         int // warps that have not executed it
	raw          []byte
	a            []float32 // 64 rows, if they are from shared memory
	b            []float32 // k rows of n
	wholeA       []uint32  // the same of integers and single bits: rows of words
	wholeB       []uint32  // columns of words
	columnsBytes []int32   // the bytes of wholeB as numbers, k rows of n
}

// startWarpgroups forgets the products of the block before.
func (b *BlockState) startWarpgroups() {
	for i := range b.warpgroups {
		g := &b.warpgroups[i]
		g.spare = append(g.spare, g.pending...)
		g.pending, g.first, g.done = g.pending[:0], 0, [warpgroupWarps]int{}
	}
}

// leave drops the products that all four warps have executed; the step stays valid
// until the next join.
func (g *warpgroup) leave() {
	n := 0
	for n < len(g.pending) && g.pending[n].left == 0 {
		n++
	}
	g.spare = append(g.spare, g.pending[:n]...)
	g.pending = append(g.pending[:0], g.pending[n:]...)
	g.first += n
}

func (g *warpgroup) newStep() *warpgroupStep {
	s := &warpgroupStep{}
	if n := len(g.spare); n > 0 {
		s, g.spare = g.spare[n-1], g.spare[:n-1]
	}
	s.left = warpgroupWarps
	return s
}
