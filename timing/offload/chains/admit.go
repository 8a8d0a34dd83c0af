// SPDX-License-Identifier: Apache-2.0

package chains

import "github.com/warptape/warptape/trace"

// maxLaneBytes is what a lane may load or store: the line of one address of the
// packet serves all 32 lanes (Fig. 5, 128-byte lines).
const maxLaneBytes = 4

// loads reports whether instruction i is a load that a chain can begin with.
func (f *finder) loads(i int32) bool {
	in := &f.kernel.Instructions[i]
	return in.Class == trace.ClassLoad && single(in) && global(in) && len(in.Operands) == 2
}

// stores reports whether instruction i is a store that a chain can end with.
func (f *finder) stores(i int32) bool {
	in := &f.kernel.Instructions[i]
	return in.Class == trace.ClassStore && global(in) && len(in.Operands) == 2 && in.Operands[1].Kind == trace.OperandRegister
}

// global reports whether a memory instruction moves a word of global memory that
// no other thread has to see in a certain order.
func global(in *trace.Instruction) bool {
	if in.Space != trace.SpaceGlobal || in.LaneBytes == 0 || in.LaneBytes > maxLaneBytes || in.Guard.Present {
		return false
	}
	for _, m := range in.Modifiers {
		switch m {
		case "volatile", "relaxed", "acquire", "release", "mmio":
			return false
		}
	}
	return true
}

// single reports whether an instruction writes one register of 32 bits, or a
// predicate, and nothing else.
func single(in *trace.Instruction) bool {
	return in.Destinations == 1 && in.Operands[0].Kind == trace.OperandRegister && in.Operands[0].Register.Words <= 1
}

// computes reports whether an instruction is one for the ALU at the memory
// partitions, 32 lanes of single precision and integers (section 4.2), on
// registers of 32 bits.
func (f *finder) computes(in *trace.Instruction) bool {
	switch in.Class {
	case trace.ClassIntAdd, trace.ClassIntMinMax, trace.ClassIntMul, trace.ClassIntMad,
		trace.ClassF32Add, trace.ClassF32MinMax, trace.ClassF32Mul, trace.ClassF32Fma, trace.ClassConvert:
	default:
		return false
	}
	if in.Guard.Present || !single(in) {
		return false
	}
	for i := int(in.Destinations); i < len(in.Operands); i++ {
		if o := &in.Operands[i]; o.Kind == trace.OperandRegister && o.Register.Words > 1 {
			return false
		}
	}
	return true
}

// adds reports whether an instruction multiplies and adds.
func adds(in *trace.Instruction) bool {
	return in.Class == trace.ClassF32Fma || in.Class == trace.ClassIntMad
}

// widens reports whether instruction i only extends the result of a load that
// nothing else reads, as compilers do after loads of less than a register. The
// load has done so already (PTX ISA, "Operand Size Exceeding Instruction-Type
// Size").
func (f *finder) widens(v *values, i int32) bool {
	in := &f.kernel.Instructions[i]
	if in.Class != trace.ClassConvert || in.Guard.Present || !single(in) || len(in.Types) != 2 || len(in.Modifiers) > 0 {
		return false
	}
	from := v.at(i).reads
	if len(from) != 1 || from[0] < 0 || !v.only(from[0]) || !f.loads(from[0]) {
		return false
	}
	to, of := in.Types[0], in.Types[1]
	load := &f.kernel.Instructions[from[0]]
	return isInteger(to) && isInteger(of) && width(to) >= width(of) && len(load.Types) == 1 && width(of) == width(load.Types[0])
}

func isInteger(t string) bool {
	return len(t) > 1 && (t[0] == 'u' || t[0] == 's' || t[0] == 'b')
}

// width is the number of bits of a type such as "u16".
func width(t string) int {
	n := 0
	for _, c := range t[1:] {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}
