// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// fusion finds pairs of instructions in a segment that one instruction stands for: the
// first computes a number that only the second reads. Such are the parts of
// addresses, base + index*size, which compilers leave in pieces. That the number in
// between never gets to its register cannot be told.
type fusion struct {
	body    []ptx.Instruction
	readers []int // how often the kernel reads a register, by Register.Index
	list    []scheduled
}

func newFusion(k *ptx.Kernel) *fusion {
	f := &fusion{body: k.Body, readers: make([]int, len(k.Registers))}
	for i := range k.Body {
		contaminator.Reads(&k.Body[i], func(r *ptx.Register) { f.readers[r.Index]++ })
	}
	return f
}

// add appends an instruction to the segment's run, in place of one that it can be
// fused with.
func (f *fusion) add(index int) {
	s := scheduled{in: &f.body[index], index: index}
	if s.in.Guard.Register == nil && simple(s.in) {
		for o := s.in.Destinations; o < len(s.in.Operands); o++ {
			at := f.producer(&s.in.Operands[o])
			if at < 0 {
				continue
			}
			if in := fuse(f.list[at].in, s.in, o); in != nil {
				f.list = append(f.list[:at], f.list[at+1:]...)
				s.in, s.fused = in, true
				break
			}
		}
	}
	f.list = append(f.list, s)
}

// producer finds the instruction of the run that computes an operand for no other
// instruction, and that can be executed as late as now; -1 without one.
func (f *fusion) producer(o *ptx.Operand) int {
	if o.Kind != ptx.OperandRegister || f.readers[o.Register.Index] != 1 {
		return -1
	}
	at := len(f.list) - 1
	for ; at >= 0 && !writesTo(f.list[at].in, o.Register); at-- {
	}
	if at < 0 || f.list[at].in.Guard.Register != nil || !simple(f.list[at].in) {
		return -1
	}
	late := true
	contaminator.Reads(f.list[at].in, func(r *ptx.Register) {
		for i := at + 1; i < len(f.list); i++ {
			late = late && !writesTo(f.list[i].in, r)
		}
	})
	if !late {
		return -1
	}
	return at
}

// simple reports whether an instruction makes one number of registers and immediates. Clocks
// and places in a function's frame depend on where the instruction stands.
func simple(in *ptx.Instruction) bool {
	for i := range in.Operands {
		if k := in.Operands[i].Kind; k != ptx.OperandRegister && (k != ptx.OperandImmediate || i == 0) {
			return false
		}
	}
	return in.Destinations == 1
}

func writesTo(in *ptx.Instruction, register *ptx.Register) bool {
	found := false
	contaminator.Writes(in, func(r *ptx.Register) { found = found || r == register })
	return found
}

// fuse gives the instruction that does what first and second do, nil if there is none;
// operand is the one of second that first computes.
func fuse(first, second *ptx.Instruction, operand int) *ptx.Instruction {
	switch {
	case first.Op == ptx.OpMul && second.Op == ptx.OpAdd:
		return fuseProduct(first, second, operand)
	case first.Op == ptx.OpShl && second.Op == ptx.OpAdd:
		return fuseShift(first, second, operand)
	case first.Op == ptx.OpCvt && second.Op == ptx.OpShl && operand == 1:
		return fuseWidening(first, second)
	}
	return nil
}

// fuseProduct makes mad of mul and add. Integers only: floating-point numbers are rounded in
// between.
func fuseProduct(mul, add *ptx.Instruction, operand int) *ptx.Instruction {
	bits := mul.Type().Bits()
	wide := mul.Mods.Has(ptx.ModWide)
	if wide {
		bits *= 2
	}
	if !wholeNumber(mul.Type()) || mul.Mods.Has(ptx.ModHi) || !plainSum(add, bits) {
		return nil
	}
	return multiplyAdd(mul.Type(), wide, add, mul.Operands[1], mul.Operands[2], operand)
}

// fuseShift makes mad of shl by a constant and add.
func fuseShift(shl, add *ptx.Instruction, operand int) *ptx.Instruction {
	factor, ok := powerOf(&shl.Operands[2])
	// Products of 64 bits cost more than the shift and the sum.
	if !ok || shl.Type().Bits() != 32 || !plainSum(add, 32) {
		return nil
	}
	return multiplyAdd(ptx.U32, false, add, shl.Operands[1], factor, operand)
}

// multiplyAdd is mad: operand of add is a*b.
func multiplyAdd(t ptx.Type, wide bool, add *ptx.Instruction, a, b ptx.Operand, operand int) *ptx.Instruction {
	in := *add
	in.Op, in.Types, in.Mods = ptx.OpMad, [4]ptx.Type{t}, ptx.Modifiers{}
	if wide {
		in.Mods.Add(ptx.ModWide)
	} else {
		in.Mods.Add(ptx.ModLo)
	}
	in.Operands = []ptx.Operand{add.Operands[0], a, b, add.Operands[3-operand]}
	return &in
}

// plainSum reports whether an instruction adds integers of the given width, and does nothing
// else.
func plainSum(add *ptx.Instruction, bits int) bool {
	return wholeNumber(add.Type()) && add.Type().Bits() == bits && !add.Mods.Has(ptx.ModSat) && !add.Mods.Has(ptx.ModCC)
}

// wholeNumber reports whether lanes of a type fill a slot, one number each.
func wholeNumber(t ptx.Type) bool {
	return t == ptx.U32 || t == ptx.S32 || t == ptx.U64 || t == ptx.S64
}

// fuseWidening makes mul.wide of cvt to 64 bits and shl by a constant.
func fuseWidening(cvt, shl *ptx.Instruction) *ptx.Instruction {
	factor, ok := powerOf(&shl.Operands[2])
	to, from, source := cvt.Types[0], cvt.Types[1], &cvt.Operands[1]
	if !ok || shl.Type().Bits() != 64 || to != ptx.U64 && to != ptx.S64 || from != ptx.U32 && from != ptx.S32 || cvt.Mods.Has(ptx.ModSat) ||
		source.Kind != ptx.OperandRegister || source.Register.Type.Bits() != 32 {
		return nil
	}
	in := *shl
	in.Op, in.Types, in.Mods = ptx.OpMul, [4]ptx.Type{from}, ptx.Modifiers{}
	in.Mods.Add(ptx.ModWide)
	in.Operands = []ptx.Operand{shl.Operands[0], *source, factor}
	return &in
}

// powerOf is what a shift by a constant multiplies by, if it is a positive number of
// either sign.
func powerOf(amount *ptx.Operand) (ptx.Operand, bool) {
	if amount.Kind != ptx.OperandImmediate || amount.Value > 30 {
		return ptx.Operand{}, false
	}
	return ptx.Operand{Position: amount.Position, Kind: ptx.OperandImmediate, Value: 1 << amount.Value}, true
}
