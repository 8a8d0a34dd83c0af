// SPDX-License-Identifier: Apache-2.0

package contaminator

import "github.com/warptape/warptape/frontend/ptx"

// Reads calls visit for every register that the instruction reads: sources,
// address bases wherever they stand, the guard, and the sums that a product of a warpgroup
// adds to (9.7.15.5).
func Reads(in *ptx.Instruction, visit func(r *ptx.Register)) {
	if in.Guard.Register != nil {
		visit(in.Guard.Register)
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		switch {
		case o.Kind == ptx.OperandAddress && o.Register != nil:
			visit(o.Register)
		case i < in.Destinations && (i > 0 || !addsToSums(in)):
		case o.Kind == ptx.OperandRegister:
			visit(o.Register)
		case o.Kind == ptx.OperandVector:
			visitElements(o, visit)
		}
	}
}

// addsToSums reports whether an instruction is wgmma.mma_async with a scale-d that may be true.
func addsToSums(in *ptx.Instruction) bool {
	if !in.MultipliesGroups() {
		return false
	}
	keep := in.Named("scale-d")
	return keep == nil || keep.Kind == ptx.OperandRegister || (keep.Value != 0) != keep.Negated
}

// Writes calls visit for every register that the instruction writes.
func Writes(in *ptx.Instruction, visit func(r *ptx.Register)) {
	for i := range in.Operands[:in.Destinations] {
		switch o := &in.Operands[i]; o.Kind {
		case ptx.OperandRegister:
			visit(o.Register)
		case ptx.OperandVector:
			visitElements(o, visit)
		}
	}
}

func visitElements(o *ptx.Operand, visit func(r *ptx.Register)) {
	for i := range o.Elements {
		if o.Elements[i].Kind == ptx.OperandRegister {
			visit(o.Elements[i].Register)
		}
	}
}
