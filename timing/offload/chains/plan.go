// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"fmt"

	"github.com/warptape/warptape/trace"
)

// Tag is what two bits in an opcode say of an instruction's place in a chain
// (section 4.2, "Identification of Offload Chains").
type Tag uint8

// The tags, with the bits of the paper.
const (
	Untagged     Tag = 0b00
	First        Tag = 0b01
	Intermediate Tag = 0b10
	Last         Tag = 0b11
)

// NoStore is Chain.Store of a chain whose result goes back to the core.
const NoStore = ^uint32(0)

// Chain is one offload chain. Instructions are places in Kernel.Instructions.
type Chain struct {
	Pattern Pattern
	Block   uint32   // basic block
	Members []uint32 // in order; the first is a load
	Loads   []uint32 // of these, the loads: one or two
	Compute []uint32 // of these, what an ALU does
	// Store is the last member, or NoStore.
	Store uint32
	// Split says that the last member is a multiply-add, and that the chain has only its
	// multiplication; the core adds when the product is there (section 5).
	Split bool
}

// Plan is what the pass has made of a kernel.
type Plan struct {
	Chains []Chain // in order of their first instruction
	Tags   []Tag   // by instruction
	// ChainOf is the chain of each instruction, -1 for none.
	ChainOf []int32
	// Order is the instructions in their new order, a permutation inside each
	// basic block in which every chain is contiguous.
	Order []uint32
}

// maxLiveWords bounds the memory of the pass: words of 64 registers, one set per
// basic block. A larger kernel is not looked at.
const maxLiveWords = 1 << 22

// Find looks for chains in a kernel. The error is that of a kernel whose basic
// blocks do not fit its instructions.
func Find(k *trace.Kernel) (*Plan, error) {
	p := &Plan{Tags: make([]Tag, len(k.Instructions)), ChainOf: make([]int32, len(k.Instructions))}
	for i := range p.ChainOf {
		p.ChainOf[i] = -1
		p.Order = append(p.Order, uint32(i))
	}
	for b := range k.Blocks {
		if err := checkBlock(k, b); err != nil {
			return nil, err
		}
	}
	f := newFinder(k)
	if f == nil {
		return p, nil
	}
	for b := range k.Blocks {
		f.block(p, uint32(b))
	}
	return p, nil
}

func checkBlock(k *trace.Kernel, b int) error {
	at := &k.Blocks[b]
	if uint64(at.First)+uint64(at.Count) > uint64(len(k.Instructions)) {
		return fmt.Errorf("kernel %s: basic block %d does not lie within the %d instructions; the trace is damaged", k.Name, b, len(k.Instructions))
	}
	for _, to := range at.Successors {
		if int64(to) >= int64(len(k.Blocks)) {
			return fmt.Errorf("kernel %s: basic block %d is followed by %d of %d; the trace is damaged", k.Name, b, to, len(k.Blocks))
		}
	}
	return nil
}

// finder is what the blocks of a kernel share.
type finder struct {
	kernel  *trace.Kernel
	names   names
	live    liveness
	uniform []bool // by name
}

// newFinder gives nil for a kernel that is too large.
func newFinder(k *trace.Kernel) *finder {
	f := &finder{kernel: k, names: nameRegisters(k)}
	if words := (f.names.count + 63) / 64; words*len(k.Blocks) > maxLiveWords {
		return nil
	}
	f.live = findLiveness(k, &f.names)
	f.uniform = findUniform(k, &f.names)
	return f
}

// block finds the chains of one basic block, orders it and adds both to the plan.
func (f *finder) block(p *Plan, b uint32) {
	at := &f.kernel.Blocks[b]
	if at.Count == 0 {
		return
	}
	v := f.values(b)
	found := f.match(v)
	if len(found) == 0 {
		return
	}
	order, kept := f.schedule(v, found)
	copy(p.Order[at.First:], order)
	for _, c := range kept {
		c.Block = b
		for n, i := range c.Members {
			p.ChainOf[i] = int32(len(p.Chains))
			switch n {
			case 0:
				p.Tags[i] = First
			case len(c.Members) - 1:
				p.Tags[i] = Last
			default:
				p.Tags[i] = Intermediate
			}
		}
		p.Chains = append(p.Chains, c)
	}
}
