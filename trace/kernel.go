// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"slices"
	"sort"
	"strings"
)

// Kernel is the static part of a trace for one kernel: enough for a compiler
// pass at replay, without PTX text.
type Kernel struct {
	Name string
	// File and Digest name the PTX the kernel came from: path as given and
	// lower-case hex SHA-256 of its bytes.
	File, Digest string
	Instructions []Instruction
	Blocks       []BasicBlock
	Params       []Param
	// RegistersPerThread is the number of 32-bit registers per thread after
	// allocation by liveness. PredicatesPerThread counts predicate registers.
	RegistersPerThread, PredicatesPerThread uint32
	// SharedBytes is the static shared memory of a thread block; LocalBytes is
	// the local memory of a thread; ConstBytes is what the kernel's module
	// places in constant memory.
	SharedBytes, LocalBytes, ConstBytes uint32
	// SharedVariables are where variables of shared memory lie, ascending by offset. Names
	// that mean several variables are left out; a trace that was recorded before there was
	// this field has none.
	SharedVariables []SharedVariable
	// MaxThreads is .maxntid or .reqntid, zero when not given.
	MaxThreads uint32
	// MaxRegisters is .maxnreg and MinBlocksPerSM .minnctapersm, zero when not given:
	// compilers keep the registers of a thread within them (PTX ISA 11.4). A trace that was
	// recorded before there were these fields has zeros.
	MaxRegisters, MinBlocksPerSM uint32
	// TimingDependent holds, for a kernel whose control flow depends on timing,
	// the reasons with their lines; a replay repeats them as a warning.
	TimingDependent []string
	// Source is the PTX text of the kernel (optional, for source views).
	Source string
	// Functions are those that the kernel can call, with their instructions, which
	// stand behind the kernel's own, in ascending order.
	Functions []Function
	// SourceFiles maps .file indexes of Instruction.SourceFile to names.
	SourceFiles map[uint32]string
	// Tesla is nil but for kernels in the language of the Tesla-like GPGPU.
	Tesla *Tesla
}

// Function is a function that a kernel can call: instructions First..First+Count-1
// of the kernel's table.
type Function struct {
	Name         string
	First, Count uint32
	// FirstLine is the line in Kernel.File where Source, the function's PTX text,
	// begins (optional).
	FirstLine uint32
	Source    string
}

// SharedVariable is a variable of a thread block's shared memory: Bytes from Offset on. An
// extern array has no bytes of its own; it is what a launch adds behind the static variables.
type SharedVariable struct {
	Name          string // as OperandSymbol and OperandAddress have it
	Offset, Bytes uint32
}

// FunctionName names the function that an instruction belongs to; it is empty for
// one of the kernel's own.
func (k *Kernel) FunctionName(instruction int) string {
	i := sort.Search(len(k.Functions), func(i int) bool { return int(k.Functions[i].First) > instruction }) - 1
	if i < 0 || instruction-int(k.Functions[i].First) >= int(k.Functions[i].Count) {
		return ""
	}
	return k.Functions[i].Name
}

// Param is one kernel parameter in its packed parameter space.
type Param struct {
	Name                 string
	Type                 string // PTX type such as "u64"; "b8" with Bytes > 1 is a struct
	Offset, Bytes, Align uint32
}

// BasicBlock is one segment of a contaminated kernel: a maximal run of
// instructions entered only at the top and left only at the bottom, cut after
// barriers as well. Its id is its index in Kernel.Blocks.
type BasicBlock struct {
	First, Count uint32 // instructions First..First+Count-1
	Successors   []uint32
	// PostDominator is the id of the immediate post-dominator, or
	// NoBlock when that is the kernel's exit.
	PostDominator uint32
	// Joins are the blocks at which lanes that the block's end parts meet again,
	// outermost first, where that is not the post-dominator alone. Paths that leave do
	// not count for them. Empty: the post-dominator (see Reconvergence).
	Joins []uint32
}

// Reconvergence gives the blocks at which lanes meet again that the block's end parts,
// outermost first; lanes that go to an outer one do not come to the inner one. It is
// empty where lanes do not meet before they leave the kernel. The result is appended
// to dst.
func (b *BasicBlock) Reconvergence(dst []uint32) []uint32 {
	switch {
	case len(b.Joins) > 0:
		return append(dst, b.Joins...)
	case b.PostDominator != NoBlock:
		return append(dst, b.PostDominator)
	}
	return dst
}

// NoBlock stands for the kernel's exit where a basic block id is expected.
const NoBlock = ^uint32(0)

