// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// Branches to the end of a body, and those that no path reaches, have targets that are no basic
// blocks: the table is one that a trace takes.
func TestBranchesToNoBlockAreInTheTable(t *testing.T) {
	k := fromText(t, `setp.eq.s32 %p1, %r2, 0;
	@%p1 bra END;
	bra END;
	@%p1 bra MORE;
	add.s32 %r2, %r2, 1;
MORE:
	add.s32 %r2, %r2, 2;
END:`)
	if err := k.Static.Validate(); err != nil {
		t.Error(err)
	}
	for _, i := range []int{1, 2, 3} {
		if o := k.Static.Instructions[i].Operands; len(o) != 1 || o[0].Kind != trace.OperandSink {
			t.Errorf("instruction %d: %+v", i, o)
		}
	}
}

func TestInstructionTableSaysWhatIsWritten(t *testing.T) {
	k := fromText(t, `.shared .align 8 .b8 tile[64];
	.loc 2 40 3
	ld.param.u64 %rd1, [out];
	mov.u64 %rd2, tile+8;
	mov.u32 %r1, %ctaid.y;
LOOP:
	setp.lt.s32 %p1, %r1, -5;
	@!%p1 ld.global.cg.v2.f32 {%f1, %f2}, [%rd1+16];
	atom.shared.add.u32 _, [tile+4], 1;
	@%p1 bra LOOP;
	ret;`)
	general := func(n uint16, words uint8, name string) trace.Register {
		return trace.Register{File: trace.FileGeneral, Number: n, Words: words, Virtual: name}
	}
	p1 := trace.Register{File: trace.FilePredicate, Words: 1, Virtual: "%p1"}
	reg := func(r trace.Register) trace.Operand { return trace.Operand{Kind: trace.OperandRegister, Register: r} }
	row := func(i int, line uint32) trace.Instruction {
		in := k.Static.Instructions[i]
		if in.Line != line || in.SourceFile != 2 || in.SourceLine != 40 {
			t.Errorf("row %d is of line %d, source %d:%d", i, in.Line, in.SourceFile, in.SourceLine)
		}
		in.Line, in.SourceFile, in.SourceLine = 0, 0, 0
		return in
	}
	out, r1 := general(0, 2, "%rd1"), k.Static.Instructions[2].Operands[0].Register
	f1, f2 := k.Static.Instructions[4].Operands[0].Elements[0].Register, k.Static.Instructions[4].Operands[0].Elements[1].Register
	want := []trace.Instruction{
		{Opcode: "ld", Modifiers: []string{"param"}, Types: []string{"u64"}, Class: trace.ClassLoad, Destinations: 1, Space: trace.SpaceParam, LaneBytes: 8,
			Operands: []trace.Operand{reg(out), {Kind: trace.OperandAddress, Symbol: "out"}}},
		{Opcode: "mov", Types: []string{"u64"}, Class: trace.ClassMove, Destinations: 1,
			Operands: []trace.Operand{reg(general(2, 2, "%rd2")), {Kind: trace.OperandSymbol, Symbol: "tile", Value: 8}}},
		{Opcode: "mov", Types: []string{"u32"}, Class: trace.ClassMove, Destinations: 1,
			Operands: []trace.Operand{reg(r1), {Kind: trace.OperandSpecial, Symbol: "ctaid.y"}}},
		{Opcode: "setp", Modifiers: []string{"lt"}, Types: []string{"s32"}, Class: trace.ClassIntAdd, Destinations: 1,
			Operands: []trace.Operand{reg(p1), reg(r1), {Kind: trace.OperandImmediate, Value: -5}}},
		{Opcode: "ld", Modifiers: []string{"global", "cg", "v2"}, Types: []string{"f32"}, Class: trace.ClassLoad, Destinations: 1,
			Guard: trace.Guard{Present: true, Negated: true, Register: p1}, Space: trace.SpaceGlobal, LaneBytes: 8,
			Operands: []trace.Operand{{Kind: trace.OperandVector, Elements: []trace.Operand{reg(f1), reg(f2)}}, {Kind: trace.OperandAddress, HasBase: true, Register: out, Value: 16}}},
		{Opcode: "atom", Modifiers: []string{"shared", "add"}, Types: []string{"u32"}, Class: trace.ClassAtomic, Destinations: 1, Space: trace.SpaceShared, LaneBytes: 4,
			Operands: []trace.Operand{{Kind: trace.OperandSink}, {Kind: trace.OperandAddress, Symbol: "tile", Value: 4}, {Kind: trace.OperandImmediate, Value: 1}}},
		{Opcode: "bra", Class: trace.ClassBranch, Guard: trace.Guard{Present: true, Register: p1}, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: 1}}},
		{Opcode: "ret", Class: trace.ClassExit},
	}
	lines := []uint32{8, 9, 10, 12, 13, 14, 15, 16}
	for i := range want {
		if diff := cmp.Diff(want[i], row(i, lines[i])); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
	if !strings.HasPrefix(k.Static.Source, ".entry k(") || !strings.HasSuffix(k.Static.Source, "ret;\n}\n") {
		t.Errorf("the source text is %q", k.Static.Source)
	}
	params := []trace.Param{{Name: "out", Type: "u64", Offset: 0, Bytes: 8, Align: 8}, {Name: "n", Type: "u32", Offset: 8, Bytes: 4, Align: 4}}
	if diff := cmp.Diff(params, k.Static.Params); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

// The digest is that of sha256sum over the same bytes.
func TestDigestIsOfTheWholeText(t *testing.T) {
	m, err := ptx.Parse("a.ptx", []byte(".version 7.0\n.entry k() { ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := mustContaminate(t, m.Kernels[0]).Static
	if want := "3f89d6cbbba88d29c665f9b63920fac7cbe72ec9741f8a9b13faefd2940ea3f1"; s.Digest != want || s.File != "a.ptx" {
		t.Errorf("file %s, digest %s", s.File, s.Digest)
	}
}

func TestMemoryIsLaidOutInOrder(t *testing.T) {
	m, err := ptx.Parse("m.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.shared .b8 first[3];
.shared .b8 unused[1000];
.shared .align 16 .b8 second[20];
.extern .shared .align 8 .b8 dynamic[];
.const .u8 c1[3];
.const .u64 c2[2];
.entry k() {
	.reg .b64 %rd<5>;
	.shared .u64 third;
	.local .align 4 .b8 depot[6];
	.local .u32 more;
	mov.u64 %rd1, second;
	mov.u64 %rd2, first;
	mov.u64 %rd3, dynamic;
	ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	k := mustContaminate(t, m.Kernels[0])
	got := make(map[string]uint64)
	for v, offset := range k.SharedOffsets {
		got[v.Name] = offset
	}
	for v, offset := range k.LocalOffsets {
		got[v.Name] = offset
	}
	want := map[string]uint64{"first": 0, "second": 16, "third": 40, "dynamic": 48, "depot": 0, "more": 8}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("offsets (-want +got):\n%s", diff)
	}
	if k.SharedBytes != 48 || k.LocalBytes != 12 || k.DynamicSharedAlign != 8 {
		t.Errorf("shared %d, local %d, dynamic aligned to %d", k.SharedBytes, k.LocalBytes, k.DynamicSharedAlign)
	}
	if s := k.Static; s.SharedBytes != 48 || s.LocalBytes != 12 || s.ConstBytes != 24 {
		t.Errorf("static part: shared %d, local %d, const %d", s.SharedBytes, s.LocalBytes, s.ConstBytes)
	}
}

func TestMemoryBeyondATraceIsRefused(t *testing.T) {
	m, err := ptx.Parse("m.ptx", []byte(".version 7.0\n.entry huge() { .local .b8 a[4294967296]; ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Contaminate(m.Kernels[0])
	if err == nil || !strings.Contains(err.Error(), "m.ptx:2:8: kernel huge needs") {
		t.Errorf("error %v", err)
	}
}

func TestContaminationIsDeterministic(t *testing.T) {
	all := referenceKernels(t)
	for _, k := range tracetest.Draw(t, all, len(all)/tracetest.Fewer(12, 4)) {
		a, b := mustContaminate(t, k), mustContaminate(t, k)
		if diff := cmp.Diff(a.Static, b.Static); diff != "" {
			t.Errorf("%s differs from run to run:\n%s", k.Name, diff)
		}
	}
}
