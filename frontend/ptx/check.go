// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// specialOf finds a special register by its name without the percent sign.
var specialOf = func() map[string]Special {
	names := make(map[string]Special, specialEnd)
	for s := SpecialNone + 1; s < specialEnd; s++ {
		names[s.String()] = s
	}
	for i := range 8 {
		names[numbered("pm", uint64(i))] = Pm
	}
	return names
}()

// Bits is the width of the special register.
func (s Special) Bits() int {
	switch s {
	case Clock64, Globaltimer, Gridid:
		return 64
	case IsExplicitCluster:
		return 1
	}
	return 32
}

// The widest access of one lane (6.4.3), and that of ld.global and st.global
// (9.7.9.8, sm_100).
const (
	maxVectorBytes = 16
	maxGlobalBytes = 32
)

// widest is the widest access of one lane that the instruction can make.
func (in *Instruction) widest() int {
	if (in.Op == OpLd || in.Op == OpSt) && in.Space == SpaceGlobal && (in.Types[0].Bits() == 32 || in.Types[0].Bits() == 64) {
		return maxGlobalBytes
	}
	return maxVectorBytes
}

// longestVector is the largest vector length that the instruction can have.
func (in *Instruction) longestVector() int {
	if in.widest() == maxGlobalBytes && in.Types[0].Bits() == 32 {
		return 8
	}
	return 4
}

// check finds the form that the instruction fits, turns the raw operands into
// checked ones and appends the instruction to the body.
func (k *kernelParser) check(in *Instruction) {
	p := k.parser
	k.spellOut(in, k.raw)
	k.raw = splitCoordinates(k.raw)
	k.findArgumentSpace(in)
	in.Operands = make([]Operand, len(k.raw))
	form := in.Form()
	if form == nil {
		p.errorAt(in.Position, "%s", explain(in))
		return
	}
	if n := in.Vector * in.Types[0].Bytes(); in.Vector > 1 && n > in.widest() {
		p.errorAt(in.Position, "a vector of %d bytes; one access moves at most %d", n, in.widest())
		return
	}
	if in.Space == SpaceTexture && in.Vector != 4 {
		p.errorAt(in.Position, "%s gives four values; write %s...v4 (%s)", in.Op, in.Op, SpecOf(in.Op).Section)
		return
	}
	before, uses := len(p.errors), len(k.uses)
	for i := range k.raw {
		slot := form.slot(i, len(k.raw))
		if slot.Write {
			in.Destinations++
		}
		b := binder{k: k, in: in, slot: slot, typ: in.ruleType(slot.Rule), operand: i}
		b.bind(&k.raw[i], &in.Operands[i])
	}
	switch {
	case len(p.errors) > before:
	case in.Op == OpMov:
		k.checkMove(in)
	case in.Op.VideoWidth() > 0:
		k.checkVideo(in)
	case in.Op == OpWgmma:
		k.checkWarpgroup(in)
		k.checkSelector(in)
	case in.Sparse():
		k.checkSelector(in)
	case in.Op == OpSetmaxnreg:
		k.checkRegisterCount(in)
	case in.Op == OpCp && len(in.Operands) > 2 && !in.Mods.Has(ModBulk):
		k.checkCopySize(in)
	}
	if len(p.errors) > before {
		k.uses = k.uses[:uses] // of an instruction that is not there
		return
	}
	p.compare(in)
	k.code.Body = append(k.code.Body, *in)
}

// findArgumentSpace makes .param the argument space of calls where it is that:
// in functions, and where the name of such a variable stands.
func (k *kernelParser) findArgumentSpace(in *Instruction) {
	if in.Space != SpaceParam {
		return
	}
	for i := range k.raw {
		if k.raw[i].kind != rawAddress || k.raw[i].name == "" {
			continue
		}
		sym := k.find(k.raw[i].name)
		argument := sym.kind == symbolVariable && sym.variable.Space == SpaceArgument
		if argument || sym.kind == symbolRegister && k.inFunction || sym.kind == symbolNone && in.Op == OpSt {
			in.Space = SpaceArgument
		}
	}
}

