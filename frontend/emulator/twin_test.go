// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math/big"
	"strconv"
	"strings"
)

// The slow, obvious twin of the interpreter takes one instruction as text and
// one lane's operands as bits. It computes with arbitrary-precision integers
// and rationals, so that nothing in it rounds but by the rule at hand. It
// shares no code with the emulator.

// instructionText is a mnemonic cut at the dots.
type instructionText []string

func (m instructionText) has(suffix string) bool {
	for _, s := range m[1:] {
		if s == suffix {
			return true
		}
	}
	return false
}

// types are the suffixes that are types.
func (m instructionText) types() []string {
	var list []string
	for _, s := range m[1:] {
		if width(s) != 0 {
			list = append(list, s)
		}
	}
	return list
}

func width(t string) int {
	switch t {
	case "f16x2", "bf16x2", "u16x2", "s16x2":
		return 32
	case "bf16", "e4m3x2", "e5m2x2":
		return 16
	case "tf32":
		return 32
	case "f32x2":
		return 64
	}
	if len(t) < 2 || !strings.Contains("bsuf", t[:1]) {
		return 0
	}
	n, err := strconv.Atoi(t[1:])
	if err != nil {
		return 0
	}
	return n
}

// integerOf reads bits as an integer of type t.
func integerOf(v uint64, t string) *big.Int {
	n := width(t)
	x := new(big.Int).SetUint64(v)
	x.Mod(x, power(n))
	if t[0] == 's' && x.Bit(n-1) == 1 {
		x.Sub(x, power(n))
	}
	return x
}

