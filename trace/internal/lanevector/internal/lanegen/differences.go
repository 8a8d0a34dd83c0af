// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// differences emits the loops for predictions from numbers near by.
func (g *generator) differences() {
	g.begin("zigzagFromAVX2", "func(v, p *[32]uint64, fraction uint64)")
	v, p, fraction := g.parameter("v"), g.parameter("p"), g.shift("fraction")
	zero := g.zero()
	for i := range parts {
		x, predicted := g.load(v, i), g.YMM()
		g.VMOVDQU(part(p, i), predicted)
		g.VPSRLQ(fraction, predicted, predicted)
		g.VPSUBQ(predicted, x, x)
		g.zigzag(x, zero)
		g.VMOVDQU(x, part(v, i))
	}
	g.end()

	// From the last lane down, so that no lane changes before the next one has read it.
	g.begin("zigzagAlongAVX2", "func(v *[32]uint64, before uint64)")
	v = g.parameter("v")
	first := g.broadcast(g.parameter("before"))
	zero = g.zero()
	for i := parts - 1; i >= 0; i-- {
		x, predicted := g.load(v, i), g.YMM()
		if i > 0 {
			below := part(v, i)
			below.Disp -= laneBytes
			g.VMOVDQU(below, predicted)
		} else {
			g.VPERMQ(operand.U8(0x90), x, predicted)
			g.VPBLENDD(operand.U8(3), first, predicted, predicted)
		}
		g.VPSUBQ(predicted, x, x)
		g.zigzag(x, zero)
		g.VMOVDQU(x, part(v, i))
	}
	g.end()

	g.begin("changedAVX2", "func(last, units *[32]uint64) uint64")
	last, units := g.parameter("last"), g.parameter("units")
	all := g.zero()
	for i := range parts {
		x, changed := g.load(units, i), g.YMM()
		g.VPXOR(part(last, i), x, changed)
		g.VPOR(changed, all, all)
		g.VMOVDQU(x, part(last, i))
	}
	g.union(all)
	g.end()
}
