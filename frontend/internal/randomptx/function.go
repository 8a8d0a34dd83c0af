// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"strings"
)

// function is a function that statements call.
type function struct {
	name, signature string
	style           int
	recursive       bool
	masked          bool // the caller gives the lanes that are there
	pointed         bool // its address is in a table
	first           int  // its place in the table
}

// Styles of parameters.
const (
	byParam    = iota // .param .b32
	byRegister        // .reg .b32
	byStruct          // an array of bytes
)

// function writes a function; it may call those before it.
func (g *generator) function(i, statements int) {
	f := function{name: fmt.Sprintf("f%d", i), style: g.IntN(3), recursive: g.IntN(3) == 0, masked: g.IntN(2) == 0}
	if !f.masked && !f.recursive {
		f.style = byParam
		f.pointed = true
		for _, other := range g.functions {
			if other.pointed {
				f.first++
			}
		}
	}
	switch f.style {
	case byRegister:
		f.signature = fmt.Sprintf(".func (.reg .b32 %%result) %s(.reg .b64 %%a0, .reg .b64 %%a1, .reg .b32 %%a2, .reg .b32 %%a3, .reg .b32 %%a4, .reg .b32 %%a5, .reg .b32 %%a6)", f.name)
	case byStruct:
		f.signature = fmt.Sprintf(".func (.param .align 8 .b8 result[8]) %s(.param .align 8 .b8 a[48])", f.name)
	default:
		f.signature = fmt.Sprintf(".func (.param .b32 result) %s(.param .b64 a0, .param .b64 a1, .param .b32 a2, .param .b32 a3, .param .b32 a4, .param .b32 a5, .param .b32 a6)", f.name)
	}
	outer, masks, preds := g.b, g.masks, g.preds
	var body strings.Builder
	g.b, g.exited, g.carry, g.budget, g.masks, g.preds = &body, false, false, statements/4, 0, 0
	s := scope{function: true, nested: 1}
	if f.masked {
		s.mask = "%mask0"
	}
	if f.recursive {
		s.recursive = f.name
	}
	for g.budget > 0 {
		g.statement(s)
	}
	if f.recursive {
		again := g.label()
		c := g.condition()
		fmt.Fprintf(g.b, "\tsetp.eq.u32 %s, %%depth, 0;\n", c)
		m := g.split(s, c, false)
		fmt.Fprintf(g.b, "\t@%s bra %s;\n\tsub.u32 %%depth, %%depth, 1;\n", c, again)
		g.callOf(f, m, "%depth")
		fmt.Fprintf(g.b, "%s:\n", again)
	}
	g.b = outer
	fmt.Fprintf(g.b, ".visible %s\n{\n%s", f.signature, registers(g.per, g.masks, g.preds))
	switch f.style {
	case byRegister:
		g.b.WriteString("\tmov.b64 %slotg, %a0;\n\tmov.b64 %input, %a1;\n\tmov.b32 %slots, %a2;\n\tmov.b32 %mask0, %a3;\n\tmov.b32 %depth, %a4;\n\tmov.b32 %thread, %a5;\n\tmov.b32 %n1, %a6;\n")
	case byStruct:
		g.b.WriteString("\tld.param.b64 %slotg, [a];\n\tld.param.b64 %input, [a+8];\n\tld.param.v2.b32 {%slots, %mask0}, [a+16];\n\tld.param.b32 %depth, [a+24];\n\tld.param.b32 %thread, [a+28];\n\tld.param.b32 %n1, [a+32];\n")
	default:
		g.b.WriteString("\tld.param.b64 %slotg, [a0];\n\tld.param.b64 %input, [a1];\n\tld.param.b32 %slots, [a2];\n\tld.param.b32 %mask0, [a3];\n\tld.param.b32 %depth, [a4];\n\tld.param.b32 %thread, [a5];\n\tld.param.b32 %n1, [a6];\n")
	}
	g.b.WriteString("\tmov.u32 %tid, %tid.x;\n\tmov.u32 %lane, %laneid;\n\tmov.b64 %warp, %input;\n")
	g.b.WriteString(g.initial(true))
	g.b.WriteString("\tmov.b32 %b32_0, %n1;\n")
	if g.IntN(3) == 0 { // a return that some lanes take
		fmt.Fprintf(g.b, "\tand.b32 %%x32, %%n1, 3;\n\tsetp.eq.u32 %%c0, %%x32, %d;\n", g.IntN(4))
		if f.masked {
			g.b.WriteString("\tvote.sync.ballot.b32 %mask0, !%c0, %mask0;\n")
		}
		store := map[int]string{byRegister: "@%c0 mov.b32 %result, %n1;", byStruct: "@%c0 st.param.b32 [result], %n1;", byParam: "@%c0 st.param.b32 [result], %n1;"}[f.style]
		g.b.WriteString("\t" + store + "\n\t@%c0 ret;\n")
	}
	g.b.WriteString(body.String())
	switch f.style {
	case byRegister:
		g.b.WriteString("\tmov.b32 %result, %b32_1;\n\tret;\n}\n")
	case byStruct:
		g.b.WriteString("\tst.param.v2.b32 [result], {%b32_1, %b32_2};\n\tret;\n}\n")
	default:
		g.b.WriteString("\tst.param.b32 [result], %b32_1;\n\tret;\n}\n")
	}
	g.masks, g.preds = masks, preds
	g.functions = append(g.functions, f)
}

