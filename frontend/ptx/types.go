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
	TF32 // in 32-bit registers (5.2.3)
	F32
	F64
	Pred

	typeEnd
)

var typeNames = [typeEnd]string{"", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64", "pred"}

var typeBits = [typeEnd]int{0, 8, 16, 32, 64, 128, 8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 16, 32, 32, 32, 64, 1}

// String is the PTX suffix without the dot.
func (t Type) String() string {
	if t < typeEnd {
		return typeNames[t]
	}
	return "type?"
}

// Bits is the width; 1 for Pred.
func (t Type) Bits() int { return typeBits[t] }

// Bytes is the width in memory; zero for Pred.
func (t Type) Bytes() int { return typeBits[t] / 8 }

// Signed reports whether t is one of .s8 to .s64.
func (t Type) Signed() bool { return t >= S8 && t <= S64 }

// Unsigned reports whether t is one of .u8 to .u64.
func (t Type) Unsigned() bool { return t >= U8 && t <= U64 }

// Untyped reports whether t is one of .b8 to .b128.
func (t Type) Untyped() bool { return t >= B8 && t <= B128 }

// Float reports whether t is a floating-point type, packed ones included.
func (t Type) Float() bool { return t >= F16 && t <= F64 }

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
