// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elements emits the loops over arrays. A round computes as many elements as a warp has lanes.
func (g *generator) elements() {
	g.elementSums()
	g.elementFloats()
	g.elementShifts()
	g.elementConversions()
	g.elementChoices()
	for _, t := range []dividend{{"S32", 4, true}, {"U32", 4, false}, {"S64", 8, true}, {"U64", 8, false}} {
		g.divide("Quotient"+t.name, t, false)
		g.divide("Remainder"+t.name, t, true)
	}
}

// rounds emits a function that executes a body once for each of n rounds, and gives the
// number of rounds that it has done. The body gets pointers to what a round computes, and may
// jump to the label done. strides are the bytes of a round behind d, a and b.
func (g *generator) rounds(key string, strides [3]int, prepare func(b reg.Register), body func(d, a, b reg.Register)) {
	g.begin("elements", "Element"+key, "elements"+key, elementSignature)
	d, a, b := g.pointer("d"), g.pointer("a"), g.pointer("b")
	n := g.Load(g.Param("n"), g.GP64())
	done := g.GP64()
	g.XORQ(done, done)
	if prepare != nil {
		prepare(b)
	}
	g.Label("round")
	body(d, a, b)
	for i, p := range []reg.Register{d, a, b} {
		if strides[i] > 0 {
			g.ADDQ(operand.U32(strides[i]), p)
		}
	}
	g.INCQ(done)
	g.CMPQ(done, n)
	g.JNE(operand.LabelRef("round"))
	g.Label("done")
	g.Store(done, g.ReturnIndex(0))
	g.end()
}

// elementwise emits the loop d = a op b. An element has the given number of bytes.
func (g *generator) elementwise(key string, bytes int, op func(ops ...operand.Op)) {
	round := lanes * bytes
	g.rounds(key, [3]int{round, round, round}, nil, func(d, a, b reg.Register) {
		for i := range round / g.level.bytes {
			x := g.register()
			g.move(at(a, i, g.level.bytes), x)
			op(at(b, i, g.level.bytes), x, x)
			g.move(x, at(d, i, g.level.bytes))
		}
	})
}

func (g *generator) elementSums() {
	g.elementwise("Add32", 4, g.VPADDD)
	g.elementwise("Sub32", 4, g.VPSUBD)
	g.elementwise("Mul32", 4, g.VPMULLD)
	g.elementwise("Add64", 8, g.VPADDQ)
	g.elementwise("Sub64", 8, g.VPSUBQ)
	if g.wide() {
		g.elementwise("Mul64", 8, g.VPMULLQ)
	} else {
		g.elementwise("Mul64", 8, g.multiplyHalves)
	}
	for _, o := range []struct {
		name string
		op   binary
	}{{"And", g.and}, {"Or", g.or}, {"Xor", g.xor}} {
		g.elementwise(o.name+"32", 4, three(o.op))
		g.elementwise(o.name+"64", 8, three(o.op))
	}
}

// multiplyHalves is the product of 64-bit elements by those of their halves.
func (g *generator) multiplyHalves(ops ...operand.Op) {
	x, y, s, t := ops[1].(vector), g.register(), g.register(), g.register()
	g.move(ops[0], y)
	g.VPSRLQ(operand.Imm(32), x, s)
	g.VPMULUDQ(y, s, s)
	g.VPSRLQ(operand.Imm(32), y, t)
	g.VPMULUDQ(t, x, t)
	g.VPADDQ(s, t, t)
	g.VPSLLQ(operand.Imm(32), t, t)
	g.VPMULUDQ(y, x, x)
	g.VPADDQ(t, x, x)
}

func (g *generator) elementFloats() {
	g.elementwise("AddF32", 4, g.VADDPS)
	g.elementwise("SubF32", 4, g.VSUBPS)
	g.elementwise("MulF32", 4, g.VMULPS)
	g.elementwise("DivF32", 4, g.VDIVPS)
	g.elementwise("AddF64", 8, g.VADDPD)
	g.elementwise("SubF64", 8, g.VSUBPD)
	g.elementwise("MulF64", 8, g.VMULPD)
	g.elementwise("DivF64", 8, g.VDIVPD)
}

