// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A product of matrices is computed for so many rows and columns at a time, whose sums stay in
// registers and do not wait for each other.
const (
	productRows    = 4
	productColumns = 8
)

// matrices emits the functions that add products of matrices.
func (g *generator) matrices() {
	g.matrix("F32", 4, g.VBROADCASTSS, g.VMULPS, g.VADDPS)
	g.matrix("F64", 8, g.VBROADCASTSD, g.VMULPD, g.VADDPD)
}

// matrix emits the sums of four rows, whose elements have the given number of bytes. Each step
// multiplies and then adds, as Go does, and never fuses both.
func (g *generator) matrix(key string, bytes int, broadcast, multiply, add func(ops ...operand.Op)) {
	g.begin("products", "products"+key, "addProducts"+key, productSignature)
	sums, a, b := g.pointer("sums"), g.pointer("a"), g.pointer("b")
	columns := g.Load(g.Param("columns"), g.GP64())
	sumRows, aRows := g.rowsOf("row", bytes), g.rowsOf("rowA", bytes)

	g.Label("columns")
	register, parts := g.register, productColumns*bytes/g.level.bytes
	if parts == 0 { // eight numbers need half a register
		register, parts = g.half, 1
	}
	size := productColumns * bytes / parts
	var kept [productRows][]reg.VecVirtual
	for r := range kept {
		for i := range parts {
			s := register()
			g.move(sumRows.at(sums, r, i*size), s)
			kept[r] = append(kept[r], s)
		}
	}
	from, factors, left := g.GP64(), g.GP64(), g.Load(g.Param("count"), g.GP64())
	g.MOVQ(b, from)
	g.MOVQ(a, factors)
	g.Label("step")
	var line []reg.VecVirtual
	for i := range parts {
		y := register()
		g.move(at(from, i, size), y)
		line = append(line, y)
	}
	for r := range kept {
		x := register()
		broadcast(aRows.at(factors, r, 0), x)
		for i, y := range line {
			p := register()
			multiply(y, x, p)
			add(p, kept[r][i], kept[r][i])
		}
	}
	g.ADDQ(operand.U32(bytes), factors)
	g.ADDQ(sumRows.one, from)
	g.DECQ(left)
	g.JNE(operand.LabelRef("step"))
	for r := range kept {
		for i, s := range kept[r] {
			g.move(s, sumRows.at(sums, r, i*size))
		}
	}
	g.ADDQ(operand.U32(productColumns*bytes), sums)
	g.ADDQ(operand.U32(productColumns*bytes), b)
	g.SUBQ(operand.U32(productColumns), columns)
	g.JNE(operand.LabelRef("columns"))
	g.end()
}

// rowDistance is the bytes of one row and of three rows.
type rowDistance struct{ one, three reg.Register }

// rowsOf loads the parameter that says how many elements a row has.
func (g *generator) rowsOf(name string, bytes int) rowDistance {
	one, three := g.Load(g.Param(name), g.GP64()), g.GP64()
	g.SHLQ(operand.U8(bits.TrailingZeros(uint(bytes))), one)
	g.LEAQ(operand.Mem{Base: one, Index: one, Scale: 2}, three)
	return rowDistance{one, three}
}

// at is a place in row r of those that begin at p.
func (d rowDistance) at(p reg.Register, r, offset int) operand.Mem {
	m := operand.Mem{Base: p, Disp: offset}
	switch r {
	case 1:
		m.Index, m.Scale = d.one, 1
	case 2:
		m.Index, m.Scale = d.one, 2
	case 3:
		m.Index, m.Scale = d.three, 1
	}
	return m
}
