// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Spec is an opcode's row of the instruction table.
type Spec struct {
	Name    string // the mnemonic
	Section string // of PTX ISA 9.1
	Forms   []Form
	// Available says which PTX and targets have the instruction: the first row for all
	// forms of it.
	Available []Availability
}

// Form is one legal combination of types, modifiers, spaces and operands. An
// instruction is legal when one form of its opcode fits it.
type Form struct {
	// Types holds the legal types for each type suffix, in order.
	Types []TypeSet
	// Groups are the legal modifiers: at most one of each group is written,
	// exactly one of a required group.
	Groups []Group
	// Spaces are the legal state spaces; SpaceGeneric stands for none written.
	// Zero when the instruction names no space.
	Spaces SpaceSet
	// Vectors allows .v2, .v4, or the lengths that a slot of the shape has.
	Vectors bool
	Shape   []Slot
	Class   trace.OpClass
}

// Group is a set of modifiers that exclude each other.
type Group struct {
	Mods     Modifiers
	Required bool
}

// TypeSet is a set of types.
type TypeSet uint64

// Has reports whether t is in the set.
func (s TypeSet) Has(t Type) bool { return s&(1<<t) != 0 }

// SpaceSet is a set of state spaces.
type SpaceSet uint16

// Has reports whether sp is in the set.
func (s SpaceSet) Has(sp Space) bool { return s&(1<<sp) != 0 }

// KindSet is a set of operand kinds.
type KindSet uint16

// Has reports whether k is in the set.
func (s KindSet) Has(k OperandKind) bool { return s&(1<<k) != 0 }

// LengthSet is a set of vector lengths.
type LengthSet uint8

// lengthsOf makes a set of vector lengths, which are at most 8.
func lengthsOf(list ...int) LengthSet {
	var s LengthSet
	for _, n := range list {
		s |= 1 << (n - 1)
	}
	return s
}

// Has reports whether n is in the set.
func (s LengthSet) Has(n int) bool { return n > 0 && n <= 8 && s&(1<<(n-1)) != 0 }

// Rule gives the type that an operand has.
type Rule uint8

// The rules.
const (
	RuleFirst      Rule = iota // the first type suffix
	RuleSecond                 // the second type suffix
	RuleWide                   // twice the width of the first (mul.wide, mad.wide)
	RulePred                   // .pred
	RuleB32                    // any 32-bit integer type, whatever the suffix
	RuleB64                    // any 64-bit type
	RuleB16                    // any 16-bit type
	RuleS32                    // .s32
	RuleDescriptor             // a descriptor of 64 bits, or a vector of 32-bit registers
	RuleF32                    // .f32
	RuleAddress                // an address: a 32-bit or 64-bit integer
	RuleNone                   // not a value: a memory address, a label
)

// Slot is one operand's place in a Form.
type Slot struct {
	Name   string // as in the ISA's synopsis: "d", "a", "membermask"
	Rule   Rule
	Accept KindSet
	Write  bool // a destination
	Pair   bool // the optional q of "p|q"
	Negate bool // "!" may stand before it
	Widen  bool // the register may be wider than the type (9.4.1)
	// Limit is the largest immediate; zero for what the type holds.
	Limit uint64
	// Elements is the length of a vector that no .v2 or .v4 gives: a matrix
	// fragment or the coordinates of a texture; byShape where the shape gives it.
	Elements int
	// Space is the state space of an address that is not in the instruction's:
	// where cp.async puts its copy.
	Space Space
	// Lengths are the lengths of a vector that must be one: .v2, .v4 or .v8. None
	// for what is a vector where the instruction has a .v2 or .v4.
	Lengths LengthSet
	// Parts allows a part of the register (r.b0), Minus a "-" before it.
	Parts, Minus bool
}

// SpecOf gives an opcode's row. Opcodes outside the list have an empty one.
func SpecOf(op Opcode) *Spec {
	if op >= opEnd {
		op = OpInvalid
	}
	return &specs[op]
}

// Opcodes lists all opcodes in the order of the ISA's sections.
func Opcodes() []Opcode {
	var all []Opcode
	for op := OpInvalid + 1; op < opEnd; op++ {
		all = append(all, op)
	}
	return all
}

// String is the mnemonic.
func (op Opcode) String() string {
	if s := SpecOf(op); s.Name != "" {
		return s.Name
	}
	return "invalid"
}

// Form gives the row of the table that the instruction fits; nil for one that
// did not come from Parse.
func (in *Instruction) Form() *Form {
	forms := SpecOf(in.Op).Forms
	for i := range forms {
		if forms[i].fits(in) {
			return &forms[i]
		}
	}
	return nil
}

// Class is the instruction's operation class in a trace; trace.ClassInvalid
// for one that did not come from Parse.
func (in *Instruction) Class() trace.OpClass {
	if f := in.Form(); f != nil {
		return f.Class
	}
	return trace.ClassInvalid
}

// OperandType is the type under which operand i is read or written: from the
// type suffixes by the table's rule, TypeNone for labels and addresses. The
// elements of a vector operand have it each, but for mov, whose vector shares
// its bits out among the elements.
func (in *Instruction) OperandType(i int) Type {
	f := in.Form()
	if f == nil {
		return TypeNone
	}
	s := f.slot(i, len(in.Operands))
	if s == nil {
		return TypeNone
	}
	return in.ruleType(s.Rule)
}

// ruleType resolves a rule for this instruction. RuleAddress has no single
// type and gives TypeNone.
func (in *Instruction) ruleType(r Rule) Type {
	switch r {
	case RuleFirst:
		return in.Types[0]
	case RuleSecond:
		return in.Types[1]
	case RuleWide:
		return wideType(in.Types[0])
	case RulePred:
		return Pred
	case RuleB32:
		return B32
	case RuleB64, RuleDescriptor:
		return B64
	case RuleB16:
		return B16
	case RuleS32:
		return S32
	case RuleF32:
		return F32
	}
	return TypeNone
}

// wideType is the integer type of the same sign and twice the width.
func wideType(t Type) Type {
	switch t {
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	case S32:
		return S64
	}
	return TypeNone
}
