// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/mmcloughlin/avo/operand"

// means emits the loop that moves means towards units by a part of the difference. The part
// is one in a power of two, rounded towards zero.
func (g *generator) means() {
	g.begin("moveMeansAVX2", "func(means, units *[32]uint64, fraction, part uint64)")
	means, units := g.parameter("means"), g.parameter("units")
	fraction, share := g.shift("fraction"), g.shift("part")
	zero := g.zero()
	for i := range parts {
		x, mean, sign := g.load(units, i), g.load(means, i), g.YMM()
		g.VPSLLQ(fraction, x, x)
		g.VPSUBQ(mean, x, x)
		g.VPCMPGTQ(x, zero, sign)
		for _, shifted := range []bool{true, false} {
			g.VPXOR(sign, x, x)
			g.VPSUBQ(sign, x, x)
			if shifted {
				g.VPSRLQ(share, x, x)
			}
		}
		g.VPADDQ(x, mean, mean)
		g.VMOVDQU(mean, part(means, i))
	}
	g.end()

	g.begin("shiftAVX2", "func(v *uint64, fours, shift uint64)")
	v, fours, shift := g.parameter("v"), g.parameter("fours"), g.shift("shift")
	g.Label("round")
	x := g.load(v, 0)
	g.VPSRLQ(shift, x, x)
	g.VMOVDQU(x, part(v, 0))
	g.ADDQ(operand.U8(partBytes), v)
	g.DECQ(fours)
	g.JNE(operand.LabelRef("round"))
	g.end()
}
