// SPDX-License-Identifier: Apache-2.0

// Package ir is the machine operations that the stages of a lowering hand on: a typed
// list of operations a basic block, over virtual registers until they are allocated.
//
// An operation covers the recorded instructions whose work it does: their composition is
// its meaning (see package evaluate). Operations that share the work of one instruction,
// as those of a division do, cover it with the last of them.
package ir

import "github.com/warptape/warptape/trace"

// Register is a virtual register, an index of Function.Registers.
type Register int32

// NoRegister is no register.
const NoRegister Register = -1

// RegisterInfo describes a virtual register.
type RegisterInfo struct {
	File  trace.RegisterFile
	Words uint8  // 32-bit registers, in a row and aligned to their number
	Name  string // the PTX name, "" for one that the lowering made
}

// Kind is the kind of an operand.
type Kind uint8

// The kinds of operand. A constant is a word of the constant bank: a kernel parameter, or
// a variable in constant memory at an address that is known.
const (
	None Kind = iota
	Reg
	Immediate
	Constant
	Special
)

// Part says which words of a register an operand reads.
type Part uint8

// The parts: all words, one of two, or one word that zeros extend to two.
const (
	Whole Part = iota
	Low
	High
	ZeroExtended
)

// Operand is what an operation reads.
type Operand struct {
	Kind     Kind
	Register Register
	Part     Part
	Negated  bool // a predicate read as its opposite
	// Address says that the operand is one more address that the operation has, besides that
	// of the access: a register with Value behind it, or Value alone.
	Address bool
	Words   uint8
	Value   int64  // of an immediate; the offset of a constant or symbol
	Symbol  string // of a constant, symbol's address or special register
}

// IsReg reports whether the operand is a register.
func (o *Operand) IsReg() bool { return o.Kind == Reg }

// Read is a variable that the covered instructions read from outside, and the source in
// which an operation has its value.
type Read struct {
	Variable Register
	Operand  Operand
}

// Access is the number of a recorded access of a part of a block.
type Access struct {
	Part    uint16
	Ordinal uint16
}

// Effect says what keeps operations in order besides their registers.
type Effect uint8

// The effects.
const (
	Pure    Effect = iota
	Loads          // reads memory that stores may change
	Stores         // writes memory
	Ordered        // barriers, fences, atomics and all that meets other threads
	Ends           // leaves the block: stays last
)

// Combine is a logic operation of a comparison on its result and a predicate.
type Combine uint8

// The logic operations.
const (
	Alone Combine = iota
	And
	Or
)

// Op is a machine operation.
type Op struct {
	Code *Code
	Dst  []Register
	Src  []Operand
	// Guard is the predicate of a predicated operation, None without one.
	Guard Operand
	// Partial says that lanes keep the old value of Dst where the guard is false.
	Partial bool
	// Combine says how a comparison's result is combined with its last source, besides the
	// work of what it covers.
	Combine Combine

	Covers []uint32 // recorded instructions, in their order
	Reads  []Read
	Origin uint32 // the recorded instruction that pays

	// Part is the recorded basic block, by its place among the block's, to which the
	// operation belongs. Unmasked says that it executes with the lanes of the block's first
	// part. Mask, when it has a guard of the recording, says which of the part's it is
	// (from 1 on).
	Part     uint16
	Unmasked bool
	Mask     uint16

	// Stored says that a store has the result, of a part into which LLVM has sunk the
	// operation. A store that is Behind stays behind all of these.
	Stored, Behind bool

	Effect   Effect
	Memory   bool
	Accesses []Access // recorded accesses that it makes, by ascending address
	Space    trace.Space
	Bytes    uint8 // a lane's
	Base     Operand
	Offset   int64
	// Aligned is the number of zero bits with which the address is sure to end.
	Aligned uint8
	// Spill is the slot of a spill or reload from 1 on; zero for other operations.
	Spill uint32

	// Keep is the recorded instruction whose modifiers the machine has to know, nil for
	// arithmetic.
	Keep *trace.Instruction
}

// Block is a lowered basic block.
type Block struct {
	Parts      []Part16
	Ops        []Op
	Successors []uint32 // recorded numbers
}

// Part16 is a recorded basic block of a lowered one.
type Part16 struct {
	Block    uint32
	Optional bool
	// Sunk says that LLVM has put there what the program computes in front of the branch.
	Sunk bool
}

// Function is a kernel in machine operations.
type Function struct {
	Kernel    *trace.Kernel
	Registers []RegisterInfo
	// Blocks are by recorded number; nil for those that are part of another.
	Blocks []*Block
	// Layout is the order of the blocks in memory.
	Layout []uint32
	// Variables are those of the PTX registers, and Costless marks the instructions
	// whose results are read where they come from, so that nothing is executed for them.
	Variables *Variables
	Costless  []bool
}

// NewRegister makes a register.
func (f *Function) NewRegister(file trace.RegisterFile, words uint8) Register {
	f.Registers = append(f.Registers, RegisterInfo{File: file, Words: words})
	return Register(len(f.Registers) - 1)
}

// EachRead calls visit for each register that the operation reads.
func (o *Op) EachRead(visit func(Register)) {
	for i := range o.Src {
		if o.Src[i].Kind == Reg {
			visit(o.Src[i].Register)
		}
	}
	if o.Base.Kind == Reg {
		visit(o.Base.Register)
	}
	if o.Guard.Kind == Reg {
		visit(o.Guard.Register)
	}
}

// AppendReads appends the registers that EachRead visits to a list.
func (o *Op) AppendReads(list []Register) []Register {
	for i := range o.Src {
		if o.Src[i].Kind == Reg {
			list = append(list, o.Src[i].Register)
		}
	}
	if o.Base.Kind == Reg {
		list = append(list, o.Base.Register)
	}
	if o.Guard.Kind == Reg {
		list = append(list, o.Guard.Register)
	}
	return list
}

// Replace puts another operand in the place of each that reads a register.
func (o *Op) Replace(change func(Operand) Operand) {
	for i := range o.Src {
		if o.Src[i].Kind == Reg {
			o.Src[i] = change(o.Src[i])
		}
	}
	for i := range o.Reads {
		if o.Reads[i].Operand.Kind == Reg {
			o.Reads[i].Operand = change(o.Reads[i].Operand)
		}
	}
	if o.Base.Kind == Reg {
		o.Base = change(o.Base)
	}
	if o.Guard.Kind == Reg {
		o.Guard = change(o.Guard)
	}
}

// RegOperand is a whole register as an operand.
func RegOperand(r Register) Operand { return Operand{Kind: Reg, Register: r} }
