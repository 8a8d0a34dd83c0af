// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// affineProgram writes random kernels whose addresses and conditions are mostly affine:
// nested conditions, loops of equal and of unequal length, modulo, minimum, selection,
// guards, six dimensions. Bounds of every value are kept, so that every access lies in
// the buffer.
type affineProgram struct {
	rng     *rand.Rand
	body    strings.Builder
	vars    []affineVar
	counter int
	label   int
	loops   int // nesting
	// runs is how often the present place is executed at most.
	runs int64
}

type affineVar struct {
	name      string
	low, high int64
	stable    bool // may be part of what is assigned in a loop
}

// affineReach bounds indexes; the buffer has twice as many elements on either side.
const affineReach = 1 << 17

func (p *affineProgram) emit(format string, a ...any) { fmt.Fprintf(&p.body, "\t"+format+";\n", a...) }

func (p *affineProgram) fresh(prefix string) string {
	p.counter++
	return fmt.Sprintf("%%%s%d", prefix, p.counter)
}

func (p *affineProgram) pick() affineVar { return p.vars[p.rng.IntN(len(p.vars))] }

// expression makes a new variable of others; it keeps within the reach.
func (p *affineProgram) expression() {
	a, b := p.pick(), p.pick()
	c := p.rng.Int64N(9) - 4
	d := affineVar{name: p.fresh("r"), stable: a.stable && b.stable}
	text := ""
	switch p.rng.IntN(11) {
	case 0:
		text, d.low, d.high = fmt.Sprintf("add.s32 %s, %s, %s", d.name, a.name, b.name), a.low+b.low, a.high+b.high
	case 1:
		text, d.low, d.high = fmt.Sprintf("sub.s32 %s, %s, %s", d.name, a.name, b.name), a.low-b.high, a.high-b.low
	case 2:
		text = fmt.Sprintf("mul.lo.s32 %s, %s, %d", d.name, a.name, c)
		d.low, d.high = min(a.low*c, a.high*c), max(a.low*c, a.high*c)
	case 3:
		text = fmt.Sprintf("mad.lo.s32 %s, %s, %d, %s", d.name, a.name, c, b.name)
		d.low, d.high = min(a.low*c, a.high*c)+b.low, max(a.low*c, a.high*c)+b.high
	case 4:
		text, d.low, d.high = fmt.Sprintf("shl.b32 %s, %s, 2", d.name, a.name), 4*a.low, 4*a.high
	case 5:
		mask := int64(1)<<p.rng.IntN(7) - 1
		text, d.low, d.high = fmt.Sprintf("and.b32 %s, %s, %d", d.name, a.name, mask), 0, mask
	case 6:
		by := 1 + p.rng.Int64N(20)
		if a.low < 0 {
			p.emit("abs.s32 %s, %s", d.name, a.name)
			a.name = d.name
		}
		text, d.low, d.high = fmt.Sprintf("rem.u32 %s, %s, %d", d.name, a.name, by), 0, by-1
	case 7:
		op := [...]string{"min", "max"}[p.rng.IntN(2)]
		text, d.low, d.high = fmt.Sprintf("%s.s32 %s, %s, %s", op, d.name, a.name, b.name), min(a.low, b.low), max(a.high, b.high)
	case 8:
		q := p.condition()
		text, d.low, d.high = fmt.Sprintf("selp.s32 %s, %s, %s, %s", d.name, a.name, b.name, q), min(a.low, b.low), max(a.high, b.high)
	case 9:
		text, d.low, d.high = fmt.Sprintf("neg.s32 %s, %s", d.name, a.name), -a.high, -a.low
	case 10:
		q := p.condition()
		p.emit("mov.u32 %s, %s", d.name, b.name)
		text, d.low, d.high = fmt.Sprintf("@%s add.s32 %s, %s, %d", q, d.name, a.name, c), min(a.low+c, b.low), max(a.high+c, b.high)
	}
	if d.low < -affineReach || d.high > affineReach {
		return
	}
	p.emit("%s", text)
	p.vars = append(p.vars, d)
}

