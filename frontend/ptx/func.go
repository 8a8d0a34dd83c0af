// SPDX-License-Identifier: Apache-2.0

package ptx

// parseFunc reads .func {(returns)} name {(params)} directives { body }, or a
// prototype that ends with ";" (11.2.2).
func (p *parser) parseFunc() bool {
	p.advance()
	for p.tok.kind == tokenDotted {
		word := p.tok.text
		p.advance()
		if word == "attribute" && !p.skipParentheses() {
			return false
		}
	}
	f := &Function{Module: p.module}
	k := &kernelParser{parser: p, code: &f.Code, inFunction: true}
	k.openOutermost()
	if p.tok.is('(') {
		var ok bool
		if f.Returns, ok = k.parseFormals(); !ok {
			return false
		}
	}
	name, ok := p.identifier("the function's name")
	if !ok {
		return false
	}
	f.Position, f.Name, f.FirstLine, k.name = p.position(&name), name.text, name.line, "function "+name.text
	if p.tok.is('(') {
		if f.Params, ok = k.parseFormals(); !ok {
			return false
		}
	}
	return p.skipFunctionDirectives() && p.finishFunction(k, f)
}

// skipFunctionDirectives skips .noreturn and what tunes performance.
func (p *parser) skipFunctionDirectives() bool {
	for p.tok.kind == tokenDotted && !beginsDeclaration[p.tok.text] {
		switch p.tok.text {
		case "noreturn":
			p.advance()
		case "maxnreg", "abi_preserve", "abi_preserve_control":
			p.advance()
			if _, ok := p.unsigned("a number of registers", 1<<16); !ok {
				return false
			}
		case "pragma":
			if !p.parsePragma() {
				return false
			}
		default:
			return true // a declaration follows: the ";" of a prototype is missing
		}
	}
	return true
}

// finishFunction reads the body, if there is one, and enters the function into
// the module. PTX 2.x compilers leave the ";" of a prototype out.
func (p *parser) finishFunction(k *kernelParser, f *Function) bool {
	known := p.declareFunction(f)
	if !p.tok.is('{') {
		if !p.take(';') && p.tok.kind != tokenDotted {
			p.errorf("the body of function %s is missing", abbreviate(f.Name))
			return false
		}
		return true
	}
	if known.Defined {
		p.errorAt(f.Position, "function %s is defined twice", abbreviate(f.Name))
	}
	f.Number, f.AddressTaken, f.Defined = known.Number, known.AddressTaken, true
	k.parseBlock()
	f.AddressTaken = f.AddressTaken || known.AddressTaken
	*known = *f
	return true
}

// declareFunction finds the function of f's name, or enters f. A definition
// takes the place of the prototype, whose uses see it.
func (p *parser) declareFunction(f *Function) *Function {
	sym, exists := p.symbols[f.Name]
	if exists && sym.kind == symbolFunction {
		if !sym.function.signature().fits(f.signature()) {
			p.errorAt(f.Position, "function %s was declared with other parameters or results", abbreviate(f.Name))
		}
		return sym.function
	}
	if exists {
		p.errorAt(f.Position, "%s is declared twice", abbreviate(f.Name))
	}
	known := new(Function)
	*known = *f
	p.module.Functions = append(p.module.Functions, known)
	known.Number = len(p.module.Functions)
	p.symbols[f.Name] = symbol{kind: symbolFunction, function: known}
	return known
}

// parseFormals reads (.param .type a, .reg .type b, ...) and declares them in
// the scope.
func (k *kernelParser) parseFormals() ([]Formal, bool) {
	p := k.parser
	var list []Formal
	p.advance()
	if p.take(')') {
		return nil, true
	}
	for {
		formals, ok := k.parseFormal()
		if !ok {
			return nil, false
		}
		list = append(list, formals...)
		if len(list) > maxCallOperands {
			p.errorf("a function has at most %d parameters", maxCallOperands)
			return nil, false
		}
		if !p.take(',') {
			return list, p.expect(')', "behind the parameters")
		}
	}
}

// parseFormal reads one parameter or result; a vector of registers is as many as it has elements.
func (k *kernelParser) parseFormal() ([]Formal, bool) {
	p := k.parser
	if p.takeDotted("reg") {
		return k.parseRegisterFormal()
	}
	param, ok := p.parseParam()
	if !ok {
		return nil, false
	}
	v := &Variable{Position: param.Position, Name: param.Name, Space: SpaceArgument, Type: param.Type, Align: param.Align, Bytes: uint64(param.Bytes)}
	k.declareArgument(v)
	return []Formal{{Variable: v}}, true
}

// parseRegisterFormal reads the rest of ".reg {.v2|.v4} .type name".
func (k *kernelParser) parseRegisterFormal() ([]Formal, bool) {
	p := k.parser
	length := p.parseVectorLength()
	s := suffixes[p.tok.text]
	if p.tok.kind != tokenDotted || s.kind != suffixType || !s.typ.Declarable() || s.typ == B128 {
		p.errorf("a register type expected, found %s", p.tok.describe())
		return nil, false
	}
	if why := vectorFault(length, s.typ); why != "" {
		p.errorf("%s", why)
		return nil, false
	}
	p.advance()
	name, ok := p.identifier("a register's name")
	if !ok {
		return nil, false
	}
	r := registerRange{typ: p.registerType(s.typ), vector: length, declaration: k.declarations}
	k.declarations++
	if name.text == "_" {
		return unnamedFormals(r), true
	}
	k.declareRegisters(&name, r)
	if length == 0 {
		return []Formal{{Register: k.newRegister(k.scope, name.text, r, 0).register}}, true
	}
	k.vectors = true
	var list []Formal
	for i := range length {
		list = append(list, Formal{Register: k.newRegister(k.scope, componentOf(name.text, i), r, uint64(i)).register})
	}
	return list, true
}