// call draws a call.
func (g *generator) call(s scope) {
	if len(g.functions) == 0 {
		g.instruction(s)
		return
	}
	f := g.functions[g.IntN(len(g.functions))]
	mask := s.mask
	if g.exited {
		mask = ""
	}
	if f.masked && mask == "" {
		g.instruction(s)
		return
	}
	g.callOf(f, mask, fmt.Sprint(g.IntN(3)))
}

func (g *generator) callOf(f function, mask, depth string) {
	g.carry = false
	if mask == "" {
		mask = "0"
	}
	at := g.IntN(g.per)
	value := fmt.Sprintf("%%b32_%d", g.IntN(g.per))
	switch f.style {
	case byRegister:
		fmt.Fprintf(g.b, "\tmov.b32 %%n2, %s;\n\tmov.b32 %%n3, %s;\n\tcall (%%b32_%d), %s, (%%slotg, %%input, %%slots, %%n2, %%n3, %%thread, %s);\n", mask, depth, at, f.name, value)
		return
	case byStruct:
		fmt.Fprintf(g.b, "\t{\n\t.param .align 8 .b8 a[48];\n\t.param .align 8 .b8 r[8];\n\tmov.b32 %%n2, %s;\n\tmov.b32 %%n3, %s;\n\tst.param.b64 [a], %%slotg;\n\tst.param.b64 [a+8], %%input;\n\tst.param.v2.b32 [a+16], {%%slots, %%n2};\n\tst.param.b32 [a+24], %%n3;\n\tst.param.b32 [a+28], %%thread;\n\tst.param.b32 [a+32], %s;\n\tcall.uni (r), %s, (a);\n\tld.param.b32 %%b32_%d, [r];\n\t}\n", mask, depth, value, f.name, at)
		return
	}
	how := fmt.Sprintf("call (r), %s, (a0, a1, a2, a3, a4, a5, a6);", f.name)
	if f.pointed && g.IntN(2) == 0 {
		n := 0
		for _, other := range g.functions {
			if other.pointed {
				n++
			}
		}
		prototype := g.label()
		load := fmt.Sprintf("\tshr.u32 %%x32, %%b32_%d, %d;\n\trem.u32 %%x32, %%x32, %d;\n\tmov.u64 %%y64, pointers;\n\tmad.wide.u32 %%y64, %%x32, 8, %%y64;\n\tld.global.u64 %%z64, [%%y64];\n", g.IntN(g.per), g.IntN(20), n)
		if g.IntN(3) == 0 {
			load = fmt.Sprintf("\tmov.u64 %%z64, %s;\n", f.name)
		}
		g.b.WriteString(load)
		how = fmt.Sprintf("%s: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _, .param .b32 _, .param .b32 _, .param .b32 _, .param .b32 _, .param .b32 _);\n\tcall (r), %%z64, (a0, a1, a2, a3, a4, a5, a6), %s;", prototype, prototype)
	}
	var params strings.Builder
	for i, t := range []string{"b64", "b64", "b32", "b32", "b32", "b32", "b32"} {
		fmt.Fprintf(&params, "\t.param .%s a%d;\n", t, i)
	}
	fmt.Fprintf(g.b, "\t{\n%s\t.param .b32 r;\n\tmov.b32 %%n2, %s;\n\tmov.b32 %%n3, %s;\n\tst.param.b64 [a0], %%slotg;\n\tst.param.b64 [a1], %%input;\n\tst.param.b32 [a2], %%slots;\n\tst.param.b32 [a3], %%n2;\n\tst.param.b32 [a4], %%n3;\n\tst.param.b32 [a5], %%thread;\n\tst.param.b32 [a6], %s;\n\t%s\n\tld.param.b32 %%b32_%d, [r];\n\t}\n", params.String(), mask, depth, value, how, at)
}
