// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// relation is one of the comparisons that all others are made of: its name, and
// its number as an operand of VPCMP and VCMP.
type relation struct {
	name           string
	integer, float uint8
	floatOnly      bool
}

var relations = []relation{
	{"Less", 1, 0x11, false}, {"LessEqual", 2, 0x12, false}, {"Equal", 0, 0x00, false},
	{"OrderedNotEqual", 0, 0x0c, true}, {"Number", 0, 0x07, true},
}

func (g *generator) compares() {
	for _, r := range relations {
		for _, t := range []string{"S32", "U32", "S64", "U64", "F32", "F64"} {
			if r.floatOnly && t[0] != 'F' {
				continue
			}
			g.compare(r, t)
		}
	}
}

// compare emits a comparison that gives one bit for each lane.
func (g *generator) compare(r relation, t string) {
	g.begin("compares", "vector"+r.name+t, "compare"+r.name+t, compareSignature)
	a, b := g.pointer("a"), g.pointer("b")
	bytes := 4
	if t[1:] == "64" {
		bytes = 8
	}
	var sign vector
	if !g.wide() {
		sign = g.signOf(r, t)
	}
	result, per := g.GP32(), g.level.bytes/bytes
	for i := range lanes / per {
		x := g.register()
		g.move(at(a, i, g.level.bytes), x)
		part := g.GP32()
		if g.wide() {
			k := g.K()
			g.compareWide(r, t, x, at(b, i, g.level.bytes), k)
			g.KMOVW(k, part)
		} else {
			g.bitsOf(g.relateNarrow(r, t, x, at(b, i, g.level.bytes), sign), bytes, part)
		}
		if i == 0 {
			g.MOVL(part, result)
			continue
		}
		g.SHLL(operand.Imm(uint64(i*per)), part)
		g.ORL(part, result)
	}
	if inverted(r, t) && !g.wide() {
		g.NOTL(result)
	}
	g.Store(result, g.ReturnIndex(0))
	g.end()
}

func (g *generator) compareWide(r relation, t string, x vector, y operand.Mem, k reg.Register) {
	code := operand.Imm(uint64(r.integer))
	switch t {
	case "S32":
		g.VPCMPD(code, y, x, k)
	case "U32":
		g.VPCMPUD(code, y, x, k)
	case "S64":
		g.VPCMPQ(code, y, x, k)
	case "U64":
		g.VPCMPUQ(code, y, x, k)
	case "F32":
		g.VCMPPS(operand.Imm(uint64(r.float)), y, x, k)
	case "F64":
		g.VCMPPD(operand.Imm(uint64(r.float)), y, x, k)
	}
}

// signOf is what unsigned elements are moved by where only signed ones can be compared.
func (g *generator) signOf(r relation, t string) vector {
	switch {
	case t[0] != 'U' || r.name == "Equal":
		return nil
	case t[1:] == "64":
		return g.broadcast64(1 << 63)
	}
	return g.broadcast32(1 << 31)
}

// inverted reports whether relateNarrow has all bits set where a relation does not hold.
func inverted(r relation, t string) bool {
	return t[0] != 'F' && (r.name == "LessEqual" || r.name == "NotEqual")
}

// relateNarrow has only "equal" and "signed greater" for integers: unsigned ones
// are moved by their sign bit, and "less or equal" is the inverse of "greater".
func (g *generator) relateNarrow(r relation, t string, x vector, y operand.Mem, sign vector) vector {
	m := g.register()
	greater, equal := g.VPCMPGTD, g.VPCMPEQD
	if t[1:] == "64" {
		greater, equal = g.VPCMPGTQ, g.VPCMPEQQ
	}
	z := g.register()
	g.move(y, z)
	if sign != nil {
		g.VPXOR(sign, x, x)
		g.VPXOR(sign, z, z)
	}
	switch {
	case t == "F32":
		g.VCMPPS(operand.Imm(uint64(r.float)), z, x, m)
	case t == "F64":
		g.VCMPPD(operand.Imm(uint64(r.float)), z, x, m)
	case r.name == "Equal" || r.name == "NotEqual":
		equal(z, x, m)
	case r.name == "Less":
		greater(x, z, m)
	default:
		greater(z, x, m)
	}
	return m
}

// bitsOf has one bit for each element whose bits are set.
func (g *generator) bitsOf(x vector, bytes int, part reg.Register) {
	if bytes == 8 {
		g.VMOVMSKPD(x, part)
	} else {
		g.VMOVMSKPS(x, part)
	}
}
