// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// texels emits what a linear filter does with the lanes of a warp.
func (g *generator) texels() {
	g.between()
	g.blend()
}

// between emits the function that finds the texels.
func (g *generator) between() {
	g.begin("between", "between", "betweenTexels", betweenSignature)
	below, share, x := g.pointer("below"), g.pointer("share"), g.pointer("x")
	scale, s := g.register(), g.Load(g.Param("scale"), g.XMM())
	g.VBROADCASTSD(s, scale)
	half, whole := g.broadcast64(math.Float64bits(0.5)), g.broadcast64(math.Float64bits(256))
	for i := range lanes * 8 / g.level.bytes {
		v, floor := g.register(), g.register()
		g.VCVTPS2PD(at(x, i, g.level.bytes/2), v)
		g.VMULPD(scale, v, v)
		g.VSUBPD(half, v, v)
		g.floor(v, floor)
		g.VSUBPD(floor, v, v)
		g.VMULPD(whole, v, v)
		g.VADDPD(half, v, v)
		g.move(g.truncated(floor), at(below, i, g.level.bytes/2))
		g.move(g.truncated(v), at(share, i, g.level.bytes/2))
	}
	g.end()
}

// blend emits the weighted sums of four texels. It gives the lanes whose sums are finite.
func (g *generator) blend() {
	g.begin("blend", "blend", "blendTexels", blendSignature)
	d, texels, weights := g.pointer("d"), g.pointer("texels"), g.pointer("weights")
	whole, part, zero := g.broadcast64(math.Float64bits(256)), g.broadcast64(math.Float64bits(1.0/65536)), g.register()
	g.xor(zero, zero, zero)
	finite := g.GP32()
	g.XORL(finite, finite)
	row := lanes * 4
	for i := range lanes * 8 / g.level.bytes {
		piece := func(from reg.Register, row int) operand.Mem { return at(from, i, g.level.bytes/2).Offset(row) }
		var shares [2][2]reg.VecVirtual // of a side, of the texel below and of the one above
		for side := range shares {
			below, above := g.register(), g.register()
			g.VCVTDQ2PD(piece(weights, side*row), above)
			g.VSUBPD(above, whole, below)
			shares[side] = [2]reg.VecVirtual{below, above}
		}
		sum := g.register()
		g.move(zero, sum) // so that zeros do not make it negative
		for corner := range 4 {
			weight, texel := g.register(), g.register()
			g.VMULPD(shares[0][corner&1], shares[1][corner>>1], weight)
			g.VCVTPS2PD(piece(texels, corner*row), texel)
			g.VMULPD(weight, texel, texel)
			g.VADDPD(texel, sum, sum)
		}
		g.noteFinite(finite, sum, zero, i)
		g.VMULPD(part, sum, sum)
		narrow := g.half()
		if g.wide() {
			g.VCVTPD2PS(sum, narrow)
		} else {
			g.VCVTPD2PSY(sum, narrow)
		}
		g.move(narrow, piece(d, 0))
	}
	g.Store(finite, g.ReturnIndex(0))
	g.end()
}

// noteFinite adds the finite elements of register i to the lanes.
func (g *generator) noteFinite(lanes reg.Register, v, zero reg.VecVirtual, i int) {
	const equal = operand.U8(0) // not for NaNs
	nothing, some := g.register(), g.GP32()
	g.VSUBPD(v, v, nothing)
	if g.wide() {
		k := g.K()
		g.VCMPPD(equal, zero, nothing, k)
		g.KMOVW(k, some)
	} else {
		g.VCMPPD(equal, zero, nothing, nothing)
		g.VMOVMSKPD(nothing, some)
	}
	if i > 0 {
		g.SHLL(operand.U8(i*g.level.bytes/8), some)
	}
	g.ORL(some, lanes)
}

// floor rounds down.
func (g *generator) floor(v, d reg.VecVirtual) {
	const down = operand.U8(9) // without exceptions
	if g.wide() {
		g.VRNDSCALEPD(down, v, d)
		return
	}
	g.VROUNDPD(down, v, d)
}

// truncated are numbers as 32-bit integers, in half a register.
func (g *generator) truncated(v reg.VecVirtual) reg.VecVirtual {
	d := g.half()
	if g.wide() {
		g.VCVTTPD2DQ(v, d)
	} else {
		g.VCVTTPD2DQY(v, d)
	}
	return d
}