// maxCoordinates is the length of a coordinate vector. Early PTX writes more elements
// of it than the texture has dimensions; the rest is ignored.
const maxCoordinates = 4

// splitCoordinates makes [texture, {x, y}] two operands: an address and a
// vector.
func splitCoordinates(raw []rawOperand) []rawOperand {
	for i := range raw {
		if o := &raw[i]; o.kind == rawAddress && len(o.elements) > 0 {
			c := rawOperand{kind: rawVector, at: o.elements[0].at, elements: o.elements}
			o.elements = nil
			return slices.Insert(raw, i+1, c)
		}
	}
	return raw
}

// checkMove: at most one side of a mov is a vector, but for mov.v2 and mov.v4,
// where both are.
func (k *kernelParser) checkMove(in *Instruction) {
	if in.Vector == 1 && in.Operands[0].Kind == OperandVector && in.Operands[1].Kind != OperandRegister {
		k.parser.errorAt(in.Operands[1].Position, "a vector is unpacked from a register")
	}
}

// checkCopySize: cp.async copies 4, 8 or 16 bytes; past the L1 only 16.
func (k *kernelParser) checkCopySize(in *Instruction) {
	n := in.Operands[2].Value
	if n != 16 && (n != 4 && n != 8 || in.Mods.Has(ModCg)) {
		k.parser.errorAt(in.Operands[2].Position, "cp.async copies 4, 8 or 16 bytes, with .cg 16 (9.7.9.25)")
	}
}

// checkRegisterCount: setmaxnreg sets 24 to 256 registers, by eights.
func (k *kernelParser) checkRegisterCount(in *Instruction) {
	if n := in.Operands[0].Value; n < 24 || n > 256 || n%8 != 0 {
		k.parser.errorAt(in.Operands[0].Position, "setmaxnreg takes a multiple of 8 from 24 to 256 (9.7.19.5)")
	}
}

// binder checks one operand against its slot.
type binder struct {
	k       *kernelParser
	in      *Instruction
	slot    *Slot
	typ     Type // TypeNone for addresses and labels
	operand int
	element bool // inside a vector
}

func (b *binder) errorf(raw *rawOperand, format string, args ...any) {
	b.k.parser.errorAt(b.k.parser.position(&raw.at), format, args...)
}

// bind fills o from the operand as written.
func (b *binder) bind(raw *rawOperand, o *Operand) {
	o.Position = b.k.parser.position(&raw.at)
	switch {
	case raw.joined != b.slot.Pair:
		b.errorf(raw, `operand %s of %s: "|" joins two destinations only`, b.slot.Name, b.in.Op)
		return
	case raw.minus && !b.slot.Minus:
		b.errorf(raw, `"-" cannot stand before operand %s of %s`, b.slot.Name, b.in.Op)
		return
	case raw.negated && !b.slot.Negate:
		b.errorf(raw, `"!" cannot stand before operand %s of %s`, b.slot.Name, b.in.Op)
		return
	}
	if raw.kind == rawVector && b.takesOne(len(raw.elements)) {
		raw = &raw.elements[0]
	}
	if raw.kind != rawVector && b.in.Vector > 1 && !b.element && b.slot.Accept.Has(OperandVector) {
		b.errorf(raw, "a vector of %d elements is needed for .v%d", b.in.Vector, b.in.Vector)
		return
	}
	switch raw.kind {
	case rawNumber:
		b.bindNumber(raw, o)
	case rawAddress:
		b.bindAddress(raw, o)
	case rawVector:
		b.bindVector(raw, o)
	default:
		b.bindName(raw, o)
	}
}

