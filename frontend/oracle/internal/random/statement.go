// SPDX-License-Identifier: Apache-2.0

package random

// statements writes n statements; nesting bounds how deep they nest.
func (g *generator) statements(n, nesting int) {
	for range n {
		g.statement(nesting)
	}
}

func (g *generator) statement(nesting int) {
	if nesting > 0 {
		switch g.below(8) {
		case 0, 1:
			g.branch(nesting)
			return
		case 2:
			g.loop(nesting)
			return
		case 3:
			g.choice(nesting)
			return
		}
	}
	switch {
	case g.array.name != "" && g.chance(5):
		g.line("local[%s & 7] = %s;", g.index(), g.expression(g.array, 3))
	case len(g.functions) > 0 && g.chance(6):
		f := &g.functions[g.below(len(g.functions))]
		v := g.target()
		if v.kind == f.result {
			g.line("%s = %s;", v.name, g.call(f, 2))
			return
		}
		g.line("%s = mixed_%s(bits_%s(%s));", v.name, v.kind.name, f.result.name, g.call(f, 2))
	default:
		v := g.target()
		g.line("%s = %s;", v.name, g.expression(v.kind, 4))
	}
}

// target is the variable of an assignment.
func (g *generator) target() variable { return g.variables[g.below(len(g.variables))] }

func (g *generator) block(n, nesting int) {
	g.indent++
	g.statements(n, nesting)
	g.indent--
}

func (g *generator) branch(nesting int) {
	g.line("if (%s) {", g.condition(2))
	g.block(1+g.below(2), nesting-1)
	if g.chance(2) {
		g.line("} else {")
		g.block(1+g.below(2), nesting-1)
	}
	g.line("}")
}

// loop goes round as often as a variable says, at most 7 times, and sometimes
// leaves or goes on early.
func (g *generator) loop(nesting int) {
	i := g.loops
	g.loops++
	g.line("for (u32 i%d = 0, n%d = %s & 7; i%d < n%d; i%d++) {", i, i, g.index(), i, i, i)
	g.indent++
	if g.chance(2) {
		g.line("if (%s)", g.condition(2))
		g.line("  %s;", g.oneOf("break", "continue"))
	}
	g.indent--
	g.block(1+g.below(2), nesting-1)
	g.line("}")
}

// choice is a switch, with and without breaks.
func (g *generator) choice(nesting int) {
	g.line("switch (%s & 7) {", g.index())
	for i := range 3 + g.below(5) {
		g.line("case %d:", i)
		g.block(1, nesting-1)
		if !g.chance(4) {
			g.line("  break;")
		}
	}
	g.line("default:")
	g.block(1, nesting-1)
	g.line("}")
}
