// SPDX-License-Identifier: Apache-2.0

package lower

import "github.com/warptape/warptape/frontend/tesla/language"

// derive makes an instruction that the machine lacks of some that it has; nil if it
// cannot. The sources come in PTX's order.
func (l *lowerer) derive(plain string, signed bool) func(d int, sources []int) {
	switch plain {
	case "neg":
		return func(d int, s []int) { l.emit(language.SUB, d, l.constant(0), s[0]) }
	case "shr":
		if signed {
			return l.shiftSigned
		}
	case "selp":
		return func(d int, s []int) { l.choose(d, s[0], s[1], l.isSet(s[2])) }
	case "min":
		return func(d int, s []int) { l.choose(d, s[0], s[1], l.less(s[0], s[1], signed)) }
	case "max":
		return func(d int, s []int) { l.choose(d, s[1], s[0], l.less(s[0], s[1], signed)) }
	}
	return nil
}

// shiftSigned shifts the bits that differ from the sign.
func (l *lowerer) shiftSigned(d int, s []int) {
	sign := l.with(language.SUB, l.constant(0), l.with(language.SHR, s[0], l.constant(31)))
	l.emit(language.XOR, d, l.with(language.SHR, l.with(language.XOR, s[0], sign), s[1]), sign)
}

// isSet is 1 where a predicate is true, which is any value but zero: that or its negative
// has a sign.
func (l *lowerer) isSet(p int) int {
	negative := l.with(language.SUB, l.constant(0), p)
	return l.with(language.SHR, l.with(language.OR, p, negative), l.constant(31))
}

// choose is a where which is 1, and b where it is 0.
func (l *lowerer) choose(d, a, b, which int) {
	all := l.with(language.SUB, l.constant(0), which)
	differ := l.with(language.AND, l.with(language.XOR, a, b), all)
	l.emit(language.XOR, d, b, differ)
}