// takesOne reports whether braces around one element may be left out: around the
// value of a memory instruction without .v2 or .v4, as compilers write it.
func (b *binder) takesOne(elements int) bool {
	if elements != 1 || b.element || b.in.Vector > 1 || b.slot.Elements > 0 {
		return false
	}
	switch b.in.Op {
	case OpLd, OpLdu, OpSt, OpAtom, OpRed, OpSuld, OpSust, OpSured:
		return !b.slot.Accept.Has(OperandAddress)
	}
	return false
}

// accepts reports whether the slot takes the kind, and complains if not.
func (b *binder) accepts(raw *rawOperand, kind OperandKind, what string) bool {
	if b.slot.Accept.Has(kind) {
		return true
	}
	b.errorf(raw, "operand %s of %s cannot be %s; it is %s", b.slot.Name, b.in.Op, what, b.slot.Accept.describe())
	return false
}

// describe lists what a slot takes.
func (s KindSet) describe() string {
	words := []struct {
		kind OperandKind
		text string
	}{
		{OperandRegister, "a register"}, {OperandImmediate, "a constant"}, {OperandSpecial, "a special register"},
		{OperandVariable, "a variable's name"}, {OperandParam, "a parameter's name"}, {OperandAddress, "an address in [ ]"},
		{OperandLabel, "a label"}, {OperandLabels, "the label of a .branchtargets list"}, {OperandVector, "a vector"}, {OperandSink, `"_"`}, {OperandFunction, "a function's name"},
	}
	var list []string
	for _, w := range words {
		if s.Has(w.kind) {
			list = append(list, w.text)
		}
	}
	return strings.Join(list, " or ")
}

func (b *binder) bindNumber(raw *rawOperand, o *Operand) {
	if !b.accepts(raw, OperandImmediate, "a constant") {
		return
	}
	if raw.negated {
		b.errorf(raw, `"!" stands before predicate registers only`)
		return
	}
	if b.slot.Widen && b.slot.Write {
		b.errorf(raw, "a constant cannot be written")
		return
	}
	v, err := raw.number.as(b.typ)
	if err != nil {
		b.errorf(raw, "operand %s of %s: %v", b.slot.Name, b.in.Op, err)
		return
	}
	if b.slot.Limit > 0 && v > b.slot.Limit {
		b.errorf(raw, "operand %s of %s is at most %d", b.slot.Name, b.in.Op, b.slot.Limit)
		return
	}
	o.Kind, o.Value = OperandImmediate, v
}

// bindName resolves a name: label, sink, register, special register, symbol.
func (b *binder) bindName(raw *rawOperand, o *Operand) {
	if b.slot.Accept.Has(OperandLabel) || b.slot.Accept.Has(OperandLabels) {
		b.bindLabel(raw, o)
		return
	}
	if raw.name == "_" {
		if b.element && b.slot.Write || b.accepts(raw, OperandSink, `"_"`) {
			o.Kind = OperandSink
		}
		return
	}
	sym := b.k.find(raw.name)
	if whole, part, selects := strings.Cut(raw.name, "."); selects && b.slot.Parts && sym.kind == symbolNone {
		if r := b.k.find(whole); r.kind == symbolRegister {
			sym, o.Selector = r, part
		}
	}
	o.Minus = raw.minus
	if sym.kind == symbolNone && raw.name[0] == '%' {
		b.bindSpecial(raw, o)
		return
	}
	switch sym.kind {
	case symbolRegister:
		b.bindRegister(raw, o, sym.register)
	case symbolVariable:
		if b.accepts(raw, OperandVariable, "a variable's name") && b.fitsPointer(raw, sym.variable) && b.bindOffset(raw, o) {
			o.Kind, o.Variable = OperandVariable, sym.variable
			b.k.parser.noteUse(sym.variable, o.Position)
		}
	case symbolFunction:
		if b.accepts(raw, OperandFunction, "a function's name") && b.fitsPointer(raw, nil) && b.bindOffset(raw, o) {
			o.Kind, o.Function = OperandFunction, sym.function
			sym.function.AddressTaken = true
		}
	case symbolParam:
		if b.accepts(raw, OperandParam, "a parameter's name") && b.fitsPointer(raw, nil) && b.bindOffset(raw, o) {
			o.Kind, o.Param = OperandParam, sym.param
		}
	default:
		b.refuseSymbol(raw, sym)
	}
}