// unnamedFormals are those of a prototype.
func unnamedFormals(r registerRange) (list []Formal) {
	for range max(r.vector, 1) {
		list = append(list, Formal{Register: &Register{Name: "_", Type: r.typ}})
	}
	return list
}

// parseArgumentVariables reads ".param .type a{[n]};" in a body: the space for
// an argument or a result of a call.
func (k *kernelParser) parseArgumentVariables() bool {
	p := k.parser
	for {
		param, ok := p.parseParam()
		if !ok {
			return false
		}
		k.declareArgument(&Variable{Position: param.Position, Name: param.Name, Space: SpaceArgument, Type: param.Type, Align: param.Align, Bytes: uint64(param.Bytes)})
		if !p.take(',') {
			return p.expect(';', "behind the .param variable")
		}
	}
}

// maxArgumentBytes bounds the argument area of a body.
const maxArgumentBytes = 1 << 20

// declareArgument places an argument variable behind those in scope; scopes
// that exclude each other share the area.
func (k *kernelParser) declareArgument(v *Variable) {
	s, p := k.scope, k.parser
	v.Offset = (s.argumentBytes + uint64(v.Align) - 1) &^ (uint64(v.Align) - 1)
	s.argumentBytes = v.Offset + v.Bytes
	k.code.ArgumentBytes = max(k.code.ArgumentBytes, s.argumentBytes)
	k.code.ArgumentAlign = max(k.code.ArgumentAlign, v.Align)
	switch {
	case s.argumentBytes > maxArgumentBytes:
		p.errorAt(v.Position, "the arguments of calls in %s take more than %d bytes", abbreviate(k.name), maxArgumentBytes)
		p.stop()
	case v.Name == "_":
	case s.declares(v.Name):
		p.errorAt(v.Position, "%s is declared twice", abbreviate(v.Name))
	default:
		s.define(v.Name, symbol{kind: symbolVariable, variable: v})
	}
	k.code.Variables = append(k.code.Variables, v)
}

// parsePrototype reads "(returns) _ (params) {.noreturn};" behind
// ".callprototype" (11.3.2).
func (k *kernelParser) parsePrototype(label *token) bool {
	p := k.parser
	prototype := &Prototype{}
	scratch := &kernelParser{parser: p, code: &Code{}, name: k.name}
	scratch.openScope()
	if p.tok.is('(') {
		returns, ok := scratch.parseFormals()
		if !ok {
			return false
		}
		prototype.Returns = passedOf(returns)
	}
	if name, ok := p.identifier(`"_"`); !ok {
		return false
	} else if name.text != "_" {
		p.errorAt(p.position(&name), `"_" stands for the name in a .callprototype, found %s`, name.describe())
	}
	if p.tok.is('(') {
		params, ok := scratch.parseFormals()
		if !ok {
			return false
		}
		prototype.Params = passedOf(params)
	}
	k.definePrototype(label, prototype)
	return p.skipFunctionDirectives() && p.expect(';', "behind the prototype")
}

// parseCallTargets reads "f, g;" behind ".calltargets" (11.3.3).
func (k *kernelParser) parseCallTargets(label *token) bool {
	p := k.parser
	prototype := &Prototype{}
	for {
		name, ok := p.identifier("a function's name")
		if !ok {
			return false
		}
		sym := k.find(name.text)
		if sym.kind != symbolFunction {
			p.errorAt(p.position(&name), "undeclared function %s", name.describe())
			return false
		}
		if s := sym.function.signature(); len(prototype.Functions) == 0 {
			prototype.Signature = s
		} else if !prototype.fits(s) {
			p.errorAt(p.position(&name), "function %s has other parameters or results than the first of the list", name.describe())
		}
		prototype.Functions = append(prototype.Functions, sym.function)
		if !p.take(',') {
			k.definePrototype(label, prototype)
			return p.expect(';', "behind the call targets")
		}
	}
}

func (k *kernelParser) definePrototype(label *token, prototype *Prototype) {
	if k.scope.prototypes == nil {
		k.scope.prototypes = make(map[string]*Prototype)
	}
	k.scope.prototypes[label.text] = prototype
}

// parseAlias reads .alias name, function; (11.6.5): another name of a function.
func (p *parser) parseAlias() bool {
	p.advance()
	name, ok := p.identifier("the alias")
	if !ok || !p.expect(',', "behind the alias") {
		return false
	}
	target, ok := p.identifier("a function's name")
	if !ok {
		return false
	}
	sym := p.symbols[target.text]
	if sym.kind != symbolFunction {
		p.errorAt(p.position(&target), "undeclared function %s", target.describe())
		return false
	}
	if old := p.symbols[name.text]; old.kind == symbolFunction && !old.function.Defined {
		// Calls of the declared alias reach the function by one that is it.
		code, number := *sym.function, old.function.Number
		*old.function = code
		old.function.Number = number
	} else {
		p.symbols[name.text] = sym
	}
	return p.expect(';', "behind the alias")
}
