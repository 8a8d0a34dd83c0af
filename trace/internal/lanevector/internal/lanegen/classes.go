// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// classes emits the loop that classifies codes below 2^31, and gives the bits that any code has.
//
// A class has the place of the highest bit and the two bits behind it, as the upper half
// of a float32 has. A conversion would round, so of a code with more than 24 bits one is
// cleared that a round up would need. Codes below four are their own class, which is above
// what that gives for them.
func (g *generator) classes() {
	g.begin("classifyAVX2", "func(classes *[32]uint8, codes *[32]uint64) uint64")
	classes, codes := g.parameter("classes"), g.parameter("codes")
	four, bias, all := g.words(4), g.words(127<<2+4), g.zero()
	var found [4]reg.VecVirtual // of eight lanes: 0 1 4 5 2 3 6 7
	for i := range found {
		a, b, x, rest, least := g.load(codes, 2*i), g.load(codes, 2*i+1), g.YMM(), g.YMM(), g.YMM()
		g.VPOR(a, all, all)
		g.VPOR(b, all, all)
		g.VSHUFPS(operand.U8(0x88), b, a, x)
		g.VPSRLD(operand.U8(24), x, rest)
		g.VPMINSD(four, x, least)
		g.VPANDN(x, rest, x)
		g.VCVTDQ2PS(x, x)
		g.VPSRLD(operand.U8(23-2), x, x)
		g.VPSUBD(bias, x, x)
		g.VPMAXSD(least, x, x)
		found[i] = x
	}
	g.VPACKUSDW(found[1], found[0], found[0])
	g.VPACKUSDW(found[3], found[2], found[2])
	g.VPACKUSWB(found[2], found[0], found[0])
	low, high, x := found[0].AsX(), g.XMM(), g.XMM()
	g.VEXTRACTI128(operand.U8(1), found[0], high)
	g.VPUNPCKLWD(high, low, x)
	g.VMOVDQU(x, operand.Mem{Base: classes})
	g.VPUNPCKHWD(high, low, x)
	g.VMOVDQU(x, operand.Mem{Base: classes, Disp: 16})
	g.union(all)
	g.end()
}

// contexts emits the loop that finds the contexts of classes. The numbers of what is behind
// a shift of 16-bit elements come from other bytes, so these are taken away.
func (g *generator) contexts() {
	g.begin("contextsAVX2", "func(to, classes *[32]uint8)")
	to, classes := g.parameter("to"), g.parameter("classes")
	x, quarter := g.load(classes, 0), g.YMM()
	g.VPSRLW(operand.U8(2), x, quarter)
	g.VPAND(g.words(0x3f3f3f3f), quarter, quarter)
	g.VPADDB(g.words(0x06060606), quarter, quarter)
	g.VPMINUB(quarter, x, x)
	g.VPMINUB(g.words(0x0f0f0f0f), x, x)
	g.VMOVDQU(x, part(to, 0))
	g.end()
}
