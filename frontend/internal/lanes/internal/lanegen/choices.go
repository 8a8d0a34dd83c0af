// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elementRelations are comparisons whose result is a byte for each element, 1 where it holds. Not
// equal is a relation of its own here, so that nothing has to go over the bytes once more.
var elementRelations = []relation{
	{"Less", 1, 0x11, false}, {"LessEqual", 2, 0x12, false}, {"Equal", 0, 0x00, false}, {"NotEqual", 4, 0x04, false},
}

// elementChoices emits comparisons of arrays, and what takes elements by a mask of bytes.
func (g *generator) elementChoices() {
	for _, r := range elementRelations {
		for _, t := range []string{"S32", "U32", "S64", "U64", "F32", "F64"} {
			if (r.name == "Equal" || r.name == "NotEqual") && t[0] == 'U' {
				continue // as the signed ones
			}
			g.relate(r, t)
		}
	}
	for _, bytes := range []int{4, 8} {
		g.take(bytes)
	}
}

// relate emits d = a r b. d has a byte for each element.
func (g *generator) relate(r relation, t string) {
	bytes := 4
	if t[1:] == "64" {
		bytes = 8
	}
	e := relating{g: g, r: r, t: t, bytes: bytes}
	g.rounds(r.name+t, [3]int{lanes, lanes * bytes, lanes * bytes}, e.prepare, e.round)
}

// relating is what one loop of comparisons keeps in registers.
type relating struct {
	g     *generator
	r     relation
	t     string
	bytes int
	ones  reg.VecVirtual // 1 in each element; bytes of 1 where registers are packed
	sign  vector
	order reg.VecVirtual
}

func (e *relating) prepare(reg.Register) {
	g := e.g
	switch {
	case g.wide() && e.bytes == 4:
		e.ones = g.broadcast32(1)
	case g.wide():
		e.ones = g.broadcast64(1)
	default:
		e.ones, e.order = g.broadcast32(0x01010101), g.YMM()
		n, x := g.GP64(), g.XMM()
		g.MOVQ(operand.U64(0x0703060205010400), n) // halves of registers follow each other: see pack
		g.VMOVQ(n, x)
		g.VPMOVZXBD(x, e.order)
		e.sign = g.signOf(e.r, e.t)
	}
}

func (e *relating) round(d, a, b reg.Register) {
	g := e.g
	if g.wide() {
		per := g.level.bytes / e.bytes
		for i := range lanes / per {
			x, z, k := g.register(), g.register(), g.K()
			g.move(at(a, i, g.level.bytes), x)
			g.compareWide(e.r, e.t, x, at(b, i, g.level.bytes), k)
			if e.bytes == 4 {
				g.VMOVDQA32_Z(e.ones, k, z)
				g.VPMOVDB(z, at(d, i, per))
			} else {
				g.VMOVDQA64_Z(e.ones, k, z)
				g.VPMOVQB(z, at(d, i, per))
			}
		}
		return
	}
	var parts [4]vector
	for i := range parts {
		if e.bytes == 4 {
			parts[i] = e.part(a, b, i)
		} else {
			parts[i] = e.halves(e.part(a, b, 2*i), e.part(a, b, 2*i+1))
		}
	}
	packed := e.pack(parts)
	if inverted(e.r, e.t) {
		g.VPANDN(e.ones, packed, packed)
	} else {
		g.VPAND(e.ones, packed, packed)
	}
	g.move(packed, at(d, 0, g.level.bytes))
}

// part compares part i, and has all bits of an element set where the relation holds, or where it
// does not if it is inverted.
func (e *relating) part(a, b reg.Register, i int) vector {
	x := e.g.register()
	e.g.move(at(a, i, e.g.level.bytes), x)
	return e.g.relateNarrow(e.r, e.t, x, at(b, i, e.g.level.bytes), e.sign)
}

// halves has the low halves of the 64-bit elements of two registers.
func (e *relating) halves(x, y vector) vector {
	z := e.g.register()
	e.g.VSHUFPS(operand.Imm(0x88), y, x, z)
	e.g.VPERMQ(operand.Imm(0xd8), z, z)
	return z
}

// pack makes bytes of 32-bit elements. Packs work on halves of registers, so the order of the
// result's double words is put right at the end.
func (e *relating) pack(p [4]vector) vector {
	g := e.g
	x, y := g.register(), g.register()
	g.VPACKSSDW(p[1], p[0], x)
	g.VPACKSSDW(p[3], p[2], y)
	g.VPACKSSWB(y, x, x)
	g.VPERMD(x, e.order, x)
	return x
}

// take emits d = a where the bytes at b are not zero. Other elements of d stay.
func (g *generator) take(bytes int) {
	per := g.level.bytes / bytes
	var zero vector
	prepare := func(reg.Register) {
		if !g.wide() {
			zero = g.register()
			g.xor(zero, zero, zero)
		}
	}
	g.rounds("Take"+width(bytes), [3]int{lanes * bytes, lanes * bytes, lanes}, prepare, func(d, a, b reg.Register) {
		for i := range lanes / per {
			m, x, to := g.register(), g.register(), at(d, i, g.level.bytes)
			if bytes == 4 {
				g.VPMOVZXBD(at(b, i, per), m)
			} else {
				g.VPMOVZXBQ(at(b, i, per), m)
			}
			g.move(at(a, i, g.level.bytes), x)
			if g.wide() {
				g.store(x, to, g.nonzero(m, bytes), bytes)
				continue
			}
			y := g.register()
			g.move(to, y)
			if bytes == 4 {
				g.VPCMPEQD(zero, m, m)
				g.VBLENDVPS(m, y, x, x)
			} else {
				g.VPCMPEQQ(zero, m, m)
				g.VBLENDVPD(m, y, x, x)
			}
			g.move(x, to)
		}
	})
}

// nonzero has a bit for each element that is not zero.
func (g *generator) nonzero(x vector, bytes int) reg.Register {
	k := g.K()
	if bytes == 4 {
		g.VPTESTMD(x, x, k)
	} else {
		g.VPTESTMQ(x, x, k)
	}
	return k
}
