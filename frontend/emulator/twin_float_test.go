// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math/big"
)

// floatFormat is a binary interchange format; one without infinities has
// numbers in their place, and one NaN above the largest.
type floatFormat struct {
	precision, exponentMin, bits int
	noInfinity                   bool
}

var formats = map[string]floatFormat{
	"f16": {11, -14, 16, false}, "bf16": {8, -126, 16, false}, "f32": {24, -126, 32, false}, "f64": {53, -1022, 64, false},
	"tf32": {11, -126, 19, false}, // in the upper bits of a word (5.2.3)
	"e5m2": {3, -14, 8, false}, "e4m3": {4, -6, 8, true},
}

// real is a number, an infinity or NaN; a zero has a sign.
type real struct {
	nan, infinite, negative bool
	value                   *big.Rat // magnitude and sign, zero for zeros
}

func (f floatFormat) infinity() uint64 { return (1<<(f.bits-f.precision) - 1) << (f.precision - 1) }

// largest is the code of the largest finite number.
func (f floatFormat) largest() uint64 {
	if f.noInfinity {
		return 1<<(f.bits-1) - 2
	}
	return f.infinity() - 1
}

func (f floatFormat) decode(v uint64) real {
	r := real{negative: v>>(f.bits-1)&1 == 1, value: new(big.Rat)}
	magnitude := v & (1<<(f.bits-1) - 1)
	switch {
	case magnitude > f.largest()+1, magnitude > f.largest() && f.noInfinity:
		r.nan = true
	case magnitude > f.largest():
		r.infinite = true
	default:
		exponent, fraction := int(magnitude>>(f.precision-1)), magnitude&(1<<(f.precision-1)-1)
		if exponent > 0 {
			fraction |= 1 << (f.precision - 1)
			exponent--
		}
		r.value.SetInt(new(big.Int).SetUint64(fraction))
		r.value.Mul(r.value, twoTo(exponent+f.exponentMin-f.precision+1))
		if r.negative {
			r.value.Neg(r.value)
		}
	}
	return r
}

func twoTo(e int) *big.Rat {
	if e >= 0 {
		return new(big.Rat).SetInt(power(e))
	}
	return new(big.Rat).SetFrac(big.NewInt(1), power(-e))
}

// canonicalNaN is the NaN of results.
func (f floatFormat) canonicalNaN() uint64 {
	if f.bits == 64 {
		return 0xfff8 << 48
	}
	return 1<<(f.bits-1) - 1
}

// encode rounds r under mode rn, rz, rm or rp.
func (f floatFormat) encode(r real, mode string) uint64 {
	sign := uint64(0)
	if r.negative {
		sign = 1 << (f.bits - 1)
	}
	switch {
	case r.nan:
		return f.canonicalNaN()
	case r.infinite:
		return sign | f.infinity()
	case r.value.Sign() == 0:
		return sign
	}
	magnitude := new(big.Rat).Abs(r.value)
	e := magnitude.Num().BitLen() - magnitude.Denom().BitLen() // 2^(e-1) < m < 2^(e+1)
	if magnitude.Cmp(twoTo(e)) < 0 {
		e--
	}
	e = max(e, f.exponentMin)
	count := roundToInteger(new(big.Rat).Mul(magnitude, twoTo(f.precision-1-e)), mode, r.negative)
	code := count.Add(count, new(big.Int).Lsh(big.NewInt(int64(e-f.exponentMin)), uint(f.precision-1)))
	limit := new(big.Int).SetUint64(f.largest())
	if code.Cmp(limit) > 0 {
		if mode == "rz" || mode == "rm" && !r.negative || mode == "rp" && r.negative {
			return sign | f.largest()
		}
		return sign | f.infinity()
	}
	return sign | code.Uint64()
}

