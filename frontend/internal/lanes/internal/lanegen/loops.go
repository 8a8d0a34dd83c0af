// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loop emits one lane loop. The body gets the pointers and, for each part of the
// destination, its number.
func (g *generator) loop(key string, sources, destinationBytes int, body func(p [4]reg.Register, part int)) {
	g.begin("loops", "Vector"+key, "lanes"+key, loopSignature)
	var p [4]reg.Register
	for i, name := range []string{"d", "a", "b", "c"}[:1+sources] {
		p[i] = g.pointer(name)
	}
	for part := range lanes * destinationBytes / g.level.bytes {
		body(p, part)
	}
	g.end()
}

type (
	binary func(a, b, d operand.Op)
	vector = reg.VecVirtual
)

func (g *generator) loops() {
	g.floats32()
	g.floats64()
	g.integers()
	g.products()
	g.shifts()
	g.conversions()
}

// simple emits d = a op b, where op takes its operands as Go's assembler does:
// the second source first.
func (g *generator) simple(key string, bytes int, op func(ops ...operand.Op)) {
	g.loop(key, 2, bytes, func(p [4]reg.Register, i int) {
		x := g.register()
		g.move(at(p[1], i, g.level.bytes), x)
		op(at(p[2], i, g.level.bytes), x, x)
		g.move(x, at(p[0], i, g.level.bytes))
	})
}

// canonical32 replaces NaNs by nan (9.7.3).
func (g *generator) canonical32(r, nan vector) {
	if g.wide() {
		k := g.K()
		g.VCMPPS(operand.Imm(3), r, r, k)
		g.VBLENDMPS(nan, r, k, r)
		return
	}
	m := g.register()
	g.VCMPPS(operand.Imm(3), r, r, m)
	g.VBLENDVPS(m, nan, r, r)
}

func (g *generator) canonical64(r, nan vector) {
	if g.wide() {
		k := g.K()
		g.VCMPPD(operand.Imm(3), r, r, k)
		g.VBLENDMPD(nan, r, k, r)
		return
	}
	m := g.register()
	g.VCMPPD(operand.Imm(3), r, r, m)
	g.VBLENDVPD(m, nan, r, r)
}

// flusher holds the constants that .ftz takes.
type flusher struct{ magnitude, normal vector }

func (g *generator) flusher() flusher {
	return flusher{g.broadcast32(0x7fff_ffff), g.broadcast32(0x0080_0000)}
}

// flush makes subnormal numbers zeros of their sign: where the magnitude is less
// than the smallest normal number, it is cleared.
func (g *generator) flush(f flusher, r vector) {
	m := g.register()
	g.and(f.magnitude, r, m)
	if g.wide() {
		k := g.K()
		g.VPCMPD(operand.Imm(1), f.normal, m, k)
		g.VPANDND(r, f.magnitude, k, r)
		return
	}
	small := g.register()
	g.VPCMPGTD(m, f.normal, small)
	g.VPAND(small, f.magnitude, small)
	g.VPANDN(r, small, r)
}

func (g *generator) floats32() {
	ops := []struct {
		name string
		op   func(ops ...operand.Op)
	}{{"Add", g.VADDPS}, {"Sub", g.VSUBPS}, {"Mul", g.VMULPS}, {"Div", g.VDIVPS}}
	for _, ftz := range []bool{false, true} {
		suffix := "F32"
		if ftz {
			suffix, ops = "Ftz", ops[:3] // divisions that flush are rare
		}
		for _, o := range ops {
			var nan vector
			var f flusher
			g.loop(o.name+suffix, 2, 4, func(p [4]reg.Register, i int) {
				if i == 0 {
					nan, f = g.constants32(ftz)
				}
				x, y := g.register(), g.register()
				g.move(at(p[1], i, g.level.bytes), x)
				g.move(at(p[2], i, g.level.bytes), y)
				if ftz {
					g.flush(f, x)
					g.flush(f, y)
				}
				o.op(y, x, x)
				g.finish32(x, nan, f, ftz)
				g.move(x, at(p[0], i, g.level.bytes))
			})
		}
		g.fma32(suffix, ftz)
	}
}

func (g *generator) constants32(ftz bool) (nan vector, f flusher) {
	if ftz {
		f = g.flusher()
		return f.magnitude, f
	}
	return g.broadcast32(0x7fff_ffff), f
}

func (g *generator) finish32(r, nan vector, f flusher, ftz bool) {
	g.canonical32(r, nan)
	if ftz {
		g.flush(f, r)
	}
}

func (g *generator) fma32(suffix string, ftz bool) {
	var nan vector
	var f flusher
	g.loop("Fma"+suffix, 3, 4, func(p [4]reg.Register, i int) {
		if i == 0 {
			nan, f = g.constants32(ftz)
		}
		x, y, w := g.register(), g.register(), g.register()
		for j, r := range []vector{x, y, w} {
			g.move(at(p[1+j], i, g.level.bytes), r)
			if ftz {
				g.flush(f, r)
			}
		}
		g.VFMADD213PS(w, y, x)
		g.finish32(x, nan, f, ftz)
		g.move(x, at(p[0], i, g.level.bytes))
	})
}

func (g *generator) floats64() {
	const canonical = 0xfff8_0000_0000_0000
	for _, o := range []struct {
		name string
		op   func(ops ...operand.Op)
	}{{"Add", g.VADDPD}, {"Sub", g.VSUBPD}, {"Mul", g.VMULPD}, {"Div", g.VDIVPD}} {
		var nan vector
		g.loop(o.name+"F64", 2, 8, func(p [4]reg.Register, i int) {
			if i == 0 {
				nan = g.broadcast64(canonical)
			}
			x := g.register()
			g.move(at(p[1], i, g.level.bytes), x)
			o.op(at(p[2], i, g.level.bytes), x, x)
			g.canonical64(x, nan)
			g.move(x, at(p[0], i, g.level.bytes))
		})
	}
	var nan vector
	g.loop("FmaF64", 3, 8, func(p [4]reg.Register, i int) {
		if i == 0 {
			nan = g.broadcast64(canonical)
		}
		x, y := g.register(), g.register()
		g.move(at(p[1], i, g.level.bytes), x)
		g.move(at(p[2], i, g.level.bytes), y)
		g.VFMADD213PD(at(p[3], i, g.level.bytes), y, x)
		g.canonical64(x, nan)
		g.move(x, at(p[0], i, g.level.bytes))
	})
}
