// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func three(f func(a, b, d operand.Op)) func(ops ...operand.Op) {
	return func(ops ...operand.Op) { f(ops[0], ops[1], ops[2]) }
}

func (g *generator) integers() {
	g.simple("Add32", 4, g.VPADDD)
	g.simple("Sub32", 4, g.VPSUBD)
	g.simple("Mul32", 4, g.VPMULLD)
	g.simple("MinS32", 4, g.VPMINSD)
	g.simple("MinU32", 4, g.VPMINUD)
	g.simple("MaxS32", 4, g.VPMAXSD)
	g.simple("MaxU32", 4, g.VPMAXUD)
	g.simple("Add64", 8, g.VPADDQ)
	g.simple("Sub64", 8, g.VPSUBQ)
	for _, o := range []struct {
		name string
		op   binary
	}{{"And", g.and}, {"Or", g.or}, {"Xor", g.xor}} {
		g.simple(o.name+"32", 4, three(o.op))
		g.simple(o.name+"64", 8, three(o.op))
	}
}

func (g *generator) products() {
	g.loop("Mad32", 3, 4, func(p [4]reg.Register, i int) {
		x := g.register()
		g.move(at(p[1], i, g.level.bytes), x)
		g.VPMULLD(at(p[2], i, g.level.bytes), x, x)
		g.VPADDD(at(p[3], i, g.level.bytes), x, x)
		g.move(x, at(p[0], i, g.level.bytes))
	})
	for _, mad := range []bool{false, true} {
		g.product64(mad)
		g.wideProduct("S", g.VPMOVSXDQ, g.VPMULDQ, mad)
		g.wideProduct("U", g.VPMOVZXDQ, g.VPMULUDQ, mad)
	}
}

func productName(mad bool) (name string, sources int) {
	if mad {
		return "Mad", 3
	}
	return "Mul", 2
}

// product64 is mul.lo and mad.lo of 64 bits; without an instruction for it, the
// products of the halves are added.
func (g *generator) product64(mad bool) {
	name, sources := productName(mad)
	g.loop(name+"64", sources, 8, func(p [4]reg.Register, i int) {
		x, y := g.register(), g.register()
		g.move(at(p[1], i, g.level.bytes), x)
		g.move(at(p[2], i, g.level.bytes), y)
		if g.wide() {
			g.VPMULLQ(y, x, x)
		} else {
			s, t := g.register(), g.register()
			g.VPSRLQ(operand.Imm(32), x, s)
			g.VPMULUDQ(y, s, s)
			g.VPSRLQ(operand.Imm(32), y, t)
			g.VPMULUDQ(t, x, t)
			g.VPADDQ(s, t, t)
			g.VPSLLQ(operand.Imm(32), t, t)
			g.VPMULUDQ(y, x, x)
			g.VPADDQ(t, x, x)
		}
		if mad {
			g.VPADDQ(at(p[3], i, g.level.bytes), x, x)
		}
		g.move(x, at(p[0], i, g.level.bytes))
	})
}

// wideProduct is mul.wide or mad.wide of 32-bit operands.
func (g *generator) wideProduct(sign string, extend, multiply func(ops ...operand.Op), mad bool) {
	name, sources := productName(mad)
	g.loop(name+"Wide"+sign+"32", sources, 8, func(p [4]reg.Register, i int) {
		x, y := g.register(), g.register()
		extend(at(p[1], i, g.level.bytes/2), x)
		extend(at(p[2], i, g.level.bytes/2), y)
		multiply(y, x, x)
		if mad {
			g.VPADDQ(at(p[3], i, g.level.bytes), x, x)
		}
		g.move(x, at(p[0], i, g.level.bytes))
	})
}

// shifts: like PTX's, the variable shifts give zero or the sign for amounts of
// the width and more. The amounts have 32 bits (9.7.8.8).
func (g *generator) shifts() {
	g.simple("Shl32", 4, g.VPSLLVD)
	g.simple("ShrS32", 4, g.VPSRAVD)
	g.simple("ShrU32", 4, g.VPSRLVD)
	g.field()
	g.shift64("Shl64", g.VPSLLVQ)
	g.shift64("ShrU64", g.VPSRLVQ)
	if g.wide() {
		g.shift64("ShrS64", g.VPSRAVQ)
	}
}

