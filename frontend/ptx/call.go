// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// callForms: call{.uni} (returns), function, (arguments), and through a pointer
// with the prototype or the targets behind it. Returns and arguments, which may
// be missing in the text, are vectors, empty ones where they are.
var callForms = func() []Form {
	list := func(name string, write bool) Slot {
		return Slot{Name: name, Rule: RuleNone, Accept: kindsOf(OperandVector), Write: write}
	}
	direct := Slot{Name: "function", Rule: RuleNone, Accept: kindsOf(OperandFunction)}
	pointer := Slot{Name: "pointer", Rule: RuleAddress, Accept: registerOnly}
	prototype := Slot{Name: "prototype", Rule: RuleNone, Accept: kindsOf(OperandPrototype)}
	g := groups(opt(ModUni))
	return []Form{
		{Groups: g, Shape: []Slot{list("(returns)", true), direct, list("(arguments)", false)}, Class: trace.ClassCall},
		{Groups: g, Shape: []Slot{list("(returns)", true), pointer, list("(arguments)", false), prototype}, Class: trace.ClassCall},
	}
}()

// parseCall reads the operands of a call (9.7.12.5) and adds it to the body.
func (k *kernelParser) parseCall(in *Instruction) bool {
	p := k.parser
	returns := Operand{Kind: OperandVector, Position: p.position(&p.tok)}
	before := len(p.errors)
	k.callLiterals = k.callLiterals[:0]
	if k.skipMarks() && p.tok.is('(') && !(k.parseCallList(&returns) && p.expect(',', "behind the results of the call")) {
		return false
	}
	k.skipMarks()
	name, ok := p.identifier("a function's name")
	if !ok {
		return false
	}
	arguments := Operand{Kind: OperandVector, Position: p.position(&p.tok)}
	if k.skipMarks() && p.take(',') && k.skipMarks() && p.tok.is('(') && !k.parseCallList(&arguments) {
		return false
	}
	in.Operands = []Operand{returns, {}, arguments}
	in.Destinations = 1
	if !k.bindCallee(in, &name) || len(p.errors) > before {
		return p.tok.is(';')
	}
	if in.Form() == nil {
		p.errorAt(in.Position, "%s", explain(in))
		return true
	}
	p.compare(in)
	k.code.Body = append(k.code.Body, *in)
	return true
}

// maxCallOperands bounds the arguments of one call.
const maxCallOperands = 1024

// parseCallList reads (a, b, ...): registers, constants and .param variables.
func (k *kernelParser) parseCallList(list *Operand) bool {
	p := k.parser
	p.advance()
	k.skipMarks()
	if p.take(')') {
		return k.skipMarks()
	}
	for {
		k.skipMarks()
		var raw rawOperand
		if !k.parseOperand(&raw, true) {
			return false
		}
		for i := range k.spellOutArgument(&raw) {
			list.Elements = append(list.Elements, k.bindCallOperand(&raw.elements[i]))
		}
		if len(list.Elements) > maxCallOperands {
			p.errorf("a call has at most %d arguments", maxCallOperands)
			return false
		}
		if k.skipMarks(); !p.take(',') {
			return p.expect(')', "behind the arguments") && k.skipMarks()
		}
	}
}

// spellOutArgument gives the elements of an argument or result: a vector of registers has several.
func (k *kernelParser) spellOutArgument(raw *rawOperand) []rawOperand {
	if raw.kind == rawName && k.vectors && !raw.hasOffset && !raw.negated {
		if sym := k.find(raw.name); sym.kind == symbolVector {
			raw.spell(sym.elements)
			return raw.elements
		}
	}
	one := *raw
	raw.elements = []rawOperand{one}
	return raw.elements
}

// skipMarks reads the labels and .loc directives that compilers put between the
// lines of a call, when they inline functions with line tables. What they mark is
// the call. It is always true.
func (k *kernelParser) skipMarks() bool {
	p := k.parser
	for {
		switch ahead := p.lexer; {
		case p.tok.kind == tokenDotted && p.tok.text == "loc":
			if !p.parseLoc() {
				return true // the complaint is there
			}
		case p.tok.kind == tokenIdent && isColon(ahead.next()):
			k.defineLabel()
		default:
			return true
		}
	}
}

