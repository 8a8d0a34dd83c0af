// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"math"
	"strings"
)

// expression gives a C expression of exactly type k; depth bounds its height.
func (g *generator) expression(k kind, depth int) string {
	if depth <= 0 || g.chance(6) {
		return g.leaf(k)
	}
	switch {
	case g.chance(7):
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(depth-1), g.expression(k, depth-1), g.expression(k, depth-1))
	case g.chance(5):
		return g.conversion(k, depth)
	case k.float:
		return g.floating(k, depth)
	case g.chance(4):
		return g.intrinsic(k, depth)
	}
	return g.integer(k, depth)
}

// leaf is a variable, an element of the local array, or a constant.
func (g *generator) leaf(k kind) string {
	var names []string
	for _, v := range g.variables {
		if v.kind == k {
			names = append(names, v.name)
		}
	}
	switch {
	case len(names) > 0 && !g.chance(5):
		return names[g.below(len(names))]
	case k == g.array && g.chance(2):
		return fmt.Sprintf("local[%s & 7]", g.index())
	}
	return g.constant(k)
}

func (g *generator) index() string { return "(u32)" + g.leaf(kinds[5]) }

// corners are integers at which carries, signs and clamps change.
var corners = []uint64{0, 1, 2, 3, 7, 8, 15, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64}

// floatCorners are the same for floating point; they are exact in all formats
// or become infinity, zero or a subnormal in the small ones.
var floatCorners = []string{"0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-3.0", "1.5", "255.0", "65504.0", "1e-7", "6e-8", "1e-40", "-1e-44", "3.4e38", "16777217.0", "2147483648.0", "-9223372036854775808.0", "4294967295.5", "0.1", "-2.5", "3.5"}

func (g *generator) constant(k kind) string {
	if k.float {
		return fmt.Sprintf("(%s)%s", k.name, floatCorners[g.below(len(floatCorners))])
	}
	v := corners[g.below(len(corners))]
	if g.chance(3) {
		v = g.next()
	}
	if k.bits == 128 {
		return fmt.Sprintf("((u128)%#xull << 64 | %#xull)", g.next()>>uint(g.below(64)), v)
	}
	return fmt.Sprintf("(%s)%#xull", k.name, v)
}

func (g *generator) integer(k kind, depth int) string {
	a, b := g.expression(k, depth-1), g.expression(k, depth-1)
	u := k.unsigned
	switch g.below(12) {
	case 0, 1:
		return fmt.Sprintf("(%s)(%s + %s)", k.name, a, b)
	case 2:
		return fmt.Sprintf("(%s)(%s - %s)", k.name, a, b)
	case 3, 4:
		// Types narrower than int would be multiplied as int.
		return fmt.Sprintf("(%s)((%s)%s * (%s)%s)", k.name, wider(u), a, wider(u), b)
	case 5:
		return fmt.Sprintf("(%s)(%s %s %s)", k.name, a, g.oneOf("&", "|", "^"), b)
	case 6:
		return fmt.Sprintf("(%s)((%s)%s << ((u32)%s & %d))", k.name, wider(u), a, b, k.bits-1)
	case 7:
		return fmt.Sprintf("(%s)(%s >> ((u32)%s & %d))", k.name, a, b, k.bits-1)
	case 8:
		return g.division(k, a, b)
	case 9:
		return fmt.Sprintf("(%s)%s%s", k.name, g.oneOf("~", "-", "+"), a)
	case 10:
		return fmt.Sprintf("(%s)((%s)%s * (%s)%s + (%s)%s)", k.name, wider(u), a, wider(u), b, wider(u), g.expression(k, depth-1))
	}
	return fmt.Sprintf("(%s)(%s %s %s)", k.name, a, g.oneOf("<", "<=", "==", "!=", ">", ">="), b)
}

// wider is the type in which values of an unsigned type are multiplied.
func wider(unsigned string) string {
	if unsigned == "u8" || unsigned == "u16" {
		return "u32"
	}
	return unsigned
}

