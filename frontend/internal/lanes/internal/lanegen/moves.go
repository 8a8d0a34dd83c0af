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
