// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var operators = map[syntax.Token]operator{
	syntax.PLUS: opAdd, syntax.MINUS: opSub, syntax.STAR: opMul, syntax.SLASH: opDiv, syntax.SLASHSLASH: opFloorDiv, syntax.PERCENT: opRem,
	syntax.AMP: opAnd, syntax.PIPE: opOr, syntax.CIRCUMFLEX: opXor, syntax.LTLT: opShl, syntax.GTGT: opShr,
}

// Binary is elementwise arithmetic: + - * on all types, / on floats, // % & |
// ^ << >> on integers. The other operand is an array of the same type and
// shape, a scalar, or a plain number.
func (a *Array) Binary(token syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	op, ok := operators[token]
	if !ok {
		return nil, nil
	}
	b, err := a.operand(other)
	if err != nil {
		return nil, err
	}
	if side == starlark.Right {
		return binaryOp(op, b, a)
	}
	return binaryOp(op, a, b)
}

// operand makes the other side of an operation an array of a's type.
func (a *Array) operand(v starlark.Value) (*Array, error) {
	b, ok := v.(*Array)
	if !ok {
		s, err := fromStarlark(a.typ, v)
		if err != nil {
			return nil, err
		}
		b = &Array{typ: a.typ, data: kinds[a.typ].make(1), space: a.space}
		kinds[a.typ].store(b.data, 0, s)
	}
	if b.typ != a.typ {
		return nil, fmt.Errorf("%s and %s do not mix: convert one of them with %s(...)", a.describe(), b.describe(), a.typ)
	}
	if len(a.shape) > 0 && len(b.shape) > 0 && !slices.Equal(a.shape, b.shape) {
		return nil, fmt.Errorf("shapes differ: %s and %s", a.describe(), b.describe())
	}
	return b, nil
}

// wider is the one of two operands that has the result's shape.
func wider(a, b *Array) *Array {
	if len(a.shape) == 0 {
		return b
	}
	return a
}

func binaryOp(op operator, a, b *Array) (starlark.Value, error) {
	f := kinds[a.typ].binary[op]
	if f == nil {
		return nil, fmt.Errorf("%s has no %s", a.typ, operatorNames[op])
	}
	if (op == opFloorDiv || op == opRem) && b.hasZero() {
		return nil, fmt.Errorf("%s: division by zero", operatorNames[op])
	}
	whole := op != opFloorDiv && op != opRem // those by one number have loops of their own
	within := combine(op, a.interval(), b.interval())
	out, err := a.space.result(a.typ, wider(a, b).shape, f, whole, a, b)
	if err == nil {
		out.note(within.as(out.typ))
	}
	return value(out, err)
}

// value is an array as a Starlark value, which of an error is nil.
func value(a *Array, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Array) hasZero() bool { return kinds[a.typ].zero(a.values()) }

// Unary is elementwise - on all types and ~ on integers.
func (a *Array) Unary(token syntax.Token) (starlark.Value, error) {
	switch token {
	case syntax.MINUS:
		return a.unary("-")
	case syntax.TILDE:
		return a.unary("~")
	case syntax.PLUS:
		return a, nil
	}
	return nil, nil
}

func (a *Array) unary(name string) (starlark.Value, error) {
	f := kinds[a.typ].unary[name]
	if f == nil {
		return nil, fmt.Errorf("%s has no %s", a.typ, name)
	}
	return value(a.space.result(a.typ, a.shape, func(dst, src, _ storage) { f(dst, src) }, true, a))
}

func compare(rel relation, a, b *Array) (starlark.Value, error) {
	out, err := wider(a, b).like(U8)
	if err != nil {
		return nil, err
	}
	kinds[a.typ].compare(rel, out.data.([]uint8), a.values(), b.values())
	return out, nil
}