func power(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// wrap keeps the low n bits.
func wrap(x *big.Int, n int) uint64 { return new(big.Int).Mod(x, power(n)).Uint64() }

// clampTo limits x to the range of type t.
func clampTo(x *big.Int, t string) *big.Int {
	low, high := big.NewInt(0), new(big.Int).Sub(power(width(t)), big.NewInt(1))
	if t[0] == 's' {
		low = new(big.Int).Neg(power(width(t) - 1))
		high = new(big.Int).Sub(power(width(t)-1), big.NewInt(1))
	}
	switch {
	case x.Cmp(low) < 0:
		return low
	case x.Cmp(high) > 0:
		return high
	}
	return x
}

// twinInteger evaluates integer instructions.
func twinInteger(m instructionText, v [4]uint64) uint64 {
	t := m.types()[0]
	if strings.HasSuffix(t, "x2") {
		return twinPacked(m, v)
	}
	n := width(t)
	a, b, c := integerOf(v[0], t), integerOf(v[1], t), integerOf(v[2], t)
	r := new(big.Int)
	switch m[0] {
	case "add":
		r.Add(a, b)
	case "sub":
		r.Sub(a, b)
	case "mul", "mad":
		r.Mul(a, b)
		switch {
		case m.has("hi"):
			r.Rsh(r, uint(n)) // rounds to minus infinity, as bits do
		case m.has("wide"):
			n *= 2
			c = new(big.Int).SetUint64(v[2])
		}
		if m[0] == "mad" {
			r.Add(r, c)
		}
	case "mul24", "mad24":
		short := t[:1] + "24"
		r.Mul(integerOf(v[0], short), integerOf(v[1], short))
		if m.has("hi") {
			r.Rsh(r, 16)
		}
		r = integerOf(wrap(r, 32), t)
		if m[0] == "mad24" {
			r.Add(r, c)
		}
	case "sad":
		r.Sub(a, b)
		r.Abs(r)
		r.Add(r, c)
	case "div", "rem":
		switch {
		case b.Sign() == 0:
			r.SetInt64(-1)
		case m[0] == "div":
			r.Quo(a, b)
		default:
			r.Rem(a, b)
		}
	case "abs":
		r.Abs(a)
	case "neg":
		r.Neg(a)
	case "min":
		r = a
		if b.Cmp(a) < 0 {
			r = b
		}
	case "max":
		r = a
		if b.Cmp(a) > 0 {
			r = b
		}
	default:
		return twinBits(m, v)
	}
	if m.has("sat") {
		r = clampTo(r, t)
	}
	if m.has("relu") && r.Sign() < 0 {
		r = new(big.Int)
	}
	return wrap(r, n)
}

// twinPacked evaluates an instruction on each half of the operands.
func twinPacked(m instructionText, v [4]uint64) uint64 {
	half := append(instructionText(nil), m...)
	half[len(half)-1] = strings.TrimSuffix(half[len(half)-1], "x2")
	var upper [4]uint64
	for i := range v {
		upper[i] = v[i] >> 16
	}
	return twinInteger(half, upper)<<16 | twinInteger(half, v)
}

// bit reads bit i of a string of n bits, zero outside.
func bit(v uint64, i, n int) uint64 {
	if i < 0 || i >= n {
		return 0
	}
	return v >> i & 1
}

// twinBits evaluates instructions on bits, bit by bit.
func twinBits(m instructionText, v [4]uint64) uint64 {
	t := m.types()[0]
	n := width(t)
	a := wrap(new(big.Int).SetUint64(v[0]), n)
	b := wrap(new(big.Int).SetUint64(v[1]), n)
	var r uint64
	each := func(f func(i int) uint64) uint64 {
		var r uint64
		for i := range n {
			r |= f(i) & 1 << i
		}
		return r
	}
	switch m[0] {
	case "popc":
		for i := range n {
			r += bit(a, i, n)
		}
	case "clz":
		for i := n - 1; i >= 0 && bit(a, i, n) == 0; i-- {
			r++
		}
	case "bfind":
		sign := uint64(0)
		if t[0] == 's' {
			sign = bit(a, n-1, n)
		}
		for i := n - 1; i >= 0; i-- {
			if bit(a, i, n) != sign {
				if m.has("shiftamt") {
					return uint64(n - 1 - i)
				}
				return uint64(i)
			}
		}
		return 0xffffffff
	case "brev":
		return each(func(i int) uint64 { return bit(a, n-1-i, n) })
	case "bfe":
		position, length := int(v[1]&255), int(v[2]&255)
		if length == 0 {
			return 0
		}
		sign := uint64(0)
		if t[0] == 's' {
			sign = bit(a, min(position+length-1, n-1), n)
		}
		return each(func(i int) uint64 {
			if i < length && position+i < n {
				return bit(a, position+i, n)
			}
			return sign
		})
	case "bfi":
		position, length := int(v[2]&255), int(v[3]&255)
		return each(func(i int) uint64 {
			if i >= position && i < position+length {
				return bit(a, i-position, n)
			}
			return bit(b, i, n)
		})
	case "and":
		return each(func(i int) uint64 { return bit(a, i, n) * bit(b, i, n) })
	case "or":
		return each(func(i int) uint64 { return max(bit(a, i, n), bit(b, i, n)) })
	case "xor":
		return each(func(i int) uint64 { return bit(a, i, n) + bit(b, i, n) })
	case "not":
		return each(func(i int) uint64 { return 1 - bit(a, i, n) })
	case "cnot":
		if a == 0 {
			return 1
		}
	case "shl":
		shift := int(uint32(v[1]))
		return each(func(i int) uint64 { return bit(a, i-shift, n) })
	case "shr":
		shift := int(uint32(v[1]))
		return each(func(i int) uint64 {
			if t[0] == 's' && i+shift >= n {
				return bit(a, n-1, n)
			}
			return bit(a, i+shift, n)
		})
	case "shf":
		shift := int(min(uint32(v[2]), 32))
		if m.has("wrap") {
			shift = int(v[2] & 31)
		}
		both := b<<32 | a
		if m.has("l") {
			return each(func(i int) uint64 { return bit(both, i+32-shift, 64) })
		}
		return each(func(i int) uint64 { return bit(both, i+shift, 64) })
	case "prmt":
		return twinPrmt(m, a, b, uint32(v[2]))
	case "dp4a":
		sum := integerOf(v[2], "s32")
		for i := range 4 {
			x := integerOf(v[0]>>(8*i), m[1][:1]+"8")
			sum.Add(sum, x.Mul(x, integerOf(v[1]>>(8*i), m[2][:1]+"8")))
		}
		return wrap(sum, 32)
	case "dp2a":
		sum, half := integerOf(v[2], "s32"), 0
		if m.has("hi") {
			half = 2
		}
		for i := range 2 {
			x := integerOf(v[0]>>(16*i), m[2][:1]+"16")
			sum.Add(sum, x.Mul(x, integerOf(v[1]>>(8*(half+i)), m[3][:1]+"8")))
		}
		return wrap(sum, 32)
	case "fns":
		return twinFindNthSet(a, uint32(v[1]), int32(v[2]))
	case "szext":
		size := twinFieldSize(m, v[1])
		if size == 0 {
			return 0
		}
		return each(func(i int) uint64 {
			if i >= size && t[0] == 'u' {
				return 0
			}
			return bit(a, min(i, size-1), n)
		})
	case "bmsk":
		start, size := twinFieldSize(m, v[0]), twinFieldSize(m, v[1])
		return each(func(i int) uint64 {
			if i >= start && i < start+size {
				return 1
			}
			return 0
		})
	case "lop3":
		table, _ := strconv.ParseUint(m[2], 0, 8)
		return each(func(i int) uint64 {
			return table >> (4*bit(a, i, 32) + 2*bit(b, i, 32) + bit(v[2], i, 32))
		})
	}
	return r
}

// twinFieldSize is a size or place in bits under .clamp and .wrap.
func twinFieldSize(m instructionText, v uint64) int {
	if m.has("wrap") {
		return int(v % 32)
	}
	return int(min(v&0xffffffff, 32))
}

// twinFindNthSet lists the set bits on the side of base that n asks for.
func twinFindNthSet(mask uint64, base uint32, n int32) uint64 {
	var list []int
	for i := range 32 {
		switch {
		case mask>>i&1 == 0 || base > 31:
		case n == 0 && i == int(base), n > 0 && i >= int(base):
			list = append(list, i)
		case n < 0 && i <= int(base):
			list = append([]int{i}, list...)
		}
	}
	place := max(int64(n), -int64(n), 1) - 1
	if place >= int64(len(list)) {
		return 0xffffffff
	}
	return uint64(list[place])
}

// prmtModes are the tables of 9.7.9.7: for selector 0..3 the source bytes of
// the result's bytes 3, 2, 1, 0.
var prmtModes = map[string][4]string{
	"f4e": {"3210", "4321", "5432", "6543"}, "b4e": {"5670", "6701", "7012", "0123"},
	"rc8": {"0000", "1111", "2222", "3333"}, "ecl": {"3210", "3211", "3222", "3333"},
	"ecr": {"0000", "1110", "2210", "3210"}, "rc16": {"1010", "3232", "1010", "3232"},
}

func twinPrmt(m instructionText, a, b uint64, c uint32) uint64 {
	bytes := b<<32 | a
	var r uint64
	for i := range 4 {
		selector := int(c >> (4 * i) & 15)
		if table, ok := prmtModes[m[len(m)-1]]; ok {
			selector = int(table[c&3][3-i] - '0')
		}
		v := bytes >> (8 * (selector & 7)) & 255
		if selector >= 8 {
			v = v >> 7 * 255
		}
		r |= v << (8 * i)
	}
	return r
}