// refuseSymbol complains about names that cannot be operands.
func (b *binder) refuseSymbol(raw *rawOperand, sym symbol) {
	switch sym.kind {
	case symbolFunction:
		b.errorf(raw, "function %s: only mov and initial values take a function's address, and call its name", raw.at.describe())
	case symbolVector:
		b.errorf(raw, "%s is a vector of %d registers; name one of them, %s.x", abbreviate(raw.name), sym.elements, abbreviate(raw.name))
	case symbolSampler:
		b.errorf(raw, "samplers are not supported; the texture has the settings: %s", raw.at.describe())
	default:
		b.errorf(raw, "undeclared name %q", abbreviate(raw.name))
	}
}

func (b *binder) bindLabel(raw *rawOperand, o *Operand) {
	if raw.hasOffset || raw.negated {
		b.errorf(raw, "a label stands alone")
		return
	}
	o.Kind = OperandLabel
	if b.slot.Accept.Has(OperandLabels) {
		o.Kind = OperandLabels
	}
	b.k.uses = append(b.k.uses, operandLabels{len(b.k.code.Body), b.operand, labelUse{b.k.scope, raw.name, o.Position}})
}

func (b *binder) bindRegister(raw *rawOperand, o *Operand, r *Register) {
	if raw.hasOffset {
		b.errorf(raw, "a register with an offset is an address: write [%s+n]", abbreviate(raw.name))
		return
	}
	if !b.accepts(raw, OperandRegister, "a register") {
		return
	}
	if why := b.registerFault(r.Type); why != "" {
		b.errorf(raw, "operand %s of %s: register %s is .%s, %s", b.slot.Name, b.in.Op, abbreviate(raw.name), r.Type, why)
		return
	}
	o.Kind, o.Register, o.Negated = OperandRegister, r, raw.negated
}

// registerFault says why a register of type r does not fit; "" when it does.
func (b *binder) registerFault(r Type) string {
	switch {
	case b.slot.Rule == RuleAddress:
		if r.Float() || !r.addressable() {
			return "an address is a 32-bit or 64-bit integer"
		}
	case !compatible(b.typ, r, b.slot.Widen):
		if b.slot.Widen {
			return "which does not hold ." + b.typ.String() + " (9.4.1)"
		}
		if b.k.parser.demoted && r == F32 && b.typ.Bits() == 64 {
			return "as map_f64_to_f32 makes .f64 registers, but ." + b.typ.String() + " is needed (11.1.2)"
		}
		return "but ." + b.typ.String() + " is needed (9.4)"
	}
	return ""
}

// compatible reports whether a register of type r may be an operand of type t
// (9.4, table "Type Checking Rules"; with widen also 9.4.1).
func compatible(t, r Type, widen bool) bool {
	switch {
	case t == Pred || r == Pred || r == B128:
		return t == r
	case t.Bits() == r.Bits():
		return t == r || t.Untyped() || r.Untyped() || !t.Float() && !r.Float()
	case !widen || r.Bits() < t.Bits():
		return false
	case t.Float():
		return r.Untyped()
	}
	return t.Untyped() || !r.Float()
}

// fitsPointer checks that the instruction's type holds the address of v, or of
// a parameter when v is nil.
func (b *binder) fitsPointer(raw *rawOperand, v *Variable) bool {
	if b.typ.Float() || b.typ.Bits() < 32 {
		b.errorf(raw, "an address does not fit .%s", b.typ)
		return false
	}
	p := b.k.parser
	if v != nil && v.Space == SpaceGlobal && p.addressSizeKnown && b.typ.Bits() < p.module.AddressSize {
		b.errorf(raw, "the address of a global variable has %d bits and does not fit .%s", p.module.AddressSize, b.typ)
		return false
	}
	if v != nil && (b.in.Op == OpCvta || b.in.Op == OpMapa || b.in.Op == OpGetctarank) && v.Space != b.in.Space {
		b.errorf(raw, "%s is a .%s variable, not .%s", abbreviate(v.Name), v.Space, b.in.Space)
		return false
	}
	return true
}

