// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// literalKind says how a literal was written.
type literalKind uint8

const (
	literalInteger literalKind = iota
	literalSingle              // 0f: bits are a float32's
	literalDouble              // 0d or decimal: bits are a float64's
)

// literal is a numeric constant (4.5.1, 4.5.2) before it has the type of the
// place where it stands.
type literal struct {
	kind literalKind
	bits uint64 // magnitude of an integer
	neg  bool   // minus sign of an integer
}

// isHexFloat reports whether s starts as an exact floating-point constant.
func isHexFloat(s string) bool {
	return len(s) > 2 && s[0] == '0' && strings.IndexByte("fFdD", s[1]) >= 0
}

// parseLiteral reads a number token.
func parseLiteral(s string) (literal, error) {
	switch {
	case isHexFloat(s):
		return parseHexFloat(s)
	case strings.ContainsRune(s, '.') || isDecimalExponent(s):
		f, err := strconv.ParseFloat(s, 64)
		if err != nil && !math.IsInf(f, 0) || strings.ContainsAny(s, "_xXpP") {
			return literal{}, fmt.Errorf("malformed number %q", abbreviate(s))
		}
		return literal{kind: literalDouble, bits: math.Float64bits(f)}, nil
	}
	return parseInteger(s)
}

// isDecimalExponent reports whether s is a float without a point, "1e9".
func isDecimalExponent(s string) bool {
	return strings.ContainsAny(s, "eE") && !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0X")
}

// parseHexFloat reads 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX.
func parseHexFloat(s string) (literal, error) {
	kind, digits := literalSingle, 8
	if s[1] == 'd' || s[1] == 'D' {
		kind, digits = literalDouble, 16
	}
	bits, err := strconv.ParseUint(s[2:], 16, 64)
	if err != nil || len(s)-2 != digits {
		return literal{}, fmt.Errorf("malformed number %q: 0%c takes exactly %d hexadecimal digits", abbreviate(s), s[1], digits)
	}
	return literal{kind: kind, bits: bits}, nil
}

// parseInteger reads decimal, 0x, 0b and octal integers with an optional U.
func parseInteger(s string) (literal, error) {
	digits := strings.TrimSuffix(strings.TrimSuffix(s, "U"), "u")
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b") || strings.HasPrefix(digits, "0B"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	bits, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return literal{}, fmt.Errorf("malformed number %q: an integer of at most 64 bits is expected", abbreviate(s))
	}
	return literal{bits: bits}, nil
}

// negate applies a minus sign.
func (l literal) negate() literal {
	switch l.kind {
	case literalSingle:
		l.bits ^= 1 << 31
	case literalDouble:
		l.bits ^= 1 << 63
	default:
		if l.neg = !l.neg; l.neg && l.bits > 1<<63 {
			l.neg, l.bits = false, -l.bits // an unsigned number stays one (4.5.5)
		}
	}
	return l
}

// signed is an integer literal as int64, which must hold it.
func (l literal) signed() (int64, error) {
	if l.kind != literalInteger {
		return 0, fmt.Errorf("a floating-point constant stands where an integer is needed")
	}
	if l.neg {
		if l.bits > 1<<63 {
			return 0, fmt.Errorf("the constant -%d does not fit 64 bits", l.bits)
		}
		return -int64(l.bits), nil
	}
	return int64(l.bits), nil
}

// as converts the literal to the bits of a type, sign-extended to 64 for
// signed types (4.5.3). Integers must fit as signed or unsigned.
func (l literal) as(t Type) (uint64, error) {
	switch {
	case t == Pred:
		return l.asPredicate()
	case t == B128:
		return 0, fmt.Errorf("constants have at most 64 bits, .b128 has more")
	case l.kind == literalInteger && t.Float():
		return 0, fmt.Errorf("an integer stands where .%s is needed: write a floating-point constant such as 0f3F800000 or 1.0", t)
	case l.kind == literalInteger:
		return l.asInteger(t)
	case t == F32 && l.kind == literalSingle:
		return l.bits, nil
	case t == F32:
		return uint64(math.Float32bits(float32(l.float()))), nil
	case t == F64:
		return math.Float64bits(l.float()), nil
	case t.Untyped() && l.kind == literalSingle && t.Bits() == 32, t.Untyped() && l.kind == literalDouble && t.Bits() == 64:
		return l.bits, nil
	}
	return 0, fmt.Errorf("a floating-point constant stands where .%s is needed", t)
}

// float is the value of a floating-point literal.
func (l literal) float() float64 {
	if l.kind == literalSingle {
		return float64(math.Float32frombits(uint32(l.bits)))
	}
	return math.Float64frombits(l.bits)
}

func (l literal) asPredicate() (uint64, error) {
	if l.kind != literalInteger {
		return 0, fmt.Errorf("a predicate constant is an integer, zero for false (4.5.3)")
	}
	return min(l.bits, 1), nil
}

func (l literal) asInteger(t Type) (uint64, error) {
	n := t.Bits()
	most := ^uint64(0) >> (64 - n)
	if l.neg {
		most = 1 << (n - 1)
	}
	if v := -l.bits; !l.neg && l.bits > most && v <= 1<<(n-1) {
		l.neg, l.bits, most = true, v, v // "~0" and 0xFFFFFFFFFFFFFFFF are as much -1 as 18446744073709551615 (4.5.1)
	}
	if l.bits > most {
		sign := ""
		if l.neg {
			sign = "-"
		}
		return 0, fmt.Errorf("the constant %s%d does not fit .%s", sign, l.bits, t)
	}
	v := l.bits
	if l.neg {
		v = -v
	}
	return extend(v, t), nil
}

// extend widens the low bits of v that t has to 64: with the sign for signed
// types, with zeros for others.
func extend(v uint64, t Type) uint64 {
	shift := 64 - t.Bits()
	if t.Signed() {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}