// bindCallOperand finds what an argument or result names.
func (k *kernelParser) bindCallOperand(raw *rawOperand) Operand {
	p := k.parser
	o := Operand{Position: p.position(&raw.at)}
	if raw.kind == rawNumber {
		// The parameter's type is not known before the callee is: Offset keeps
		// the literal's place until then.
		o.Kind, o.Offset = OperandImmediate, int64(len(k.callLiterals))
		k.callLiterals = append(k.callLiterals, raw.number)
		return o
	}
	if raw.name == "_" {
		o.Kind = OperandSink
		return o
	}
	sym := k.find(raw.name)
	switch {
	case raw.hasOffset || raw.negated:
		p.errorAt(o.Position, "an argument is a name or a constant")
	case sym.kind == symbolRegister:
		o.Kind, o.Register = OperandRegister, sym.register
	case sym.kind == symbolVariable && sym.variable.Space == SpaceArgument:
		o.Kind, o.Variable = OperandVariable, sym.variable
	default:
		p.errorAt(o.Position, "%s is no register and no .param variable of this body", raw.at.describe())
	}
	return o
}

// bindCallee resolves what is called, with the prototype behind an indirect
// call, and checks arguments and results against it.
func (k *kernelParser) bindCallee(in *Instruction, name *token) bool {
	p := k.parser
	sym := k.find(name.text)
	target := &in.Operands[1]
	target.Position = p.position(name)
	switch {
	case sym.kind == symbolFunction:
		target.Kind, target.Function = OperandFunction, sym.function
		return k.checkSignature(in, sym.function.signature())
	case sym.kind == symbolRegister && !sym.register.Type.Float() && sym.register.Type.addressable():
		target.Kind, target.Register = OperandRegister, sym.register
	default:
		p.errorAt(target.Position, "%s is neither a declared function nor a register that holds the address of one", name.describe())
		return false
	}
	if k.skipMarks(); !p.take(',') && !p.tok.is(';') {
		// "call p, prototype;" leaves the empty argument list out.
		return p.expect(',', "behind the arguments of an indirect call")
	}
	k.skipMarks()
	list, ok := p.identifier("the label of a .callprototype or .calltargets")
	if !ok {
		return false
	}
	prototype := k.findPrototype(list.text)
	if prototype == nil {
		p.errorAt(p.position(&list), "no .callprototype or .calltargets %s in this scope", list.describe())
		return false
	}
	in.Operands = append(in.Operands, Operand{Kind: OperandPrototype, Position: p.position(&list), Prototype: prototype})
	return k.checkSignature(in, prototype.Signature)
}

// checkSignature compares numbers and sizes of arguments and results, and
// gives constants their types.
func (k *kernelParser) checkSignature(in *Instruction, s Signature) bool {
	return k.checkCallList(in, "result", in.Operands[0].Elements, s.Returns) &&
		k.checkCallList(in, "argument", in.Operands[2].Elements, s.Params)
}

func (k *kernelParser) checkCallList(in *Instruction, what string, actual []Operand, formal []Passed) bool {
	p := k.parser
	if len(actual) != len(formal) {
		p.errorAt(in.Position, "the call has %d %ss where the function has %d", len(actual), what, len(formal))
		return false
	}
	for i := range actual {
		bytes, o := uint64(0), &actual[i]
		switch o.Kind {
		case OperandRegister:
			if o.Register.Type == B128 {
				p.errorAt(o.Position, "%s %d of the call: registers of 128 bits are not passed; unpack them with mov.b128", what, i+1)
				return false
			}
			if bytes = uint64(max(o.Register.Type.Bytes(), 1)); o.Register.Type == Pred != (formal[i].Type == Pred) {
				p.errorAt(o.Position, "%s %d of the call: a .pred register is passed as one only", what, i+1)
				return false
			}
		case OperandVariable:
			bytes = o.Variable.Bytes
		case OperandImmediate:
			value, err := k.callLiterals[o.Offset].as(formal[i].Type)
			if err != nil || what == "result" || uint64(formal[i].Type.Bytes()) < formal[i].Bytes {
				p.errorAt(o.Position, "%s %d of the call cannot be this constant", what, i+1)
				return false
			}
			o.Value, o.Offset = value, 0
			continue
		default: // "_" takes any result
			continue
		}
		// A register may be wider than what is passed in it.
		if bytes != formal[i].Bytes && !(o.Kind == OperandRegister && bytes > formal[i].Bytes && formal[i].Type.Bytes() == int(formal[i].Bytes)) {
			p.errorAt(o.Position, "%s %d of the call has %d bytes where the function has %d", what, i+1, bytes, formal[i].Bytes)
			return false
		}
	}
	return true
}

// findPrototype looks a prototype up in the scope and those around it.
func (k *kernelParser) findPrototype(name string) *Prototype {
	for s := k.scope; s != nil; s = s.parent {
		if found, ok := s.prototypes[name]; ok {
			return found
		}
	}
	return nil
}