// roundToInteger rounds a magnitude, of a number of the given sign.
func roundToInteger(magnitude *big.Rat, mode string, negative bool) *big.Int {
	whole, rest := new(big.Int).QuoRem(magnitude.Num(), magnitude.Denom(), new(big.Int))
	up := false
	switch half := new(big.Int).Lsh(rest, 1).Cmp(magnitude.Denom()); {
	case rest.Sign() == 0:
	case mode[1] == 'n':
		up = half > 0 || half == 0 && (whole.Bit(0) == 1 || mode == "rna")
	case mode[1] == 'm':
		up = negative
	case mode[1] == 'p':
		up = !negative
	}
	if up {
		whole.Add(whole, big.NewInt(1))
	}
	return whole
}

// mode is the rounding of an instruction, rn without one.
func (m instructionText) mode() string {
	for _, s := range []string{"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"} {
		if m.has(s) {
			return s
		}
	}
	return "rn"
}

func number(v *big.Rat, negativeZero bool) real {
	return real{value: v, negative: v.Sign() < 0 || v.Sign() == 0 && negativeZero}
}

func sum(a, b real, mode string) real {
	switch {
	case a.nan || b.nan || a.infinite && b.infinite && a.negative != b.negative:
		return real{nan: true}
	case a.infinite:
		return a
	case b.infinite:
		return b
	}
	zeroSign := mode == "rm"
	if a.value.Sign() == 0 && b.value.Sign() == 0 && a.negative == b.negative {
		zeroSign = a.negative
	}
	return number(new(big.Rat).Add(a.value, b.value), zeroSign)
}

func product(a, b real) real {
	negative := a.negative != b.negative
	aZero, bZero := !a.infinite && !a.nan && a.value.Sign() == 0, !b.infinite && !b.nan && b.value.Sign() == 0
	switch {
	case a.nan || b.nan || a.infinite && bZero || aZero && b.infinite:
		return real{nan: true}
	case a.infinite || b.infinite:
		return real{infinite: true, negative: negative}
	}
	return number(new(big.Rat).Mul(a.value, b.value), negative)
}

func ratio(a, b real) real {
	negative := a.negative != b.negative
	switch {
	case a.nan || b.nan || a.infinite && b.infinite:
		return real{nan: true}
	case a.infinite:
		return real{infinite: true, negative: negative}
	case b.infinite:
		return number(new(big.Rat), negative)
	case b.value.Sign() == 0 && a.value.Sign() == 0:
		return real{nan: true}
	case b.value.Sign() == 0:
		return real{infinite: true, negative: negative}
	}
	return number(new(big.Rat).Quo(a.value, b.value), negative)
}

// root is the square root, exact where it is rational and else close enough to
// see on which side of any 53-bit number it lies.
func root(a real) real {
	switch {
	case a.nan || a.negative && (a.infinite || a.value.Sign() != 0):
		return real{nan: true}
	case a.infinite || a.value.Sign() == 0:
		return a
	}
	const scale = 700
	n := new(big.Int).Mul(a.value.Num(), power(2*scale))
	n.Quo(n, a.value.Denom())
	s := new(big.Int).Sqrt(n)
	r := new(big.Rat).SetFrac(s, power(scale))
	if new(big.Rat).Mul(r, r).Cmp(a.value) != 0 {
		r.Add(r, new(big.Rat).SetFrac(big.NewInt(1), power(scale+1)))
	}
	return number(r, false)
}

func negated(a real) real {
	a.negative = !a.negative
	if a.value != nil {
		a.value = new(big.Rat).Neg(a.value)
	}
	return a
}

func order(a, b real) int {
	rank := func(r real) *big.Rat {
		if r.infinite {
			v := twoTo(5000)
			if r.negative {
				v.Neg(v)
			}
			return v
		}
		return r.value
	}
	return rank(a).Cmp(rank(b))
}

// flushBits makes subnormal bits a zero of their sign.
func (f floatFormat) flushBits(v uint64) uint64 {
	if v&f.infinity() == 0 {
		return v & (1 << (f.bits - 1))
	}
	return v
}

