// SPDX-License-Identifier: Apache-2.0

package ptx

import "strings"

// rawKind says how an operand is written.
type rawKind uint8

const (
	rawName rawKind = iota // name, name.x, name+4, _
	rawNumber
	rawAddress // [name+4], [4]
	rawVector
)

// rawOperand is an operand as written, before the instruction's form says what
// it has to be.
type rawOperand struct {
	kind      rawKind
	at        token
	name      string // with its component: "%tid.x"
	hasOffset bool
	offset    literal
	number    literal // rawNumber; rawAddress without a name
	negated   bool    // "!" before it
	minus     bool    // "-" before a name
	joined    bool    // "|" before it
	// elements of a vector; of an address, the coordinates behind a texture.
	elements []rawOperand
}

// parseInstruction reads {@{!}p} opcode{.suffix} operands; checks it and adds
// it to the body.
func (k *kernelParser) parseInstruction() bool {
	p := k.parser
	start := p.tok
	in := Instruction{Vector: 1, SourceFile: p.location.file, SourceLine: p.location.line}
	if p.take('@') && !k.parseGuard(&in) {
		return false
	}
	mnemonic, ok := p.identifier("an opcode")
	if !ok {
		return false
	}
	in.Position = p.position(&mnemonic)
	op, known := opcodeNames[mnemonic.text]
	if !known {
		text := k.statementText(start)
		if why := refusedOpcodes[mnemonic.text]; why != "" {
			text += " (" + why + ")"
		}
		p.errorAt(in.Position, "unsupported instruction: %s", text)
		return false
	}
	in.Op = op
	before := len(p.errors)
	k.parseSuffixes(&in)
	if in.Op == OpCall {
		return k.parseCall(&in) && k.skipMarks() && p.expect(';', "behind the call")
	}
	if !k.parseOperands() {
		return false
	}
	if !p.tok.is(';') {
		p.errorf(`";" expected behind the instruction, found %s`, p.tok.describe())
		return false
	}
	if len(p.errors) == before {
		p.modernise(&in)
		k.check(&in)
	}
	p.advance()
	return true
}

// statementText is the statement from start to its end, white space collapsed.
func (k *kernelParser) statementText(start token) string {
	text := k.parser.text[start.offset:]
	if end := strings.IndexByte(text, ';'); end >= 0 {
		text = text[:end+1]
	}
	if len(text) > 400 {
		text = text[:400]
	}
	return abbreviate(strings.Join(strings.Fields(text), " "))
}

// parseGuard reads {!}p behind "@".
func (k *kernelParser) parseGuard(in *Instruction) bool {
	p := k.parser
	in.Guard.Negated = p.take('!')
	name, ok := p.identifier("a predicate register")
	if !ok {
		return false
	}
	sym := k.find(name.text)
	switch {
	case sym.kind != symbolRegister:
		p.errorAt(p.position(&name), "undeclared register %s", name.describe())
		return false
	case sym.register.Type != Pred:
		p.errorAt(p.position(&name), "the guard %s is a .%s register; a .pred register is needed", name.describe(), sym.register.Type)
		return false
	}
	in.Guard.Register = sym.register
	return true
}

// parseSuffixes reads the dotted parts and sorts them into types, space,
// vector length and modifiers.
func (k *kernelParser) parseSuffixes(in *Instruction) {
	p := k.parser
	types := 0
	for ; p.tok.kind == tokenDotted; p.advance() {
		in.Suffixes = append(in.Suffixes, p.tok.text)
		s := suffixOf(in, p.tok.text)
		if s.kind != suffixType && types > 0 && !standsBehindTypes(in.Op, s.mod) && !in.reducesVector() {
			p.errorf("%s stands behind the type; the order of suffixes is: modifiers, then types", p.tok.describe())
			continue
		}
		switch s.kind {
		case suffixType:
			if types == len(in.Types) {
				p.errorf("too many types")
				continue
			}
			in.Types[types] = s.typ
			types++
		case suffixSpace:
			if in.Space != SpaceNone {
				if in.Op != OpCp && in.Op != OpTensormap || in.Into != SpaceNone {
					p.errorf("a second state space")
				}
				in.Into = in.Space
			}
			in.Space = s.space
			if s.space == SpaceConst && !p.skipBank() {
				return
			}
		case suffixVector:
			if in.Vector != 1 {
				p.errorf("a second vector length")
			}
			in.Vector = s.vector
		case suffixMod:
			if in.Mods.Has(s.mod) {
				p.errorf("%s is written twice", p.tok.describe())
			}
			in.Mods.Add(s.mod)
		default:
			why := refusedSuffixes[p.tok.text]
			if why != "" {
				why = " (" + why + ")"
			}
			p.errorf("unsupported suffix %s of %s%s", p.tok.describe(), in.Op, why)
		}
	}
	switch {
	case in.Op == OpTex || in.Op == OpTld4:
		in.Space = SpaceTexture
	case in.Op.Surface():
		in.Space = SpaceGlobal // where its memory is
	case in.Space == SpaceNone && takesSpace(in.Op):
		in.Space = SpaceGeneric
	}
}

// standsBehindTypes reports whether a modifier of the instruction may follow its
// types. Such are prmt's mode, .satfinite, .relu of min and max, what mma does with
// single bits, and those of video and surface instructions.
func standsBehindTypes(op Opcode, m Mod) bool {
	switch {
	case op == OpPrmt, m == ModSatfinite, op.VideoWidth() > 0, op.Surface():
		return true
	}
	return (op == OpMma || op == OpWgmma) && (m == ModXor || m == ModAnd || m == ModPopc) || (op == OpMin || op == OpMax) && m == ModRelu
}