// bindOffset takes the +n of name+n.
func (b *binder) bindOffset(raw *rawOperand, o *Operand) bool {
	if raw.negated {
		b.errorf(raw, `"!" stands before predicate registers only`)
		return false
	}
	if !raw.hasOffset {
		return true
	}
	n, err := raw.offset.signed()
	if err != nil {
		b.errorf(raw, "%v", err)
		return false
	}
	o.Offset = n
	return true
}

func (b *binder) bindSpecial(raw *rawOperand, o *Operand) {
	s, ok := specialOf[raw.name[1:]]
	if whole, fourth := strings.CutSuffix(raw.name[1:], ".w"); fourth && specialOf[whole+".x"] != SpecialNone && b.slot.Accept.Has(OperandSpecial) && !b.typ.Float() && !raw.hasOffset {
		o.Kind = OperandImmediate // zero
		return
	}
	switch {
	case !ok:
		b.errorf(raw, "undeclared or unsupported register %q", abbreviate(raw.name))
	case s == IsExplicitCluster && b.typ != Pred:
		b.errorf(raw, "special register %%%s is a predicate: read it with mov.pred", s)
	case !b.slot.Accept.Has(OperandSpecial):
		b.errorf(raw, "special register %%%s can be read by mov and cvt only (10)", s)
	case b.typ.Float() || b.typ.Bits() > s.Bits():
		b.errorf(raw, "special register %%%s has %d bits and is not .%s", s, s.Bits(), b.typ)
	case b.typ == Pred && s != IsExplicitCluster:
		b.errorf(raw, "special register %%%s has %d bits and is no predicate", s, s.Bits())
	case raw.hasOffset:
		b.errorf(raw, "a special register takes no offset")
	default:
		o.Kind, o.Special = OperandSpecial, s
	}
}

// bindVector checks {a, b}: the .v2 or .v4 of a memory instruction, or the
// parts of a mov.
func (b *binder) bindVector(raw *rawOperand, o *Operand) {
	if !b.accepts(raw, OperandVector, "a vector") {
		return
	}
	n := len(raw.elements)
	part := b.typ
	switch {
	case b.in.Op == OpMov && b.in.Vector == 1:
		if part = partType(b.typ, n); part == TypeNone {
			if b.typ == B128 {
				b.errorf(raw, "mov.b128 does not take %d elements; it is made of 2 of 64 bits", n)
				return
			}
			b.errorf(raw, "mov.%s does not take %d elements; .b16, .b32 and .b64 are made of 2 or 4 of at least 8 bits", b.typ, n)
			return
		}
	case b.slot.Elements != 0:
		if want := b.in.VectorLength(b.slot); n != want && !(b.in.Op.located() >= 0 && !b.slot.Write && n == maxCoordinates) {
			b.errorf(raw, "operand %s of %s: a vector of %d elements where %d are needed", b.slot.Name, b.in.Op, n, want)
			return
		}
		if b.slot.Rule == RuleDescriptor {
			part = B32
		}
	case b.in.Vector == 1:
		b.errorf(raw, "a vector of %d elements where one value is needed; %s", n, b.lengthAdvice(n))
		return
	case n != b.in.Vector:
		b.errorf(raw, "a vector of %d elements where .v%d says %d", n, b.in.Vector, b.in.Vector)
		return
	}
	o.Kind = OperandVector
	o.Elements = make([]Operand, n)
	slot := *b.slot
	slot.Accept = kindsOf(OperandRegister)
	if !slot.Write {
		slot.Accept = valueKinds
		if b.in.Op == OpMov && b.in.Vector > 1 {
			slot.Accept |= kindsOf(OperandSpecial)
		}
	}
	e := binder{k: b.k, in: b.in, slot: &slot, typ: part, operand: b.operand, element: true}
	for i := range raw.elements {
		e.bind(&raw.elements[i], &o.Elements[i])
	}
}

