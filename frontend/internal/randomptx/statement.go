// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"strings"
)

// collective are mnemonics that the lanes of a whole warp execute together.
var collective = map[string]bool{"mma": true, "wmma": true, "ldmatrix": true, "stmatrix": true, "movmatrix": true}

// statement draws one statement.
func (g *generator) statement(s scope) {
	g.budget--
	if g.orders && g.IntN(6) == 0 {
		g.ordered()
		return
	}
	if s.nested < 4 {
		switch g.IntN(14) {
		case 0:
			g.branch(s)
			return
		case 1:
			g.loop(s)
			return
		case 2:
			g.indexedBranch(s)
			return
		case 3:
			g.call(s)
			return
		}
	}
	switch n := g.IntN(20); {
	case n < 11:
		g.instruction(s)
	case n < 14:
		g.exchange(s)
	case n < 15:
		g.carries(s)
	case n < 16:
		g.move()
	case n < 17:
		g.copy(s)
	case n < 19 && s.uniform:
		g.barrier(s)
	case n == 19 && g.IntN(4) == 0:
		g.exit(s)
	default:
		g.instruction(s)
	}
}

// body draws some statements.
func (g *generator) body(s scope) {
	s.nested++
	for range 1 + g.IntN(3) {
		g.statement(s)
	}
}

// instruction draws a line of the list, with what it needs before it.
func (g *generator) instruction(s scope) {
	for range 20 {
		name := g.forms.names[g.IntN(len(g.forms.names))]
		list := g.forms.lines[name]
		line := list[g.IntN(len(list))]
		if collective[name] && (!s.uniform || s.function || g.gone || g.p.Block%32 != 0) {
			continue
		}
		mnemonic, _, _ := strings.Cut(line, " ")
		setup, text, ok := g.addressed(name, mnemonic, line, s)
		if !ok {
			continue
		}
		if text = g.written(text); text == "" {
			continue
		}
		if strings.Contains(mnemonic, ".cc.") {
			g.carry = true
		}
		g.b.WriteString(setup)
		if !collective[name] && !strings.Contains(mnemonic, ".cc.") && g.IntN(4) == 0 {
			text = fmt.Sprintf("@%s%%pred_%d %s", []string{"", "!"}[g.IntN(2)], g.IntN(g.per), text)
		}
		fmt.Fprintf(g.b, "\t%s\n", text)
		return
	}
}

// addressed gives a line with addresses and what else is no register of a pool.
func (g *generator) addressed(name, mnemonic, line string, s scope) (setup, text string, ok bool) {
	text, ok = line, true
	switch {
	case name == "cvta" && !strings.HasSuffix(mnemonic, ".u64"):
		return "", "", false
	case name == "tex" || name == "tld4" || name == "suld" || name == "sust" || name == "sured":
		setup, text, ok = g.sampled(line)
		ok = ok && !s.function
	case strings.Contains(line, example):
		setup, text, ok = g.access(line, s)
		ok = ok && !(s.function && (name == "txq" || name == "suq"))
	case name == "cvta": // of addresses that are the same on all devices
		text = strings.Replace(line, "%u64_1", []string{"%slotg", "%input"}[g.IntN(2)], 1)
	}
	if name == "wmma" {
		text = strings.Replace(text, ", %b32_2;", ", 128;", 1)
	}
	if strings.Contains(mnemonic, ".sp") { // places of elements that are no zeros
		setup = "\tmov.b32 %y32, 0x44444444;\n"
		at := strings.LastIndex(text, "%b32_")
		text = text[:at] + "%y32" + text[at+len("%b32_3"):]
	}
	return setup, text, ok
}

// lanes draws a condition, mostly of some lanes.
func (g *generator) lanes(s scope) string {
	c := g.condition()
	switch g.IntN(3) {
	case 0:
		one, other := 1<<g.IntN(5), 1<<g.IntN(5) // the same bit, in one case of five
		fmt.Fprintf(g.b, "\tand.b32 %%x32, %%lane, %d;\n\tsetp.%s.u32 %s, %%x32, %d;\n", one|other, []string{"eq", "ne", "lt"}[g.IntN(3)], c, g.IntN(5))
	case 1:
		fmt.Fprintf(g.b, "\tand.b32 %%x32, %%b32_%d, 7;\n\tsetp.lt.u32 %s, %%x32, %d;\n", g.IntN(g.per), c, 1+g.IntN(7))
	default:
		fmt.Fprintf(g.b, "\tmov.pred %s, %%pred_%d;\n", c, g.IntN(g.per))
	}
	return c
}

// split gives the mask of the lanes of a scope for which a condition holds, or does not.
func (g *generator) split(s scope, c string, holds bool) string {
	if s.mask == "" || g.exited {
		return ""
	}
	m := g.mask()
	fmt.Fprintf(g.b, "\tvote.sync.ballot.b32 %s, %s%s, %s;\n", m, map[bool]string{true: "", false: "!"}[holds], c, s.mask)
	return m
}

