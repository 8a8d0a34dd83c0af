// SPDX-License-Identifier: Apache-2.0

package coexecution

// WarpgroupWarps is the number of warps of a warpgroup (9.7.15.1).
const WarpgroupWarps = 4

// WarpgroupLead is the number of products after which a warp lets the others of its group
// catch up.
const WarpgroupLead = 16

// warpgroup has the products (wgmma.mma_async) that some of its warps have executed,
// and others not yet. A product reads shared memory once, when the first warp comes
// to it; the warps multiply their rows of a with all of b one after the other. So
// shared memory may be written anew as soon as one warp has waited for the product,
// as on a machine where it begins when all four have come.
type Warpgroup struct {
	Done  [WarpgroupWarps]int // products of each warp
	First int                 // number of the first pending product
	// Pending products follow each other; spare ones are reused.
	Pending, spare []*WarpgroupStep
}

// WarpgroupStep is a product with its factors from shared memory.
type WarpgroupStep struct {
	Instruction  int
	DescriptorA  uint64
	DescriptorB  uint64
	Left         int // warps that have not executed it
	Reader       int // the warp that has read the factors
	Raw          []byte
	A            []float32 // 64 rows, if they are from shared memory
	B            []float32 // k rows of n
	WholeA       []uint32  // the same of integers and single bits: rows of words
	WholeB       []uint32  // columns of words
	ColumnsBytes []int32   // the bytes of wholeB as numbers, k rows of n
}

// StartWarpgroups forgets the products of the block before.
func (b *BlockState) StartWarpgroups() {
	for i := range b.Warpgroups {
		g := &b.Warpgroups[i]
		g.spare = append(g.spare, g.Pending...)
		g.Pending, g.First, g.Done = g.Pending[:0], 0, [WarpgroupWarps]int{}
	}
}

// Leave drops the products that all four warps have executed; the step stays valid
// until the next join.
func (g *Warpgroup) Leave() {
	n := 0
	for n < len(g.Pending) && g.Pending[n].Left == 0 {
		n++
	}
	g.spare = append(g.spare, g.Pending[:n]...)
	g.Pending = append(g.Pending[:0], g.Pending[n:]...)
	g.First += n
}

func (g *Warpgroup) NewStep() *WarpgroupStep {
	s := &WarpgroupStep{}
	if n := len(g.spare); n > 0 {
		s, g.spare = g.spare[n-1], g.spare[:n-1]
	}
	s.Left = WarpgroupWarps
	return s
}