// lengthAdvice says how an instruction moves n elements.
func (b *binder) lengthAdvice(n int) string {
	with := *b.in
	if with.Vector = n; with.Form() != nil && n*max(b.typ.Bytes(), 1) <= with.widest() {
		return fmt.Sprintf("write .v%d", n)
	}
	return fmt.Sprintf("%s moves no %d of them at once: give one register", b.in.Op, n)
}

// partType is the type of each of the n parts that make up t in a mov.
func partType(t Type, n int) Type {
	if t == B128 && n == 2 {
		return B64
	}
	if !t.Untyped() || t == B128 || n != 2 && n != 4 {
		return TypeNone
	}
	switch t.Bits() / n {
	case 8:
		return B8
	case 16:
		return B16
	case 32:
		return B32
	}
	return TypeNone
}

// bindAddress checks [base+offset] against the instruction's state space.
func (b *binder) bindAddress(raw *rawOperand, o *Operand) {
	if !b.accepts(raw, OperandAddress, "an address in [ ]") {
		return
	}
	if raw.name == "" {
		n, err := raw.number.signed()
		if err != nil {
			b.errorf(raw, "%v", err)
			return
		}
		o.Kind, o.Offset = OperandAddress, n
		return
	}
	if !b.bindOffset(raw, o) {
		return
	}
	sym := b.k.find(raw.name)
	switch sym.kind {
	case symbolRegister:
		b.bindBase(raw, o, sym.register)
	case symbolVariable:
		space := b.in.Space
		if b.slot.Space != SpaceNone {
			space = b.slot.Space
		}
		if v := sym.variable; v.Space != space && (space != SpaceGeneric || v.Space != SpaceGlobal) {
			b.errorf(raw, "%s is a .%s variable, but %s accesses .%s", abbreviate(v.Name), v.Space, b.in.Op, space)
			return
		}
		o.Variable = sym.variable
		b.k.parser.noteUse(sym.variable, o.Position)
	case symbolParam:
		if b.in.Space != SpaceParam {
			b.errorf(raw, "%s is a parameter: read it with ld.param", abbreviate(raw.name))
			return
		}
		o.Param = sym.param
	default:
		b.refuseSymbol(raw, sym)
		return
	}
	o.Kind = OperandAddress
}

// bindBase checks the base register. A register narrower than the address size
// is zero-extended (6.4.1), so either width is legal.
func (b *binder) bindBase(raw *rawOperand, o *Operand, r *Register) {
	if r.Type.Float() || !r.Type.addressable() {
		b.errorf(raw, "register %s is .%s; an address is a 32-bit or 64-bit integer", abbreviate(raw.name), r.Type)
		return
	}
	if p := b.k.parser; !p.addressSizeKnown && r.Type.Bits() == 64 {
		// .address_size came with PTX 2.3; older text shows its address size
		// by the registers that it uses.
		p.module.AddressSize, p.addressSizeKnown = 64, true
	}
	o.Register = r
}

// noteUse remembers a use of an .extern variable, which the module must define.
func (p *parser) noteUse(v *Variable, at Position) {
	if v.Extern && v.Space != SpaceShared {
		p.externUses = append(p.externUses, externUse{v, at})
	}
}

// externUse is a use of a variable that was only declared so far.
type externUse struct {
	variable *Variable
	at       Position
}

// checkExterns refuses uses of variables that stayed undefined.
func (p *parser) checkExterns() {
	for _, u := range p.externUses {
		if u.variable.Extern {
			p.errorAt(u.at, "%s is .extern and defined nowhere in this module; linking is not supported", abbreviate(u.variable.Name))
		}
	}
}
