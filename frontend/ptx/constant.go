// SPDX-License-Identifier: Apache-2.0

package ptx

import "strings"

// Constant expressions (4.5.4) stand wherever an instruction, an initial value or
// a directive has a number. Most are a number alone, which stays the literal that
// it is.

// maxNesting bounds the parentheses, signs and choices inside each other.
const maxNesting = 100

// constant consumes a constant expression.
func (p *parser) constant() (literal, bool) {
	if p.startsNumber() {
		lexer, first := p.lexer, p.tok
		l, ok := p.literal()
		if !ok || p.operator().precedence == 0 {
			return l, ok
		}
		p.lexer, p.tok = lexer, first
	}
	at := p.position(&p.tok)
	return p.finishConstant(at, func(e *expression) constant { return e.choice() })
}

// offset consumes the "+n" behind a name: its terms are those of a sum that the
// name begins.
func (p *parser) offset() (literal, bool) {
	if p.startsNumber() {
		lexer, first := p.lexer, p.tok
		l, ok := p.literal()
		if !ok || p.operator().precedence < precedenceSum {
			return l, ok
		}
		p.lexer, p.tok = lexer, first
	}
	at := p.position(&p.tok)
	return p.finishConstant(at, func(e *expression) constant { return e.operations(constant{}, precedenceSum) })
}

// finishConstant evaluates an expression and makes it a literal.
func (p *parser) finishConstant(at Position, evaluate func(e *expression) constant) (literal, bool) {
	e := expression{parser: p}
	before := len(p.errors)
	v := evaluate(&e)
	switch {
	case len(p.errors) > before:
		return literal{}, false
	case v.fault != "":
		p.errorAt(at, "the constant expression has no value: %s", v.fault)
		return literal{}, false
	}
	return v.literal(), true
}

// startsNumber reports whether a number follows, perhaps behind signs.
func (p *parser) startsNumber() bool {
	ahead, t := p.lexer, p.tok
	for range maxNesting {
		if !t.is('-') && !t.is('+') {
			break
		}
		t = ahead.next()
	}
	return t.kind == tokenNumber || isWarpSize(&t)
}

// isWarpSize reports whether a token is the predefined constant (4.5.1).
func isWarpSize(t *token) bool { return t.kind == tokenIdent && t.text == "WARP_SZ" }

// startsExpression reports whether the current token begins a constant expression
// that is no number alone. "!" stands before predicates, too.
func (p *parser) startsExpression() bool {
	if p.tok.is('!') {
		ahead := p.lexer
		t := ahead.next()
		return t.kind != tokenIdent || isWarpSize(&t)
	}
	return p.tok.is('(') || p.tok.is('~')
}

// operator is a binary operator: zero precedence for none.
type operator struct {
	text       string
	precedence int
}

// Precedences, as in C (4.5.4, table 4).
const (
	precedenceOr = 1 + iota
	precedenceAnd
	precedenceBitOr
	precedenceBitXor
	precedenceBitAnd
	precedenceEqual
	precedenceOrder
	precedenceShift
	precedenceSum
	precedenceProduct
)

var operators = map[string]int{
	"||": precedenceOr, "&&": precedenceAnd, "|": precedenceBitOr, "^": precedenceBitXor, "&": precedenceBitAnd,
	"==": precedenceEqual, "!=": precedenceEqual, "<": precedenceOrder, ">": precedenceOrder, "<=": precedenceOrder, ">=": precedenceOrder,
	"<<": precedenceShift, ">>": precedenceShift, "+": precedenceSum, "-": precedenceSum,
	"*": precedenceProduct, "/": precedenceProduct, "%": precedenceProduct,
}

// operator is the binary operator that the current token begins.
func (p *parser) operator() operator {
	switch {
	case p.tok.kind == tokenIdent && p.tok.text[0] == '%':
		return operator{"%", precedenceProduct} // behind a number no register stands
	case p.tok.kind != tokenPunct:
		return operator{}
	case p.tok.is('?'):
		return operator{"?", -1}
	}
	rest := p.text[p.tok.offset:]
	for n := min(2, len(rest)); n > 0; n-- {
		if precedence, ok := operators[rest[:n]]; ok {
			return operator{rest[:n], precedence}
		}
	}
	return operator{}
}

// takeOperator moves behind an operator.
func (p *parser) takeOperator(o operator) {
	p.lexer.offset = p.tok.offset + len(o.text)
	p.advance()
}

// expression is an expression that is being read; depth counts what is open.
type expression struct {
	parser *parser
	depth  int
}

// enter opens a level of nesting; false, with a complaint, when there are too many.
func (e *expression) enter() bool {
	if e.depth++; e.depth <= maxNesting {
		return true
	}
	e.parser.errorf("a constant expression of more than %d levels", maxNesting)
	e.parser.stop()
	return false
}

// choice reads a ? b : c, or a alone.
func (e *expression) choice() constant {
	if !e.enter() {
		return constant{}
	}
	defer func() { e.depth-- }()
	v := e.operations(e.unary(), precedenceOr)
	if !e.parser.take('?') {
		return v
	}
	a := e.choice()
	if !e.parser.expect(':', "between the choices of a constant expression") {
		return constant{}
	}
	return choose(v, a, e.choice())
}

// operations reads what follows left, as far as it binds as tightly as least.
func (e *expression) operations(left constant, least int) constant {
	for {
		o := e.parser.operator()
		if o.precedence < least {
			return left
		}
		e.parser.takeOperator(o)
		right := e.unary()
		for e.parser.operator().precedence > o.precedence {
			right = e.operations(right, o.precedence+1)
		}
		left = operate(o.text, left, right)
	}
}

// unary reads signs, negations, casts, parentheses and numbers.
func (e *expression) unary() constant {
	if !e.enter() {
		return constant{}
	}
	defer func() { e.depth-- }()
	p := e.parser
	for _, sign := range []byte("+-!~") {
		if p.take(sign) {
			return negate(sign, e.unary())
		}
	}
	if !p.take('(') {
		return e.number()
	}
	if p.tok.kind == tokenDotted {
		cast := p.tok.text
		if cast != "s64" && cast != "u64" {
			p.errorf("a constant expression is cast to .s64 or .u64, not to %s (4.5.5)", p.tok.describe())
			return constant{}
		}
		p.advance()
		if !p.expect(')', "behind the cast") {
			return constant{}
		}
		return e.unary().cast(cast == "u64")
	}
	v := e.choice()
	p.expect(')', "behind the constant expression")
	return v
}

// number reads a literal.
func (e *expression) number() constant {
	p := e.parser
	text := p.tok.text
	l, ok := p.literal()
	switch {
	case !ok:
		return constant{}
	case l.kind == literalSingle:
		return constant{fault: text + " is a single-precision constant, which stands alone (4.5.2)"}
	}
	unsigned := l.kind == literalInteger && (l.bits>>63 != 0 || strings.ContainsAny(text, "uU"))
	return constant{kind: l.kind, bits: l.bits, unsigned: unsigned}
}
