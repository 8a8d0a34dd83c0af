// SPDX-License-Identifier: Apache-2.0

package ptx

// Type is a fundamental PTX type (5.2.1), or a packed one.
type Type uint8

// The types.
const (
	TypeNone Type = iota
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	BF16x2
	TF32   // in 32-bit registers (5.2.3)
	E4M3x2 // two numbers of 8 bits in 16-bit registers (5.2.3)
	E5M2x2
	F32
	F64
	Pred
	// Elements of matrices (9.7.14.2) and of cvt.pack (9.7.9.22), packed in 32-bit
	// registers; no variable or register has them.
	U4
	S4
	B1
	U2
	S2
	// Two integers of 16 bits in registers of 32 (5.2.5); no variable has them.
	U16x2
	S16x2
	// Elements of 8-bit floating-point matrices, packed in 32-bit registers
	// (5.2.3, 9.7.14.2).
	E4M3
	E5M2
	// F32x2 is two numbers in a register of 64 bits (9.7.3).
	F32x2

	typeEnd
)

var typeNames = [typeEnd]string{"", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2", "f32", "f64", "pred", "u4", "s4", "b1", "u2", "s2", "u16x2", "s16x2", "e4m3", "e5m2", "f32x2"}

var typeBits = [typeEnd]int{0, 8, 16, 32, 64, 128, 8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 16, 32, 32, 16, 16, 32, 64, 1, 4, 4, 1, 2, 2, 32, 32, 8, 8, 64}

// String is the PTX suffix without the dot.
func (t Type) String() string {
	if t < typeEnd {
		return typeNames[t]
	}
	return "type?"
}

// Bits is the width; 1 for Pred, zero for what is no type.
func (t Type) Bits() int {
	if t < typeEnd {
		return typeBits[t]
	}
	return 0
}

// Bytes is the width in memory; zero for types that are narrower than a byte.
func (t Type) Bytes() int { return typeBits[t] / 8 }

// Declarable reports whether registers can have the type (5.2.1).
func (t Type) Declarable() bool { return t > TypeNone && t <= Pred }

// Storable reports whether variables, and what calls pass, can have the type.
func (t Type) Storable() bool { return t.Declarable() && t != Pred && t != B128 }

// addressable reports whether registers of the type have the width of an
// address.
func (t Type) addressable() bool { return t.Bits() == 32 || t.Bits() == 64 }

// Signed reports whether t is one of .s8 to .s64.
func (t Type) Signed() bool { return t >= S8 && t <= S64 }

// Unsigned reports whether t is one of .u8 to .u64.
func (t Type) Unsigned() bool { return t >= U8 && t <= U64 }

// Untyped reports whether t is one of .b8 to .b128.
func (t Type) Untyped() bool { return t >= B8 && t <= B128 }

// Float reports whether t is a floating-point type, packed ones included.
func (t Type) Float() bool { return t >= F16 && t <= F64 || t == F32x2 }

// Space is a PTX state space (5.1).
type Space uint8

// The state spaces.
const (
	SpaceNone Space = iota
	SpaceReg
	SpaceGlobal
	SpaceShared
	SpaceLocal
	SpaceConst
	SpaceParam
	SpaceGeneric
	SpaceTexture // of .texref variables and of tex (5.1.8)
	// SpaceArgument is .param as functions and calls use it (5.1.6.3): the
	// arguments and results of calls, in the caller and in the function.
	SpaceArgument

	spaceEnd
)

var spaceNames = [spaceEnd]string{"", "reg", "global", "shared", "local", "const", "param", "generic", "texture", "param::func"}

// String is the PTX suffix without the dot ("generic" for a missing one).
func (s Space) String() string {
	if s < spaceEnd {
		return spaceNames[s]
	}
	return "space?"
}
