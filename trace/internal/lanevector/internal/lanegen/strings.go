// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// strings emits the loop that looks for strings of six bytes with small hashes, eight strings
// at a time. A hash is the string in the upper bytes of a word times a factor. Of the next eight strings
// with any that is small it returns the place of the first, and which of them are.
func (g *generator) strings() {
	g.begin("smallHashesAVX2", "func(data *uint8, from, to, factor, zeros uint64) (at, which uint64)")
	data, from, to := g.parameter("data"), g.parameter("from"), g.parameter("to")
	factor := g.parameter("factor")
	low := g.broadcast(factor)
	g.SHRQ(operand.U8(32), factor)
	high := g.broadcast(factor)
	zeros := g.GP64()
	g.MOVQ(operand.U32(64), zeros)
	g.SUBQ(g.parameter("zeros"), zeros)
	top := g.XMM()
	g.VMOVQ(zeros, top)
	zero := g.zero()
	places := [2]operand.Mem{g.spread("stringsBelow", 0), g.spread("stringsAbove", 4)}
	g.Label("round")
	loaded := g.YMM()
	g.VBROADCASTI128(operand.Mem{Base: data, Index: from, Scale: 1}, loaded)
	var small [2]reg.VecVirtual
	for i := range small {
		x, a, b := g.YMM(), g.YMM(), g.YMM()
		g.VPSHUFB(places[i], loaded, x)
		g.VPMULUDQ(high, x, a)
		g.VPSRLQ(operand.U8(32), x, b)
		g.VPMULUDQ(low, b, b)
		g.VPADDQ(a, b, b)
		g.VPSLLQ(operand.U8(32), b, b)
		g.VPMULUDQ(low, x, x)
		g.VPADDQ(b, x, x)
		g.VPSRLQ(top, x, x)
		g.VPCMPEQQ(zero, x, x)
		small[i] = x
	}
	any, which := g.YMM(), g.GP32()
	g.VPOR(small[0], small[1], any)
	g.VPMOVMSKB(any, which)
	g.TESTL(which, which)
	g.JNE(operand.LabelRef("found"))
	g.ADDQ(operand.U8(8), from)
	g.CMPQ(from, to)
	g.JCS(operand.LabelRef("round"))
	g.Label("found")
	above := g.GP32()
	g.VMOVMSKPD(small[0], which)
	g.VMOVMSKPD(small[1], above)
	g.SHLL(operand.U8(4), above)
	g.ORL(above, which)
	g.Store(from, g.ReturnIndex(0))
	g.Store(which.As64(), g.ReturnIndex(1))
	g.end()
}

// spread is where a table says how four strings from a place on get into four words.
func (g *generator) spread(name string, place int) operand.Mem {
	const none = 0x80
	m := g.StaticGlobal(name)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for word := range 4 {
		bytes := uint64(none<<8 | none)
		for i := range 6 {
			bytes |= uint64(place+word+i) << (16 + 8*i)
		}
		g.AddDatum(8*word, operand.U64(bytes))
	}
	return m
}