// twinFloat evaluates floating-point instructions with one type.
func twinFloat(m instructionText, v [4]uint64) uint64 {
	t := m.types()[0]
	if t == "f16x2" || t == "bf16x2" {
		one := append(append(instructionText(nil), m[:len(m)-1]...), t[:len(t)-2])
		low := twinFloat(one, v)
		high := twinFloat(one, [4]uint64{v[0] >> 16, v[1] >> 16, v[2] >> 16})
		return high<<16 | low
	}
	if t == "f32x2" {
		one := append(append(instructionText(nil), m[:len(m)-1]...), "f32")
		return twinFloat(one, [4]uint64{v[0] >> 32, v[1] >> 32, v[2] >> 32})<<32 | twinFloat(one, v)
	}
	f := formats[t]
	for i := range v {
		if f.bits < 64 {
			v[i] &= 1<<f.bits - 1
		}
		if m.has("ftz") {
			v[i] = f.flushBits(v[i])
		}
	}
	signBit := uint64(1) << (f.bits - 1)
	switch m[0] { // on bits
	case "abs":
		return v[0] &^ signBit
	case "neg":
		return v[0] ^ signBit
	case "copysign":
		return v[0]&signBit | v[1]&^signBit
	}
	mode := m.mode()
	a, b, c := f.decode(v[0]), f.decode(v[1]), f.decode(v[2])
	var r real
	switch m[0] {
	case "add":
		r = sum(a, b, mode)
	case "sub":
		r = sum(a, negated(b), mode)
	case "mul":
		r = product(a, b)
	case "fma", "mad":
		r = sum(product(a, b), c, mode)
	case "div":
		r = ratio(a, b)
	case "rcp":
		r = ratio(number(big.NewRat(1, 1), false), a)
	case "sqrt":
		r = root(a)
	case "min", "max":
		r = extremeOf(m, a, b)
	}
	if m.has("relu") && !r.nan && r.negative {
		r = number(new(big.Rat), false)
	}
	if m.has("sat") {
		r = clampUnit(r)
	}
	out := f.encode(r, mode)
	if m.has("ftz") {
		out = f.flushBits(out)
	}
	return out
}

func clampUnit(r real) real {
	one := number(big.NewRat(1, 1), false)
	switch {
	case r.nan || r.negative:
		return number(new(big.Rat), false)
	case r.infinite || r.value.Cmp(one.value) > 0:
		return one
	}
	return r
}

func extremeOf(m instructionText, a, b real) real {
	flip := false
	if m.has("xorsign") {
		flip = a.negative != b.negative
		if a.negative {
			a = negated(a)
		}
		if b.negative {
			b = negated(b)
		}
	}
	var r real
	switch {
	case a.nan && b.nan || m.has("NaN") && (a.nan || b.nan):
		return real{nan: true}
	case a.nan:
		r = b
	case b.nan:
		r = a
	default:
		less := order(a, b) < 0 || order(a, b) == 0 && a.negative
		r = b
		if less == (m[0] == "min") {
			r = a
		}
	}
	if flip {
		r = negated(r)
	}
	return r
}

// twinCompare evaluates a comparison operator.
func twinCompare(m instructionText, t string, x, y uint64) bool {
	operators := []string{"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}
	operator := ""
	for _, o := range operators {
		if m.has(o) {
			operator = o
		}
	}
	var c int
	if f, ok := formats[t]; ok {
		if m.has("ftz") {
			x, y = f.flushBits(x), f.flushBits(y)
		}
		a, b := f.decode(x), f.decode(y)
		switch unordered := a.nan || b.nan; {
		case operator == "num" || operator == "nan":
			return unordered == (operator == "nan")
		case unordered:
			return len(operator) == 3
		}
		c, operator = order(a, b), operator[:2]
	} else {
		c = integerOf(x, t).Cmp(integerOf(y, t))
	}
	switch operator {
	case "eq":
		return c == 0
	case "ne":
		return c != 0
	case "lt", "lo":
		return c < 0
	case "le", "ls":
		return c <= 0
	case "gt", "hi":
		return c > 0
	}
	return c >= 0
}