func (g *generator) branch(s scope) {
	inner := s
	var c string
	if s.uniform && g.IntN(3) == 0 {
		c = g.condition()
		fmt.Fprintf(g.b, "\tmov.u32 %%x32, %%ctaid.x;\n\tand.b32 %%x32, %%x32, 1;\n\tsetp.eq.u32 %s, %%x32, %d;\n", c, g.IntN(2))
		if g.p.Cluster > 0 || g.p.Cooperative {
			inner.uniform = false
		}
	} else {
		c = g.lanes(s)
		inner.uniform = false
	}
	no, end := g.label(), g.label()
	yesMask, noMask := g.split(s, c, true), g.split(s, c, false)
	before := g.carry
	fmt.Fprintf(g.b, "\t@!%s bra %s;\n", c, no)
	inner.mask = yesMask
	g.body(inner)
	meets := s.uniform && !inner.uniform && s.mask != "" && !g.exited && g.IntN(3) == 0
	if meets {
		g.line("barrier.sync 5;")
	}
	after := g.carry
	g.carry = before
	if both := meets || g.IntN(2) == 0; both {
		fmt.Fprintf(g.b, "\tbra%s %s;\n%s:\n", map[bool]string{true: ".uni", false: ""}[inner.uniform && g.IntN(2) == 0], end, no)
		inner.mask = noMask
		if g.exited {
			inner.mask = ""
		}
		g.body(inner)
		if meets {
			g.line("barrier.sync 5;")
		}
		fmt.Fprintf(g.b, "%s:\n", end)
	} else {
		fmt.Fprintf(g.b, "%s:\n", no)
	}
	g.carry = g.carry && after
}

func (g *generator) loop(s scope) {
	inner := s
	counter := fmt.Sprintf("%%n%d", 10+g.labels%190)
	uniform := g.IntN(3) == 0
	again, end := g.label(), g.label()
	if uniform {
		fmt.Fprintf(g.b, "\tmov.u32 %s, %d;\n", counter, 1+g.IntN(3))
	} else {
		inner.uniform = false
		fmt.Fprintf(g.b, "\tand.b32 %s, %%b32_%d, 3;\n", counter, g.IntN(g.per))
	}
	g.carry = false
	if s.mask != "" && !g.exited {
		inner.mask = g.mask()
		fmt.Fprintf(g.b, "\tmov.b32 %s, %s;\n", inner.mask, s.mask)
	} else {
		inner.mask = ""
	}
	fmt.Fprintf(g.b, "%s:\n", again)
	inner.nested = max(inner.nested, 2)
	inner.leave = end
	g.body(inner)
	if !inner.uniform && g.IntN(3) == 0 {
		c := g.lanes(inner)
		if inner.mask != "" && !g.exited {
			fmt.Fprintf(g.b, "\tvote.sync.ballot.b32 %s, !%s, %s;\n", inner.mask, c, inner.mask)
		}
		fmt.Fprintf(g.b, "\t@%s bra %s;\n", c, end)
		g.body(inner)
	}
	c := g.condition()
	fmt.Fprintf(g.b, "\tsub.u32 %s, %s, 1;\n\tsetp.gt.s32 %s, %s, 0;\n", counter, counter, c, counter)
	if inner.mask != "" && !g.exited {
		fmt.Fprintf(g.b, "\tvote.sync.ballot.b32 %s, %s, %s;\n", inner.mask, c, inner.mask)
	}
	fmt.Fprintf(g.b, "\t@%s bra %s;\n%s:\n", c, again, end)
	g.carry = false
}

func (g *generator) indexedBranch(s scope) {
	n := 2 + g.IntN(3)
	inner := s
	inner.uniform = false
	list, end := g.label(), g.label()
	index := fmt.Sprintf("%%n%d", 10+g.labels%190)
	fmt.Fprintf(g.b, "\tshr.u32 %s, %%b32_%d, %d;\n\trem.u32 %s, %s, %d;\n", index, g.IntN(g.per), g.IntN(20), index, index, n)
	if s.mask != "" && !g.exited {
		inner.mask = g.mask()
		fmt.Fprintf(g.b, "\tmatch.any.sync.b32 %s, %s, %s;\n", inner.mask, index, s.mask)
	} else {
		inner.mask = ""
	}
	labels := make([]string, n)
	for i := range labels {
		labels[i] = g.label()
	}
	if g.IntN(3) == 0 {
		labels[g.IntN(n)] = end
	}
	fmt.Fprintf(g.b, "%s: .branchtargets %s;\n\tbrx.idx %s, %s;\n", list, strings.Join(labels, ", "), index, list)
	before, after := g.carry, g.carry
	for i, l := range labels {
		if l == end {
			continue
		}
		fmt.Fprintf(g.b, "%s:\n", l)
		g.carry = before
		if g.exited {
			inner.mask = ""
		}
		g.body(inner)
		after = after && g.carry
		if i < n-1 {
			fmt.Fprintf(g.b, "\tbra %s;\n", end)
		}
	}
	g.carry = after
	fmt.Fprintf(g.b, "%s:\n", end)
}