// field is bfe.u32: a position and a length of more than 31 bits give zeros and all bits, as
// shifts of the low bytes do.
func (g *generator) field() {
	var low, one vector
	g.loop("Bfe32", 3, 4, func(p [4]reg.Register, i int) {
		if i == 0 {
			low, one = g.broadcast32(0xff), g.broadcast32(1)
		}
		x, position, length := g.register(), g.register(), g.register()
		g.move(at(p[1], i, g.level.bytes), x)
		g.and(at(p[2], i, g.level.bytes), low, position)
		g.VPSRLVD(position, x, x)
		g.and(at(p[3], i, g.level.bytes), low, length)
		g.VPSLLVD(length, one, length)
		g.VPSUBD(one, length, length)
		g.and(length, x, x)
		g.move(x, at(p[0], i, g.level.bytes))
	})
}

func (g *generator) shift64(key string, op func(ops ...operand.Op)) {
	g.loop(key, 2, 8, func(p [4]reg.Register, i int) {
		x, y := g.register(), g.register()
		g.move(at(p[1], i, g.level.bytes), x)
		g.VPMOVZXDQ(at(p[2], i, g.level.bytes/2), y)
		op(y, x, x)
		g.move(x, at(p[0], i, g.level.bytes))
	})
}

func (g *generator) conversions() {
	widen := func(key string, op func(ops ...operand.Op)) {
		g.loop(key, 1, 8, func(p [4]reg.Register, i int) {
			x := g.register()
			op(at(p[1], i, g.level.bytes/2), x)
			g.move(x, at(p[0], i, g.level.bytes))
		})
	}
	widen("WidenS32", g.VPMOVSXDQ)
	widen("WidenU32", g.VPMOVZXDQ)
	convert := func(key string, op func(ops ...operand.Op)) {
		g.loop(key, 1, 4, func(p [4]reg.Register, i int) {
			x := g.register()
			op(at(p[1], i, g.level.bytes), x)
			g.move(x, at(p[0], i, g.level.bytes))
		})
	}
	convert("S32ToF32", func(ops ...operand.Op) { g.VCVTDQ2PS(ops...) })
	if g.wide() {
		convert("U32ToF32", g.VCVTUDQ2PS)
	}
	g.loop("Narrow64", 1, 4, g.narrow)
	convert("AbsS32", func(ops ...operand.Op) { g.VPABSD(ops...) })
	var nan vector
	g.loop("IntegralF32", 1, 4, func(p [4]reg.Register, i int) {
		if i == 0 {
			nan = g.broadcast32(0x7fff_ffff)
		}
		x := g.register()
		const toEven = operand.U8(8) // without exceptions
		if g.wide() {
			g.VRNDSCALEPS(toEven, at(p[1], i, g.level.bytes), x)
		} else {
			g.VROUNDPS(toEven, at(p[1], i, g.level.bytes), x)
		}
		g.canonical32(x, nan)
		g.move(x, at(p[0], i, g.level.bytes))
	})
}

// narrow keeps the low halves of 64-bit lanes.
func (g *generator) narrow(p [4]reg.Register, i int) {
	x, y := g.register(), g.register()
	g.move(at(p[1], 2*i, g.level.bytes), x)
	if g.wide() {
		g.move(at(p[1], 2*i+1, g.level.bytes), y)
		g.VPMOVQD(x, at(p[0], 2*i, g.level.bytes/2))
		g.VPMOVQD(y, at(p[0], 2*i+1, g.level.bytes/2))
		return
	}
	g.VSHUFPS(operand.Imm(0x88), at(p[1], 2*i+1, g.level.bytes), x, x)
	g.VPERMQ(operand.Imm(0xd8), x, x)
	g.move(x, at(p[0], i, g.level.bytes))
}
