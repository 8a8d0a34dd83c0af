// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The power of two of Go's package math, which is that of FreeBSD's exp (Sun Microsystems 1993): the
// integer next to the argument becomes the exponent, and e to what is left times ln 2 is a rational
// function. Products and sums are rounded one by one and in that order.
const (
	powerCoefficients = iota // five, that of the first power first
	lnTwo             = powerCoefficients + 5
	powerOne          = lnTwo + 2 // lnTwo has a high and a low part
	powerTwo          = powerOne + 1
	powerHalf         = powerTwo + 1
	powerMagnitude    = powerHalf + 1
	powerSign         = powerMagnitude + 1
	powerBias         = powerSign + 1
	powerLimit        = powerBias + 1 // results of magnitudes below it are normal numbers
	powerConstants    = powerLimit + 1
	exponentAt        = 52
	notLess           = 21 // the operand of VCMPPD, which holds for NaNs
)

var powerBits = [powerConstants]uint64{
	0x3fc5555555555555, 0xbf66c16c16bebd93, 0x3f11566aaf25de2c, 0xbebbbd41c5d26bf1, 0x3e66376972bea4d0,
	0x3fe62e42fee00000, 0x3dea39ef35793c76,
	math.Float64bits(1), math.Float64bits(2), math.Float64bits(0.5), 1<<63 - 1, 1 << 63, 1023, math.Float64bits(1021),
}

// powers emits the power of two of 32 numbers. It reports whether all results are right: those of
// NaNs, and of magnitudes of 1021 and more, are not.
func (g *generator) powers() {
	if g.powerTable.Base == nil { // both levels share it
		g.powerTable = g.StaticGlobal("powerConstants")
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		for i, bits := range powerBits {
			g.AddDatum(8*i, operand.U64(bits))
		}
	}
	g.begin("elementary", "powerOfTwo", "powerOfTwoLanes", elementarySignature)
	c := &powerCoder{g: g}
	d, a := g.pointer("d"), g.pointer("a")
	largest := g.register()
	g.xor(largest, largest, largest)
	for i := range lanes * 8 / g.level.bytes {
		x := g.register()
		g.move(at(a, i, g.level.bytes), x)
		c.note(x, largest)
		g.move(c.of(x), at(d, i, g.level.bytes))
	}
	result := g.GP32()
	if g.wide() {
		k := g.K()
		g.VCMPPD(operand.Imm(notLess), c.constant(powerLimit), largest, k)
		g.KMOVW(k, result)
	} else {
		g.VCMPPD(operand.Imm(notLess), c.constant(powerLimit), largest, largest)
		g.VMOVMSKPD(largest, result)
	}
	g.TESTL(result, result)
	g.SETEQ(result.As8())
	g.Store(result.As8(), g.ReturnIndex(0))
	g.end()
}

// powerCoder emits the function of one register.
type powerCoder struct{ g *generator }

func (c *powerCoder) constant(i int) reg.VecVirtual {
	r := c.g.register()
	c.g.VBROADCASTSD(c.g.powerTable.Offset(8*i), r)
	return r
}

// note keeps the largest magnitude. Magnitudes are compared as integers, so that a NaN is the largest.
func (c *powerCoder) note(x, largest reg.VecVirtual) {
	g, m := c.g, c.g.register()
	g.and(c.constant(powerMagnitude), x, m)
	if g.wide() {
		g.VPMAXUQ(m, largest, largest)
		return
	}
	greater := g.register()
	g.VPCMPGTQ(largest, m, greater)
	g.VBLENDVPD(greater, m, largest, largest)
}

// of emits the power of two of a register.
func (c *powerCoder) of(x reg.VecVirtual) reg.VecVirtual {
	g := c.g
	k, rest := c.split(x)
	high, low := g.register(), g.register()
	g.VMULPD(c.constant(lnTwo), rest, high)
	g.VMULPD(c.constant(lnTwo+1), rest, low)
	g.xor(c.constant(powerSign), low, low)
	r := g.register()
	g.VSUBPD(low, high, r) // high - low
	y := c.rational(r, high, low)
	g.VPADDQ(c.constant(powerBias), k, k)
	g.VPSLLQ(operand.Imm(exponentAt), k, k)
	g.VMULPD(k, y, y) // exact
	return y
}

// split gives the integer next to x, halves away from zero, as 64-bit integers, and what x is more.
func (c *powerCoder) split(x reg.VecVirtual) (k, rest reg.VecVirtual) {
	g := c.g
	y, narrow := g.register(), g.half()
	k, rest = g.register(), g.register()
	g.and(c.constant(powerSign), x, y)
	g.or(c.constant(powerHalf), y, y)
	g.VADDPD(y, x, y)
	if g.wide() {
		g.VCVTTPD2DQ(y, narrow)
	} else {
		g.VCVTTPD2DQY(y, narrow)
	}
	g.VCVTDQ2PD(narrow, y)
	g.VPMOVSXDQ(narrow, k)
	g.VSUBPD(y, x, rest)
	return k, rest
}

// rational is 1 - ((low - r*c/(2-c)) - high), where c is r less a polynomial of its square.
func (c *powerCoder) rational(r, high, low reg.VecVirtual) reg.VecVirtual {
	g := c.g
	squared, p, y := g.register(), g.register(), g.register()
	g.VMULPD(r, r, squared)
	g.VMULPD(c.constant(powerCoefficients+4), squared, p)
	for i := 3; i >= 0; i-- {
		g.VADDPD(c.constant(powerCoefficients+i), p, p)
		g.VMULPD(squared, p, p)
	}
	g.VSUBPD(p, r, p) // c
	g.VMULPD(p, r, y)
	two := c.constant(powerTwo)
	g.VSUBPD(p, two, two)
	g.VDIVPD(two, y, y)
	g.VSUBPD(y, low, y)
	g.VSUBPD(high, y, y)
	one := c.constant(powerOne)
	g.VSUBPD(y, one, one)
	return one
}
