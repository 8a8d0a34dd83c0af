// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// warpgroupProduct is wgmma.mma_async: d = a*b + d, or a*b (9.7.15.5).
type warpgroupProduct struct {
	n, k    int // k in words of 32 bits for single bits
	factorA warpgroupFactor
	factorB warpgroupFactor
	d       fragmentMap
	a       fragmentMap // of registers; empty where a is in shared memory
	descA   uint32      // slot
	descB   uint32
	// keep is the predicate scale-d, and what to exclusive-or to it.
	keep, keepFlip uint32
	negate         bool // of one factor
	saturate       bool
	bits           bool
	sparse         *sparsity // of a; nil for a dense one
}

// packed is the number of elements of a row of a that the operand has.
func (k *warpgroupProduct) packed() int {
	if k.sparse != nil {
		return k.k / 2
	}
	return k.k
}

// bytesB is the size of a column of b: that of a row of a, or twice that with the k of
// a sparse product.
func (k *warpgroupProduct) bytesB() int { return factorBytes * k.k / k.packed() }

// warpgroupFactor is how a factor lies in shared memory.
type warpgroupFactor struct {
	typ       ptx.Type
	transpose bool
}

func (l *lowering) warpgroup(in *ptx.Instruction) (operation, error) {
	if !in.MultipliesGroups() {
		// Products are done at once, each in its order, so that there is nothing to
		// wait for.
		return operation{kind: kindRun, run: nothing}, nil
	}
	k := &warpgroupProduct{saturate: in.Mods.Has(ptx.ModSatfinite), bits: in.Types[1] == ptx.B1}
	k.n, k.k = in.WarpgroupShape()
	var err error
	if k.sparse, err = l.sparsityOf(in, in.Named("sp-meta"), in.Named("sp-sel"), in.Types[1]); err != nil {
		return operation{}, err
	}
	immediate := func(name string) uint64 {
		if o := in.Named(name); o != nil {
			return o.Value
		}
		return 0
	}
	k.factorA = warpgroupFactor{in.Types[1], immediate("imm-trans-a") == 1}
	k.factorB = warpgroupFactor{in.Types[2], immediate("imm-trans-b") == 1}
	k.negate = uint32(immediate("imm-scale-a")) != uint32(immediate("imm-scale-b"))
	slots, err := l.fragmentSlots(&in.Operands[0], false, in.Types[0].Bits())
	if err != nil {
		return operation{}, err
	}
	k.d = warpgroupSums(slots, k.n, in.Types[0])
	if a := &in.Operands[1]; a.Kind == ptx.OperandVector {
		if slots, err = l.fragmentSlots(a, true, 32); err != nil {
			return operation{}, err
		}
		t := in.Types[1]
		if k.bits {
			t = ptx.B32
		}
		k.a = mmaMap(slots, k.packed()*in.Types[1].Bits()/t.Bits(), t, false)
	} else if k.descA, err = l.source(a, 64); err != nil {
		return operation{}, err
	}
	if k.descB, err = l.source(&in.Operands[2], 64); err != nil {
		return operation{}, err
	}
	if k.keep, k.keepFlip, err = l.predicate(in.Named("scale-d")); err != nil {
		return operation{}, err
	}
	run := runWarpgroupProduct
	if in.Types[0] == ptx.S32 {
		run = runWholeWarpgroupProduct
	}
	return operation{kind: kindRun, run: run, extra: k}, nil
}

// warpgroupSums is the map of a warp's part of d (9.7.15.5.1): 16 rows, in pieces of
// eight columns that are as those of mma.sync.
func warpgroupSums(slots []uint32, columns int, t ptx.Type) fragmentMap {
	f := newFragmentMap(slots, t)
	for lane := range trace.WarpSize {
		for n := range len(slots) * f.parts {
			f.set(lane, n, (lane/4+8*(n/2%2))*columns+n/4*8+lane%4*2+n%2)
		}
	}
	f.tiled = f.tiles()
	return f
}

// join gives the product that the warp comes to, which the first warp of the group
// reads from shared memory.
func (c *warpContext) join(k *warpgroupProduct, op *operation, mask uint32) (*coexecution.WarpgroupStep, error) {
	if mask != lanes.FullMask {
		return nil, partialWarp("wgmma", mask)
	}
	number := c.identity.Warp / coexecution.WarpgroupWarps
	if uint64(number+1)*coexecution.WarpgroupWarps*trace.WarpSize > c.launch.Block.Count() {
		return nil, &laneFault{lane: -1, fault: coexecution.Fault{Kind: coexecution.FaultPartialWarp, Detail: fmt.Sprintf("warpgroup %d has fewer than four full warps", number)}}
	}
	g, member := &c.identity.Block.Warpgroups[number], c.identity.Warp%coexecution.WarpgroupWarps
	a, err := c.descriptor(k.descA, len(k.a.registers) == 0)
	if err != nil {
		return nil, err
	}
	b, err := c.descriptor(k.descB, true)
	if err != nil {
		return nil, err
	}
	at := g.Done[member] - g.First
	if at == len(g.Pending) {
		s := g.NewStep()
		s.Instruction, s.DescriptorA, s.DescriptorB, s.Reader = op.instruction, a, b, c.identity.Warp
		if err := c.readFactors(k, s); err != nil {
			return nil, err
		}
		g.Pending = append(g.Pending, s)
	}
	s := g.Pending[at]
	switch {
	case s.Instruction != op.instruction:
		return nil, &laneFault{lane: -1, fault: coexecution.Fault{Kind: coexecution.FaultPartialWarp, Detail: fmt.Sprintf(
			"the warps of warpgroup %d execute different wgmma.mma_async; another one is at line %d", number, c.program.kernel.PTX.Body[s.Instruction].Line)}}
	case s.DescriptorA != a || s.DescriptorB != b:
		return nil, &laneFault{lane: -1, fault: coexecution.Fault{Kind: coexecution.FaultPartialWarp, Detail: fmt.Sprintf(
			"the warps of warpgroup %d have different matrix descriptors: 0x%x and 0x%x, 0x%x and 0x%x", number, a, b, s.DescriptorA, s.DescriptorB)}}
	}
	if r := c.identity.Block.Races; r != nil {
		r.Share(c.identity.Warp, s.Reader)
	}
	g.Done[member]++
	s.Left--
	c.record.Yield = c.record.Yield || at >= coexecution.WarpgroupLead
	return s, nil
}

// descriptor is a matrix descriptor, which all lanes have in common.
func (c *warpContext) descriptor(slot uint32, used bool) (uint64, error) {
	if !used {
		return 0, nil
	}
	d := lanes.Of[uint64](c.at(slot))
	for i, v := range d {
		if v != d[0] {
			return 0, &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultPartialWarp, Detail: fmt.Sprintf("lanes have different matrix descriptors: 0x%x and 0x%x", d[0], v)}}
		}
	}
	return d[0], nil
}

// kept reports whether the sums begin with d; the lanes agree about it.
func (c *warpContext) kept(k *warpgroupProduct) (bool, error) {
	p := c.predicates[k.keep] ^ k.keepFlip
	if p != 0 && p != lanes.FullMask {
		return false, &laneFault{lane: -1, fault: coexecution.Fault{Kind: coexecution.FaultPartialWarp, Detail: fmt.Sprintf("scale-d is true in some lanes only (mask 0x%08x)", p)}}
	}
	return p != 0, nil
}