// condition makes a predicate: of variables, of data, or of other predicates.
func (p *affineProgram) condition() string {
	q := p.fresh("p")
	a := p.pick()
	compare := [...]string{"lt.s32", "le.s32", "gt.s32", "ge.s32", "eq.s32", "ne.s32", "lt.u32", "hi.u32"}[p.rng.IntN(8)]
	switch p.rng.IntN(6) {
	case 0:
		p.load(true)
		p.emit("setp.%s %s, %%data, %d", compare, q, p.rng.IntN(100))
	case 1:
		x, y := p.fresh("p"), p.fresh("p")
		p.emit("setp.lt.s32 %s, %s, %d", x, a.name, p.rng.IntN(64))
		p.emit("setp.gt.s32 %s, %s, %d", y, p.pick().name, p.rng.IntN(16)-8)
		p.emit("%s.pred %s, %s, %s", [...]string{"and", "or", "xor"}[p.rng.IntN(3)], q, x, y)
	case 2:
		p.emit("setp.%s %s, %s, %s", compare, q, a.name, p.pick().name)
	default:
		p.emit("setp.%s %s, %s, %d", compare, q, a.name, p.rng.IntN(80)-20)
	}
	return q
}

// load reads, or writes, an element whose index is a variable.
func (p *affineProgram) load(reads bool) {
	a := p.pick()
	address := p.fresh("rd")
	if a.low >= 0 && p.rng.IntN(2) == 0 {
		p.emit("mul.wide.u32 %s, %s, 4", address, a.name)
	} else {
		p.emit("mul.wide.s32 %s, %s, 4", address, a.name)
	}
	p.emit("add.s64 %s, %%base, %s", address, address)
	guard := ""
	if p.rng.IntN(6) == 0 {
		q := p.fresh("p")
		p.emit("setp.lt.s32 %s, %s, %d", q, p.pick().name, p.rng.IntN(40))
		guard = "@" + q + " "
	}
	if reads {
		p.emit("%sld.global.u32 %%data, [%s+%d]", guard, address, 4*p.rng.IntN(4))
		return
	}
	p.emit("%sst.global.u32 [%s+%d], %%data", guard, address, 1<<21)
}

// statements writes some statements; variables made inside end with them.
func (p *affineProgram) statements(n, depth int) {
	outer := len(p.vars)
	for range n {
		switch k := p.rng.IntN(10); {
		case k < 4:
			p.expression()
		case k < 6:
			p.load(true)
		case k == 6:
			p.load(false)
		case k == 7 && depth > 0:
			p.conditional(depth)
		case k == 8 && depth > 0 && p.loops < 2:
			p.loop(depth)
		}
	}
	if depth < 3 {
		p.vars = p.vars[:outer]
	}
}

func (p *affineProgram) newLabel() string {
	p.label++
	return fmt.Sprintf("L%d", p.label)
}

// conditional assigns a variable on one side, or on both.
func (p *affineProgram) conditional(depth int) {
	q := p.condition()
	side, end := p.newLabel(), p.newLabel()
	to := affineVar{name: p.fresh("r"), low: 0, high: 0}
	p.emit("mov.u32 %s, 0", to.name)
	p.emit("@%s bra %s", q, side)
	p.statements(1+p.rng.IntN(3), depth-1)
	p.assign(&to)
	p.emit("bra.uni %s", end)
	p.body.WriteString(side + ":\n")
	if p.rng.IntN(2) == 0 {
		p.statements(1+p.rng.IntN(2), depth-1)
		p.assign(&to)
	}
	p.body.WriteString(end + ":\n")
	p.vars = append(p.vars, to)
}

func (p *affineProgram) assign(to *affineVar) {
	a := p.pick()
	p.emit("add.s32 %s, %s, %d", to.name, a.name, 3)
	to.low, to.high = min(to.low, a.low+3), max(to.high, a.high+3)
}

