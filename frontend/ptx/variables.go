// SPDX-License-Identifier: Apache-2.0

package ptx

import "math"

// maxVariableBytes bounds one variable; initial values are bounded by the text.
const maxVariableBytes = 1 << 40

// declarator is the common head of the variables of one declaration.
type declarator struct {
	space  Space
	typ    Type
	vector uint64 // elements of a .v2 or .v4 variable, else 1
	align  uint32 // zero when not given
	link   linkage
}

// parseVariables reads ".space {.align n} {.v2|.v4} .type a{[n]} {= init}, b;"
// (5.4.1) at module scope, or inside kernel k.
func (p *parser) parseVariables(k *kernelParser, link linkage) bool {
	d := declarator{vector: 1, link: link}
	at := p.tok
	s := suffixes[at.text]
	switch {
	case at.kind == tokenDotted && (at.text == "tex" || at.text == "surf") && k == nil:
		return p.parseTextureVariable()
	case at.kind != tokenDotted || s.kind != suffixSpace || s.space == SpaceParam:
		p.errorf("unsupported directive %s", at.describe())
		return false
	}
	d.space = s.space
	if d.space == SpaceConst && !p.skipBank() {
		return false
	}
	p.advance()
	for p.tok.kind == tokenDotted {
		switch s := suffixes[p.tok.text]; {
		case p.tok.text == "align":
			if !p.parseAlign(&d.align) {
				return false
			}
			continue
		case p.tok.text == "attribute":
			p.advance()
			if !p.skipParentheses() {
				return false
			}
			continue
		case p.tok.text == "texref" || p.tok.text == "samplerref" || p.tok.text == "surfref":
			return p.parseTextureVariable()
		case s.kind == suffixVector:
			d.vector = uint64(s.vector)
		case s.kind == suffixType && s.typ.Storable():
			d.typ = s.typ
		default:
			p.errorf("unsupported attribute %s of a variable", p.tok.describe())
			return false
		}
		p.advance()
	}
	if d.typ == TypeNone {
		p.errorf("the variable's type is missing, found %s", p.tok.describe())
		return false
	}
	for {
		if !p.parseVariable(k, &d) {
			return false
		}
		if !p.take(',') {
			return p.expect(';', "behind the variable")
		}
	}
}

// parseAlign reads .align n.
func (p *parser) parseAlign(align *uint32) bool {
	p.advance()
	at := p.position(&p.tok)
	n, ok := p.unsignedConstant(".align", 1<<20)
	if !ok {
		return false
	}
	if n == 0 || n&(n-1) != 0 {
		p.errorAt(at, ".align takes a power of two, not %d", n)
		return false
	}
	*align = uint32(n)
	return true
}

// skipParentheses skips "( ... )".
func (p *parser) skipParentheses() bool {
	if !p.expect('(', "here") {
		return false
	}
	for depth := 1; depth > 0; p.advance() {
		switch {
		case p.tok.kind == tokenEOF:
			p.errorf(`")" expected, found the end of the file`)
			return false
		case p.tok.is('('):
			depth++
		case p.tok.is(')'):
			depth--
		}
	}
	return true
}

// parseTextureVariable reads ".texref a, b;" or, before PTX 1.5, ".tex .u32 a;".
// Their initial values name sampler settings, which the host program gives when
// it binds a texture. A .surfref, or ".surf", is bound alike: a surface is the
// memory of a texture. Samplers a module may have as long as no kernel uses them.
func (p *parser) parseTextureVariable() bool {
	texture := false
	for ; p.tok.kind == tokenDotted; p.advance() {
		texture = texture || p.tok.text == "tex" || p.tok.text == "texref" || p.tok.text == "surf" || p.tok.text == "surfref"
	}
	for {
		name, ok := p.identifier("a name")
		if !ok {
			return false
		}
		if texture {
			p.declareVariable(nil, &Variable{Position: p.position(&name), Name: name.text, Space: SpaceTexture, Align: 1})
		} else {
			p.symbols[name.text] = symbol{kind: symbolSampler}
		}
		if p.take('=') && !p.skipSettings() {
			return false
		}
		if !p.take(',') {
			return p.expect(';', "behind the reference")
		}
	}
}

// skipSettings skips a reference's initial value, "{ name = value, ... }".
func (p *parser) skipSettings() bool {
	if !p.expect('{', "here") {
		return false
	}
	for !p.take('}') {
		if p.tok.kind == tokenEOF || p.tok.is(';') {
			p.errorf(`"}" expected, found %s`, p.tok.describe())
			return false
		}
		p.advance()
	}
	return true
}

// parseVariable reads one name with its dimensions and initial value.
func (p *parser) parseVariable(k *kernelParser, d *declarator) bool {
	name, ok := p.identifier("the variable's name")
	if !ok {
		return false
	}
	v := &Variable{Position: p.position(&name), Name: name.text, Space: d.space, Type: d.typ, Align: d.align, Extern: d.link.extern}
	element := uint64(d.typ.Bytes()) * d.vector
	if v.Align == 0 {
		v.Align = uint32(element)
	}
	dims, ok := p.parseDimensions()
	if !ok {
		return false
	}
	count, ok := p.elementCount(dims, element, v)
	if !ok {
		return false
	}
	v.Bytes = count * element
	if p.take('=') {
		if !p.parseInitializer(v, dims, d) {
			return false
		}
	} else if len(dims) > 0 && dims[0] == 0 && !v.Extern {
		p.errorAt(v.Position, "the size of %s is missing: only .extern arrays and initialised ones may leave it out", abbreviate(v.Name))
		return true
	}
	p.declareVariable(k, v)
	return true
}

