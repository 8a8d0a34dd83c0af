// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// predicate gives the operations of optional parts the predicates of the branches around
// them.
func (s *selector) predicate() {
	parts := s.block.Parts
	guards := make([]ir.Operand, len(parts))
	for p := range parts {
		if parts[p].Optional {
			guards[p] = s.partGuard(p, guards)
		}
	}
	for i := range s.block.Ops {
		if op := &s.block.Ops[i]; op.Code != nil && parts[op.Part].Optional && !op.Unmasked {
			op.Guard, op.Partial = guards[op.Part], len(op.Dst) > 0
		}
	}
}

// unmask lets operations of optional parts execute with all lanes of the block that make
// only what optional parts read: what lanes outside compute is not read.
func (s *selector) unmask() {
	uses := make([]int32, len(s.f.Registers))
	for _, b := range s.f.Blocks {
		if b != nil {
			for i := range b.Ops {
				b.Ops[i].EachRead(func(r ir.Register) { uses[r]++ })
			}
		}
	}
	seen := make([]int32, len(s.f.Registers))
	for _, b := range s.f.Blocks {
		if b == nil || len(b.Parts) < 2 {
			continue
		}
		for i := range b.Ops {
			if op := &b.Ops[i]; b.Parts[op.Part].Optional {
				op.EachRead(func(r ir.Register) { seen[r]++ })
			}
		}
		for i := range b.Ops {
			op := &b.Ops[i]
			if !b.Parts[op.Part].Optional || op.Unmasked {
				continue
			}
			inside := true
			for _, r := range op.Dst {
				inside = inside && seen[r] == uses[r] && (int(r) >= s.variables || s.vars.once(r))
			}
			if inside {
				op.Partial = false
			}
			if inside && op.Effect == ir.Pure && !op.Memory && op.Keep == nil {
				op.Unmasked, op.Guard = true, ir.Operand{}
			}
		}
	}
}

// partGuard finds the predicate under which lanes come to an optional part, as the branch
// of the part before says; inside of another it holds with that one's.
func (s *selector) partGuard(p int, guards []ir.Operand) ir.Operand {
	block := s.block.Parts[p].Block
	for from := p - 1; from >= 0; from-- {
		b := &s.k.Blocks[s.block.Parts[from].Block]
		if len(b.Successors) == 0 || b.Successors[0] != block && (len(b.Successors) < 2 || b.Successors[1] != block) {
			continue
		}
		in := &s.k.Instructions[b.First+b.Count-1]
		if in.Class != trace.ClassBranch || !in.Guard.Present {
			return guards[from] // it goes on without a condition
		}
		o := s.value(s.vars.of(s.f, in.Guard.Register))
		o.Negated = o.Negated != in.Guard.Negated
		// A sink is the target of a branch that ends the kernel.
		if to := in.Operands[0]; to.Kind == trace.OperandSink || to.Kind == trace.OperandBlock && to.Value != int64(block) {
			o.Negated = !o.Negated
		}
		if outer := guards[from]; outer.Kind == ir.Reg && o.Kind == ir.Reg {
			s.both(o, outer)
		}
		return o
	}
	return ir.Operand{}
}

// both lets the comparison that makes an inner predicate take the outer one as a source:
// hardware combines them in the comparison. Otherwise an operation does.
func (s *selector) both(inner, outer ir.Operand) {
	if at, ok := s.made[inner.Register]; ok {
		if op := &s.block.Ops[at]; op.Code != nil && (op.Code == ir.FSETP || op.Code == ir.ISETP || op.Code == ir.DSETP || op.Code == ir.PLOP3) && len(op.Src) < 4 {
			op.Src = append(op.Src[:len(op.Src):len(op.Src)], outer)
		}
	}
}