// elementShifts: amounts of the width and more give zero, or the sign, as Go's shifts do.
func (g *generator) elementShifts() {
	g.elementwise("Shl32", 4, g.VPSLLVD)
	g.elementwise("Shl64", 8, g.VPSLLVQ)
	g.elementwise("ShrS32", 4, g.VPSRAVD)
	g.elementwise("ShrU32", 4, g.VPSRLVD)
	g.elementwise("ShrU64", 8, g.VPSRLVQ)
	if g.wide() {
		g.elementwise("ShrS64", 8, g.VPSRAVQ)
	}
}

// converted emits d = op a, where both have their own bytes an element. op handles as many
// elements as a register has of the wider ones.
func (g *generator) converted(key string, to, from int, op func(from operand.Mem, to operand.Mem)) {
	wide := max(to, from)
	g.rounds(key, [3]int{lanes * to, lanes * from, 0}, nil, func(d, a, _ reg.Register) {
		for i := range lanes * wide / g.level.bytes {
			op(at(a, i, g.level.bytes*from/wide), at(d, i, g.level.bytes*to/wide))
		}
	})
}

// through makes an operation on a register of what it loads and stores.
func (g *generator) through(op func(ops ...operand.Op)) func(from, to operand.Mem) {
	return func(from, to operand.Mem) {
		x := g.register()
		op(from, x)
		g.move(x, to)
	}
}

func (g *generator) elementConversions() {
	g.converted("WidenS32", 8, 4, g.through(g.VPMOVSXDQ))
	g.converted("WidenU32", 8, 4, g.through(g.VPMOVZXDQ))
	g.converted("Narrow64", 4, 8, func(from, to operand.Mem) {
		x := g.register()
		g.move(from, x)
		g.narrowTo(x, to)
	})
	g.converted("S32ToF64", 8, 4, g.through(func(ops ...operand.Op) { g.VCVTDQ2PD(ops[0], ops[1]) }))
	g.converted("F32ToF64", 8, 4, g.through(func(ops ...operand.Op) { g.VCVTPS2PD(ops...) }))
	g.converted("F64ToF32", 4, 8, func(from, to operand.Mem) {
		x, y := g.register(), g.half()
		g.move(from, x)
		if g.wide() {
			g.VCVTPD2PS(x, y)
		} else {
			g.VCVTPD2PSY(x, y)
		}
		g.move(y, to)
	})
	if g.wide() {
		g.converted("S64ToF64", 8, 8, g.through(func(ops ...operand.Op) { g.VCVTQQ2PD(ops...) }))
	}
	g.converted("AbsS32", 4, 4, g.through(func(ops ...operand.Op) { g.VPABSD(ops...) }))
	g.converted("FloorF64", 8, 8, g.through(func(ops ...operand.Op) {
		const down = operand.U8(9) // towards minus infinity, without exceptions
		if g.wide() {
			g.VRNDSCALEPD(down, ops[0], ops[1])
		} else {
			g.VROUNDPD(down, ops[0], ops[1])
		}
	}))
}

// narrowTo stores the low halves of 64-bit elements.
func (g *generator) narrowTo(x vector, to operand.Mem) {
	if g.wide() {
		g.VPMOVQD(x, to)
		return
	}
	y := g.register()
	g.VPSHUFD(operand.Imm(0x08), x, y)
	g.VPERMQ(operand.Imm(0x08), y, y)
	g.VMOVDQU(y.AsX(), to)
}

// dividend is a type of elements that are divided.
type dividend struct {
	name   string
	bytes  int
	signed bool
}

