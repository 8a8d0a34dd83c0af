// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// generator emits functions. Each works on the 32 lanes of a warp, which take parts
// registers of four lanes.
type generator struct {
	*build.Context
}

const (
	parts     = 8
	partBytes = 32
	laneBytes = 8
)

// begin starts a function.
func (g *generator) begin(name, signature string) {
	g.Function(name)
	g.Attributes(build.NOSPLIT)
	g.Pragma("noescape")
	g.SignatureExpr(signature)
}

// end returns; without VZEROUPPER, Go's own floating point would be slow.
func (g *generator) end() {
	g.VZEROUPPER()
	g.RET()
}

// part is lanes 4i to 4i+3 at a pointer.
func part(p reg.Register, i int) operand.Mem { return operand.Mem{Base: p, Disp: i * partBytes} }

// parameter loads a pointer or a number.
func (g *generator) parameter(name string) reg.Register { return g.Load(g.Param(name), g.GP64()) }

// load is part i.
func (g *generator) load(p reg.Register, i int) reg.VecVirtual {
	v := g.YMM()
	g.VMOVDQU(part(p, i), v)
	return v
}

// broadcast is a register with a number in all lanes.
func (g *generator) broadcast(number reg.Register) reg.VecVirtual {
	x, v := g.XMM(), g.YMM()
	g.VMOVQ(number, x)
	g.VPBROADCASTQ(x, v)
	return v
}

// shift is a register with a number of bits for shifts.
func (g *generator) shift(name string) reg.VecVirtual {
	x := g.XMM()
	g.VMOVQ(g.parameter(name), x)
	return x
}

// constant is broadcast of a constant.
func (g *generator) constant(value uint64) reg.VecVirtual {
	r := g.GP64()
	g.MOVQ(operand.U64(value), r)
	return g.broadcast(r)
}

// words is a register with a constant in all 32-bit elements.
func (g *generator) words(value uint32) reg.VecVirtual {
	return g.constant(uint64(value)<<32 | uint64(value))
}

// zero is a register without bits.
func (g *generator) zero() reg.VecVirtual {
	v := g.YMM()
	g.VPXOR(v, v, v)
	return v
}

// zigzag turns signed numbers into unsigned ones: small numbers of either sign stay small.
func (g *generator) zigzag(v, zero reg.VecVirtual) {
	sign := g.YMM()
	g.VPCMPGTQ(v, zero, sign)
	g.VPADDQ(v, v, v)
	g.VPXOR(sign, v, v)
}

// union stores the bits that any lane has as the function's result.
func (g *generator) union(v reg.VecVirtual) {
	high, r := g.XMM(), g.GP64()
	low := v.AsX()
	g.VEXTRACTI128(operand.U8(1), v, high)
	g.VPOR(low, high, high)
	other := g.XMM()
	g.VPSRLDQ(operand.U8(8), high, other)
	g.VPOR(other, high, high)
	g.VMOVQ(high, r)
	g.Store(r, g.ReturnIndex(0))
}
