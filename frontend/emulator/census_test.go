// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// censusRow is a row of testdata/census.txt: what kernels of public benchmark
// suites use.
type censusRow struct {
	kind, name string
	kernels    int // that use it, of all compilers
}

func censusRows(t *testing.T) []censusRow {
	t.Helper()
	text, err := os.ReadFile("testdata/census.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows []censusRow
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 5 {
			t.Fatalf("line %d has %d fields", i+1, len(fields))
		}
		row := censusRow{kind: fields[0], name: fields[1]}
		for _, field := range fields[2:] {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			row.kernels += n
		}
		rows = append(rows, row)
	}
	return rows
}

// twinned are the opcodes whose exact forms the twins compute.
var twinned = strings.Fields("add sub mul mad mul24 sad div rem abs neg min max clz bfe bfi and or xor not shl shr shf fma rcp sqrt")

// instructionCheck finds how a form of an instruction is run and checked; nil
// for a form that nothing here runs. Cases of the twins are gathered in cases.
func instructionCheck(name string, cases *[]instructionCase) func(t *testing.T) {
	m := instructionText(strings.Split(name, "."))
	gather := func(c instructionCase) func(*testing.T) {
		*cases = append(*cases, c)
		return func(*testing.T) {}
	}
	switch {
	case m.has("approx"), m.has("full"):
		return func(t *testing.T) { checkApproximate(t, m) }
	case m.has("pred") && m[0] != "vote":
		return func(t *testing.T) { checkPredicate(t, m) }
	case slices.Contains(twinned, m[0]):
		return gather(exactCase(name))
	case m[0] == "setp", m[0] == "set":
		return gather(comparisonCase(name))
	case m[0] == "cvt":
		return gather(conversionCase(name, 0))
	case m[0] == "ld", m[0] == "ldu":
		return func(t *testing.T) { checkLoad(t, m) }
	case m[0] == "st":
		return func(t *testing.T) { checkStore(t, m) }
	case m[0] == "atom":
		return func(t *testing.T) { checkAtomic(t, m) }
	case m[0] == "wmma":
		return func(t *testing.T) { checkMatrix(t, m) }
	case m[0] == "tex":
		return func(t *testing.T) { checkFetch(t, m) }
	case m[0] == "mov", m[0] == "selp":
		return func(t *testing.T) { checkMove(t, m) }
	case m[0] == "cvta":
		return func(t *testing.T) { checkAddress(t, m) }
	}
	if s, ok := censusScripts[name]; ok {
		return func(t *testing.T) { s.check(t) }
	}
	return nil
}

// A kernel is made of each row, loaded and executed, and its results compared
// with what the row means.
func TestEveryRowOfTheCensusRuns(t *testing.T) {
	var cases []instructionCase
	kinds := map[string]int{}
	for _, row := range censusRows(t) {
		var check func(t *testing.T)
		switch row.kind {
		case "instruction":
			check = instructionCheck(row.name, &cases)
		case "register":
			check = registerCheck(row.name)
		case "construct":
			if c, ok := censusConstructs[row.name]; ok {
				check = c.check
			}
		}
		kinds[row.kind]++
		if check == nil {
			t.Errorf("%s %s, used by %d kernels, is not run", row.kind, row.name, row.kernels)
			continue
		}
		t.Run(row.kind+" "+row.name, check)
	}
	if kinds["instruction"] < 500 || kinds["register"] < 12 || kinds["construct"] < 35 {
		t.Errorf("the census has %v rows", kinds)
	}
	if used := len(censusConstructs); used != kinds["construct"] {
		t.Errorf("%d constructs are written, the census has %d", used, kinds["construct"])
	}
	runCases(t, cases, operands(40, 3))
}

// censusScript is a script with the word that each of its threads stores.
type censusScript struct {
	script
	want func(i int) uint32
}

func (s censusScript) check(t *testing.T) { expect(t, s.run(t), s.want) }

func number32(i int) uint32 { return uint32(i) }

