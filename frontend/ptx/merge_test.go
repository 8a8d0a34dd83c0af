// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"strings"
	"testing"
)

func unlinked(file, body string) Unlinked {
	return Unlinked{file, []byte(".version 6.3\n.target sm_70\n.address_size 64\n" + body)}
}

const mergeKernel = `.file 1 "a.cu"
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .align 4 .u32 counter;
.extern .shared .align 4 .b8 room[];
.global .align 4 .u32 hidden = 7;
.weak .func both(.param .b32 x) { ret; }
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	.loc 1 7 3
	ld.global.u32 %r1, [counter];
	ld.global.u32 %r2, [hidden];
	{
	.param .b32 a;
	st.param.b32 [a], %r1;
	.param .b32 b;
	call.uni (b), twice, (a);
	ld.param.b32 %r3, [b];
	}
	ret;
}
`

const mergeFunctions = `.file 1 "b.cu"
.visible .global .align 4 .u32 counter = 100;
.extern .shared .align 4 .b8 room[];
.global .align 4 .u32 hidden = 9;
.weak .func both(.param .b32 x) { ret; }
.visible .func (.param .b32 r) twice(.param .b32 x) {
	.reg .b32 %r<3>;
	.loc 1 3 1
	ld.param.b32 %r1, [x];
	ld.global.u32 %r2, [hidden];
	add.u32 %r1, %r1, %r2;
	st.param.b32 [r], %r1;
	ret;
}
.section .debug_str { .b8 65 }
`

// What one module names and another defines becomes one module, in either order.
func TestMergedModulesFindEachOther(t *testing.T) {
	for _, swapped := range []bool{false, true} {
		modules := []Unlinked{unlinked("a.ptx", mergeKernel), unlinked("b.ptx", mergeFunctions)}
		if swapped {
			modules[0], modules[1] = modules[1], modules[0]
		}
		text, renamed, err := Merge(modules)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse("merged.ptx", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for i := range modules {
			if renamed[i]["hidden"] == "" || renamed[i]["counter"] != "" || renamed[i]["both"] != "" {
				t.Errorf("renamed: %v", renamed)
			}
		}
		linked, err := Link(m.Kernel("k"))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(linked.Units); n != 2 || linked.Units[1].Function.Name != "twice" {
			t.Errorf("%d units", n)
		}
		if a, b := m.SourceFiles[linked.Body[0].SourceFile], m.SourceFiles[linked.Body[linked.Units[1].First].SourceFile]; a != "a.cu" || b != "b.cu" {
			t.Errorf("lines of %q and %q", a, b)
		}
	}
}

func TestMergeRefusesTwoDefinitions(t *testing.T) {
	_, _, err := Merge([]Unlinked{unlinked("b.ptx", mergeFunctions), unlinked("c.ptx", mergeFunctions)})
	if err == nil || !strings.Contains(err.Error(), "c.ptx:5: counter is defined in b.ptx, too") {
		t.Error(err)
	}
}

// A definition that is not weak wins against one that is, wherever it stands.
func TestMergePrefersStrongDefinitions(t *testing.T) {
	strong := ".visible .func (.param .b32 r) f() { st.param.b32 [r], 2; ret; }\n"
	weak := ".weak .func (.param .b32 r) f() { st.param.b32 [r], 1; ret; }\n"
	for _, bodies := range [][2]string{{strong, weak}, {weak, strong}} {
		text, _, err := Merge([]Unlinked{unlinked("a.ptx", bodies[0]), unlinked("b.ptx", bodies[1])})
		if err != nil {
			t.Fatal(err)
		}
		if s := string(text); !strings.Contains(s, "[r], 2") || strings.Contains(s, "[r], 1") {
			t.Errorf("%s", s)
		}
	}
}

// Whatever the texts are, a merge ends, with a text or an error.
func FuzzMerge(f *testing.F) {
	f.Add(mergeKernel, mergeFunctions)
	f.Add(".file 9999999 \"", ".section {")
	f.Add(".func {", ".global x = {")
	f.Fuzz(func(_ *testing.T, a, b string) { Merge([]Unlinked{{"a", []byte(a)}, {"b", []byte(b)}}) })
}

// Names of variables as a C++ compiler gives them: static ones stay apart, wherever they are.
func TestPrivateNames(t *testing.T) {
	for name, private := range map[string]bool{
		"counter": false, "_Z3fooi": false, "_ZN2ns5valueE": false, "_ZN2ns2L1E": false, "_ZN1A1LE": false, "_Z": false, "_ZN": false, "_ZN9": false, "_ZN3ab": false,
		"_ZL6hidden": true, "_ZN12_GLOBAL__N_17unnamedE": true, "_ZN2ns12_GLOBAL__N_11xE": true, "_ZN2nsL1xE": true, "_ZZL3runvE5count": true, "_ZZN2nsL3runEvE5count": true,
	} {
		if PrivateName(name) != private {
			t.Errorf("%s: %v", name, !private)
		}
	}
}
