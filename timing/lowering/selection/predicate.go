// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"slices"

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
			if op.Effect == ir.Ends {
				op.Unmasked = true // all lanes of the block leave it here, whichever parts they took
				continue
			}
			if !s.combine(i, guards[op.Part]) {
				op.Guard, op.Partial = guards[op.Part], len(op.Dst) > 0
			}
		}
	}
}

// combine makes a comparison in an optional part, whose result is a constant outside, one
// that all lanes execute and that takes the part's predicate in: a && b, as C has it. It
// reports whether it has.
func (s *selector) combine(i int, guard ir.Operand) bool {
	op := &s.block.Ops[i]
	if op.Code != ir.FSETP && op.Code != ir.ISETP && op.Code != ir.DSETP || len(op.Dst) != 1 || op.Mask > 0 || combined(op) || guard.Kind != ir.Reg {
		return false
	}
	outside := s.constantBefore(i, op.Dst[0])
	if outside == nil {
		return false
	}
	op.Combine = ir.And
	if outside.Src[0].Value != 0 {
		op.Combine, guard.Negated = ir.Or, !guard.Negated
	}
	op.Src = append(op.Src[:len(op.Src):len(op.Src)], guard)
	op.Unmasked = true
	outside.Code = nil
	return true
}

// constantBefore is the operation by which a predicate becomes a constant for all lanes of
// the block, and which operation i alone overwrites; nil: there is none.
func (s *selector) constantBefore(i int, r ir.Register) *ir.Op {
	for n := i - 1; n >= 0; n-- {
		op := &s.block.Ops[n]
		if op.Code == nil {
			continue
		}
		read := false
		op.EachRead(func(x ir.Register) { read = read || x == r })
		if read {
			return nil
		}
		if !slices.Contains(op.Dst, r) {
			continue
		}
		if op.Code != ir.PLOP3 || op.Guard.Kind != ir.None || s.block.Parts[op.Part].Optional || len(op.Dst) != 1 || len(op.Src) != 1 || op.Src[0].Kind != ir.Immediate {
			return nil
		}
		return op
	}
	return nil
}

// unmask lets some operations of optional parts execute with all lanes of the block. They make
// only what optional parts read, for the condition of a part inside or in a part that LLVM
// has sunk: what lanes outside compute is not read. A compiler computes the second half of a && b so. The points in
// polygons of the cards' rows do, and guard what a branch alone decides.
func (s *selector) unmask() {
	conditions := s.conditions()
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
			if inside && op.Effect == ir.Loads && op.Mask == 0 && b.Parts[op.Part].Sunk {
				op.Guard = ir.Operand{} // the program loads in front of the branch; the recording has these lanes
			}
			if inside && op.Effect == ir.Pure && !op.Memory && op.Keep == nil && (b.Parts[op.Part].Sunk || slices.ContainsFunc(op.Dst, func(r ir.Register) bool { return conditions[r] })) {
				op.Unmasked, op.Guard = true, ir.Operand{}
			}
		}
	}
}

// conditions are the registers, by number, that operations in optional parts make for a
// predicate that guards others or takes in a part's.
func (s *selector) conditions() []bool {
	list := make([]bool, len(s.f.Registers))
	for _, b := range s.f.Blocks {
		if b == nil || len(b.Parts) < 2 {
			continue
		}
		for i := len(b.Ops) - 1; i >= 0; i-- { // sources are made in front of what reads them
			op := &b.Ops[i]
			if op.Guard.Kind == ir.Reg {
				list[op.Guard.Register] = true
			}
			if b.Parts[op.Part].Optional && (op.Combine != ir.Alone || slices.ContainsFunc(op.Dst, func(r ir.Register) bool { return list[r] })) {
				op.EachRead(func(r ir.Register) { list[r] = true })
			}
		}
	}
	return list
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
		o := s.value(s.vars.of(s.f, &in.Guard.Register))
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

// both lets the operation that makes an inner predicate take the outer one as a source: hardware combines
// them in comparisons, and in operations on predicates. An operation in front of the outer one's
// would read what that register held before, so it takes nothing.
func (s *selector) both(inner, outer ir.Operand) {
	at := s.vars.maker(inner.Register)
	if at < 0 || s.vars.maker(outer.Register) > at {
		return
	}
	switch op := &s.block.Ops[at]; op.Code {
	case ir.FSETP, ir.ISETP, ir.ISETP64, ir.DSETP, half["HSETP2"], ir.PLOP3:
		if len(op.Src) < 4 {
			op.Src = append(op.Src[:len(op.Src):len(op.Src)], outer)
		}
	}
}
