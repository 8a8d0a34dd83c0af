// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t testing.TB, text string) *Module {
	t.Helper()
	m, err := Parse("test.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The offsets are those that the driver reports for this signature: each is
// rounded up to the parameter's alignment, structs have the alignment written.
func TestParametersArePackedInOrder(t *testing.T) {
	m := mustParse(t, `.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u8 a, .param .u16 b, .param .u64 c, .param .u32 d, .param .align 16 .b8 e[20], .param .f32 f, .param .align 4 .b8 g[3], .param .f64 h) { ret; }`)
	type layout struct{ Offset, Bytes, Align uint32 }
	want := []layout{{0, 1, 1}, {2, 2, 2}, {8, 8, 8}, {16, 4, 4}, {32, 20, 16}, {52, 4, 4}, {56, 3, 4}, {64, 8, 8}}
	var got []layout
	for _, p := range m.Kernels[0].Params {
		got = append(got, layout{p.Offset, p.Bytes, p.Align})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
}

func TestInitialValuesBecomeBytes(t *testing.T) {
	text, err := os.ReadFile("testdata/nvcc-style/modern.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse("modern.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]*Variable)
	for _, v := range m.Variables {
		byName[v.Name] = v
	}
	weights := byName["weights"]
	for i, want := range []float32{1, 0.5, -0.25, 0.125} {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(weights.Initial[4*i:])); got != want {
			t.Errorf("weights[%d] = %v, want %v", i, got, want)
		}
	}
	if diff := cmp.Diff([]byte{1, 2, 3, 4}, byName["matrix"].Initial); diff != "" || byName["matrix"].Bytes != 6 {
		t.Errorf("matrix of %d bytes (-want +got):\n%s", byName["matrix"].Bytes, diff)
	}
	if later := byName["later"]; later.Extern || later.Initial[0] != 42 {
		t.Errorf("the definition did not replace the declaration: %+v", later)
	}
	chain := byName["chain"]
	if len(chain.Relocations) != 2 || chain.Relocations[0].Symbol != byName["later"] ||
		chain.Relocations[1].Symbol != weights || chain.Relocations[1].Addend != 8 || chain.Relocations[1].Offset != 8 {
		t.Errorf("relocations %+v", chain.Relocations)
	}
	if d := byName["dynamic"]; !d.Extern || d.Bytes != 0 || d.Align != 16 || d.Space != SpaceShared {
		t.Errorf("dynamic shared array %+v", d)
	}
}

func TestInnerListsArePadded(t *testing.T) {
	m := mustParse(t, ".version 7.0\n.const .u16 a[][2] = {{1}, {2, 3}, 4};\n")
	v := m.Variables[0]
	if diff := cmp.Diff([]byte{1, 0, 0, 0, 2, 0, 3, 0, 4, 0}, v.Initial); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
}

func TestHeadOfAModule(t *testing.T) {
	m := mustParse(t, `.version 6.3
.target sm_70, debug
.address_size 64
.file 1 "dir" "a.cu"
.entry k() .maxntid 16, 8 .minnctapersm 3 .maxnreg 40 { .loc 1 77 3
ret; }
.entry r() .reqntid 4, 2, 2 { ret; }
`)
	if m.VersionMajor != 6 || m.VersionMinor != 3 || m.AddressSize != 64 || !cmp.Equal(m.Targets, []string{"sm_70", "debug"}) {
		t.Errorf("head %d.%d %v %d", m.VersionMajor, m.VersionMinor, m.Targets, m.AddressSize)
	}
	k := m.Kernel("k")
	if k.MaxThreads != 128 || k.MinBlocksPerSM != 3 || k.MaxRegisters != 40 || k.RequiredThreads != [3]uint32{} {
		t.Errorf("k: %+v", k)
	}
	if in := k.Body[0]; in.SourceFile != 1 || in.SourceLine != 77 || m.SourceFiles[1] != "dir/a.cu" {
		t.Errorf("source place %d:%d of %v", in.SourceFile, in.SourceLine, m.SourceFiles)
	}
	if r := m.Kernel("r"); r.MaxThreads != 16 || r.RequiredThreads != [3]uint32{4, 2, 2} {
		t.Errorf("r: %+v", r)
	}
	if m.Kernel("none") != nil {
		t.Error("found a kernel that is not there")
	}
}

