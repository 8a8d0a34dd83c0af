// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The sine and cosine of Go's package math, which are those of Cephes (Moshier 1989): the
// argument less a multiple of pi/4, which is taken away in three parts, and one of two
// polynomials. Products and sums are rounded one by one and in that order.
const (
	sineCoefficients   = iota // six, the highest power first
	cosineCoefficients = sineCoefficients + 6
	quarterPi          = cosineCoefficients + 6 // three parts
	fourOverPi         = quarterPi + 3
	one                = fourOverPi + 1
	half               = one + 1
	magnitudeBits      = half + 1
	signBit            = magnitudeBits + 1
	largest            = signBit + 1 // from here on Go reduces arguments in another way
	sineConstants      = largest + 1
)

var sineBits = [sineConstants]uint64{
	0x3de5d8fd1fd19ccd, 0xbe5ae5e5a9291f5d, 0x3ec71de3567d48a1, 0xbf2a01a019bfdf03, 0x3f8111111110f7d0, 0xbfc5555555555548,
	0xbda8fa49a0861a9b, 0x3e21ee9d7b4e3f05, 0xbe927e4f7eac4bc6, 0x3efa01a019c844f5, 0xbf56c16c16c14f91, 0x3fa555555555554b,
	0x3fe921fb40000000, 0x3e64442d00000000, 0x3ce8469898cc5170,
	math.Float64bits(4 / math.Pi), math.Float64bits(1), math.Float64bits(0.5), 1<<63 - 1, 1 << 63, math.Float64bits(1 << 29),
}

// sines emits the functions of both kinds. They report whether all arguments are such that
// the results are right: neither zero nor 2^29 or more, infinite or a NaN.
func (g *generator) sines() {
	if g.sineTable.Base == nil { // both levels share it
		g.sineTable = g.StaticGlobal("sineConstants")
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		for i, bits := range sineBits {
			g.AddDatum(8*i, operand.U64(bits))
		}
	}
	g.sine(false)
	g.sine(true)
}

// sine emits one of the two.
func (g *generator) sine(cosine bool) {
	name := "sine"
	if cosine {
		name = "cosine"
	}
	g.begin("elementary", name, name+"Lanes", elementarySignature)
	c := &sineCoder{g: g, cosine: cosine}
	d, a := g.pointer("d"), g.pointer("a")
	result := g.GP32()
	for i := range lanes * 8 / g.level.bytes {
		g.move(c.of(at(a, i, g.level.bytes)), at(d, i, g.level.bytes))
	}
	if g.wide() {
		g.KMOVW(c.anyK, result)
	} else {
		g.VMOVMSKPD(c.any, result)
	}
	g.TESTL(result, result)
	g.SETEQ(result.As8())
	g.Store(result.As8(), g.ReturnIndex(0))
	g.end()
}

// sineCoder emits one of the two functions.
type sineCoder struct {
	g      *generator
	cosine bool
	loaded [sineConstants]reg.VecVirtual // those that stay in registers
	any    reg.VecVirtual                // arguments that are not ordinary
	anyK   reg.OpmaskVirtual
}

// constant is a register with a constant in all elements. AVX2 has too few to keep them.
func (c *sineCoder) constant(i int) reg.VecVirtual {
	if c.g.wide() && c.loaded[i] != nil {
		return c.loaded[i]
	}
	r := c.g.register()
	c.g.VBROADCASTSD(c.g.sineTable.Offset(8*i), r)
	c.loaded[i] = r
	return r
}

// of emits the function of the elements at a place.
func (c *sineCoder) of(place operand.Mem) reg.VecVirtual {
	g := c.g
	x, given := g.register(), g.register()
	g.move(place, given)
	g.and(c.constant(magnitudeBits), given, x)
	c.note(x)
	octant, z := c.reduce(x)
	squared := g.register()
	g.VMULPD(z, z, squared)
	sine, cosine := c.sinePolynomial(z, squared), c.cosinePolynomial(squared)
	swap, sign := g.register(), g.register()
	g.VPSLLQ(operand.Imm(62), octant, swap) // bit 1 of the octant
	if c.cosine {
		sine, cosine = cosine, sine
		g.VPADDQ(octant, octant, sign) // the sign is bit 1 xor bit 2
		g.xor(octant, sign, sign)
		g.VPSLLQ(operand.Imm(61), sign, sign)
	} else {
		g.VPSLLQ(operand.Imm(61), octant, sign) // bit 2
		g.xor(given, sign, sign)
	}
	g.and(c.constant(signBit), sign, sign)
	c.choose(swap, cosine, sine)
	g.xor(sign, sine, sine)
	return sine
}

