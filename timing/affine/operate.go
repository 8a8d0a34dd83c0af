// SPDX-License-Identifier: Apache-2.0

package affine

// tuple executes an operation on the tuples of its operands; false when tuples do not
// have it (the compiler keeps it out of the affine stream then).
func (o *operation) tuple(t *[maxSources]Tuple, e *extent) (Tuple, bool) {
	switch o.code {
	case codeMove:
		return t[0].plusConstant(o.addend).wrap(o.bits), true
	case codeConvert:
		if o.from < o.bits {
			return t[0].read(o.from, o.fromSigned, e).wrap(o.bits), true
		}
		return t[0].wrap(o.bits), true
	case codeLanes:
		return o.onLanes(t, e)
	case codeMultiplyWide, codeMadWide:
		out, ok := t[0].read(o.from, o.fromSigned, e).times(t[1].read(o.from, o.fromSigned, e))
		if ok && o.code == codeMadWide {
			out, ok = out.plus(t[2])
		}
		return out.wrap(o.bits), ok
	}
	out, ok := o.narrow(t, e)
	return out.wrap(o.bits), ok
}

func (t Tuple) plusConstant(v int64) Tuple {
	t.Base += v
	return t
}

// narrow executes the operations whose result is as wide as their operands.
func (o *operation) narrow(t *[maxSources]Tuple, e *extent) (Tuple, bool) {
	switch o.code {
	case codeAdd:
		return t[0].plus(t[1])
	case codeSubtract:
		minus, ok := t[1].times(constant(-1))
		if t[1].Symbol != 0 || !ok {
			return Tuple{}, false
		}
		return t[0].plus(minus)
	case codeMultiply:
		return t[0].times(t[1])
	case codeMad:
		p, ok := t[0].times(t[1])
		if !ok {
			return p, false
		}
		return p.plus(t[2])
	case codeShiftLeft:
		return o.shiftLeft(t)
	case codeNegate:
		return t[0].times(constant(-1))
	case codeNot:
		minus, ok := t[0].times(constant(-1))
		return minus.plusConstant(-1), ok
	case codeAnd:
		if t[0].scalar() && t[1].scalar() {
			return o.scalars(t, e)
		}
		return t[0].modulo(t[1].Base + 1)
	case codeOr:
		if t[0].scalar() && t[1].scalar() {
			return o.scalars(t, e)
		}
		return t[0].plus(t[1])
	case codeRemainder:
		return o.remainder(t, e)
	}
	return o.scalars(t, e)
}

func (o *operation) shiftLeft(t *[maxSources]Tuple) (Tuple, bool) {
	if !t[1].scalar() {
		return Tuple{}, false
	}
	n := uint64(extend(t[1].Base, 32, false))
	if n >= uint64(o.bits) {
		return Tuple{Wrapped: t[0].Wrapped}, true
	}
	return t[0].times(Tuple{Base: 1 << n, Wrapped: t[1].Wrapped})
}

// remainder is rem by a scalar: a mod-type tuple, which is exact while the dividend is
// not negative in any thread.
func (o *operation) remainder(t *[maxSources]Tuple, e *extent) (Tuple, bool) {
	if t[0].scalar() && t[1].scalar() {
		return o.scalars(t, e)
	}
	x, by := t[0].read(o.bits, o.signed, e), t[1].read(o.bits, o.signed, e)
	if !by.scalar() {
		return Tuple{}, false
	}
	if by.Base == 0 {
		return Tuple{Wrapped: true}, true
	}
	if by.Base < 0 {
		by.Base = -by.Base
	}
	least, _, ok := x.bounds(e)
	x.Wrapped = x.Wrapped || by.Wrapped || !ok || least < 0
	return x.modulo(by.Base)
}

// scalars executes an operation on scalars, which the lanes can do whatever it is.
func (o *operation) scalars(t *[maxSources]Tuple, e *extent) (Tuple, bool) {
	if !t[0].scalar() || !t[1].scalar() || t[0].Symbol != 0 || t[1].Symbol != 0 {
		return Tuple{}, false
	}
	a, b := t[0].read(o.bits, o.signed, e).Base, t[1].read(o.bits, o.signed, e).Base
	out := Tuple{Wrapped: t[0].Wrapped || t[1].Wrapped}
	switch o.code {
	case codeAnd:
		out.Base = a & b
	case codeOr:
		out.Base = a | b
	case codeXor:
		out.Base = a ^ b
	case codeShiftRight:
		out.Base = o.shiftRight(a, uint64(extend(t[1].Base, 32, false)))
	case codeDivide, codeRemainder:
		if b == 0 {
			return Tuple{Wrapped: true}, true // the PTX ISA leaves it open (9.7.1.8)
		}
		out.Base = o.divide(a, b)
	default:
		return Tuple{}, false
	}
	return out, true
}

func (o *operation) shiftRight(a int64, n uint64) int64 {
	if o.signed {
		return a >> min(n, 63)
	}
	if n >= uint64(o.bits) {
		return 0
	}
	return int64(uint64(a) >> n)
}

func (o *operation) divide(a, b int64) int64 {
	remainder := o.code == codeRemainder
	switch {
	case !o.signed && remainder:
		return int64(uint64(a) % uint64(b))
	case !o.signed:
		return int64(uint64(a) / uint64(b))
	case remainder:
		return a % b
	}
	return a / b
}
