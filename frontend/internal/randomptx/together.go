// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"strconv"
	"strings"
)

// exchange draws what lanes of a warp do together.
func (g *generator) exchange(s scope) {
	if s.mask == "" || g.exited {
		g.instruction(s)
		return
	}
	i := func() int { return g.IntN(g.per) }
	mode := []string{"up", "down", "bfly", "idx"}[g.IntN(4)]
	second := []string{"", fmt.Sprintf("|%%pred_%d", i())}[g.IntN(2)]
	list := []string{
		fmt.Sprintf("bfind.u32 %%x32, MASK; shfl.sync.idx.b32 %%b32_%d%s, %%b32_%d, %%x32, 31, MASK;", i(), second, i()),
		fmt.Sprintf("fns.b32 %%x32, MASK, 0, 1; shfl.sync.idx.b32 %%b32_%d%s, %%f32_%d, %%x32, 31, MASK;", i(), second, i()),
		fmt.Sprintf("vote.sync.%s.pred %%pred_%d, %s%%pred_%d, MASK;", []string{"all", "any", "uni"}[g.IntN(3)], i(), []string{"", "!"}[g.IntN(2)], i()),
		fmt.Sprintf("vote.sync.ballot.b32 %%b32_%d, %s%%pred_%d, MASK;", i(), []string{"", "!"}[g.IntN(2)], i()),
		fmt.Sprintf("match.any.sync.b32 %%b32_%d, %%b32_%d, MASK;", i(), i()),
		fmt.Sprintf("match.any.sync.b64 %%b32_%d, %%b64_%d, MASK;", i(), i()),
		fmt.Sprintf("match.all.sync.b32 %%b32_%d%s, %%b32_%d, MASK;", i(), second, i()),
		fmt.Sprintf("redux.sync.%s.%s %%u32_%d, %%u32_%d, MASK;", []string{"add", "min", "max"}[g.IntN(3)], []string{"u32", "s32"}[g.IntN(2)], i(), i()),
		fmt.Sprintf("redux.sync.%s.b32 %%b32_%d, %%b32_%d, MASK;", []string{"and", "or", "xor"}[g.IntN(3)], i(), i()),
		fmt.Sprintf("elect.sync %%b32_%d|%%pred_%d, MASK;", i(), i()),
		fmt.Sprintf("elect.sync _|%%pred_%d, MASK;", i()),
		"bar.warp.sync MASK;",
	}
	if s.uniform && !s.function && !g.gone && g.p.Block%32 == 0 { // all lanes there are, so that each has a value
		list = append(list, fmt.Sprintf("shfl.sync.%s.b32 %%b32_%d%s, %%b32_%d, %%b32_%d, %%b32_%d, MASK;", mode, i(), second, i(), i(), i()),
			fmt.Sprintf("shfl.sync.%s.b32 %%b32_%d%s, %%f32_%d, %d, %d, MASK;", mode, i(), second, i(), g.IntN(32), []int{31, 0, 0x1c1f, 0x181f}[g.IntN(4)]))
	}
	if s.uniform && !s.function {
		list = append(list, fmt.Sprintf("activemask.b32 %%b32_%d;", i()))
	}
	text := strings.Replace(list[g.IntN(len(list))], "MASK", s.mask, 2)
	fmt.Fprintf(g.b, "\t%s\n", text)
}

// held is a number as an operand of a barrier that comes next: itself, or a register with it.
func (g *generator) held(n int, register string) string {
	if g.IntN(4) > 0 {
		return strconv.Itoa(n)
	}
	g.line("mov.u32 %s, %d;", register, n)
	return register
}

