// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// moves emits what copies the lanes of a mask: what a partly active warp keeps,
// and selp.
func (g *generator) moves() {
	for _, bytes := range []int{4, 8} {
		g.keep(bytes)
		g.choose(bytes)
	}
	g.affine()
	g.spread()
}

func width(bytes int) string {
	if bytes == 8 {
		return "64"
	}
	return "32"
}

// keep emits d = a in the lanes of mask.
func (g *generator) keep(bytes int) {
	g.begin("keep", "keep"+width(bytes), "keep"+width(bytes), keepSignature)
	d, a := g.pointer("d"), g.pointer("a")
	lane := g.lanesOf("mask", bytes)
	for i := range lanes * bytes / g.level.bytes {
		x := g.register()
		g.move(at(a, i, g.level.bytes), x)
		g.store(x, at(d, i, g.level.bytes), lane(i), bytes)
	}
	g.end()
}

// choose emits d = mp ? a : b in the lanes of mask.
func (g *generator) choose(bytes int) {
	g.begin("select", "select"+width(bytes), "select"+width(bytes), selectSignature)
	d, a, b := g.pointer("d"), g.pointer("a"), g.pointer("b")
	chosen, active := g.lanesOf("mp", bytes), g.lanesOf("mask", bytes)
	for i := range lanes * bytes / g.level.bytes {
		x, y := g.register(), g.register()
		g.move(at(a, i, g.level.bytes), x)
		g.move(at(b, i, g.level.bytes), y)
		switch p := chosen(i); {
		case !g.wide() && bytes == 4:
			g.VBLENDVPS(p, x, y, y)
		case !g.wide():
			g.VBLENDVPD(p, x, y, y)
		case bytes == 4:
			g.VPBLENDMD(x, y, p, y)
		default:
			g.VPBLENDMQ(x, y, p, y)
		}
		g.store(y, at(d, i, g.level.bytes), active(i), bytes)
	}
	g.end()
}

// lanesOf gives the part of a mask that belongs to part i of a slot. The result is
// a mask register, or a vector of elements that are all ones or all zeros.
func (g *generator) lanesOf(parameter string, bytes int) func(i int) reg.Register {
	per := g.level.bytes / bytes
	if g.wide() {
		m := g.Load(g.Param(parameter), g.GP32())
		return func(i int) reg.Register {
			k := g.K()
			g.KMOVW(m, k)
			if i < lanes/per-1 {
				g.SHRL(operand.Imm(uint64(per)), m)
			}
			return k
		}
	}
	all, shifts := g.laneBits(parameter, bytes)
	return func(i int) reg.Register {
		v := g.YMM()
		if bytes == 8 {
			g.VPSLLVQ(shifts, all, v)
			g.VPSLLQ(operand.Imm(uint64(60-i*per)), v, v)
			return v
		}
		g.VPSLLVD(shifts, all, v)
		g.VPSLLD(operand.Imm(uint64(24-i*per)), v, v)
		return v
	}
}

// laneBits gives the mask in all elements, and the shift of each element that
// brings its lane's bit to the place of the last element's. For eight elements the
// shifts are 7 down to 0. The last one's then goes to the sign by a shift that all
// elements share, and blends and masked stores look at the sign only.
func (g *generator) laneBits(parameter string, bytes int) (all, shifts reg.VecVirtual) {
	m, n := g.Load(g.Param(parameter), g.GP32()), g.GP64()
	x, y := g.XMM(), g.XMM()
	all, shifts = g.YMM(), g.YMM()
	g.VMOVD(m, x)
	if bytes == 8 {
		g.VPBROADCASTQ(x, all)
		g.MOVQ(operand.U64(0x00010203), n)
		g.VMOVQ(n, y)
		g.VPMOVZXBQ(y, shifts)
		return all, shifts
	}
	g.VPBROADCASTD(x, all)
	g.MOVQ(operand.U64(0x0001020304050607), n)
	g.VMOVQ(n, y)
	g.VPMOVZXBD(y, shifts)
	return all, shifts
}

// store writes the elements of a mask.
func (g *generator) store(x vector, to operand.Mem, mask reg.Register, bytes int) {
	switch {
	case g.wide() && bytes == 4:
		g.VMOVDQU32(x, mask, to)
	case g.wide():
		g.VMOVDQU64(x, mask, to)
	case bytes == 4:
		g.VPMASKMOVD(x, mask, to)
	default:
		g.VPMASKMOVQ(x, mask, to)
	}
}