// censusScripts are the instructions that no table of the twins has.
var censusScripts = map[string]censusScript{
	"ret":     {script{body: "st.global.u32 [%d0], %r0; ret;"}, number32},
	"exit":    {script{body: "setp.ge.u32 %p1, %r0, 16; @%p1 exit; st.global.u32 [%d0], %r0; exit;"}, func(i int) uint32 { return uint32(i % 16 * (1 - i/16)) }},
	"bra":     {script{body: "setp.lt.u32 %p1, %r0, 7; @%p1 bra LOW; st.global.u32 [%d0], 9; ret; LOW: st.global.u32 [%d0], 5; ret;"}, func(i int) uint32 { return [2]uint32{5, 9}[min(i/7, 1)] }},
	"bra.uni": {script{body: "bra.uni END; st.global.u32 [%d0], 7; END: st.global.u32 [%d0+0], %r0; ret;"}, number32},
	"call.uni": {script{declarations: ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %x; ld.param.b32 %x, [x]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; } ",
		body: "{ .param .b32 x; .param .b32 r; st.param.b32 [x+0], %r0; call.uni (r), twice, (x); ld.param.b32 %r1, [r+0]; } st.global.u32 [%d0], %r1; ret;"},
		func(i int) uint32 { return uint32(2 * i) }},
	"bar.sync": {script{declarations: ".shared .align 4 .b32 tile[64]; ", block: dims(64, 1), body: `mov.u64 %d3, tile; mad.wide.u32 %d4, %r0, 4, %d3; st.shared.u32 [%d4], %r0; bar.sync 0;
		xor.b32 %r1, %r0, 63; mad.wide.u32 %d4, %r1, 4, %d3; ld.shared.u32 %r2, [%d4]; st.global.u32 [%d0], %r2; ret;`}, func(i int) uint32 { return uint32(63 - i) }},
	"membar.gl":         {script{body: "st.global.u32 [%d0], 1; membar.gl; st.global.u32 [%d0], %r0; ret;"}, number32},
	"membar.cta":        {script{body: "st.global.u32 [%d0], 1; membar.cta; st.global.u32 [%d0], %r0; ret;"}, number32},
	"shfl.sync.up.b32":  {script{body: "shfl.sync.up.b32 %r1|%p1, %r0, 4, 0, -1; st.global.u32 [%d0], %r1; ret;"}, func(i int) uint32 { return uint32(i - 4*min(i/4, 1)) }},
	"shfl.sync.idx.b32": {script{body: "shfl.sync.idx.b32 %r1|%p1, %r0, 11, 31, -1; st.global.u32 [%d0], %r1; ret;"}, func(int) uint32 { return 11 }},
	"vote.sync.all.pred": {script{body: "setp.lt.u32 %p1, %r0, 31; vote.sync.all.pred %p2, %p1, -1; setp.lt.u32 %p1, %r0, 32; vote.sync.all.pred %p3, %p1, -1; selp.b32 %r1, 1, 0, %p2; selp.b32 %r2, 2, 0, %p3; or.b32 %r1, %r1, %r2; st.global.u32 [%d0], %r1; ret;"},
		func(int) uint32 { return 2 }},
}

// registerCheck reads a special register in blocks of three dimensions.
func registerCheck(name string) func(t *testing.T) {
	grid, block := trace.Dim3{X: 3, Y: 2, Z: 2}, trace.Dim3{X: 4, Y: 3, Z: 2}
	index := func(i int, d trace.Dim3, axis byte) uint32 {
		n := uint32(i)
		return map[byte]uint32{'x': n % d.X, 'y': n / d.X % d.Y, 'z': n / d.X / d.Y}[axis]
	}
	size := func(d trace.Dim3, axis byte) uint32 { return map[byte]uint32{'x': d.X, 'y': d.Y, 'z': d.Z}[axis] }
	axis := name[len(name)-1]
	threads := int(block.Count())
	want := map[string]func(i int) uint32{
		"%tid": func(i int) uint32 { return index(i%threads, block, axis) }, "%ctaid": func(i int) uint32 { return index(i/threads, grid, axis) },
		"%ntid": func(int) uint32 { return size(block, axis) }, "%nctaid": func(int) uint32 { return size(grid, axis) },
	}[strings.TrimSuffix(name, "."+string(axis))]
	value := "mov.u32 %r5, " + name
	if name == "%clock" { // advances: whether it does
		value = "mov.u32 %r5, %clock; mov.u32 %r6, %clock; setp.gt.u32 %p1, %r6, %r5; selp.u32 %r5, 1, 0, %p1"
		want = func(int) uint32 { return 1 }
	}
	if want == nil {
		return nil
	}
	body := fmt.Sprintf(`mov.u32 %%r1, %%ctaid.z; mov.u32 %%r2, %%ctaid.y; mad.lo.u32 %%r1, %%r1, %d, %%r2; mov.u32 %%r2, %%ctaid.x; mad.lo.u32 %%r1, %%r1, %d, %%r2;
		mov.u32 %%r2, %%tid.z; mad.lo.u32 %%r1, %%r1, %d, %%r2; mov.u32 %%r2, %%tid.y; mad.lo.u32 %%r1, %%r1, %d, %%r2; mad.lo.u32 %%r1, %%r1, %d, %%r0;
		%s; mad.wide.u32 %%d3, %%r1, 4, %%d1; st.global.u32 [%%d3], %%r5; ret;`, grid.Y, grid.X, block.Z, block.Y, block.X, value)
	return censusScript{script{body: body, grid: grid, block: block}, want}.check
}
