// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// Parameters that point to constant memory. No host program of CUDA can give such a pointer: a
// module's own variables are all that lies there. So the text gets a variable for what they point
// to, and a parameter is the offset in it. Where the kernel loads one, its address is added.

// constantBank is the constant memory of a module (PTX ISA 5.1.3).
const constantBank = 64 << 10

// constantAlign is that of a buffer in constant memory.
const constantAlign = 256

// ConstantBytes is the size of that variable: what the module's own constants leave.
func ConstantBytes(k *contaminator.Kernel) uint64 {
	if !slices.Contains(k.ConstantParams(), true) {
		return 0
	}
	used := uint64(0)
	for _, v := range k.PTX.Module.Variables {
		if v.Space == ptx.SpaceConst {
			used += v.Bytes + max(uint64(v.Align), constantAlign)
		}
	}
	return (constantBank - min(used, constantBank)) / constantAlign * constantAlign
}

// IsConstants reports whether a variable of a layout stands for the buffers in constant memory.
func IsConstants(v *ptx.Variable) bool {
	return v.Space == ptx.SpaceConst && v.Position == ptx.Position{}
}

// constantsOf is the variable, if parameters need it.
func constantsOf(k *contaminator.Kernel) []*ptx.Variable {
	if n := ConstantBytes(k); n > 0 {
		return []*ptx.Variable{{Name: "constants", Space: ptx.SpaceConst, Type: ptx.B8, Align: constantAlign, Bytes: n}}
	}
	return nil
}

// declareConstants declares the variable once for a module.
func (r *rewriter) declareConstants(k *contaminator.Kernel) {
	list := constantsOf(k)
	if len(list) == 0 || r.moved[ptx.Position{}] != "" {
		return
	}
	name := r.name() + "_constants"
	r.moved[ptx.Position{}] = name
	r.result.Constants = name
	r.insert(r.headEnd, fmt.Sprintf("// added: what parameters point to in constant memory\n.visible .const .align %d .b8 %s[%d];\n", constantAlign, name, list[0].Bytes))
}

// constantParam is the parameter in constant memory whose value an instruction touches; nil for others.
func constantParam(k *contaminator.Kernel, in *ptx.Instruction) *ptx.Param {
	constant := k.ConstantParams()
	for i := range in.Operands {
		p := in.Operands[i].Param
		if p == nil {
			continue
		}
		at := slices.IndexFunc(k.PTX.Params, func(x *ptx.Param) bool { return x.Name == p.Name })
		if at >= 0 && constant[at] {
			return p
		}
	}
	return nil
}

// loadsWhole reports whether an instruction loads all of a pointer to one register.
func loadsWhole(in *ptx.Instruction) bool {
	return in.Op == ptx.OpLd && in.Vector <= 1 && in.Types[0].Bits() == 64 && !in.Types[0].Float() && in.Operands[0].Kind == ptx.OperandRegister && in.Operands[1].Offset == 0
}

// placeConstant adds the place of the buffers to a pointer that a kernel has loaded.
func (r *rewriter) placeConstant(k *Kernel, in *ptx.Instruction, to int) {
	p := constantParam(k.Kernel, in)
	if p == nil {
		return
	}
	before := r.take()
	guard := ""
	if in.Guard.Register != nil {
		guard = "@" + map[bool]string{true: "!"}[in.Guard.Negated] + in.Guard.Register.Name + " "
	}
	r.line("// added: where the buffer of %s lies in constant memory", verbatim(p.Name))
	r.line("mov.u64 $d, %s;", verbatim(r.moved[ptx.Position{}]))
	r.b.WriteString(r.indent + fmt.Sprintf("%sadd.u64 %s, %s, %%%sd;\n", guard, in.Operands[0].Register.Name, in.Operands[0].Register.Name, r.prefix))
	r.behind(in, to, before)
}
