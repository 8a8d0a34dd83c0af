// SPDX-License-Identifier: Apache-2.0

package affine

import "github.com/warptape/warptape/trace"

// apply is the fact of what an instruction writes, by its operands' facts.
func (a *analysis) apply(i uint32) fact {
	o := &a.operations[i]
	if o.code == codeNone {
		return a.refuse(i, a.why[i])
	}
	if a.deep[a.g.blockOf[i]] {
		return a.refuse(i, a.tooDeep())
	}
	if o.code == codeParameter {
		return fact{typ: Scalar}
	}
	in := &a.k.Instructions[i]
	sources := make([]fact, 0, maxSources)
	for k := int(in.Destinations); k < len(in.Operands); k++ {
		f := a.operand(i, k)
		switch f.typ {
		case unknown:
			return nothing
		case NonAffine:
			return fact{typ: NonAffine, cause: f.cause}
		}
		sources = append(sources, f)
	}
	out := fact{typ: Scalar, zeros: 64}
	for _, f := range sources {
		out.typ = max(out.typ, f.typ)
		out.linked = out.linked || f.linked
		out.conditions.union(f.conditions)
	}
	out.zeros = 0
	why := a.rule(i, o, sources, &out)
	if why != "" {
		return a.refuse(i, why)
	}
	return out
}

func (a *analysis) refuse(i uint32, why string) fact {
	return fact{typ: NonAffine, cause: cause{i, why}}
}

const (
	unwrittenReason = "a register that nothing has written"
	productReason   = "multiplies two values that are not scalar (3)"
	moduloReason    = "a mod-type tuple goes on only with scalars (4.4)"
	nonlinear       = " of values that are not scalar is not affine"
	linkedReason    = "needs the address of a variable, which the loader chooses"
)

// rule refines out, the most general of the sources, for an operation; or says why
// the result is not affine.
func (a *analysis) rule(i uint32, o *operation, s []fact, out *fact) string {
	switch o.code {
	case codeMove, codeConvert:
		out.zeros = s[0].zeros
		if o.addend != 0 {
			out.zeros = min(s[0].zeros, zerosOf(o.addend))
		}
	case codeAdd, codeSubtract:
		return sum(s, out)
	case codeNegate, codeNot:
		out.zeros = s[0].zeros
		if o.code == codeNot {
			out.zeros = 0
		}
		return notModulo(s, out)
	case codeMultiply, codeMultiplyWide:
		return product(s, out)
	case codeMad, codeMadWide:
		return multiplyAdd(s, out)
	case codeShiftLeft:
		return a.shift(i, s, out)
	case codeOr:
		return a.or(i, s, out)
	case codeAnd:
		return a.mask(i, s, out)
	case codeRemainder:
		return remainder(s, out)
	case codeXor, codeShiftRight, codeDivide, codeLanes:
		return onlyScalars(a.k.Instructions[i].Opcode, out)
	case codeMinimum, codeMaximum, codeAbsolute, codeSelect:
		return a.choice(i, o, s, out)
	case codeCompare:
		return comparable(s, out)
	}
	out.zeros = 0
	return ""
}

func onlyScalars(opcode string, out *fact) string {
	if out.linked {
		return linkedReason
	}
	if out.typ > Scalar {
		return opcode + nonlinear
	}
	return ""
}

func notModulo(s []fact, out *fact) string {
	if s[0].typ == Modulo {
		return moduloReason
	}
	if out.linked {
		return linkedReason
	}
	return ""
}

// sum is addition, formula 2; a mod-type tuple takes a scalar.
func sum(s []fact, out *fact) string {
	if s[0].typ == Modulo && s[1].typ > Scalar || s[1].typ == Modulo && s[0].typ > Scalar {
		return moduloReason
	}
	out.zeros = min(s[0].zeros, s[1].zeros)
	return ""
}

// product is multiplication by a scalar, formula 3.
func product(s []fact, out *fact) string {
	if s[0].typ > Scalar && s[1].typ > Scalar {
		if out.typ == Modulo {
			return moduloReason
		}
		return productReason
	}
	if out.linked {
		return linkedReason
	}
	out.zeros = min(s[0].zeros+s[1].zeros, 64)
	return ""
}

