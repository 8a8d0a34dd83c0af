// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What compilers write is right for the target that they write it for.
func TestCompilerOutputHasNoWarnings(t *testing.T) {
	files := goodFiles(t)
	catalogue, err := filepath.Glob("../../traces/*/*.ptx")
	if err != nil || len(catalogue) < 50 {
		t.Fatalf("%d files in the catalogue: %v", len(catalogue), err)
	}
	for _, file := range append(files, catalogue...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		if err := Strict(m); err != nil {
			t.Error(err)
		}
	}
}

// module parses instructions for a target.
func moduleFor(t *testing.T, version, target, body string) *Module {
	t.Helper()
	m, err := Parse("k.ptx", []byte(fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.entry k(.param .u64 p) {\n.reg .pred %%p<4>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .f32 %%f<9>; .reg .f64 %%e<4>; .shared .align 16 .b8 tile[64];\n%s\nret; }\n", version, target, body)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The least version and target of forms, as the ISA's notes have them: with these
// there is no warning, with an older version or target there is.
func TestFormsNeedWhatTheISASays(t *testing.T) {
	older := map[string]string{"sm_20": "sm_13", "sm_30": "sm_20", "sm_32": "sm_30", "sm_50": "sm_37", "sm_53": "sm_52", "sm_60": "sm_53", "sm_61": "sm_60", "sm_70": "sm_62", "sm_72": "sm_70",
		"sm_75": "sm_72", "sm_80": "sm_75", "sm_86": "sm_80", "sm_89": "sm_87", "sm_90": "sm_89", "sm_13": "sm_12", "sm_90a": "sm_90", "sm_100": "sm_90", "sm_100a": "sm_100"}
	for _, c := range []struct{ version, target, instruction string }{
		{"7.1", "sm_80", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 1;"},
		{"8.5", "sm_80", "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}, %r5, 1;"},
		{"8.2", "sm_90a", "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %d1, %d2, %r1, 1, %p1, 1, 1;"},
		{"8.6", "sm_100", "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [%d1, {%r1, %r2, %r3, %r4, %r5}], [tile];"},
		{"8.6", "sm_100a", "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [%d1, {%r1, %r2, %r3, %r4, %r5}], [tile];"},
		{"8.6", "sm_100a", "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d1, {%r1, %r2, %r3, %r4, %r5}], [tile];"},
		{"8.1", "sm_90", "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1], {%r2, %r3}, [%r4];"}, {"8.7", "sm_100", "st.async.release.sys.global.b16 [%d1], %h1;"},
		{"8.1", "sm_90", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r2, [%r3];"}, {"8.7", "sm_100", "red.async.release.gpu.add.s64 [%d1], %d2;"},
		{"2.0", "sm_20", "popc.b32 %r1, %r2;"}, {"3.1", "sm_32", "shf.l.wrap.b32 %r1, %r2, %r3, %r4;"}, {"4.3", "sm_50", "lop3.b32 %r1, %r2, %r3, %r4, 1;"},
		{"5.0", "sm_61", "dp4a.u32.u32 %r1, %r2, %r3, %r4;"}, {"8.0", "sm_90", "add.u16x2 %r1, %r2, %r3;"}, {"8.0", "sm_90", "max.relu.s32 %r1, %r2, %r3;"}, {"8.0", "sm_90", "min.s16x2.relu %r1, %r2, %r3;"},
		{"4.2", "sm_53", "add.f16 %h1, %h2, %h3;"}, {"7.8", "sm_90", "add.bf16 %h1, %h2, %h3;"}, {"7.0", "sm_80", "fma.rn.bf16 %h1, %h2, %h3, %h4;"}, {"7.0", "sm_80", "max.NaN.f32 %f1, %f2, %f3;"},
		{"7.2", "sm_86", "max.xorsign.abs.f32 %f1, %f2, %f3;"}, {"7.0", "sm_75", "tanh.approx.f32 %f1, %f2;"}, {"2.0", "sm_20", "fma.rn.f32 %f1, %f2, %f3, %f4;"}, {"1.4", "sm_13", "fma.rn.f64 %e1, %e2, %e3, %e3;"},
		{"3.0", "sm_30", "shfl.up.b32 %r1, %r2, %r3, %r4;"}, {"6.0", "sm_30", "shfl.sync.up.b32 %r1, %r2, %r3, %r4, -1;"}, {"6.0", "sm_70", "match.any.sync.b32 %r1, %r2, -1;"}, {"7.0", "sm_80", "redux.sync.add.u32 %r1, %r2, -1;"},
		{"3.1", "sm_32", "ld.global.nc.u32 %r1, [%d1];"}, {"6.0", "sm_70", "ld.relaxed.gpu.global.u32 %r1, [%d1];"}, {"7.4", "sm_70", "ld.global.L1::evict_last.u32 %r1, [%d1];"}, {"7.4", "sm_80", "ld.global.L2::256B.u32 %r1, [%d1];"},
		{"2.0", "sm_20", "st.u32 [%d1], %r1;"}, {"5.0", "sm_60", "atom.global.add.f64 %e1, [%d1], %e2;"}, {"5.0", "sm_60", "red.global.gpu.add.u32 [%d1], %r1;"}, {"6.3", "sm_70", "atom.global.add.noftz.f16 %h1, [%d1], %h2;"},
		{"8.1", "sm_90", "red.global.add.v2.f32 [%d1], {%f1, %f2};"}, {"3.1", "sm_32", "atom.global.max.u64 %d2, [%d1], %d3;"}, {"8.3", "sm_90", ".reg .b128 %q<3>; atom.global.exch.b128 %q1, [%d1], %q2;"},
		{"8.1", "sm_89", "cvt.rn.satfinite.e5m2x2.f32 %h1, %f1, %f2;"}, {"7.0", "sm_80", "cvt.rn.bf16.f32 %h1, %f1;"}, {"7.1", "sm_80", "cvt.f32.bf16 %f1, %h1;"}, {"7.8", "sm_90", "cvt.rn.bf16.s32 %h1, %r1;"},
		{"8.6", "sm_100", "cvt.rn.satfinite.tf32.f32 %r1, %f1;"}, {"6.5", "sm_72", "cvt.pack.sat.u16.s32 %r1, %r2, %r3;"}, {"7.0", "sm_80", "cp.async.ca.shared.global [%d1], [%d2], 4;"},
		{"7.8", "sm_90", "mapa.shared::cluster.u32 %r1, %r2, 0;"}, {"7.8", "sm_90", "griddepcontrol.wait;"}, {"7.8", "sm_90", "barrier.cluster.wait;"}, {"8.0", "sm_90", "barrier.cluster.arrive.relaxed;"}, {"6.0", "sm_30", "barrier.sync 0;"},
		{"6.0", "sm_70", "fence.sc.gpu;"}, {"7.8", "sm_90", "fence.sc.cluster;"}, {"6.3", "sm_70", "nanosleep.u32 %r1;"}, {"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 64;"}, {"8.0", "sm_90", "elect.sync _|%p1, -1;"},
		{"6.4", "sm_70", "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2}, {%r1,%r2,%r3,%r4};"},
		{"8.4", "sm_89", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%f1,%f2,%f3,%f4};"},
		{"8.7", "sm_89", "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r1}, {%f1,%f2,%f3,%f4};"},
		{"7.0", "sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%f1,%f2,%f3,%f4};"},
		{"6.5", "sm_75", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%d1];"}, {"7.8", "sm_90", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%d1], {%r1};"}, {"7.0", "sm_80", "mbarrier.inval.shared.b64 [%d1];"}, {"7.8", "sm_90", "mbarrier.try_wait.shared.b64 %p1, [%d1], %d2;"},
		{"7.8", "sm_90", "mov.u32 %r1, %cluster_ctarank;"}, {"2.0", "sm_20", "mov.u32 %r1, %lanemask_lt;"}, {"3.1", "sm_30", "mov.u64 %d1, %globaltimer;"}, {"4.1", "sm_20", "mov.u32 %r1, %dynamic_smem_size;"}, {"1.3", "sm_13", "mov.u32 %r1, %laneid;"},
	} {
		version := c.version // the target itself may have come later than the form
		if since := targetVersions[c.target]; parseVersion(version).before(since) {
			version = since.String()
		}
		if m := moduleFor(t, version, c.target, c.instruction); len(m.Warnings) > 0 {
			t.Errorf("%s for %s: %v", version, c.target, Strict(m))
		}
		if before := older[c.target]; before != "" && c.target != "sm_13" {
			if m := moduleFor(t, "9.1", before, c.instruction); len(m.Warnings) == 0 || !strings.Contains(m.Warnings[0].Message, c.target) {
				t.Errorf("%s for %s: warnings %v", c.instruction, before, m.Warnings)
			}
		}
		v := parseVersion(c.version)
		if v = (Version{v.Major, v.Minor - 1}); v.Minor < 0 {
			v = Version{v.Major - 1, 4}
		}
		m := moduleFor(t, v.String(), c.target, c.instruction)
		if c.version != "1.3" && !slices.ContainsFunc(m.Warnings, func(w Warning) bool {
			return strings.Contains(w.Message, "needs PTX ISA "+c.version+",") && w.Line == 6
		}) {
			t.Errorf("%s in PTX %s: warnings %v", c.instruction, v, m.Warnings)
		}
	}
}

// Conversions of 8-bit numbers came to sm_90 first, and to sm_89 with PTX 8.1.
func TestQuarterConversionsCameToTwoTargets(t *testing.T) {
	for target, want := range map[string]int{"sm_89": 1, "sm_90": 0} {
		if m := moduleFor(t, "7.8", target, "cvt.rn.f16x2.e4m3x2 %r1, %h1;"); len(m.Warnings) != want {
			t.Errorf("%s: %v", target, Strict(m))
		}
	}
}

func parseVersion(s string) Version {
	major, minor, _ := strings.Cut(s, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return Version{a, b}
}

func TestWhatWasRemovedIsWarnedOf(t *testing.T) {
	const instruction = "shfl.up.b32 %r1, %r2, %r3, %r4; vote.all.pred %p1, %p2; vote.sync.all.pred %p1, %p2, -1;"
	if m := moduleFor(t, "6.3", "sm_70", instruction); len(m.Warnings) != 0 {
		t.Error(Strict(m))
	}
	if m := moduleFor(t, "6.4", "sm_61", instruction); len(m.Warnings) != 0 {
		t.Error(Strict(m))
	}
	if m := moduleFor(t, "6.4", "sm_70", instruction); len(m.Warnings) != 2 {
		t.Error(Strict(m))
	}
}

// Warnings come one for each kind, counted, in order of their first places.
func TestWarningsAreCountedAndSorted(t *testing.T) {
	m := moduleFor(t, "6.0", "sm_30", "atom.global.add.f64 %e1, [%d1], %e1;\n  redux.sync.add.u32 %r1, %r2, -1;\n atom.global.add.f64 %e1, [%d1+8], %e1; redux.sync.min.s32 %r1, %r2, -1; red.global.add.f64 [%d1], %e1;")
	want := []string{
		"k.ptx:6:1: atom.global.add.f64 needs sm_60, but .target is sm_30 (PTX ISA 9.7.13.5) (2 times)",
		"k.ptx:7:3: redux.sync.add.u32 needs sm_80, but .target is sm_30 (PTX ISA 9.7.13.13) (2 times)",
		"k.ptx:8:74: red.global.add.f64 needs sm_60, but .target is sm_30 (PTX ISA 9.7.13.7)",
	}
	if len(m.Warnings) != len(want) {
		t.Fatal(Strict(m))
	}
	for i, w := range want {
		if got := m.Warnings[i].String(); got != w {
			t.Errorf("warning %d is %q, want %q", i, got, w)
		}
	}
	m, err := Parse("k.ptx", []byte(".version 7.0\n.target sm_90\n.address_size 64\n.entry k() .explicitcluster { ret; }\n"))
	if err != nil || len(m.Warnings) != 2 || m.Warnings[0].Line != 2 || m.Warnings[1].Column != 12 {
		t.Errorf("%v, %v", err, m.Warnings)
	}
}

func TestAFileWithoutKernelsSaysSo(t *testing.T) {
	for text, line := range map[string]int{
		".version 7.0\n.target sm_70\n":                                        1,
		".version 7.0\n.target sm_70\n.visible .func f() { ret; }\n":           3,
		".version 7.0\n.target sm_70\n.visible .entry k();\n.global .b32 v;\n": 1,
	} {
		m, err := Parse("lib.ptx", []byte(text))
		if err != nil || len(m.Warnings) != 1 || m.Warnings[0].Message != noEntry || m.Warnings[0].Line != line {
			t.Errorf("%q: %v, %v", text, err, m)
		}
	}
}

// Every opcode says what it needs; every row has an instruction that needs it.
func TestEveryRowOfAvailabilityIsReached(t *testing.T) {
	text, _ := exampleKernel()
	m, err := Parse("examples.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	reached := make(map[*Availability]bool)
	for i := range m.Kernels[0].Body {
		in := &m.Kernels[0].Body[i]
		rows := specs[in.Op].Available
		for j := range rows {
			spelled := *in // the examples write .shared for all of its kinds
			spelled.Suffixes = append(slices.Clone(in.Suffixes), rows[j].Suffix)
			reached[&rows[j]] = reached[&rows[j]] || rows[j].holds(&spelled, 100) || rows[j].Only > 0 && rows[j].holds(in, rows[j].Only)
		}
	}
	for name := range suffixAvailability {
		if suffixes[name].kind == suffixUnknown || suffixes[name].needs == nil {
			t.Errorf(".%s is no suffix", name)
		}
	}
	for _, op := range Opcodes() {
		if len(specs[op].Available) == 0 {
			t.Errorf("%s does not say what it needs", op)
		}
		for i := range specs[op].Available {
			row := &specs[op].Available[i]
			if !reached[row] {
				t.Errorf("%s: no form needs row %d: %+v", op, i, row)
			}
			if row.Version == (Version{}) && row.Target == 0 && row.Removed == 0 {
				t.Errorf("%s: row %d needs nothing", op, i)
			}
		}
	}
}

// What complaints advise to write, or name, exists: suffixes, directives, targets.
func TestAdviceNamesWhatExists(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := goparser.ParseFile(gotoken.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			if !slices.Contains([]string{"errorf", "errorAt", "Errorf", "Sprintf"}, name) {
				return true
			}
			for _, a := range call.Args {
				if l, ok := a.(*ast.BasicLit); ok && l.Kind == gotoken.STRING {
					text, _ := strconv.Unquote(l.Value)
					texts = append(texts, text)
				}
			}
			return true
		})
	}
	for _, r := range Refused() {
		texts = append(texts, r.Reason)
	}
	directives := strings.Fields("version target address_size entry func extern reg param shared global local const align maxntid reqntid loc section pragma file branchtargets callprototype calltargets texref surfref samplerref alias ptr ptx")
	dotted, targets := regexp.MustCompile(`\.([a-zA-Z][\w:]*)`), regexp.MustCompile(`sm_\d+a?`)
	words := 0
	for _, text := range texts {
		for _, m := range dotted.FindAllStringSubmatch(text, -1) {
			words++
			if _, ok := suffixes[m[1]]; !ok && !slices.Contains(directives, m[1]) && refusedSuffixes[m[1]] == "" && !slices.Contains([]string{"x", "v"}, m[1]) {
				t.Errorf("%q names .%s", text, m[1])
			}
		}
		for _, name := range targets.FindAllString(text, -1) {
			if _, ok := targetVersions[name]; !ok && name != "sm_1" {
				t.Errorf("%q names %s", text, name)
			}
		}
	}
	if words < 30 {
		t.Errorf("only %d words were looked at", words)
	}
}

// Where a vector is refused, the length that the complaint advises is accepted.
func TestAdviceOnVectorsHolds(t *testing.T) {
	parse := func(instruction string) error {
		_, err := Parse("k.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b16 %h<9>;\n"+instruction+"\n}\n"))
		return err
	}
	for operand, n := range map[string]int{"{%r1, %r2}": 2, "{%r1, %r2, %r3}": 3, "{%r1, %r2, %r3, %r4}": 4, "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}": 8} {
		for _, form := range []string{"ld.global%s.b32 V, [%%d1];", "st.global%s.b32 [%%d1], V;", "suld.b.1d%s.b32.trap V, [%%d1, {%%r1}];", "red.global.add%s.u32 [%%d1], V;"} {
			write := func(vector string) string { return strings.ReplaceAll(fmt.Sprintf(form, vector), "V", operand) }
			err := parse(write(""))
			if err == nil {
				t.Errorf("%s is accepted", write(""))
				continue
			}
			_, advice, advises := strings.Cut(err.Error(), "write ")
			works := parse(write(fmt.Sprintf(".v%d", n))) == nil
			if advises != works || advises && parse(write(advice)) != nil {
				t.Errorf("%s: %v; .v%d works: %v", write(""), err, n, works)
			}
		}
	}
	for _, one := range []string{"ld.global.b32 { %r1 }, [ %d1 + 0 ];", "st.global.b32 [ %d1 + 0 ], { %r1 };", "suld.b.1d.b32.trap {%r1}, [%d1, {%r1}];", "sust.b.1d.b32.trap [%d1, {%r1}], {%r1};", "ld.param.b32 {%r1}, [%d1];", "ldu.global.b32 {%r1}, [%d1];"} {
		if err := parse(one); err != nil {
			t.Error(err)
		}
	}
	if err := parse("ld.global.v1.b32 {%r1}, [%d1];"); err == nil {
		t.Error(".v1 does not exist")
	}
}

// Line tables put labels and .loc between the lines of a call.
func TestMarksInsideCallsAreRead(t *testing.T) {
	text := `.version 7.2
.target sm_70
.address_size 64
.func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }
.entry k() { .reg .b32 %r<3>; .reg .b64 %d; .param .b32 x; .param .b32 y; .param .b32 z;
P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
	st.param.b32 [x], %r1; st.param.b32 [y], %r1;
	call.uni
$T0:
	.loc 1 5 78, function_name $L__info_string0, inlined_at 1 8 9
	(z),
$T1:
	f,
	.loc 1 6 1
	(
$T2:
	x,
$T3:
	y
$T4:
	)
$T5:
	;
	call (z),
$T6:
	%d,
$T7:
	(x, y),
$T8:
	P
$T9:
	;
	bra $T5;
}
`
	m, err := Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels[0]
	if len(k.Body) != 5 || len(k.Labels) != 10 || k.Body[2].Op != OpCall || k.Body[3].Op != OpCall || k.Body[3].SourceLine != 6 {
		t.Fatalf("%d instructions, %d labels", len(k.Body), len(k.Labels))
	}
	if l := k.Body[4].Operands[0].Label; l == nil || l.Name != "$T5" || l.Index != 2 {
		t.Errorf("the label inside the call is %+v", l)
	}
	for _, broken := range []string{"call.uni $T0: $T0: f, (x, y);", "call.uni .loc 1 f;", "call.uni $A: ;", "call.uni (z), $A:"} {
		if _, err := Parse("k.ptx", []byte(strings.Replace(text, "bra $T5;", broken, 1))); err == nil {
			t.Errorf("%q is accepted", broken)
		}
	}
}
