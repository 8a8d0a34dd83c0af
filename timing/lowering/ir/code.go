// SPDX-License-Identifier: Apache-2.0

package ir

import "github.com/warptape/warptape/trace"

// Code is the operation code of a machine operation.
type Code struct {
	Name  string
	Class trace.OpClass
	// Slots are the machine instructions that the operation issues, one a word of its
	// result unless the code says otherwise.
	Slots uint8
}

func code(name string, class trace.OpClass) *Code { return &Code{name, class, 1} }

func pair(name string, class trace.OpClass) *Code { return &Code{name, class, 2} }

// The operation codes, with the names of NVIDIA's binary utilities. Comparisons, selections
// and extremes of floating point do not multiply or add. They go to the unit of logic and
// integers (the ALU pipe of the Nsight Compute documentation, whose FMA pipe has FADD, FMUL
// and FFMA).
var (
	FADD  = code("FADD", trace.ClassF32Add)
	FMUL  = code("FMUL", trace.ClassF32Mul)
	FFMA  = code("FFMA", trace.ClassF32Fma)
	FMNMX = code("FMNMX", trace.ClassIntMinMax)
	FSETP = code("FSETP", trace.ClassIntAdd)
	FSEL  = code("FSEL", trace.ClassIntAdd)
	FCHK  = code("FCHK", trace.ClassSpecial)
	MUFU  = code("MUFU", trace.ClassSpecial)

	DADD  = code("DADD", trace.ClassF64Add)
	DMUL  = code("DMUL", trace.ClassF64Mul)
	DFMA  = code("DFMA", trace.ClassF64Fma)
	DSETP = code("DSETP", trace.ClassF64Add)

	IADD3    = code("IADD3", trace.ClassIntAdd)
	IADD64   = pair("IADD3.X", trace.ClassIntAdd)
	IMAD     = code("IMAD", trace.ClassIntMad)
	IMADWide = code("IMAD.WIDE", trace.ClassIntMad)
	IMADHi   = code("IMAD.HI", trace.ClassIntMad)
	LEA      = code("LEA", trace.ClassIntAdd)
	LEA64    = pair("LEA.HI.X", trace.ClassIntAdd)
	LOP3     = code("LOP3", trace.ClassIntAdd)
	LOP64    = pair("LOP3", trace.ClassIntAdd)
	SHF      = code("SHF", trace.ClassIntAdd)
	SHF64    = pair("SHF", trace.ClassIntAdd)
	IMNMX    = code("IMNMX", trace.ClassIntMinMax)
	ISETP    = code("ISETP", trace.ClassIntAdd)
	ISETP64  = pair("ISETP.EX", trace.ClassIntAdd)
	SEL      = code("SEL", trace.ClassIntAdd)
	SEL64    = pair("SEL", trace.ClassIntAdd)
	IABS     = code("IABS", trace.ClassIntAdd)
	PRMT     = code("PRMT", trace.ClassIntAdd)
	POPC     = code("POPC", trace.ClassConvert)
	FLO      = code("FLO", trace.ClassConvert)
	BREV     = code("BREV", trace.ClassConvert)
	PLOP3    = code("PLOP3", trace.ClassPredicate)
	P2R      = code("P2R", trace.ClassIntAdd)   // a predicate, into a general register
	Unpack   = code("ISETP", trace.ClassIntAdd) // and back

	MOV   = code("MOV", trace.ClassMove)
	MOV64 = pair("MOV", trace.ClassMove)
	// IMADMov copies a register by way of the multiplier, which ptxas takes in turns with
	// MOV from Volta on. It multiplies by zero, so that it has a move's class.
	IMADMov = code("IMAD.MOV.U32", trace.ClassMove)
	S2R     = code("S2R", trace.ClassMove)
	I2F     = code("I2F", trace.ClassConvert)
	F2I     = code("F2I", trace.ClassConvert)
	F2F     = code("F2F", trace.ClassConvert)
	I2I     = code("I2I", trace.ClassConvert)  // with saturation
	I2IP    = code("I2IP", trace.ClassConvert) // of two integers, into a part of a word

	BRA   = code("BRA", trace.ClassBranch)
	BSSY  = code("BSSY", trace.ClassNop)
	BSYNC = code("BSYNC", trace.ClassNop)
	SKIP  = code("BRA", trace.ClassNop)  // over the slow path of a division, inside of a block
	CALL  = code("CALL", trace.ClassNop) // of such a path, and back
	RET   = code("RET", trace.ClassNop)
	EXIT  = code("EXIT", trace.ClassExit)

	LDL = code("LDL", trace.ClassLoad)
	STL = code("STL", trace.ClassStore)
)

// MemoryCode is the code of a load, store or atomic.
func MemoryCode(name string, class trace.OpClass) *Code { return code(name, class) }

// SignExtend makes two words of one.
var SignExtend = pair("SHF.R.S32.HI", trace.ClassIntAdd)

// AddSigned64 adds a word with its sign to two words. The lower sum is an IADD3.
var AddSigned64 = pair("LEA.HI.X.SX32", trace.ClassIntAdd)

// Products of 64 bits, and of two words where hardware has 16-bit or 32-bit results only.
var (
	IMADPair = pair("IMAD", trace.ClassIntMad)
	IMAD64   = &Code{"IMAD", trace.ClassIntMad, 4}
	IMADHi64 = &Code{"IMAD.HI", trace.ClassIntMad, 10}
)

// Valued makes a value of a condition, in two instructions by way of the multiplier: a sum with one, and a copy of
// the number in its place where the condition does not hold.
var Valued = pair("IMAD.MOV.U32", trace.ClassIntMad)
