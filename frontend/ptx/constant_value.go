// SPDX-License-Identifier: Apache-2.0

package ptx

import "math"

// constant is the value of a constant expression (4.5.5): a 64-bit integer with
// or without sign, or a double. Where evaluation has no result, fault says why; it
// does not count in the operand of ?:, && or || that C does not evaluate.
type constant struct {
	kind     literalKind // literalInteger or literalDouble
	bits     uint64      // of the integer or the double
	unsigned bool
	fault    string
}

func (c constant) float() bool    { return c.kind == literalDouble }
func (c constant) value() float64 { return math.Float64frombits(c.bits) }

// literal gives the value as if it had been written as a number. An unsigned one
// may have been made by "~", and counts as the negative number of its bits where
// only that fits (see literal.asInteger).
func (c constant) literal() literal {
	l := literal{kind: c.kind, bits: c.bits}
	if !c.float() && !c.unsigned && int64(c.bits) < 0 {
		l.bits, l.neg = -c.bits, true
	}
	return l
}

func integerConstant(v uint64, unsigned bool) constant { return constant{bits: v, unsigned: unsigned} }

func truth(v bool) constant {
	if v {
		return constant{bits: 1}
	}
	return constant{}
}

func floatConstant(v float64) constant {
	return constant{kind: literalDouble, bits: math.Float64bits(v)}
}

// cast converts an integer; there are no casts from or to floating point (4.5.4).
func (c constant) cast(unsigned bool) constant {
	if c.float() && c.fault == "" {
		return constant{fault: "a floating-point value cannot be cast to an integer (4.5.4)"}
	}
	c.unsigned = unsigned
	return c
}

// negate applies a unary operator.
func negate(sign byte, c constant) constant {
	switch {
	case c.fault != "" || sign == '+':
		return c
	case sign == '-' && c.float():
		return floatConstant(-c.value())
	case sign == '-':
		c.bits = -c.bits
		return c
	case c.float():
		return constant{fault: string(sign) + " takes an integer (4.5.4)"}
	case sign == '!':
		return truth(c.bits == 0)
	}
	return integerConstant(^c.bits, true)
}

// operate applies a binary operator.
func operate(operator string, a, b constant) constant {
	if operator == "&&" || operator == "||" {
		return operateLogic(operator, a, b)
	}
	switch {
	case a.fault != "":
		return a
	case b.fault != "":
		return b
	case a.float() != b.float():
		return constant{fault: operator + " has an integer and a floating-point operand (4.5.4)"}
	case a.float():
		return operateFloat(operator, a.value(), b.value())
	}
	return operateInteger(operator, a, b)
}

// operateLogic: the right operand does not count where the left one decides.
func operateLogic(operator string, a, b constant) constant {
	switch {
	case a.fault != "":
		return a
	case a.float() || b.fault == "" && b.float():
		return constant{fault: operator + " takes integers (4.5.4)"}
	case (a.bits != 0) == (operator == "||"):
		return truth(operator == "||")
	case b.fault != "":
		return b
	}
	return truth(b.bits != 0)
}

func operateFloat(operator string, a, b float64) constant {
	switch operator {
	case "+":
		return floatConstant(a + b)
	case "-":
		return floatConstant(a - b)
	case "*":
		return floatConstant(a * b)
	case "/":
		return floatConstant(a / b)
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	}
	return constant{fault: operator + " takes integers (4.5.4)"}
}

// operateInteger: but for shifts, both operands are unsigned when one is, which is
// C's usual conversion.
func operateInteger(operator string, a, b constant) constant {
	unsigned := a.unsigned || b.unsigned
	x, y := a.bits, b.bits
	switch operator {
	case "+":
		return integerConstant(x+y, unsigned)
	case "-":
		return integerConstant(x-y, unsigned)
	case "*":
		return integerConstant(x*y, unsigned)
	case "/", "%":
		return divide(operator, x, y, unsigned)
	case "<<":
		return integerConstant(x<<y, a.unsigned)
	case ">>":
		if a.unsigned {
			return integerConstant(x>>y, true)
		}
		return integerConstant(uint64(int64(x)>>y), false)
	case "&":
		return integerConstant(x&y, unsigned)
	case "|":
		return integerConstant(x|y, unsigned)
	case "^":
		return integerConstant(x^y, unsigned)
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	}
	if !unsigned { // the order of signed numbers is that of unsigned ones with the sign flipped
		x, y = x^1<<63, y^1<<63
	}
	switch operator {
	case "<":
		return truth(x < y)
	case "<=":
		return truth(x <= y)
	case ">":
		return truth(x > y)
	}
	return truth(x >= y)
}

// divide: remainders are of unsigned operands whatever they are, and signed
// (4.5.6, table 5).
func divide(operator string, x, y uint64, unsigned bool) constant {
	switch {
	case y == 0:
		return constant{fault: "it divides by zero"}
	case operator == "%":
		return integerConstant(x%y, false)
	case unsigned:
		return integerConstant(x/y, true)
	}
	return integerConstant(uint64(int64(x)/int64(y)), false)
}

// choose is c ? a : b. The choices are converted to one type, whichever is taken.
func choose(c, a, b constant) constant {
	switch {
	case c.fault != "":
		return c
	case c.float():
		return constant{fault: "the condition of ?: is an integer (4.5.5)"}
	case a.fault == "" && b.fault == "" && a.float() != b.float():
		return constant{fault: "the choices of ?: are an integer and a floating-point value (4.5.5)"}
	}
	chosen := b
	if c.bits != 0 {
		chosen = a
	}
	if !chosen.float() {
		chosen.unsigned = a.unsigned || b.unsigned
	}
	return chosen
}