// loop counts to a constant, a parameter, by thread, or to something read.
func (p *affineProgram) loop(depth int) {
	trips := 1 + p.rng.Int64N(4)
	count, bound := p.fresh("r"), p.fresh("r")
	switch p.rng.IntN(4) {
	case 0:
		p.emit("mov.u32 %s, %d", bound, trips)
	case 1:
		p.emit("and.b32 %s, %%n, 3", bound)
		p.emit("add.s32 %s, %s, 1", bound, bound)
	case 2:
		p.emit("and.b32 %s, %s, 3", bound, p.pick().name)
	case 3:
		p.load(true)
		p.emit("and.b32 %s, %%data, 3", bound)
	}
	step := p.rng.Int64N(7) - 3
	reach := 5 * p.runs * max(step, -step)
	a := p.pick()
	if a.low-reach < -affineReach || a.high+reach > affineReach {
		return
	}
	moving := affineVar{name: p.fresh("r"), low: a.low - reach, high: a.high + reach}
	p.emit("mov.u32 %s, %s", moving.name, a.name)
	p.emit("mov.u32 %s, 0", count)
	head := p.newLabel()
	p.body.WriteString(head + ":\n")
	p.vars = append(p.vars, moving, affineVar{name: count, low: 0, high: 5})
	p.loops++
	p.runs *= 5
	p.statements(1+p.rng.IntN(4), depth-1)
	p.load(true)
	p.runs /= 5
	p.loops--
	p.emit("add.s32 %s, %s, %d", moving.name, moving.name, step)
	p.emit("add.s32 %s, %s, 1", count, count)
	q := p.fresh("p")
	p.emit("setp.lt.s32 %s, %s, %s", q, count, bound)
	p.emit("@%s bra %s", q, head)
}

// text is a whole module.
func (p *affineProgram) text() string {
	for _, s := range []struct {
		name string
		high int64
	}{{"tid.x", 63}, {"tid.y", 7}, {"tid.z", 3}, {"ctaid.x", 7}, {"ctaid.y", 3}, {"ctaid.z", 1}, {"ntid.x", 64}, {"nctaid.x", 8}} {
		v := affineVar{name: p.fresh("r"), high: s.high, stable: true}
		p.emit("mov.u32 %s, %%%s", v.name, s.name)
		p.vars = append(p.vars, v)
	}
	p.emit("ld.param.u32 %%n, [k_param_1]")
	p.vars = append(p.vars, affineVar{name: "%n", high: 12})
	p.emit("ld.param.u64 %%base, [k_param_0]")
	p.emit("cvta.to.global.u64 %%base, %%base")
	p.emit("add.s64 %%base, %%base, %d", 4*2*affineReach)
	p.emit("mov.u32 %%data, 0")
	p.runs = 1
	for range 4 {
		p.statements(8, 3)
		if p.rng.IntN(2) == 0 {
			p.emit("bar.sync 0")
		}
	}
	p.load(false)
	return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .u32 k_param_1\n)\n{\n" +
		fmt.Sprintf("\t.reg .pred %%p<%d>;\n\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%rd<%d>;\n\t.reg .b32 %%n, %%data;\n\t.reg .b64 %%base;\n", p.counter+1, p.counter+1, p.counter+1) +
		p.body.String() + "\tret;\n}\n"
}

// affineHost launches it once.
func affineHost(rng *rand.Rand) string {
	return fmt.Sprintf(`"""A random kernel."""
sizes = {"tiny": {"n": %d}}
def main(p):
    m = gpu.module("k.ptx")
    data = gpu.buffer("data", random.integers(i32, %d, low=0, high=100))
    gpu.launch(m.k, grid=(%d, %d, %d), block=(%d, %d, %d), args=[data, u32(p.n)])
`, rng.IntN(13), 8*affineReach, 1+rng.IntN(5), 1+rng.IntN(3), 1+rng.IntN(2), 1+rng.IntN(48), 1+rng.IntN(5), 1+rng.IntN(3))
}
