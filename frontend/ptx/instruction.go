// SPDX-License-Identifier: Apache-2.0

package ptx

// Instruction is one checked PTX instruction.
type Instruction struct {
	Position
	Op Opcode
	// Suffixes are the dotted parts after the mnemonic as written, in order.
	Suffixes []string
	Mods     Modifiers
	// Types holds the type suffixes in order: destination type first where an
	// instruction has several (cvt, set, slct).
	Types [4]Type
	// Space of a memory instruction (SpaceGeneric when none is written); the
	// target space of cvta and isspacep.
	Space Space
	// Into is the space that a copy between two spaces writes to (cp, tensormap);
	// Space is then that of its source.
	Into Space
	// Vector is 1, 2, 4 or 8.
	Vector int
	Guard  Guard
	// Operands in PTX's order. Destinations counts the leading ones that are
	// written (a "p|q" pair is two operands).
	Operands     []Operand
	Destinations int
	// SourceFile and SourceLine come from the last .loc; zero without it.
	SourceFile, SourceLine int
}

// Type is the instruction's first type.
func (in *Instruction) Type() Type { return in.Types[0] }

// Guard is @p or @!p; Register is nil for an unguarded instruction.
type Guard struct {
	Register *Register
	Negated  bool
}

// OperandKind says what an Operand is.
type OperandKind uint8

// The operand kinds.
const (
	OperandNone      OperandKind = iota
	OperandRegister              // Register, Negated for !p
	OperandImmediate             // Value: integer (two's complement) or float bits of the instruction's type
	OperandSpecial               // Special
	OperandVariable              // the address of Variable plus Offset (as an operand of mov or cvta)
	OperandParam                 // the address of Param plus Offset (mov)
	OperandAddress               // [Register+Offset], [Variable+Offset], [Param+Offset] or [Offset]
	OperandLabel                 // Label
	OperandLabels                // Labels: the target list of brx.idx
	OperandVector                // Elements
	OperandSink                  // "_"
	OperandFunction              // Function: what a call calls, or its address plus Offset (mov)
	OperandPrototype             // Prototype: what an indirect call may call
)

// Operand is one operand. For OperandAddress exactly one of Register,
// Variable, Param is set, or none for an absolute address.
type Operand struct {
	Position
	Kind     OperandKind
	Negated  bool
	Register *Register
	Variable *Variable
	Param    *Param
	Offset   int64
	Value    uint64
	Special  Special
	Label    *Label
	Labels   []*Label
	Elements []Operand
	Function *Function
	// Selector is the part of the register that a video instruction takes or
	// writes, as written ("b0"); empty without one. Minus says that it takes the
	// negative (9.7.18).
	Selector string
	Minus    bool
	// Prototype belongs to OperandPrototype.
	Prototype *Prototype
}

// Special is a special register (10).
type Special uint8

// The special registers.
const (
	SpecialNone Special = iota
	TidX
	TidY
	TidZ
	NtidX
	NtidY
	NtidZ
	CtaidX
	CtaidY
	CtaidZ
	NctaidX
	NctaidY
	NctaidZ
	Laneid
	Warpid
	Nwarpid
	Smid
	Nsmid
	Gridid
	LanemaskEq
	LanemaskLe
	LanemaskLt
	LanemaskGe
	LanemaskGt
	Clock
	ClockHi
	Clock64
	Globaltimer
	GlobaltimerLo
	GlobaltimerHi
	DynamicSmemSize
	TotalSmemSize
	// Of clusters.
	ClusteridX
	ClusteridY
	ClusteridZ
	NclusteridX
	NclusteridY
	NclusteridZ
	ClusterCtaidX
	ClusterCtaidY
	ClusterCtaidZ
	ClusterNctaidX
	ClusterNctaidY
	ClusterNctaidZ
	ClusterCtarank
	ClusterNctarank
	// Envreg is the first of the driver's registers, %envreg0 to %envreg31.
	Envreg
	LastEnvreg = Envreg + 31
	// Pm are the performance monitors' registers, which read zero.
	Pm = LastEnvreg + 1
	// IsExplicitCluster is a predicate.
	IsExplicitCluster = Pm + 1

	specialEnd = IsExplicitCluster + 1
)

var specialNames = [specialEnd]string{"",
	"tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z",
	"laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt",
	"clock", "clock_hi", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "dynamic_smem_size", "total_smem_size",
	"clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z", "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z",
	"cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank", "envreg0", Pm: "pm", IsExplicitCluster: "is_explicit_cluster",
}

// String is the register's name without the percent sign.
func (s Special) String() string {
	switch {
	case s > Envreg && s <= LastEnvreg:
		return numbered("envreg", uint64(s-Envreg))
	case s < specialEnd:
		return specialNames[s]
	}
	return "special?"
}
