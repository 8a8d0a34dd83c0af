// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// accesses emits what memory instructions do with patterns of lanes.
func (g *generator) accesses() {
	g.moved(4)
	g.moved(8)
	if g.wide() {
		g.near()
	}
	g.gather(4)
	g.gather(8)
}

// moved emits the test whether the lanes of mask, of so many bytes, are at base plus 64-bit
// offsets.
func (g *generator) moved(bytes int) {
	g.begin("moved", "moved"+width(bytes), "moved"+width(bytes), movedSignature)
	a, offsets := g.pointer("a"), g.pointer("offsets")
	r, x, base, different := g.GP64(), g.XMM(), g.register(), g.register()
	g.Load(g.Param("base"), r)
	g.VMOVQ(r, x)
	g.VPBROADCASTQ(x, base)
	lane := g.lanesOf("mask", 8)
	any, result := g.K(), g.GP32()
	for i := range lanes * 8 / g.level.bytes {
		d, active := g.register(), lane(i)
		if bytes == 4 {
			g.VPMOVZXDQ(at(a, i, g.level.bytes/2), d)
		} else {
			g.move(at(a, i, g.level.bytes), d)
		}
		g.VPSUBQ(base, d, d)
		offset := at(offsets, i, g.level.bytes)
		if g.wide() {
			k := g.K()
			g.VPCMPUQ(operand.Imm(4), offset, d, active, k) // not equal
			if i == 0 {
				any = k
				continue
			}
			g.KORW(k, any, any)
			continue
		}
		g.VPCMPEQQ(offset, d, d)
		g.VPANDN(active, d, d)
		if i == 0 {
			different = d
			continue
		}
		g.VPOR(d, different, different)
	}
	if g.wide() {
		g.KMOVW(any, result)
	} else {
		g.VMOVMSKPD(different, result)
	}
	g.TESTL(result, result)
	g.SETEQ(result.As8())
	g.Store(result.As8(), g.ReturnIndex(0))
	g.end()
}

// near emits loads of 32-bit lanes at multiples of 4 from as much memory as two
// registers hold.
func (g *generator) near() {
	g.begin("gather", "near32", "near32", gatherSignature)
	d, memory, offsets := g.pointer("d"), g.pointer("memory"), g.pointer("offsets")
	lane := g.lanesOf("mask", 4)
	low, high := g.register(), g.register()
	g.move(at(memory, 0, g.level.bytes), low)
	g.move(at(memory, 1, g.level.bytes), high)
	for i := range lanes * 4 / g.level.bytes {
		x := g.register()
		g.move(at(offsets, i, g.level.bytes), x)
		g.VPSRLD(operand.Imm(2), x, x)
		g.VPERMI2D(high, low, x)
		g.store(x, at(d, i, g.level.bytes), lane(i), 4)
	}
	g.end()
}

// gather emits loads of lanes from anywhere; the offsets have 32 bits.
func (g *generator) gather(bytes int) {
	g.begin("gather", "gather"+width(bytes), "gather"+width(bytes), gatherSignature)
	d, memory, offsets := g.pointer("d"), g.pointer("memory"), g.pointer("offsets")
	lane := g.lanesOf("mask", bytes)
	for i := range lanes * bytes / g.level.bytes {
		x, active := g.register(), lane(i)
		g.xor(x, x, x)
		index := g.half()
		if bytes == 4 {
			index = g.register()
		}
		g.move(at(offsets, i, g.level.bytes*4/bytes), index)
		from := operand.Mem{Base: memory, Index: index, Scale: 1}
		wanted := g.copied(active) // the gather clears it
		switch {
		case bytes == 4 && g.wide():
			g.VPGATHERDD(from, wanted, x)
		case bytes == 4:
			g.VPGATHERDD(wanted, from, x)
		case g.wide():
			g.VPGATHERDQ(from, wanted, x)
		default:
			g.VPGATHERDQ(wanted, from, x)
		}
		g.store(x, at(d, i, g.level.bytes), active, bytes)
	}
	g.end()
}

// copied is a copy of the lanes that lanesOf gave.
func (g *generator) copied(active reg.Register) reg.Register {
	if g.wide() {
		k := g.K()
		g.KMOVW(active, k)
		return k
	}
	v := g.register()
	g.VMOVDQA(active, v)
	return v
}