// barrier draws what the threads of a thread block do together.
func (g *generator) barrier(s scope) {
	if s.function {
		return
	}
	i := func() int { return g.IntN(g.per) }
	threads := (g.p.Block + 31) / 32 * 32
	whole := g.p.Block%32 == 0 && !g.gone
	switch n := g.IntN(15); {
	case n == 0:
		g.line("bar.sync %s;", g.held(g.IntN(2), "%bar"))
	case n == 1:
		g.line("barrier.sync %s;", g.held(2+g.IntN(2), "%bar"))
	case n == 2:
		g.line("barrier.cta.sync.aligned 2;")
	case n == 3:
		fmt.Fprintf(g.b, "\tbar.red.popc.u32 %%u32_%d, 0, %s%%pred_%d;\n", i(), []string{"", "!"}[g.IntN(2)], i())
	case n == 4:
		fmt.Fprintf(g.b, "\tbarrier.cta.red.%s.pred %%pred_%d, 1, %%pred_%d;\n", []string{"and", "or"}[g.IntN(2)], i(), i())
	case n == 5 && whole:
		number, count := g.held(3, "%bar"), g.held(threads, "%count")
		g.line("bar.sync %s, %s;", number, count)
	case n == 6 && whole && threads > 32: // one warp goes on, the others wait for it
		c := g.condition()
		fmt.Fprintf(g.b, "\tsetp.lt.u32 %s, %%tid, 32;\n\t@%s bar.arrive 4, %d;\n\t@!%s bar.sync 4, %d;\n\tbar.sync 0;\n", c, c, threads, c, threads)
	case n == 7 && !g.gone:
		again := g.label()
		c := g.condition()
		fmt.Fprintf(g.b, "\tmbarrier.arrive.shared.b64 %%state, [meeting];\n%s:\n\tmbarrier.%s.shared.b64 %s, [meeting], %%state;\n\t@!%s bra %s;\n", again, []string{"test_wait", "try_wait"}[g.IntN(2)], c, c, again)
		return
	case n == 8 && g.p.Cluster > 0 && !g.gone:
		meet := "\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n"
		fmt.Fprintf(g.b, meet+"\tand.b32 %%x32, %%b32_%d, 1;\n\tmapa.shared::cluster.u32 %%x32, %%slots, %%x32;\n\tld.shared::cluster.b32 %%b32_%d, [%%x32+%d];\n\tgetctarank.shared::cluster.u32 %%b32_%d, %%x32;\n"+meet, i(), i(), g.within(slotShared, 4), i())
	case n == 9 && g.p.Cluster > 0 && !g.gone:
		g.neighbour()
		return
	case n == 10:
		g.line("membar.gl;")
	case n == 11 && !g.gone:
		g.bulk()
		return
	case n == 12:
		c := g.condition()
		fmt.Fprintf(g.b, "\tmov.u32 %%x32, %%ntid.x;\n\tsetp.ge.u32 %s, %%tid, %%x32;\n\t@%s trap;\n", c, c)
		return
	default: // another thread's word
		if g.gone {
			g.line("bar.sync 0;")
			return
		}
		fmt.Fprintf(g.b, "\tbar.sync 0;\n\txor.b32 %%x32, %%tid, %d;\n\tmin.u32 %%x32, %%x32, %d;\n\tmov.u32 %%y32, slots;\n\tmad.lo.u32 %%x32, %%x32, %d, %%y32;\n\tld.shared.b32 %%b32_%d, [%%x32+%d];\n\tbar.sync 0;\n",
			1+g.IntN(63), g.p.Block-1, slotShared, i(), g.within(slotShared, 4))
		if g.p.DynamicBytes > 0 && g.IntN(2) == 0 {
			fmt.Fprintf(g.b, "\tmov.u32 %%y32, more;\n\tmad.lo.u32 %%x32, %%tid, 4, %%y32;\n\tst.shared.b32 [%%x32], %%b32_%d;\n\tbar.sync 1;\n\tld.shared.b32 %%b32_%d, [more+%d];\n\tbar.sync 1;\n", i(), i(), 4*g.IntN(g.p.Block))
		}
	}
}

// bulk draws a copy that one thread starts and all wait for.
func (g *generator) bulk() {
	again, c := g.label(), g.condition()
	start := fmt.Sprintf("\t@%s mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [meeting], 64;\n\t@%s cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [landing], [%%x64+%d], 64, [meeting];\n", c, c, g.within(256, 16))
	fmt.Fprintf(g.b, "\tsetp.eq.u32 %s, %%tid, %d;\n\tmov.b64 %%x64, %%input;\n%s\tmbarrier.arrive.shared.b64 %%state, [meeting];\n%s:\n\tmbarrier.try_wait.shared.b64 %s, [meeting], %%state;\n\t@!%s bra %s;\n\tld.shared.b32 %%b32_%d, [landing+%d];\n\tbar.sync 0;\n",
		c, g.IntN(g.p.Block), start, again, c, c, again, g.IntN(g.per), g.within(64, 4))
}

// neighbour draws stores and reductions to the other thread block of a cluster.
func (g *generator) neighbour() {
	again, c := g.label(), g.condition()
	i := func() int { return g.IntN(g.per) }
	operation := fmt.Sprintf("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%%x32], %%b32_%d, [%%y32]", i())
	if g.IntN(2) == 0 {
		operation = fmt.Sprintf("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s.u32 [%%x32], %%u32_%d, [%%y32]", []string{"add", "min", "max", "inc"}[g.IntN(4)], i())
	}
	fmt.Fprintf(g.b, `	setp.eq.u32 %[1]s, %%tid, 0;
	@%[1]s mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [meeting], %[2]d;
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned;
	mov.u32 %%n0, %%cluster_ctarank;
	xor.b32 %%n0, %%n0, 1;
	mapa.shared::cluster.u32 %%x32, %%slots, %%n0;
	mov.u32 %%y32, meeting;
	mapa.shared::cluster.u32 %%y32, %%y32, %%n0;
	%[3]s;
	mbarrier.arrive.shared.b64 %%state, [meeting];
%[4]s:
	mbarrier.try_wait.shared.b64 %[1]s, [meeting], %%state;
	@!%[1]s bra %[4]s;
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned;
`, c, 4*g.p.Block, operation, again)
}

// copy draws asynchronous copies to memory of the thread's own.
func (g *generator) copy(s scope) {
	n := []int{4, 8, 16}[g.IntN(3)]
	p := g.indexed("%input", InputBytes, n)
	more := []string{"", fmt.Sprintf(", %d", g.IntN(n+1)), ""}[g.IntN(3)]
	operator := "ca"
	if n == 16 && g.IntN(2) == 0 {
		operator = "cg"
	}
	guard := []string{"", "", fmt.Sprintf("@%%pred_%d ", g.IntN(g.per))}[g.IntN(3)]
	fmt.Fprintf(g.b, "%s\t%scp.async.%s.shared.global [%%slots+%d], %s, %d%s;\n", p.setup, guard, operator, g.within(slotShared, n), p.text, n, more)
	if g.IntN(2) == 0 {
		g.line("cp.async.wait_all;")
		return
	}
	g.line("cp.async.commit_group;")
	if g.IntN(3) == 0 && s.nested < 3 {
		g.move()
	}
	g.line("cp.async.wait_group %d;", 0)
}
