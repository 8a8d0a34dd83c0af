// SPDX-License-Identifier: Apache-2.0

package ptx

// This file has the short words in which the instruction table is written.

// typesOf makes a set of types.
func typesOf(list ...Type) TypeSet {
	var s TypeSet
	for _, t := range list {
		s |= 1 << t
	}
	return s
}

// Sets of types that recur in the ISA's synopses.
var (
	signed16to64   = typesOf(S16, S32, S64)
	unsigned16to64 = typesOf(U16, U32, U64)
	int16to64      = signed16to64 | unsigned16to64
	int16and32     = typesOf(U16, U32, S16, S32)
	int32and64     = typesOf(U32, U64, S32, S64)
	int32          = typesOf(U32, S32)
	int8to64       = int16to64 | typesOf(U8, S8)
	bits16to64     = typesOf(B16, B32, B64)
	bits32and64    = typesOf(B32, B64)
	bits8to64      = bits16to64 | typesOf(B8)
	half           = typesOf(F16, F16x2)
	bhalf          = typesOf(BF16, BF16x2)
	memoryTypes    = bits8to64 | int8to64 | typesOf(F32, F64)
	accessTypes    = memoryTypes | typesOf(B128) // of ld and st
)

// one makes a list with one set of types; two with two.
func one(s TypeSet) []TypeSet    { return []TypeSet{s} }
func two(a, b TypeSet) []TypeSet { return []TypeSet{a, b} }

// modsOf makes a set of modifiers.
func modsOf(list ...Mod) Modifiers {
	var s Modifiers
	for _, m := range list {
		s.Add(m)
	}
	return s
}

// opt allows at most one of the modifiers; req demands exactly one.
func opt(list ...Mod) Group { return Group{Mods: modsOf(list...)} }
func req(list ...Mod) Group { return Group{Mods: modsOf(list...), Required: true} }

// groups makes a list of groups.
func groups(list ...Group) []Group { return list }

// spacesOf makes a set of state spaces.
func spacesOf(list ...Space) SpaceSet {
	var s SpaceSet
	for _, sp := range list {
		s |= 1 << sp
	}
	return s
}

// kindsOf makes a set of operand kinds.
func kindsOf(list ...OperandKind) KindSet {
	var s KindSet
	for _, k := range list {
		s |= 1 << k
	}
	return s
}

var (
	registerOnly  = kindsOf(OperandRegister)
	valueKinds    = kindsOf(OperandRegister, OperandImmediate)
	immediateOnly = kindsOf(OperandImmediate)
	resultKinds   = kindsOf(OperandRegister, OperandSink)
	moveKinds     = kindsOf(OperandRegister, OperandImmediate, OperandSpecial, OperandVariable, OperandParam, OperandVector, OperandFunction)
	symbolKinds   = kindsOf(OperandRegister, OperandImmediate, OperandVariable, OperandParam)
)

// The slots, named as in the ISA's synopses.
var (
	dst       = Slot{Name: "d", Accept: registerOnly, Write: true}
	dstWide   = Slot{Name: "d", Rule: RuleWide, Accept: registerOnly, Write: true}
	dstB32    = Slot{Name: "d", Rule: RuleB32, Accept: registerOnly, Write: true}
	dstPred   = Slot{Name: "p", Rule: RulePred, Accept: resultKinds, Write: true}
	dstPair   = Slot{Name: "q", Rule: RulePred, Accept: resultKinds, Write: true, Pair: true}
	dstSink   = Slot{Name: "d", Accept: resultKinds, Write: true}
	srcA      = Slot{Name: "a", Accept: valueKinds}
	srcB      = Slot{Name: "b", Accept: valueKinds}
	srcC      = Slot{Name: "c", Accept: valueKinds}
	srcWide   = Slot{Name: "c", Rule: RuleWide, Accept: valueKinds}
	srcB32    = Slot{Name: "b", Rule: RuleB32, Accept: valueKinds}
	cntB32    = Slot{Name: "c", Rule: RuleB32, Accept: valueKinds}
	dB32      = Slot{Name: "d", Rule: RuleB32, Accept: valueKinds}
	srcPred   = Slot{Name: "p", Rule: RulePred, Accept: valueKinds, Negate: true}
	selector  = Slot{Name: "c", Rule: RulePred, Accept: valueKinds}
	members   = Slot{Name: "membermask", Rule: RuleB32, Accept: valueKinds}
	lut       = Slot{Name: "immLut", Rule: RuleB32, Accept: immediateOnly, Limit: 255}
	byteCount = Slot{Name: "size", Rule: RuleB32, Accept: immediateOnly, Limit: 128}
	memory    = Slot{Name: "[a]", Rule: RuleNone, Accept: kindsOf(OperandAddress)}
	target    = Slot{Name: "target", Rule: RuleNone, Accept: kindsOf(OperandLabel)}
	targets   = Slot{Name: "targets", Rule: RuleNone, Accept: kindsOf(OperandLabels)}
)

// withSpaces, withVectors return the form with that property.
func (f Form) withSpaces(list ...Space) Form { f.Spaces = spacesOf(list...); return f }
func (f Form) withVectors() Form             { f.Vectors = true; return f }

// join concatenates lists of forms.
func join(lists ...[]Form) []Form {
	var all []Form
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
