// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math/big"
	"strings"
)

// twinConversion evaluates cvt on one, two or three operands.
func twinConversion(m instructionText, v [4]uint64) uint64 {
	to, from := m.types()[0], m.types()[1]
	if m.has("pack") {
		return twinPack(to, v)
	}
	target, packed := strings.CutSuffix(to, "x2")
	if !packed {
		return twinConvert(m, to, from, v[0])
	}
	source, together := strings.CutSuffix(from, "x2")
	upper, lower := v[0], v[1]
	if together {
		upper, lower = v[0]>>(width(from)/2), v[0]
	}
	return twinConvert(m, target, source, upper)<<(width(to)/2) | twinConvert(m, target, source, lower)
}

// twinPack is cvt.pack, bit by bit as in 9.7.9.22.
func twinPack(to string, v [4]uint64) uint64 {
	n := width(to)
	a := clampTo(integerOf(v[0], "s32"), to)
	b := clampTo(integerOf(v[1], "s32"), to)
	word := func(x *big.Int) uint64 { return wrap(x, n) }
	var d uint64
	for i := range 32 {
		switch {
		case i < n:
			d |= bit(word(b), i, n) << i
		case i < 2*n:
			d |= bit(word(a), i-n, n) << i
		default:
			d |= bit(v[2], i-2*n, 32) << i
		}
	}
	return d
}

// twinConvert converts one number.
func twinConvert(m instructionText, to, from string, v uint64) uint64 {
	target, toFloat := formats[to]
	source, fromFloat := formats[from]
	if fromFloat {
		if source.bits < 64 {
			v &= 1<<source.bits - 1
		}
		if m.has("ftz") && from == "f32" {
			v = source.flushBits(v)
		}
	}
	if !fromFloat && !toFloat {
		x := integerOf(v, from)
		if m.has("sat") {
			x = clampTo(x, to)
		}
		return wrap(x, width(to))
	}
	var r real
	if fromFloat {
		r = source.decode(v)
	} else {
		x := integerOf(v, from)
		r = number(new(big.Rat).SetInt(x), false)
	}
	if mode := m.mode(); fromFloat && len(mode) == 3 && !r.nan && !r.infinite {
		n := new(big.Rat).SetInt(roundToInteger(new(big.Rat).Abs(r.value), mode, r.negative))
		if r.negative {
			n.Neg(n)
		}
		r = number(n, r.negative)
	}
	if !toFloat {
		return integerFrom(r, to, from)
	}
	return twinNarrow(m, to, target, r)
}

// twinNarrow limits and rounds a number to the format of type to.
func twinNarrow(m instructionText, to string, target floatFormat, r real) uint64 {
	if m.has("sat") {
		r = clampUnit(r)
	}
	if m.has("relu") && !r.nan && r.negative {
		r = number(new(big.Rat), false)
	}
	if m.has("satfinite") && !r.nan {
		limit := target.decode(target.largest())
		if r.negative {
			limit = negated(limit)
		}
		if r.infinite || new(big.Rat).Abs(r.value).Cmp(new(big.Rat).Abs(limit.value)) > 0 {
			r = limit
		}
	}
	mode := m.mode()[:2]
	if m.has("rna") {
		mode = "rna"
	}
	out := target.encode(r, mode)
	switch {
	case to == "tf32" && r.nan:
		return 0x7fffffff // the NaN of the word
	case to == "tf32":
		return out << 13
	}
	if m.has("ftz") && to == "f32" {
		out = target.flushBits(out)
	}
	return out
}

func integerFrom(r real, to, from string) uint64 {
	switch {
	case r.nan && (from == "f64" || width(to) == 64):
		return 1 << (width(to) - 1)
	case r.nan:
		return 0
	case r.infinite && r.negative:
		return wrap(clampTo(new(big.Int).Neg(power(70)), to), width(to))
	case r.infinite:
		return wrap(clampTo(power(70), to), width(to))
	}
	return wrap(clampTo(r.value.Num(), to), width(to))
}
