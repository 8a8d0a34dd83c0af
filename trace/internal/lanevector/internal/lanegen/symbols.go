// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The fields of a Coder.
const (
	coderReciprocal = 0
	coderMost       = 8
	coderBias       = 12
	coderComplement = 16
	coderUnit       = 8 // a coder takes three of these
)

// ways is the number of states.
const ways = 4

// coding is what the loops that code symbols have in registers. words is where the next word
// goes.
type coding struct {
	states [ways]reg.GPVirtual
	words  reg.Register
}

// startCoding loads the states.
func (g *generator) startCoding() (c coding) {
	states := g.parameter("states")
	for i := range c.states {
		c.states[i] = g.GP32()
		g.MOVL(operand.Mem{Base: states, Disp: 4 * i}, c.states[i])
	}
	c.words = g.parameter("words")
	return c
}

// endCoding stores the states, and returns how many words there are.
func (g *generator) endCoding(c coding) {
	states := g.parameter("states")
	for i, s := range c.states {
		g.MOVL(s, operand.Mem{Base: states, Disp: 4 * i})
	}
	first := g.parameter("words")
	g.SUBQ(first, c.words)
	g.SHRQ(operand.U8(1), c.words)
	g.Store(c.words, g.ReturnIndex(0))
	g.RET()
}

// put codes the symbol whose number is in a register, which it uses up. It is Coder.Put.
func (g *generator) put(c coding, state reg.GPVirtual, coders, symbol reg.Register) {
	field := func(disp int) operand.Mem {
		return operand.Mem{Base: coders, Index: symbol, Scale: coderUnit, Disp: disp}
	}
	g.LEAQ(operand.Mem{Base: symbol, Index: symbol, Scale: 2}, symbol)
	large, high := g.GP64(), g.GP64()
	g.MOVW(state.As16(), operand.Mem{Base: c.words})
	g.CMPL(field(coderMost), state)
	g.SBBQ(large, large) // -1 if the state is above the most
	g.SUBQ(large, c.words)
	g.SUBQ(large, c.words)
	g.ANDL(operand.U8(16), large.As32())
	g.SHRXL(large.As32(), state, state)
	g.MOVL(state, reg.EDX)
	g.MULXQ(field(coderReciprocal), large, high)
	g.ADDL(field(coderBias), state)
	g.IMULL(field(coderComplement), high.As32())
	g.ADDL(high.As32(), state)
}

// symbols emits the loops of the entropy coder.
func (g *generator) symbols() {
	// Groups of four classes, the last class first.
	g.begin("codeClassesBMI2", "func(coders *uint64, classes *uint8, groups uint64, words *uint16, states *[4]uint32) uint64")
	coders, classes, groups := g.parameter("coders"), g.parameter("classes"), g.parameter("groups")
	c := g.startCoding()
	g.Label("group")
	g.DECQ(groups)
	for i := ways - 1; i >= 0; i-- {
		class := g.GP64()
		g.MOVBQZX(operand.Mem{Base: classes, Index: groups, Scale: ways, Disp: i}, class)
		g.put(c, c.states[i], coders, class)
	}
	g.TESTQ(groups, groups)
	g.JNE(operand.LabelRef("group"))
	g.endCoding(c)

	g.codeLanes()
	g.packOpen()
}

