// SPDX-License-Identifier: Apache-2.0

package ptx

import "encoding/binary"

// parseInitializer reads the initial value of v (5.4.4): a constant, an
// address, or nested lists that fill the array row by row.
func (p *parser) parseInitializer(v *Variable, dims []uint64, d *declarator) bool {
	if v.Extern {
		p.errorAt(v.Position, "an .extern variable cannot be initialised")
	}
	if d.vector > 1 {
		dims = append(dims[:len(dims):len(dims)], d.vector)
	}
	var next uint64 // element index
	if !p.tok.is('{') {
		if len(dims) > 0 {
			p.errorf(`"{" expected before the initial values of an array, found %s`, p.tok.describe())
			return false
		}
		return p.parseInitialElement(v, 0)
	}
	if !p.parseInitialList(v, dims, &next) {
		return false
	}
	if len(dims) > 0 && dims[0] == 0 {
		v.Bytes = next * uint64(v.Type.Bytes())
	}
	return true
}

// parseInitialList reads { a, b, { c } }. A nested list fills one row of the
// next dimension and is padded with zeros.
func (p *parser) parseInitialList(v *Variable, dims []uint64, next *uint64) bool {
	if len(dims) == 0 {
		dims = []uint64{1}
	}
	p.advance()
	row := uint64(1)
	for _, n := range dims[1:] {
		row *= n
	}
	for !p.take('}') {
		if p.tok.is('{') {
			if len(dims) == 1 {
				p.errorf("the initial value has more levels of braces than the variable has dimensions")
				return false
			}
			start := *next
			if !p.parseInitialList(v, dims[1:], next) {
				return false
			}
			*next = start + row
		} else {
			if !p.parseInitialElement(v, *next) {
				return false
			}
			*next++
		}
		if !p.take(',') && !p.tok.is('}') {
			return p.expect('}', "behind the initial values")
		}
	}
	return true
}

// parseInitialElement reads one value and stores it at the element's place.
func (p *parser) parseInitialElement(v *Variable, element uint64) bool {
	size := uint64(v.Type.Bytes())
	offset := element * size
	if v.Bytes > 0 && offset+size > v.Bytes {
		p.errorf("more initial values than %s has elements", abbreviate(v.Name))
		return false
	}
	if p.tok.kind == tokenIdent && !isWarpSize(&p.tok) {
		return p.parseInitialAddress(v, offset)
	}
	at := p.position(&p.tok)
	l, ok := p.constant()
	if !ok {
		return false
	}
	if p.tok.is('(') {
		return p.parseMaskedAddress(v, offset, l)
	}
	value, err := l.as(p.registerType(v.Type)) // the upper half of a demoted .f64 stays zero
	if err != nil {
		p.errorAt(at, "%v", err)
		return true
	}
	p.storeInitial(v, offset, value)
	return true
}

// maxInitialBytes bounds the initial values of a module by its text: no number
// makes more than 8 bytes, and short rows are padded with few zeros in reality.
func (p *parser) maxInitialBytes() uint64 { return 4<<20 + 8*uint64(len(p.text)) }

// storeInitial puts the low bytes of value at offset; zeros are stored only
// where something follows them.
func (p *parser) storeInitial(v *Variable, offset, value uint64) {
	size := v.Type.Bytes()
	if need := offset + uint64(size); uint64(len(v.Initial)) < need {
		grow := need - uint64(len(v.Initial))
		if p.initialBytes += grow; p.initialBytes > p.maxInitialBytes() {
			p.errorAt(v.Position, "the module's initial values are larger than %d bytes", p.maxInitialBytes())
			p.stop()
			return
		}
		v.Initial = append(v.Initial, make([]byte, grow)...)
	}
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], value)
	copy(v.Initial[offset:], bytes[:size])
}

// parseInitialAddress reads symbol, symbol+n or generic(symbol)+n.
func (p *parser) parseInitialAddress(v *Variable, offset uint64) bool {
	r := Relocation{Offset: offset}
	name, ok := p.parseAddressed(&r)
	if !ok {
		return false
	}
	if v.Type.Bits() != p.module.AddressSize || v.Type.Float() {
		p.errorAt(p.position(&name), "an address of %d bits does not fit .%s", p.module.AddressSize, v.Type)
		return true
	}
	p.relocate(v, r, &name)
	return true
}

// parseAddressed reads what an initial value is the address of.
func (p *parser) parseAddressed(r *Relocation) (token, bool) {
	name, ok := p.identifier("a variable's name")
	if !ok {
		return name, false
	}
	if name.text == "generic" && p.take('(') {
		r.Generic = true
		if name, ok = p.identifier("a variable's name"); !ok || !p.expect(')', "behind the variable's name") {
			return name, false
		}
	}
	if p.tok.is('+') || p.tok.is('-') {
		l, ok := p.offset()
		if !ok {
			return name, false
		}
		addend, err := l.signed()
		if err != nil {
			p.errorf("%v", err)
			return name, false
		}
		r.Addend = addend
	}
	return name, true
}

// relocate notes an address in the initial value of v.
func (p *parser) relocate(v *Variable, r Relocation, name *token) {
	sym := p.symbols[name.text]
	if sym.kind != symbolVariable && sym.kind != symbolFunction {
		p.errorAt(p.position(name), "undeclared variable %s in an initial value", name.describe())
		return
	}
	if r.Symbol, r.Function = sym.variable, sym.function; sym.function != nil {
		sym.function.AddressTaken = true
	}
	v.Relocations = append(v.Relocations, r)
	p.storeInitial(v, r.Offset, 0)
}

// parseMaskedAddress reads "(symbol)", "(symbol+n)" or "(generic(symbol)+n)" behind a mask that
// selects one byte of the address (5.4.4).
func (p *parser) parseMaskedAddress(v *Variable, offset uint64, l literal) bool {
	at := p.position(&p.tok)
	p.advance()
	r := Relocation{Offset: offset, Mask: l.bits}
	name, ok := p.parseAddressed(&r)
	if !ok || !p.expect(')', "behind the variable's name") {
		return false
	}
	mask := l.bits
	for mask > 0xff && mask&0xff == 0 {
		mask >>= 8
	}
	switch {
	case l.kind != literalInteger || l.neg || mask != 0xff:
		p.errorAt(at, "a mask of an address is 0xFF, or that shifted by whole bytes")
	case v.Type.Float() || v.Type == Pred:
		p.errorAt(at, "a byte of an address does not fit .%s", v.Type)
	default:
		p.relocate(v, r, &name)
	}
	return true
}
