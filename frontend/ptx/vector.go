// SPDX-License-Identifier: Apache-2.0

package ptx

import "strings"

// A register declared with .v2 or .v4 (5.4.2) is that many registers, which are
// named v.x, v.y, v.z and v.w, or v.r, v.g, v.b and v.a (6.4.3). Where the name
// of the vector stands, the list of its registers is meant.

// componentNames are the letters of the elements; those of colours mean the same.
const (
	componentNames = "xyzw"
	colourNames    = "rgba"
)

// component gives the number of an element by its name; -1 for other names.
func component(name string) int {
	if len(name) != 1 {
		return -1
	}
	return max(strings.Index(componentNames, name), strings.Index(colourNames, name))
}

// componentOf is the name of element i.
func componentOf(vector string, i int) string { return vector + "." + componentNames[i:i+1] }

// findComponent looks up a name such as v.x.
func (k *kernelParser) findComponent(vector, element string) symbol {
	i := component(element)
	for s := k.scope; s != nil && i >= 0; s = s.parent {
		if _, other := s.symbols[vector]; other {
			break
		}
		r, number, ok := s.declared(vector)
		switch {
		case !ok:
			continue
		case i >= r.vector:
			return symbol{}
		}
		if sym, ok := s.symbols[componentOf(vector, i)]; ok {
			return sym
		}
		return k.newRegister(s, componentOf(vector, i), r, number*uint64(r.vector)+uint64(i))
	}
	return symbol{}
}

// declared finds the declaration of a register in this very scope, and which of
// its registers the name is.
func (s *scope) declared(name string) (r registerRange, number uint64, ok bool) {
	if r, ok = s.singles[name]; ok {
		return r, 0, true
	}
	prefix, number, numbered := splitRegister(name)
	if !numbered {
		return registerRange{}, 0, false
	}
	r, ok = s.ranges[prefix]
	return r, number, ok && number < r.count
}

// parseVectorLength reads the .v2 or .v4 of a declaration of registers; 0
// without it.
func (p *parser) parseVectorLength() int {
	s := suffixes[p.tok.text]
	if p.tok.kind != tokenDotted || s.kind != suffixVector {
		return 0
	}
	p.advance()
	return s.vector
}

// vectorFault says what stands against vector registers; "" when nothing does.
func vectorFault(length int, t Type) string {
	switch {
	case length == 0:
	case length > 4:
		return "vectors of registers have 2 or 4 elements"
	case !t.Storable():
		return "vectors of ." + t.String() + " registers do not exist"
	case length*t.Bytes() > maxVectorBytes:
		return "vectors of registers have at most 128 bits"
	}
	return ""
}

// spellOut puts the lists of their elements in the place of vectors. They are
// vectors of registers and, where a mov takes all of one, the special registers
// that are vectors (%tid, %ctaid, ...). Their fourth element is always zero (10.1).
func (k *kernelParser) spellOut(in *Instruction, raw []rawOperand) {
	for i := range raw {
		o := &raw[i]
		k.spellOutCoordinates(o)
		if o.kind != rawName || o.hasOffset || o.negated || o.minus {
			continue
		}
		if in.Vector > 1 && o.name[0] == '%' && specialOf[strings.TrimPrefix(o.name, "%")+".x"] != SpecialNone {
			o.spell(in.Vector)
		} else if k.vectors {
			if sym := k.find(o.name); sym.kind == symbolVector {
				o.spell(sym.elements)
			}
		}
	}
}

// spellOutCoordinates: the coordinates of a texture may be a vector, too.
func (k *kernelParser) spellOutCoordinates(o *rawOperand) {
	if !k.vectors || o.kind != rawAddress || len(o.elements) != 1 || o.elements[0].kind != rawName {
		return
	}
	c := o.elements[0]
	if sym := k.find(c.name); sym.kind == symbolVector {
		c.spell(sym.elements)
		o.elements = c.elements
	}
}

// spell makes a vector of n elements of a name.
func (o *rawOperand) spell(n int) {
	o.kind, o.elements = rawVector, make([]rawOperand, n)
	for i := range o.elements {
		o.elements[i] = rawOperand{kind: rawName, at: o.at, name: componentOf(o.name, i)}
	}
}