func TestOldTextShowsItsAddressSize(t *testing.T) {
	m := mustParse(t, ".version 1.4\n.target sm_13\n.entry k() { .reg .u64 %rd<2>; .reg .u32 %r<2>; ld.global.u32 %r1, [%rd1]; exit; }")
	if m.AddressSize != 64 {
		t.Errorf("address size %d", m.AddressSize)
	}
	m = mustParse(t, ".version 1.4\n.target sm_13\n.entry k() { .reg .u32 %r<2>; ld.global.u32 %r1, [%r1]; exit; }")
	if m.AddressSize != 32 {
		t.Errorf("address size %d", m.AddressSize)
	}
}

func TestInnerScopesShadowOuterOnes(t *testing.T) {
	m := mustParse(t, `.version 7.0
.entry k() {
	.reg .b32 x, %r<3>;
	mov.b32 x, 1;
	{
		.reg .b64 x;
		mov.b64 x, 2;
		mov.b32 %r1, 3;
	}
	mov.b32 x, 4;
	mov.b32 %r1, 5;
	ret;
}`)
	k := m.Kernels[0]
	r := func(i int) *Register { return k.Body[i].Operands[0].Register }
	if r(0) != r(3) || r(0) == r(1) || r(1).Type != B64 || r(2) != r(4) {
		t.Errorf("registers %v %v %v %v %v", r(0), r(1), r(2), r(3), r(4))
	}
	if len(k.Registers) != 3 || k.Registers[0].Name != "x" || k.Registers[1].Name != "%r1" || k.Registers[2].Type != B64 {
		t.Errorf("registers in order of declaration: %v", k.Registers)
	}
	for i, reg := range k.Registers {
		if reg.Index != i {
			t.Errorf("%s has index %d at %d", reg.Name, reg.Index, i)
		}
	}
}

func TestLabelsOfInnerScopesAreTheirOwn(t *testing.T) {
	m := mustParse(t, `.version 7.0
.entry k() {
	{ bra L; exit; L: }
	{ bra L; L: exit; }
	bra OUT;
	{ bra OUT; }
OUT:
}`)
	k := m.Kernels[0]
	var targets []int
	for i := range k.Body {
		if k.Body[i].Op == OpBra {
			targets = append(targets, k.Body[i].Operands[0].Label.Index)
		}
	}
	if diff := cmp.Diff([]int{2, 3, 6, 6}, targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

// PTX 2.x compilers write prototypes of functions without the semicolon.
func TestPrototypeWithoutSemicolonHidesNothing(t *testing.T) {
	m := mustParse(t, `.version 2.1
.target sm_20
.visible .func f (.param .u32 a)
.file 1 "f.cu"
.func (.reg .u32 %out) g (.reg .u32 %in)
.entry k() { exit; }
.func h { ret; }
.entry l() { exit; }
`)
	if m.Kernel("k") == nil || m.Kernel("l") == nil || m.SourceFiles[1] != "f.cu" {
		t.Errorf("kernels %v, files %v", m.Kernels, m.SourceFiles)
	}
}

// A bound above what a thread block can have is none; a size that none can have is an error.
func TestMoreThreadsThanABlockHas(t *testing.T) {
	const text = ".version 6.0\n.target sm_30\n.address_size 64\n.entry k() .%s 10, 20, 30 { ret; }\n"
	m, err := Parse("k.ptx", fmt.Appendf(nil, text, "maxntid"))
	if err != nil || m.Kernels[0].MaxThreads != 1024 {
		t.Error(m, err)
	}
	if _, err := Parse("k.ptx", fmt.Appendf(nil, text, "reqntid")); err == nil || !strings.Contains(err.Error(), "a thread block has 1 to 1024 threads, not 6000") {
		t.Error(err)
	}
}
