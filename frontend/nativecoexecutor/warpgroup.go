// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

// By segments, each warp of a warpgroup executes its products in a turn of its own, together
// with the other three (see contamination.Products). The host has what shared memory was at the
// first of the four turns.

// group is a warpgroup's shared memory at products that not all of its warps have had.
type group struct {
	done  [coexecution.WarpgroupWarps]int // by warp: how often it has come to such a place
	first int                             // number of the first that is kept
	kept  [][]byte
}

const noProducts = ^uint32(0)

const groupThreads = coexecution.WarpgroupWarps * trace.WarpSize

// productsBytes is the size of what the device has of the products of one segment.
func (p *program) productsBytes() uint64 {
	products, starts := p.rewritten.MostProducts()
	if products == 0 {
		return 0
	}
	return uint64(contamination.FactorBytes*products) + uint64(1+starts)*p.blockShared()
}

// keptAt is where the device has the shared memory that is kept at a start.
func (p *program) keptAt(start int) uint64 {
	products, _ := p.rewritten.MostProducts()
	return p.coexecutor.products + uint64(contamination.FactorBytes*products) + uint64(1+start)*p.blockShared()
}

// group is that of the context's warp, and which of its warps it is.
func (c *context) group() (g *group, member int) {
	p := c.program
	number := c.identity.Warp / coexecution.WarpgroupWarps
	return &p.groups[c.place%p.inStep()*uint64(p.warps)+uint64(number)], c.identity.Warp % coexecution.WarpgroupWarps
}

// beginProducts gives the device what other warps have kept for those of a segment.
func (c *context) beginProducts(segment int, t *turn) error {
	p := c.program
	t.products = noProducts
	s := p.rewritten.Products[segment]
	if s == nil {
		return nil
	}
	in := &p.kernel.PTX.Body[s.Instructions[0]]
	if number := uint64(c.identity.Warp / coexecution.WarpgroupWarps); (number+1)*groupThreads > p.launch.Block.Count() {
		return fmt.Errorf("%s: %s: warpgroup %d of thread block %d has fewer than four full warps", in.Position, mnemonic(in), number, c.block)
	}
	if t.lanes != ^uint32(0) {
		return fmt.Errorf("%s: %s takes all 32 lanes of the warp, only those of 0x%08x of warp %d of thread block %d come to it", in.Position, mnemonic(in), t.lanes, c.identity.Warp, c.block)
	}
	g, member := c.group()
	at := g.done[member] - g.first
	t.products, t.kept = uint32(s.Entry), min(len(s.Starts), len(g.kept)-at)
	for i := range t.kept {
		if err := p.coexecutor.device.Write(p.keptAt(i), g.kept[at+i]); err != nil {
			return err
		}
	}
	return nil
}

// endProducts keeps what other warps need.
func (c *context) endProducts(segment int, t *turn) error {
	p := c.program
	s := p.rewritten.Products[segment]
	if s == nil {
		return nil
	}
	d := p.coexecutor.device
	c.factors = make([]byte, contamination.FactorBytes*len(s.Instructions))
	if err := d.Read(c.factors, p.coexecutor.products); err != nil {
		return err
	}
	g, member := c.group()
	for i := t.kept; i < len(s.Starts); i++ {
		b := make([]byte, p.blockShared())
		if err := d.Read(b, p.keptAt(i)); err != nil {
			return err
		}
		g.kept = append(g.kept, b)
	}
	g.done[member] += len(s.Starts)
	if n := slices.Min(g.done[:]) - g.first; n > 0 {
		g.kept, g.first = slices.Delete(g.kept, 0, n), g.first+n
	}
	return nil
}

// multiply notes a product, which the four warps execute with the same factors from shared
// memory.
func (c *context) multiply(segment, i int, r *coexecution.Record) error {
	p := c.program
	in := &p.kernel.PTX.Body[i]
	a, b := contamination.Descriptors(in)
	words := c.factors[contamination.FactorBytes*slices.Index(p.rewritten.Products[segment].Instructions, i):]
	word := func(n int) uint64 {
		if n < 0 {
			return 0
		}
		return binary.LittleEndian.Uint64(words[8*n:])
	}
	number, member := c.identity.Warp/coexecution.WarpgroupWarps, c.identity.Warp%coexecution.WarpgroupWarps
	g := &c.identity.Block.Warpgroups[number]
	at := g.Done[member] - g.First
	if at == len(g.Pending) {
		s := g.NewStep()
		s.Instruction, s.DescriptorA, s.DescriptorB = i, word(a), word(b)
		g.Pending = append(g.Pending, s)
	}
	s := g.Pending[at]
	if s.Instruction != i || s.DescriptorA != word(a) || s.DescriptorB != word(b) {
		other := &p.kernel.PTX.Body[s.Instruction]
		return fmt.Errorf("%s: warp %d of thread block %d executes %s with the matrix descriptors 0x%x and 0x%x, another of warpgroup %d executed that of line %d with 0x%x and 0x%x",
			in.Position, c.identity.Warp, c.block, mnemonic(in), word(a), word(b), number, other.Line, s.DescriptorA, s.DescriptorB)
	}
	g.Done[member]++
	s.Left--
	r.Yield = r.Yield || at >= coexecution.WarpgroupLead
	g.Leave()
	return nil
}
