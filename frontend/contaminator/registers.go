// SPDX-License-Identifier: Apache-2.0

package contaminator

import "github.com/warptape/warptape/frontend/ptx"

// Reads calls visit for every register that the instruction reads: sources,
// address bases wherever they stand, and the guard.
func Reads(in *ptx.Instruction, visit func(r *ptx.Register)) {
	if in.Guard.Register != nil {
		visit(in.Guard.Register)
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		switch {
		case o.Kind == ptx.OperandAddress && o.Register != nil:
			visit(o.Register)
		case i < in.Destinations:
		case o.Kind == ptx.OperandRegister:
			visit(o.Register)
		case o.Kind == ptx.OperandVector:
			visitElements(o, visit)
		}
	}
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