// divider divides 64-bit elements whose values, or their complements if negative, are below
// 2^32. It takes the high half of the product with a reciprocal.
type divider struct {
	g                   *generator
	signed              bool
	low, high, by, zero vector
}

// divide emits d = a // b[1] or a % b[1], where b[0] is the reciprocal, 2^64 over the divisor. It
// ends before the first round with an element that is too large.
func (g *generator) divide(key string, t dividend, remainder bool) {
	v := divider{g: g, signed: t.signed}
	round := lanes * t.bytes
	g.rounds(key, [3]int{round, round, 0}, v.prepare, func(d, a, _ reg.Register) {
		if t.bytes == 8 {
			v.check(a)
		}
		for i := range lanes * 8 / g.level.bytes {
			x := v.load(at(a, i, g.level.bytes*t.bytes/8), t)
			v.apply(x, remainder)
			if to := at(d, i, g.level.bytes*t.bytes/8); t.bytes == 8 {
				g.move(x, to)
			} else {
				g.narrowTo(x, to)
			}
		}
	})
}

func (v *divider) prepare(b reg.Register) {
	g := v.g
	v.low, v.high, v.by, v.zero = g.register(), g.register(), g.register(), g.register()
	g.VPBROADCASTQ(operand.Mem{Base: b}, v.low)
	g.VPSRLQ(operand.Imm(32), v.low, v.high)
	g.VPBROADCASTQ(operand.Mem{Base: b, Disp: 8}, v.by)
	g.xor(v.zero, v.zero, v.zero)
}

// check jumps to the end unless all values or complements of a round are below 2^32.
func (v *divider) check(a reg.Register) {
	g := v.g
	var all vector
	for i := range lanes * 8 / g.level.bytes {
		x := g.register()
		g.move(at(a, i, g.level.bytes), x)
		if v.signed {
			g.xor(v.signs(x), x, x)
		}
		if all != nil {
			g.or(all, x, x)
		}
		all = x
	}
	g.VPSRLQ(operand.Imm(32), all, all)
	if !g.wide() {
		g.VPTEST(all, all)
	} else {
		k, r := g.K(), g.GP32()
		g.VPTESTMQ(all, all, k)
		g.KMOVW(k, r)
		g.TESTL(r, r)
	}
	g.JNE(operand.LabelRef("done"))
}

// signs has all bits set in the elements that are negative.
func (v *divider) signs(x vector) vector {
	g := v.g
	s := g.register()
	if g.wide() {
		g.VPSRAQ(operand.Imm(63), x, s)
	} else {
		g.VPCMPGTQ(x, v.zero, s)
	}
	return s
}

// load is a register of 64-bit elements.
func (v *divider) load(from operand.Mem, t dividend) vector {
	g := v.g
	x := g.register()
	switch {
	case t.bytes == 8:
		g.move(from, x)
	case t.signed:
		g.VPMOVSXDQ(from, x)
	default:
		g.VPMOVZXDQ(from, x)
	}
	return x
}

// apply makes x its quotient or remainder. The quotient of a negative number is the complement of
// that of its complement n, and the remainder is by-1 less that of n: both round down.
func (v *divider) apply(x vector, remainder bool) {
	g := v.g
	var s vector
	if v.signed {
		s = v.signs(x)
		g.xor(s, x, x)
	}
	q, t := g.register(), g.register()
	g.VPMULUDQ(v.high, x, q)
	g.VPMULUDQ(v.low, x, t)
	g.VPSRLQ(operand.Imm(32), t, t)
	g.VPADDQ(t, q, q)
	g.VPSRLQ(operand.Imm(32), q, q)
	if remainder {
		g.VPMULUDQ(v.by, q, q)
		g.VPSUBQ(q, x, x)
	} else {
		g.move(q, x)
	}
	if !v.signed {
		return
	}
	g.xor(s, x, x)
	if remainder {
		g.and(v.by, s, s)
		g.VPADDQ(s, x, x)
	}
}