// parseDimensions reads [n][m]...; an empty first pair is 0.
func (p *parser) parseDimensions() ([]uint64, bool) {
	var dims []uint64
	for p.take('[') {
		if len(dims) == 8 {
			p.errorf("more than 8 dimensions")
			return nil, false
		}
		n := uint64(0)
		if !p.tok.is(']') || len(dims) > 0 {
			at := p.position(&p.tok)
			var ok bool
			if n, ok = p.unsignedConstant("an array's size", maxVariableBytes); !ok {
				return nil, false
			}
			if n == 0 && len(dims) > 0 {
				p.errorAt(at, "an inner dimension of an array cannot be zero")
				return nil, false
			}
		}
		dims = append(dims, n)
		if !p.expect(']', "behind the array's size") {
			return nil, false
		}
	}
	return dims, true
}

// elementCount multiplies the dimensions, the size bounded.
func (p *parser) elementCount(dims []uint64, element uint64, v *Variable) (uint64, bool) {
	count := uint64(1)
	for _, n := range dims {
		if n > 0 && count > maxVariableBytes/element/n {
			p.errorAt(v.Position, "%s is larger than %d bytes", abbreviate(v.Name), uint64(maxVariableBytes))
			return 0, false
		}
		count *= n
	}
	return count, true
}

// declareVariable enters v into the kernel's scope or the module's. A
// definition may follow an .extern declaration of the same name.
func (p *parser) declareVariable(k *kernelParser, v *Variable) {
	if v.Space == SpaceShared && v.Initial != nil {
		p.errorAt(v.Position, "shared variables cannot be initialised (5.4.4)")
	}
	if k != nil {
		if k.scope.declares(v.Name) {
			p.errorAt(v.Position, "%s is declared twice", abbreviate(v.Name))
			return
		}
		k.code.Variables = append(k.code.Variables, v)
		k.scope.define(v.Name, symbol{kind: symbolVariable, variable: v})
		return
	}
	old, exists := p.symbols[v.Name]
	switch {
	case exists && old.kind == symbolVariable && old.variable.Extern && old.variable.Space == v.Space:
		if !v.Extern {
			*old.variable = *v
		}
		return
	case exists && old.kind == symbolVariable && v.Extern && old.variable.Space == v.Space:
		return
	case exists:
		p.errorAt(v.Position, "%s is declared twice", abbreviate(v.Name))
		return
	}
	p.module.Variables = append(p.module.Variables, v)
	p.symbols[v.Name] = symbol{kind: symbolVariable, variable: v}
}

// parseParam reads one .param of an entry (5.1.6, 11.2.1): the position, type,
// alignment and size; the caller places it.
func (p *parser) parseParam() (*Param, bool) {
	if !p.takeDotted("param") {
		p.errorf(".param expected, found %s", p.tok.describe())
		return nil, false
	}
	param := &Param{}
	pointer := false
	for p.tok.kind == tokenDotted {
		s := suffixes[p.tok.text]
		switch {
		case p.tok.text == "align":
			// Behind .ptr it tells of the memory pointed to.
			var align uint32
			if !p.parseAlign(&align) {
				return nil, false
			}
			if !pointer {
				param.Align = align
			}
			continue
		case p.tok.text == "ptr":
			pointer, param.Pointer = true, SpaceGeneric
		case s.kind == suffixSpace && pointer:
			param.Pointer = s.space
		case s.kind == suffixType && s.typ.Storable():
			param.Type = s.typ
		default:
			p.errorf("unsupported attribute %s of a parameter", p.tok.describe())
			return nil, false
		}
		p.advance()
	}
	name, ok := p.identifier("the parameter's name")
	if !ok {
		return nil, false
	}
	param.Position, param.Name = p.position(&name), name.text
	if param.Type == TypeNone {
		p.errorAt(param.Position, "the type of parameter %s is missing", abbreviate(param.Name))
		return nil, false
	}
	return param, p.sizeParam(param)
}

// sizeParam reads the dimension and completes size and alignment.
func (p *parser) sizeParam(param *Param) bool {
	element := uint32(param.Type.Bytes())
	param.Bytes = element
	if param.Align == 0 {
		param.Align = element
	}
	dims, ok := p.parseDimensions()
	if !ok || len(dims) == 0 {
		return ok
	}
	count := uint64(1)
	for _, n := range dims {
		if n == 0 || n > math.MaxUint16 {
			p.errorAt(param.Position, "parameter %s is an array of %d elements; 1 to %d can be", abbreviate(param.Name), n, math.MaxUint16)
			return false
		}
		count *= n
		if count > maxParamBytes {
			break
		}
	}
	if count*uint64(element) > maxParamBytes {
		p.errorAt(param.Position, "parameter %s is larger than the %d bytes of parameter space", abbreviate(param.Name), maxParamBytes)
		return false
	}
	param.Bytes = uint32(count) * element
	return true
}