// division divides by an odd number that is not -1. The back end has no
// division of 128 bits.
func (g *generator) division(k kind, a, b string) string {
	op := g.oneOf("/", "%")
	switch {
	case k.bits == 128:
		return fmt.Sprintf("(u128)((u64)%s %s ((u64)%s | 1))", a, op, b)
	case k.signed():
		return fmt.Sprintf("(%s)(%s %s odd_%s(%s))", k.name, a, op, k.name, b)
	}
	return fmt.Sprintf("(%s)(%s %s (%s)(%s | 1))", k.name, a, op, k.name, b)
}

func (g *generator) floating(k kind, depth int) string {
	a, b := g.expression(k, depth-1), g.expression(k, depth-1)
	switch g.below(10) {
	case 0, 1:
		return fmt.Sprintf("(%s)(%s + %s)", k.name, a, b)
	case 2:
		return fmt.Sprintf("(%s)(%s - %s)", k.name, a, b)
	case 3, 4:
		return fmt.Sprintf("(%s)(%s * %s)", k.name, a, b)
	case 5:
		return fmt.Sprintf("(%s)(%s / %s)", k.name, a, b)
	case 6:
		return fmt.Sprintf("fma_%s(%s, %s, %s)", k.name, a, b, g.expression(k, depth-1))
	case 7:
		return fmt.Sprintf("%s_%s(%s, %s)", g.oneOf("min", "max"), k.name, a, b)
	case 8:
		return fmt.Sprintf("%s_%s(%s)", g.oneOf("sqrt", "floor", "ceil", "trunc", "rint", "abs"), k.name, a)
	}
	return fmt.Sprintf("(%s)-%s", k.name, a)
}

// intrinsic is an operation that C has no operator for.
func (g *generator) intrinsic(k kind, depth int) string {
	a, b := g.expression(k, depth-1), g.expression(k, depth-1)
	if k.bits == 128 {
		return fmt.Sprintf("((u128)(u64)%s * (u64)%s)", a, b)
	}
	names := []string{"min", "max", "sat_add", "sat_sub", "mul_high", "abs_difference", "rotate"}
	if k.bits >= 32 && !k.signed() {
		names = append(names, "funnel", "reverse", "swap", "count", "leading", "trailing", "field", "insert")
	}
	return fmt.Sprintf("%s_%s(%s, %s)", g.oneOf(names...), k.name, a, b)
}

// conversion makes a k of an expression of another kind.
func (g *generator) conversion(k kind, depth int) string {
	from := g.pick()
	e := g.expression(from, depth-1)
	switch {
	case from.float && !k.float:
		if k.bits == 128 {
			return fmt.Sprintf("(u128)to_u64(%s)", double(from, e))
		}
		return fmt.Sprintf("to_%s(%s)", k.name, double(from, e))
	case from.bits == 128 && k.float:
		return fmt.Sprintf("(%s)(u64)%s", k.name, e)
	case k.name == "f16" && !from.float:
		// By way of single precision on both sides, as the device does not have
		// all conversions and rounds twice itself.
		return fmt.Sprintf("(f16)(f32)%s", e)
	case k.name == "f16" && from.name == "f64":
		return fmt.Sprintf("(f16)(f32)%s", e)
	}
	return fmt.Sprintf("(%s)%s", k.name, e)
}

// double widens a half, for which there is no checked conversion.
func double(from kind, e string) string {
	if from.name == "f16" {
		return "(f32)" + e
	}
	return e
}

// condition is an expression of type bool.
func (g *generator) condition(depth int) string {
	if depth > 0 && g.chance(5) {
		return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), g.oneOf("&&", "||", "!="), g.condition(depth-1))
	}
	k := g.pick()
	op := g.oneOf("<", "<=", "==", "!=", ">", ">=")
	c := fmt.Sprintf("(%s %s %s)", g.expression(k, depth-1), op, g.expression(k, depth-1))
	if g.chance(4) {
		return "!" + c
	}
	return c
}

// call passes values to one of the module's functions that are not inlined.
func (g *generator) call(f *function, depth int) string {
	var arguments []string
	for _, k := range f.parameters {
		arguments = append(arguments, g.expression(k, depth))
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(arguments, ", "))
}
