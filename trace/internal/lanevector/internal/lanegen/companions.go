// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// companions emits the loops for predictions from another instruction's addresses. Both
// compare each lane's distance from it with that of the lane before.
func (g *generator) companions() {
	ones := func() reg.VecVirtual {
		v := g.YMM()
		g.VPCMPEQQ(v, v, v)
		return v
	}
	g.distances("sameDistanceAVX2", ones, func(units, now, before, ones reg.VecVirtual) {
		same := g.YMM()
		g.VPCMPEQQ(before, now, same)
		g.VPSUBQ(ones, units, units)
		g.VPANDN(units, same, units)
	})
	g.distances("nearDistanceAVX2", g.zero, func(units, now, before, zero reg.VecVirtual) {
		g.VPSUBQ(before, now, units)
		g.zigzag(units, zero)
	})
}

// distances emits a function that makes codes of units, their distances from the addresses
// and those of the lanes before. It returns the distance of the last lane.
func (g *generator) distances(name string, prepare func() reg.VecVirtual, code func(units, now, before, prepared reg.VecVirtual)) {
	g.begin(name, "func(v, addresses *[32]uint64, unit, distance uint64) uint64")
	v, addresses, unit := g.parameter("v"), g.parameter("addresses"), g.shift("unit")
	turned := g.broadcast(g.parameter("distance")) // of the part before, the last lane first
	prepared := prepare()
	for i := range parts {
		units, now, next := g.load(v, i), g.YMM(), g.YMM()
		g.VMOVDQU(part(addresses, i), now)
		g.VPSRLQ(unit, now, now)
		g.VPSUBQ(now, units, now)
		g.VPERMQ(operand.U8(0x93), now, next)
		before := g.YMM()
		g.VPBLENDD(operand.U8(3), turned, next, before)
		code(units, now, before, prepared)
		g.VMOVDQU(units, part(v, i))
		turned = next
	}
	last := g.GP64()
	g.VMOVQ(turned.AsX(), last)
	g.Store(last, g.ReturnIndex(0))
	g.end()
}