// affine emits the test whether the 64-bit lanes at a have one stride: all
// differences of neighbours equal that of the first two. The last part overlaps
// with the one before, because 32 lanes have 31 differences.
func (g *generator) affine() {
	g.begin("affine", "affine", "affine", affineSignature)
	a := g.pointer("a")
	r, x, stride, different := g.GP64(), g.XMM(), g.register(), g.register()
	g.MOVQ(operand.Mem{Base: a, Disp: 8}, r)
	g.SUBQ(operand.Mem{Base: a}, r)
	g.VMOVQ(r, x)
	g.VPBROADCASTQ(x, stride)
	per := g.level.bytes / 8
	for i := range lanes / per {
		first := min(i*per, lanes-1-per)
		d := g.register()
		g.move(operand.Mem{Base: a, Disp: 8 * (first + 1)}, d)
		g.VPSUBQ(operand.Mem{Base: a, Disp: 8 * first}, d, d)
		g.xor(stride, d, d)
		if i == 0 {
			different = d
			continue
		}
		g.or(d, different, different)
	}
	result := g.GP32()
	if g.wide() {
		k := g.K()
		g.VPTESTMQ(different, different, k)
		g.KMOVW(k, result)
		g.TESTL(result, result)
	} else {
		g.VPTEST(different, different)
	}
	g.SETEQ(result.As8())
	g.Store(result.As8(), g.ReturnIndex(0))
	g.end()
}

// spread emits offsets = a less its first lane, and cut = the low halves of what offsets are above the
// lowest one. It gives the lowest and the highest offset and the bits that are set in any.
func (g *generator) spread() {
	g.begin("spread", "spread", "spread", spreadSignature)
	cut, offsets, a := g.pointer("cut"), g.pointer("offsets"), g.pointer("a")
	base, low, high, set := g.register(), g.register(), g.register(), g.register()
	g.VPBROADCASTQ(operand.Mem{Base: a}, base)
	for _, v := range []vector{low, high, set} {
		g.xor(v, v, v) // the first lane's offset
	}
	per := g.level.bytes / 8
	for i := range lanes / per {
		x := g.register()
		g.move(at(a, i, g.level.bytes), x)
		g.VPSUBQ(base, x, x)
		g.move(x, at(offsets, i, g.level.bytes))
		g.lower(x, low)
		g.higher(x, high)
		g.or(x, set, set)
	}
	least := g.lanesTogether(low, g.lower)
	g.Store(g.lanesTogether(high, g.higher), g.ReturnIndex(1))
	g.Store(g.lanesTogether(set, func(x, y vector) { g.VPOR(x, y, y) }), g.ReturnIndex(2))
	g.Store(least, g.ReturnIndex(0))
	x := g.XMM()
	g.VMOVQ(least, x)
	g.VPBROADCASTQ(x, low)
	for i := range lanes / per {
		x := g.register()
		g.move(at(offsets, i, g.level.bytes), x)
		g.VPSUBQ(low, x, x)
		g.narrowTo(x, at(cut, i, per*4))
	}
	g.end()
}

// lower makes y the lower of two registers' signed 64-bit elements, higher the higher one.
func (g *generator) lower(x, y vector) {
	if g.wide() {
		g.VPMINSQ(x, y, y)
		return
	}
	greater := vectorLike(g, y)
	g.VPCMPGTQ(x, y, greater) // y > x
	g.VBLENDVPD(greater, x, y, y)
}

func (g *generator) higher(x, y vector) {
	if g.wide() {
		g.VPMAXSQ(x, y, y)
		return
	}
	greater := vectorLike(g, y)
	g.VPCMPGTQ(y, x, greater) // x > y
	g.VBLENDVPD(greater, x, y, y)
}

// vectorLike is a new register of y's size.
func vectorLike(g *generator, y vector) vector {
	if y.Size() == 16 {
		return g.XMM()
	}
	return g.YMM()
}

// lanesTogether applies an operation to all 64-bit elements of a register.
func (g *generator) lanesTogether(v vector, op func(x, y vector)) reg.Register {
	y := v
	if g.wide() {
		half := g.YMM()
		y = g.YMM()
		g.VEXTRACTI64X4(operand.Imm(0), v, y)
		g.VEXTRACTI64X4(operand.Imm(1), v, half)
		op(half, y)
	}
	x, other, result := g.XMM(), g.XMM(), g.GP64()
	g.VEXTRACTI128(operand.Imm(0), y, x)
	g.VEXTRACTI128(operand.Imm(1), y, other)
	op(other, x)
	g.VPSHUFD(operand.Imm(0x4e), x, other)
	op(other, x)
	g.VMOVQ(x, result)
	return result
}