// reducesVector reports whether the instruction is atom or red on a vector. The
// ISA's synopsis has its operation before the type, its examples have it behind
// (9.7.13.5), and compilers write either.
func (in *Instruction) reducesVector() bool {
	return in.Vector > 1 && (in.Op == OpAtom || in.Op == OpRed)
}

// skipBank skips the [n] of ".const[n]": PTX before 2.2 has banks of constants,
// which are one memory here. The current token is ".const" and stays so.
func (p *parser) skipBank() bool {
	ahead := p.lexer
	if t := ahead.next(); !t.is('[') {
		return true
	}
	p.advance()
	p.advance()
	if _, ok := p.unsigned("a bank of constants", 10); !ok {
		return false
	}
	if !p.tok.is(']') {
		p.errorf(`"]" expected behind the bank, found %s`, p.tok.describe())
		return false
	}
	return true
}

// takesSpace reports whether the opcode may name a state space.
func takesSpace(op Opcode) bool {
	for i := range specs[op].Forms {
		if specs[op].Forms[i].Spaces != 0 {
			return true
		}
	}
	return false
}

// parseOperands reads the operand list up to ";".
func (k *kernelParser) parseOperands() bool {
	p := k.parser
	k.raw = k.raw[:0]
	if p.tok.is(';') {
		return true
	}
	joined := false
	for {
		k.raw = append(k.raw, rawOperand{})
		o := &k.raw[len(k.raw)-1]
		o.joined = joined
		if !k.parseOperand(o, false) {
			return false
		}
		switch {
		case p.take(','):
			joined = false
		case p.take('|'):
			joined = true
		default:
			return true
		}
		if len(k.raw) > 64 {
			p.errorf("too many operands")
			return false
		}
	}
}

// parseOperand reads one operand as written.
func (k *kernelParser) parseOperand(o *rawOperand, element bool) bool {
	p := k.parser
	expression := p.startsExpression()
	if p.tok.is('!') && !expression {
		o.negated = true
		p.advance()
	}
	if p.tok.is('-') {
		ahead := p.lexer
		if t := ahead.next(); t.kind == tokenIdent && !isWarpSize(&t) {
			o.minus = true
			p.advance()
		}
	}
	o.at = p.tok
	switch {
	case p.tok.is('{') && !element:
		return k.parseVector(o)
	case p.tok.is('[') && !element:
		return k.parseAddress(o)
	case p.tok.kind == tokenIdent && !isWarpSize(&p.tok):
		return k.parseName(o)
	case p.tok.kind == tokenIdent, p.tok.kind == tokenNumber, p.tok.is('-'), p.tok.is('+'), expression:
		o.kind = rawNumber
		var ok bool
		o.number, ok = p.constant()
		return ok
	}
	p.errorf("an operand expected, found %s", p.tok.describe())
	return false
}

// parseName reads name, name.component or name+offset.
func (k *kernelParser) parseName(o *rawOperand) bool {
	p := k.parser
	o.kind = rawName
	o.name = p.tok.text
	end := p.tok.end()
	p.advance()
	if p.tok.kind == tokenDotted && p.tok.offset == end {
		o.name = p.text[o.at.offset:p.tok.end()]
		p.advance()
	}
	return k.parseOffset(o)
}

// parseOffset reads {+|-}n behind a name.
func (k *kernelParser) parseOffset(o *rawOperand) bool {
	p := k.parser
	if !p.tok.is('+') && !p.tok.is('-') {
		return true
	}
	o.hasOffset = true
	var ok bool
	o.offset, ok = p.offset()
	return ok
}

// parseAddress reads [name], [name+n] or [n] (6.4.1), or [texture, coordinates]
// (9.7.10.3).
func (k *kernelParser) parseAddress(o *rawOperand) bool {
	p := k.parser
	p.advance()
	if p.tok.kind == tokenIdent && !isWarpSize(&p.tok) {
		if !k.parseName(o) {
			return false
		}
	} else {
		var ok bool
		if o.number, ok = p.constant(); !ok {
			return false
		}
	}
	o.kind = rawAddress
	if p.take(',') {
		return k.parseCoordinates(o) && p.expect(']', "behind the coordinates")
	}
	return p.expect(']', "behind the address")
}

// parseCoordinates reads the coordinates of a texture: a vector, or for one
// dimension a register alone.
func (k *kernelParser) parseCoordinates(o *rawOperand) bool {
	c := rawOperand{}
	if !k.parseOperand(&c, k.parser.tok.is('[')) {
		return false
	}
	o.elements = c.elements
	if c.kind != rawVector {
		o.elements = []rawOperand{c}
	}
	return true
}

// maxElements is the longest vector: the sums of wgmma (9.7.15.5).
const maxElements = 128

// parseVector reads {a, b, ...} (6.4.3).
func (k *kernelParser) parseVector(o *rawOperand) bool {
	p := k.parser
	o.kind = rawVector
	p.advance()
	for {
		o.elements = append(o.elements, rawOperand{})
		if !k.parseOperand(&o.elements[len(o.elements)-1], true) {
			return false
		}
		if len(o.elements) > maxElements {
			p.errorf("a vector of more than %d elements", maxElements)
			return false
		}
		if !p.take(',') {
			return p.expect('}', "behind the vector")
		}
	}
}