// exit ends some lanes. What was known of the lanes of the scopes around is no longer true.
func (g *generator) exit(s scope) {
	if s.function || s.leave != "" || g.p.Cluster > 0 || g.p.Cooperative {
		return
	}
	c := g.lanes(s)
	if s.nested == 0 && !g.exited {
		g.gone = true
		fmt.Fprintf(g.b, "\tvote.sync.ballot.b32 %s, !%s, %s;\n\t@%s %s;\n", s.mask, c, s.mask, c, []string{"exit", "ret"}[g.IntN(2)])
		return
	}
	g.exited, g.gone = true, true
	fmt.Fprintf(g.b, "\t@%s exit;\n", c)
}

// carries draws a chain of instructions that pass a carry on, also between statements.
func (g *generator) carries(s scope) {
	draw := func(list ...string) {
		line := list[g.IntN(len(list))]
		t := []string{"u32", "s32", "u64", "s64"}[g.IntN(4)]
		operands := "%T_0, %T_1, %T_2;"
		if strings.HasPrefix(line, "mad") {
			operands = "%T_0, %T_1, %T_2, %T_3;"
		}
		text := g.written(line + "." + t + " " + strings.ReplaceAll(operands, "T", t))
		if text == "" {
			return
		}
		fmt.Fprintf(g.b, "\t%s\n", text)
	}
	if !g.carry {
		draw("add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc")
		g.carry = true
	}
	if g.IntN(2) == 0 && s.nested < 3 {
		s.nested++
		g.statement(s)
	}
	for range 1 + g.IntN(3) {
		if g.carry {
			draw("addc.cc", "subc.cc", "madc.lo.cc", "madc.hi.cc", "addc", "subc", "madc.lo", "madc.hi")
		}
	}
}

// move draws what the list has not: special registers, packs, and elements of vectors.
func (g *generator) move() {
	i := func() int { return g.IntN(g.per) }
	list := []string{
		fmt.Sprintf("mov.b64 {%%b32_%d, %%b32_%d}, %%b64_%d;", 0, 1+g.IntN(g.per-1), i()),
		fmt.Sprintf("mov.b64 {_, %%b32_%d}, %%b64_%d;", i(), i()),
		fmt.Sprintf("mov.b64 %%b64_%d, {%%b32_%d, %%f32_%d};", i(), i(), i()),
		fmt.Sprintf("mov.b32 {%%b16_%d, %%b16_%d}, %%b32_%d;", 0, 1+g.IntN(g.per-1), i()),
		fmt.Sprintf("mov.b32 %%b32_%d, {%%b16_%d, %%b16_%d};", i(), i(), i()),
		fmt.Sprintf("mov.b64 %%f64_%d, {%%b16_%d, %%b16_%d, %%b16_%d, %%b16_%d};", i(), i(), i(), i(), i()),
		fmt.Sprintf("mov.b128 %%b128_%d, {%%b64_%d, %%b64_%d};", i(), i(), i()),
		fmt.Sprintf("mov.b128 {%%b64_%d, %%b64_%d}, %%b128_%d;", 0, 1+g.IntN(g.per-1), i()),
		fmt.Sprintf("mov.b32 %%v.%c, %%b32_%d;", "xyzw"[g.IntN(4)], i()),
		fmt.Sprintf("mov.b32 %%b32_%d, %%v.%c;", i(), "xyzw"[g.IntN(4)]),
		fmt.Sprintf("add.f64 %%w.%c, %%w.%c, %%f64_%d;", "xy"[g.IntN(2)], "xy"[g.IntN(2)], i()),
		fmt.Sprintf("mov.b64 %%f64_%d, %%w.%c;", i(), "xy"[g.IntN(2)]),
		fmt.Sprintf("ld.global.v4.b32 %%v, [%%slotg+%d];", 16*g.IntN(16)),
		fmt.Sprintf("st.global.v2.f64 [%%slotg+%d], %%w;", 16*g.IntN(16)),
		fmt.Sprintf("mov.u32 %%u32_%d, %s;", i(), []string{"%ctaid.x", "%nctaid.x", "%ntid.x", "%tid.x", "%laneid", "%warpid", "%nwarpid", "%lanemask_lt", "%lanemask_ge", "%lanemask_eq",
			"%lanemask_le", "%lanemask_gt", "%cluster_ctarank", "%cluster_nctarank", "%clusterid.x", "%dynamic_smem_size", "%total_smem_size", "%ctaid.y", "%nctaid.z", "WARP_SZ", "%is_explicit_cluster"}[g.IntN(20)]),
	}
	text := list[g.IntN(len(list))]
	if !g.forms.legal(text) {
		return
	}
	if g.IntN(5) == 0 {
		text = fmt.Sprintf("@%%pred_%d %s", i(), text)
	}
	fmt.Fprintf(g.b, "\t%s\n", text)
}