func multiplyAdd(s []fact, out *fact) string {
	p := fact{typ: max(s[0].typ, s[1].typ), linked: s[0].linked || s[1].linked}
	if why := product(s[:2], &p); why != "" {
		return why
	}
	if p.typ == Modulo && s[2].typ > Scalar || s[2].typ == Modulo && p.typ > Scalar {
		return moduloReason
	}
	out.zeros = min(p.zeros, s[2].zeros)
	return ""
}

// shift is a product with a power of two.
func (a *analysis) shift(i uint32, s []fact, out *fact) string {
	if s[1].typ > Scalar {
		return "shl by a value that is not scalar is not affine"
	}
	if out.linked {
		return linkedReason
	}
	out.zeros = s[0].zeros
	if n, ok := a.constant(i, 2); ok && n >= 0 && n < 64 {
		out.zeros = min(s[0].zeros+uint8(n), 64)
	}
	return ""
}

// constant is the value of an operand that is one.
func (a *analysis) constant(i uint32, k int) (int64, bool) {
	o := &a.k.Instructions[i].Operands[k]
	return o.Value, o.Kind == trace.OperandImmediate
}

// or is addition where the constant fits into bits that are zero in every thread,
// which is how compilers write it.
func (a *analysis) or(i uint32, s []fact, out *fact) string {
	if out.typ <= Scalar && !out.linked {
		return ""
	}
	if out.linked {
		return linkedReason
	}
	n, ok := a.constant(i, 2)
	if ok && n >= 0 && (s[0].zeros >= 63 || n < 1<<s[0].zeros) && s[0].typ <= Modulo {
		out.zeros = min(s[0].zeros, s[1].zeros)
		return ""
	}
	return "or" + nonlinear
}

// mask is an and: with one bit less than a power of two it is a modulo operation.
func (a *analysis) mask(i uint32, s []fact, out *fact) string {
	if out.linked {
		return linkedReason
	}
	if out.typ <= Scalar {
		return ""
	}
	if n, ok := a.constant(i, 2); ok && n > 0 && n&(n+1) == 0 && s[0].typ <= Affine {
		out.typ = Modulo
		return ""
	}
	return "and" + nonlinear + ", unless it is a mask of low bits"
}

// remainder makes a mod-type tuple of an affine one and a scalar divisor.
func remainder(s []fact, out *fact) string {
	switch {
	case out.linked:
		return linkedReason
	case s[1].typ > Scalar:
		return "rem by a value that is not scalar is not affine (4.4)"
	case s[0].typ == Modulo:
		return moduloReason
	case s[0].typ > Scalar:
		out.typ = Modulo
	}
	return ""
}

// choice is min, max, abs and selp: an assignment with a predicate (section 4.6),
// and so a divergent condition.
func (a *analysis) choice(i uint32, o *operation, s []fact, out *fact) string {
	together := out.typ <= Scalar
	out.zeros = s[0].zeros
	if o.code == codeSelect {
		out.typ = max(s[0].typ, s[1].typ)
		together = a.agrees(&s[2])
	}
	if len(s) > 1 {
		out.zeros = min(s[0].zeros, s[1].zeros)
	}
	if out.linked && o.code != codeSelect {
		return linkedReason
	}
	if !together {
		c := condition{place: i, byItself: true}
		if a.file.refuses(c) {
			return a.noRegister()
		}
		out.conditions.add(c)
	}
	return ""
}

// comparable is the rule of the predicate expansion unit: one operand is a scalar
// within the thread block (section 4.3).
func comparable(s []fact, out *fact) string {
	switch {
	case out.linked:
		return linkedReason
	case s[0].typ > Block && s[1].typ > Block:
		return "neither operand of the comparison is scalar in a thread block (4.3)"
	}
	if why := out.conditions.tooMany(); why != "" {
		return why
	}
	if out.conditions.divergent() {
		out.typ, out.conditions = max(out.typ, Affine), conditions{}
	}
	return ""
}

// tooMany says why an affine value cannot be expanded (section 4.6).
func (c *conditions) tooMany() string {
	switch {
	case c.carried:
		return "a loop carries a divergent tuple (4.6)"
	case c.n > maxConditions:
		return "more than two divergent conditions (4.6)"
	}
	return ""
}
