// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// places emits the loops on patterns at a base.
func (g *generator) places() {
	g.begin("placeAVX2", "func(to, offsets *[32]uint64, base uint64) uint64")
	to, offsets := g.parameter("to"), g.parameter("offsets")
	base, all := g.broadcast(g.parameter("base")), g.zero()
	for i := range parts {
		x := g.YMM()
		g.VPADDQ(part(offsets, i), base, x)
		g.VPOR(x, all, all)
		g.VMOVDQU(x, part(to, i))
	}
	g.union(all)
	g.end()

	// A stride times four moves a part to the next.
	g.begin("strideAVX2", "func(to *[32]uint64, base, stride uint64)")
	to = g.parameter("to")
	first, stride := g.parameter("base"), g.parameter("stride")
	pair, x, step := g.XMM(), g.YMM(), g.YMM()
	second, other := g.GP64(), g.XMM()
	g.LEAQ(operand.Mem{Base: first, Index: stride, Scale: 1}, second)
	g.VMOVQ(first, pair)
	g.VMOVQ(second, other)
	g.VPUNPCKLQDQ(other, pair, pair)
	twice := g.broadcast(stride)
	g.VPADDQ(twice, twice, twice)
	g.VPADDQ(twice, twice, step)
	g.VPADDQ(twice.AsX(), pair, other)
	g.VINSERTI128(operand.U8(1), other, pair.AsY(), x)
	for i := range parts {
		g.VMOVDQU(x, part(to, i))
		if i < parts-1 {
			g.VPADDQ(step, x, x)
		}
	}
	g.end()

	g.extend()
}

// extend emits the loop that extends a range by the addresses of a pattern. Addresses are
// compared as signed numbers after their highest bit was turned, which is to add it.
func (g *generator) extend() {
	g.begin("extendAVX2", "func(offsets *[32]uint64, base, low, high uint64) (lowest, highest uint64)")
	offsets := g.parameter("offsets")
	turn := g.GP64()
	g.MOVQ(operand.U64(1<<63), turn)
	turned := func(name string) reg.VecVirtual {
		r := g.parameter(name)
		g.ADDQ(turn, r)
		return g.broadcast(r)
	}
	base, low, high := turned("base"), turned("low"), turned("high")
	for i := range parts {
		x, beyond := g.YMM(), g.YMM()
		g.VPADDQ(part(offsets, i), base, x)
		g.VPCMPGTQ(x, low, beyond)
		g.VPBLENDVB(beyond, x, low, low)
		g.VPCMPGTQ(high, x, beyond)
		g.VPBLENDVB(beyond, x, high, high)
	}
	for i, v := range []reg.VecVirtual{low, high} {
		x, other, beyond, r := v.AsX(), g.XMM(), g.XMM(), g.GP64()
		pick := func() {
			if i == 0 {
				g.VPCMPGTQ(other, x, beyond)
			} else {
				g.VPCMPGTQ(x, other, beyond)
			}
			g.VPBLENDVB(beyond, other, x, x)
		}
		g.VEXTRACTI128(operand.U8(1), v, other)
		pick()
		g.VPSRLDQ(operand.U8(8), x, other)
		pick()
		g.VMOVQ(x, r)
		g.ADDQ(turn, r)
		g.Store(r, g.ReturnIndex(i))
	}
	g.end()
}