// note keeps whether an argument is not ordinary.
func (c *sineCoder) note(x reg.VecVirtual) {
	g := c.g
	zero := g.register()
	g.xor(x, x, zero)
	const equal = 0
	if !g.wide() {
		zeros, large := g.register(), g.register()
		g.VCMPPD(operand.Imm(equal), zero, x, zeros)
		g.VCMPPD(operand.Imm(notLess), c.constant(largest), x, large)
		g.VPOR(zeros, large, large)
		if c.any != nil {
			g.VPOR(c.any, large, large)
		}
		c.any = large
		return
	}
	zeros, large := g.K(), g.K()
	g.VCMPPD(operand.Imm(equal), zero, x, zeros)
	g.VCMPPD(operand.Imm(notLess), c.constant(largest), x, large)
	g.KORW(zeros, large, large)
	if c.anyK != nil {
		g.KORW(c.anyK, large, large)
	}
	c.anyK = large
}

// reduce gives the even octant next to x/(pi/4) as 64-bit integers, and what x is more.
func (c *sineCoder) reduce(x reg.VecVirtual) (octant, z reg.VecVirtual) {
	g := c.g
	quotient, y := g.register(), g.register()
	octant, z = g.register(), g.register()
	g.VMULPD(c.constant(fourOverPi), x, quotient)
	j, odd := g.half(), g.half()
	if g.wide() {
		g.VCVTTPD2DQ(quotient, j)
	} else {
		g.VCVTTPD2DQY(quotient, j)
	}
	g.VPSLLD(operand.Imm(31), j, odd) // bit 0
	g.VPSRLD(operand.Imm(31), odd, odd)
	g.VPADDD(odd, j, j)
	g.VCVTDQ2PD(j, y)
	g.VPMOVZXDQ(j, octant)
	g.move(x, z)
	for part := range 3 {
		product := g.register()
		g.VMULPD(c.constant(quarterPi+part), y, product)
		g.VSUBPD(product, z, z)
	}
	return octant, z
}

// powers is the polynomial of six coefficients.
func (c *sineCoder) powers(first int, squared reg.VecVirtual) reg.VecVirtual {
	g := c.g
	sum := g.register()
	g.VMULPD(c.constant(first), squared, sum)
	for i := 1; i < 6; i++ {
		g.VADDPD(c.constant(first+i), sum, sum)
		if i < 5 {
			g.VMULPD(squared, sum, sum)
		}
	}
	return sum
}

// sinePolynomial is z + z*zz*P(zz).
func (c *sineCoder) sinePolynomial(z, squared reg.VecVirtual) reg.VecVirtual {
	g := c.g
	p, factor := c.powers(sineCoefficients, squared), g.register()
	g.VMULPD(squared, z, factor)
	g.VMULPD(p, factor, p)
	g.VADDPD(p, z, p)
	return p
}

// cosinePolynomial is 1 - 0.5*zz + zz*zz*Q(zz).
func (c *sineCoder) cosinePolynomial(squared reg.VecVirtual) reg.VecVirtual {
	g := c.g
	p, factor, rest := c.powers(cosineCoefficients, squared), g.register(), g.register()
	g.VMULPD(squared, squared, factor)
	g.VMULPD(p, factor, p)
	g.VMULPD(c.constant(half), squared, factor)
	g.VSUBPD(factor, c.constant(one), rest)
	g.VADDPD(p, rest, p)
	return p
}

// choose takes an element of other where which has the highest bit of that element set.
func (c *sineCoder) choose(which, other, result reg.VecVirtual) {
	g := c.g
	if g.wide() {
		k := g.K()
		g.VPMOVQ2M(which, k)
		g.VBLENDMPD(other, result, k, result)
		return
	}
	g.VBLENDVPD(which, other, result, result)
}