// codeLanes emits the loop that codes classes by contexts, and open bits if there is a
// table of their numbers, of groups of four lanes.
func (g *generator) codeLanes() {
	g.begin("codeLanesBMI2", "func(coders, opens *uint64, open *[256]uint8, codes *uint64, classes, contexts *uint8, groups uint64, words *uint16, states *[4]uint32) uint64")
	coders, opens, open := g.parameter("coders"), g.parameter("opens"), g.parameter("open")
	c := g.startCoding()
	group := g.parameter("groups")
	g.Label("lanes")
	g.DECQ(group)
	for i := ways - 1; i >= 0; i-- {
		suffix := string(rune('0' + i))
		class := g.GP64()
		of := func(name string) operand.Mem { // too many for the registers
			return operand.Mem{Base: g.parameter(name), Index: group, Scale: ways, Disp: i}
		}
		g.MOVBQZX(of("classes"), class)
		g.TESTQ(open, open)
		g.JEQ(operand.LabelRef("class" + suffix))
		end, low, lane := g.GP64(), g.GP64(), g.GP64()
		g.MOVBQZX(operand.Mem{Base: open, Index: class, Scale: 1}, end)
		g.TESTQ(end, end)
		g.JEQ(operand.LabelRef("class" + suffix))
		g.LEAQ(operand.Mem{Base: g.parameter("codes"), Index: group, Scale: laneBytes}, lane)
		g.LEAQ(operand.Mem{Base: group, Index: group, Scale: 2}, low)
		g.MOVQ(operand.Mem{Base: lane, Index: low, Scale: laneBytes, Disp: i * laneBytes}, low)
		g.BZHIQ(end, low, low)
		g.Label("nibble" + suffix)
		place, table, symbol := g.GP64(), g.GP64(), g.GP64()
		g.LEAQ(operand.Mem{Base: end, Disp: -1}, place)
		g.MOVQ(place, table)
		g.ANDQ(operand.I8(-4), place)
		g.SHLQ(operand.U8(4), table)
		g.SHRXQ(place, low, symbol)
		g.ANDL(operand.U8(15), symbol.As32())
		g.ORQ(table, symbol)
		g.put(c, c.states[i], opens, symbol)
		g.MOVQ(place, end)
		g.TESTQ(end, end)
		g.JNE(operand.LabelRef("nibble" + suffix))
		g.Label("class" + suffix)
		context := g.GP64()
		g.MOVBQZX(of("contexts"), context)
		g.ANDL(operand.U8(31), context.As32())
		g.SHLQ(operand.U8(8), context)
		g.ORQ(context, class)
		g.put(c, c.states[i], coders, class)
	}
	g.TESTQ(group, group)
	g.JNE(operand.LabelRef("lanes"))
	g.endCoding(c)
}

// packOpen emits the loop that packs the open bits of pairs of codes. It stops before a pair
// that has more than fit behind up to seven pending ones, and returns how many pairs are left.
func (g *generator) packOpen() {
	g.begin("packOpenBMI2", "func(to *uint8, codes *uint64, classes *uint8, pairs uint64, open *[256]uint8, pending, filled uint64) (bytes, left, bits, undone uint64)")
	to, codes, classes := g.parameter("to"), g.parameter("codes"), g.parameter("classes")
	pairs, open := g.parameter("pairs"), g.parameter("open")
	pending, filled := g.parameter("pending"), g.parameter("filled")
	g.Label("pair")
	var bits [2]reg.Register
	for i := range bits {
		bits[i] = g.GP64()
		g.MOVBQZX(operand.Mem{Base: classes, Disp: i}, bits[i])
		g.MOVBQZX(operand.Mem{Base: open, Index: bits[i], Scale: 1}, bits[i])
	}
	both := g.GP64()
	g.LEAQ(operand.Mem{Base: bits[0], Index: bits[1], Scale: 1}, both)
	g.CMPQ(both, operand.U8(64-8))
	g.JHI(operand.LabelRef("end"))
	for i := range bits {
		low := g.GP64()
		g.BZHIQ(bits[i], operand.Mem{Base: codes, Disp: i * laneBytes}, low)
		g.SHLXQ(filled, low, low)
		g.ORQ(low, pending)
		g.ADDQ(bits[i], filled)
	}
	g.MOVQ(pending, operand.Mem{Base: to})
	whole, rest := g.GP64(), g.GP64()
	g.MOVQ(filled, whole)
	g.MOVQ(filled, rest)
	g.SHRQ(operand.U8(3), whole)
	g.ADDQ(whole, to)
	g.ANDQ(operand.I8(-8), rest)
	g.SHRXQ(rest, pending, pending)
	g.ANDQ(operand.U8(7), filled)
	g.ADDQ(operand.U8(2), classes)
	g.ADDQ(operand.U8(2*laneBytes), codes)
	g.DECQ(pairs)
	g.JNE(operand.LabelRef("pair"))
	g.Label("end")
	g.SUBQ(g.parameter("to"), to)
	g.Store(to, g.ReturnIndex(0))
	g.Store(pending, g.ReturnIndex(1))
	g.Store(filled, g.ReturnIndex(2))
	g.Store(pairs, g.ReturnIndex(3))
	g.RET()
}
