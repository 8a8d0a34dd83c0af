// SPDX-License-Identifier: Apache-2.0

package allocate

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/flow"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// remaker finds what can be computed again where it is read, in the place of being kept: a
// comparison with registers that never change. One of them may be a sum. A thread index
// is compared so with the size of the data, and nothing has to be live meanwhile.
type remaker struct {
	f      *ir.Function
	graph  *flow.Graph
	makers []*ir.Op // by register: the one operation that writes it, for all lanes, at most once; nil: there is none
}

func newRemaker(f *ir.Function) *remaker {
	next := make([][]uint32, len(f.Blocks))
	for b, block := range f.Blocks {
		if block != nil {
			next[b] = block.Successors
		}
	}
	m := &remaker{f: f, graph: flow.New(next), makers: make([]*ir.Op, len(f.Registers))}
	if f.Kernel != nil && len(f.Kernel.Functions) > 0 {
		return m // a function's blocks execute once a call
	}
	writes := make([]int32, len(f.Registers))
	for b, block := range f.Blocks {
		if block == nil {
			continue
		}
		for i := range block.Ops {
			op := &block.Ops[i]
			for _, r := range op.Dst {
				writes[r]++
				if m.once(b) && forAll(block, op) {
					m.makers[r] = op
				}
			}
		}
	}
	for r, n := range writes {
		if n > 1 {
			m.makers[r] = nil
		}
	}
	return m
}

// once reports whether a thread executes a block once at most.
func (m *remaker) once(b int) bool { return m.graph.Loop(uint32(b)) == flow.None }

// forAll reports whether all lanes of a block execute an operation that does nothing but
// compute one register.
func forAll(b *ir.Block, op *ir.Op) bool {
	optional := int(op.Part) < len(b.Parts) && b.Parts[op.Part].Optional && !op.Unmasked
	return !optional && !op.Partial && op.Guard.Kind == ir.None && len(op.Dst) == 1 && op.Effect == ir.Pure && !op.Memory
}

// recipe gives the operations that make a predicate again in a block, in order; nil where
// it has to be kept. In a loop a single operation is as cheap as the one that unpacks it.
func (m *remaker) recipe(r ir.Register, block int) []*ir.Op {
	made := m.makers[r]
	if made == nil || made.Code != ir.ISETP && made.Code != ir.FSETP || made.Combine != ir.Alone {
		return nil
	}
	list := []*ir.Op{made}
	for i := range made.Src {
		o := &made.Src[i]
		if o.Kind != ir.Reg {
			continue
		}
		x := m.makers[o.Register]
		if x == nil || m.f.Registers[o.Register].File == trace.FilePredicate {
			return nil
		}
		if len(list) == 1 && m.cheap(x) {
			list = append(list, x)
		}
	}
	if len(list) > 1 && !m.once(block) {
		if registersOf(made) > 1 {
			return nil
		}
		list = list[:1] // the register that it compares lives as long as a packed predicate would
	}
	slices.Reverse(list)
	return list
}

// registersOf is how many of an operation's sources are registers.
func registersOf(op *ir.Op) (n int) {
	for i := range op.Src {
		if op.Src[i].Kind == ir.Reg {
			n++
		}
	}
	return n
}

// cheap reports whether an operation is one sum, shift or logic of what never changes.
func (m *remaker) cheap(op *ir.Op) bool {
	if op.Code != ir.IADD3 && op.Code != ir.LOP3 && op.Code != ir.LEA {
		return false
	}
	for i := range op.Src {
		if o := &op.Src[i]; o.Kind == ir.Reg {
			if m.makers[o.Register] == nil {
				return false
			}
		}
	}
	return true
}