// Instruction is one row of a kernel's instruction table.
type Instruction struct {
	Opcode    string   // PTX mnemonic without suffixes: "ld", "mad", "setp"
	Modifiers []string // suffixes that are not types, in order: "global", "v4", "wide", "rn"
	Types     []string // type suffixes, in order: "u32", "f32"
	Class     OpClass
	Guard     Guard
	// Operands with the written ones first; Destinations counts those.
	Operands     []Operand
	Destinations uint8
	// Space of a memory instruction, LaneBytes the bytes that one lane moves
	// (element width times vector length); zero otherwise.
	Space     Space
	LaneBytes uint8
	// Values says that the executions of a barrier have accesses whose words are no
	// addresses, but what its operands were: see BarrierVisit.
	Values bool
	// Line is the line in Kernel.File. SourceFile and SourceLine come from .loc
	// and are zero without it.
	Line                   uint32
	SourceFile, SourceLine uint32
}

// Name is the opcode with its modifiers and types: "ld.global.u32".
func (in *Instruction) Name() string {
	return strings.Join(slices.Concat([]string{in.Opcode}, in.Modifiers, in.Types), ".")
}

// Guarded reports whether the instruction's executions carry a guard mask in
// the trace: it is predicated and is not a branch or exit, whose outcome is in
// the path itself.
func (in *Instruction) Guarded() bool {
	return in.Guard.Present && in.Class != ClassBranch && in.Class != ClassExit
}

// HasAccess reports whether the trace has an access for each execution of the instruction:
// the addresses of a memory instruction, or the words of one with Values.
func (in *Instruction) HasAccess() bool { return in.Values || in.Class.IsMemory() }

// Guard is the predicate @p or @!p of an instruction.
type Guard struct {
	Present, Negated bool
	Register         Register
}

// Register is an allocated register. Number counts 32-bit registers (or
// predicates); a register of Words 2 occupies Number and Number+1, one of 4 (.b128) two more.
type Register struct {
	File   RegisterFile
	Number uint16
	Words  uint8
	// Virtual is the PTX name it was allocated for.
	Virtual string
}

// RegisterFile tells general registers from predicate registers.
type RegisterFile uint8

// The register files.
const (
	FileGeneral RegisterFile = iota
	FilePredicate
)

// OperandKind says what an operand is.
type OperandKind uint8

// The operand kinds. They are part of the file format: only ever appended.
const (
	OperandInvalid OperandKind = iota
	OperandRegister
	OperandImmediate // Value holds the bits, sign-extended for signed types
	OperandParam     // a kernel parameter: Symbol, Value = byte offset in parameter space
	OperandSpecial   // a special register: Symbol ("tid.x")
	OperandSymbol    // the address of a variable: Symbol, Value = offset inside it
	OperandAddress   // a memory address: Register (when HasBase) or Symbol, plus Value
	OperandBlock     // a branch target: Value = basic block id
	OperandVector    // Elements
	OperandSink      // the bit bucket "_"

	operandEnd
)

// Operand is one operand of an Instruction.
type Operand struct {
	Kind     OperandKind
	Register Register
	HasBase  bool // OperandAddress: Register is the base
	Negated  bool // a predicate source written !p
	Symbol   string
	Value    int64
	Elements []Operand
}

// HasRegister reports whether Register means something.
func (o *Operand) HasRegister() bool {
	return o.Kind == OperandRegister || o.Kind == OperandAddress && o.HasBase
}

// Reads appends the registers that the instruction reads, guard included, to
// dst. Address bases count as read wherever they stand.
func (in *Instruction) Reads(dst []Register) []Register {
	if in.Guard.Present {
		dst = append(dst, in.Guard.Register)
	}
	for i := range in.Operands {
		dst = in.Operands[i].reads(dst, i < int(in.Destinations))
	}
	return dst
}

func (o *Operand) reads(dst []Register, written bool) []Register {
	switch o.Kind {
	case OperandRegister:
		if !written {
			dst = append(dst, o.Register)
		}
	case OperandAddress:
		if o.HasBase {
			dst = append(dst, o.Register)
		}
	case OperandVector:
		for i := range o.Elements {
			dst = o.Elements[i].reads(dst, written)
		}
	}
	return dst
}

// Writes appends the registers that the instruction writes to dst.
func (in *Instruction) Writes(dst []Register) []Register {
	for i := range in.Operands[:in.Destinations] {
		o := &in.Operands[i]
		switch o.Kind {
		case OperandRegister:
			dst = append(dst, o.Register)
		case OperandVector:
			for j := range o.Elements {
				if o.Elements[j].Kind == OperandRegister {
					dst = append(dst, o.Elements[j].Register)
				}
			}
		}
	}
	return dst
}
