// SPDX-License-Identifier: Apache-2.0

package randomptx

import "fmt"

// externs declares the functions of the device that ordered programs call.
const externs = ".extern .func (.param .b64 p) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"

// ordered draws what depends on the order of lanes, warps and thread blocks.
func (g *generator) ordered() {
	if g.IntN(3) == 0 {
		g.piece()
		return
	}
	g.ticket()
}

// ticket draws an atomic on a word that all threads change, with a result that is used.
func (g *generator) ticket() {
	i := func() int { return g.IntN(g.per) }
	space, name := "global", "counters"
	if g.IntN(2) == 0 {
		space, name = "shared", "tallies"
	}
	guard := []string{"", "", fmt.Sprintf("@%%pred_%d ", i())}[g.IntN(3)]
	switch at := 4 * g.IntN(16); g.IntN(3) {
	case 0:
		fmt.Fprintf(g.b, "\t%satom.%s.cas.b32 %%b32_%d, [%s+%d], %d, %%b32_%d;\n", guard, space, i(), name, at, 7+g.IntN(4), i())
	case 1:
		fmt.Fprintf(g.b, "\tmov.u64 %%y64, %s;\n\tand.b32 %%x32, %%b32_%d, 60;\n\tcvt.u64.u32 %%x64, %%x32;\n\tadd.u64 %%y64, %%y64, %%x64;\n\tcvta.%s.u64 %%y64, %%y64;\n\t%satom.add.u32 %%u32_%d, [%%y64], %d;\n",
			name, i(), space, guard, i(), 1+g.IntN(3))
	default:
		fmt.Fprintf(g.b, "\t%satom.%s.%s %%u32_%d, [%s+%d], %%u32_%d;\n", guard, space, []string{"add.u32", "inc.u32", "dec.u32", "min.u32", "max.u32", "exch.b32", "xor.b32"}[g.IntN(7)], i(), name, at, i())
	}
	if g.IntN(2) == 0 { // a place in memory by the ticket
		fmt.Fprintf(g.b, "\tand.b32 %%x32, %%u32_%d, 252;\n\tmov.u32 %%y32, fixed;\n\tadd.u32 %%x32, %%x32, %%y32;\n\tld.shared.b32 %%b32_%d, [%%x32];\n", i(), i())
	}
}

// piece draws memory from the heap, which is written, read and mostly freed.
func (g *generator) piece() {
	g.carry = false
	i := func() int { return g.IntN(g.per) }
	guard, condition := "", g.condition()
	fmt.Fprintf(g.b, "\tand.b32 %%x32, %%b32_%d, 252;\n\tadd.u32 %%x32, %%x32, %d;\n\tcvt.u64.u32 %%x64, %%x32;\n", i(), 4*g.IntN(3))
	fmt.Fprintf(g.b, "\t{\n\t.param .b64 n;\n\t.param .b64 p;\n\tst.param.b64 [n], %%x64;\n\tcall.uni (p), malloc, (n);\n\tld.param.b64 %%z64, [p];\n\t}\n\tsetp.ne.u64 %s, %%z64, 0;\n", condition)
	guard = "@" + condition + " "
	fmt.Fprintf(g.b, "\t%sst.global.b32 [%%z64], %%b32_%d;\n\t%sld.b32 %%b32_%d, [%%z64];\n", guard, i(), guard, i())
	switch g.IntN(3) {
	case 0:
		g.line("st.global.b64 [%%slotg+%d], %%z64;", g.within(SlotBytes, 8))
	default:
		if g.IntN(2) == 0 {
			guard = fmt.Sprintf("@%%pred_%d ", i())
		} else {
			guard = ""
		}
		fmt.Fprintf(g.b, "\t{\n\t.param .b64 p;\n\tst.param.b64 [p], %%z64;\n\t%scall free, (p);\n\t}\n", guard)
	}
}
