// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// counts emits the loops that count symbols.
func (g *generator) counts() {
	increment := func(table, index reg.Register) {
		g.INCL(operand.Mem{Base: table, Index: index, Scale: 4})
	}
	g.begin("countBMI2", "func(counts, odd *[256]uint32, classes *[32]uint8)")
	tables := [2]reg.Register{g.parameter("counts"), g.parameter("odd")}
	classes := g.parameter("classes")
	for l := range 32 {
		class := g.GP64()
		g.MOVBQZX(operand.Mem{Base: classes, Disp: l}, class)
		increment(tables[l%2], class)
	}
	g.RET()

	g.begin("countContextsBMI2", "func(counts *uint32, contexts, classes *uint8, n uint64)")
	table, contexts, classes, n := g.parameter("counts"), g.parameter("contexts"), g.parameter("classes"), g.parameter("n")
	g.Label("lane")
	context, class := g.GP64(), g.GP64()
	g.MOVBQZX(operand.Mem{Base: contexts, Index: n, Scale: 1, Disp: -1}, context)
	g.MOVBQZX(operand.Mem{Base: classes, Index: n, Scale: 1, Disp: -1}, class)
	g.ANDL(operand.U8(31), context.As32())
	g.SHLL(operand.U8(8), context.As32())
	g.ORL(context.As32(), class.As32())
	increment(table, class)
	g.DECQ(n)
	g.JNE(operand.LabelRef("lane"))
	g.RET()

	g.begin("countOpenBMI2", "func(counts *uint32, codes *uint64, classes *uint8, n uint64, open *[256]uint8)")
	table, codes, classes := g.parameter("counts"), g.parameter("codes"), g.parameter("classes")
	n, open := g.parameter("n"), g.parameter("open")
	g.Label("lane")
	end, low := g.GP64(), g.GP64()
	g.MOVBQZX(operand.Mem{Base: classes, Index: n, Scale: 1, Disp: -1}, end)
	g.MOVBQZX(operand.Mem{Base: open, Index: end, Scale: 1}, end)
	g.TESTL(end.As32(), end.As32())
	g.JEQ(operand.LabelRef("next"))
	g.BZHIQ(end, operand.Mem{Base: codes, Index: n, Scale: laneBytes, Disp: -laneBytes}, low)
	g.Label("nibble")
	g.DECQ(end)
	at, symbol := g.GP64(), g.GP64()
	g.MOVQ(end, at)
	g.ANDQ(operand.I8(-4), end)
	g.SHRXQ(end, low, symbol)
	g.ANDL(operand.U8(15), symbol.As32())
	g.SHLL(operand.U8(4), at.As32())
	g.ORL(symbol.As32(), at.As32())
	increment(table, at)
	g.TESTQ(end, end)
	g.JNE(operand.LabelRef("nibble"))
	g.Label("next")
	g.DECQ(n)
	g.JNE(operand.LabelRef("lane"))
	g.RET()
}
