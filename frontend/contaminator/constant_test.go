// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

func constantParams(t *testing.T, text string) []string {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(".version 8.0\n.target sm_80\n.address_size 64\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := Contaminate(m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	return names(k)
}

func names(k *Kernel) []string {
	var list []string
	for i, is := range k.ConstantParams() {
		if is {
			list = append(list, k.PTX.Params[i].Name)
		}
	}
	return list
}

func TestPointersToConstantsAreFound(t *testing.T) {
	for body, want := range map[string]string{
		"ld.param.u64 %d1, [a]; ld.const.u32 %r1, [%d1];":                                                                                                                           "a",
		"ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; add.s64 %d3, %d1, 4; selp.b64 %d4, %d3, %d2, %p; ld.const.u32 %r1, [%d4]; ":                                                  "a b",
		"ld.param.v2.u64 {%d1, %d2}, [a]; ld.const.u32 %r1, [%d2]; ld.global.u32 %r2, [%d1];":                                                                                       "b",
		"mov.u64 %d3, a; ld.param.u64 %d1, [%d3+8]; mad.wide.u32 %d4, %r1, 4, %d1; ld.const.u32 %r1, [%d4];":                                                                        "b",
		"mov.u64 %d5, depot; ld.param.u64 %d1, [a]; st.local.u64 [%d5+8], %d1; ld.param.u64 %d2, [b]; st.local.u64 [%d5], %d2; ld.local.u64 %d3, [%d5+8]; ld.const.u32 %r1, [%d3];": "a",
		"ld.param.u64 %d1, [a]; cvta.const.u64 %d2, %d1; ld.u32 %r1, [%d2];":                                                                                                        "a",
		"ld.param.u64 %d1, [a]; cvta.to.global.u64 %d2, %d1; ld.global.u64 %d3, [%d2]; ld.const.u32 %r1, [%d3];":                                                                    "",
		"ld.param.u64 %d1, [a]; ld.global.u32 %r1, [%d1]; mov.u64 %d1, table; ld.const.u32 %r1, [%d1];":                                                                             "",
		"ld.param.u64 %d1, [a]; ld.const.u32 %r1, [table+4]; ld.global.u32 %r1, [%d1];":                                                                                             "",
		"ld.param.u64 %d1, [b]; { .param .b64 x; .param .b64 y; st.param.b64 [x], %d1; call (y), pass, (x); ld.param.b64 %d2, [y]; } ld.const.u32 %r1, [%d2];":                      "b",
		"ld.param.u64 %d1, [a]; call (%d2), passed, (%d1); ld.const.u32 %r1, [%d2]; ld.param.u64 %d3, [b]; ld.global.u32 %r1, [%d3];":                                               "a",
	} {
		text := ".const .b32 table[4];\n.func (.param .b64 r) pass(.param .b64 p) { .reg .b64 %x; ld.param.b64 %x, [p]; add.s64 %x, %x, 8; st.param.b64 [r], %x; ret; }\n.func (.reg .b64 r) passed(.reg .b64 p) { mov.b64 r, p; ret; }\n" +
			".entry k(.param .u64 a, .param .u64 b, .param .u64 .ptr .global c) { .reg .b64 %d<8>; .reg .b32 %r<4>; .reg .pred %p; .local .align 8 .b8 depot[16];\n" + body + "\nret; }\n"
		if got := strings.Join(constantParams(t, text), " "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if got := fmt.Sprint(constantParams(t, ".entry k(.param .u64 .ptr .const .align 4 a, .param .u64 .ptr b, .param .u64 .ptr .const c) { ret; }")); got != "[a c]" {
		t.Errorf("declared: %s", got)
	}
}

// CUDA gives kernels no pointers to constants.
func TestTheCatalogueHasNoPointersToConstants(t *testing.T) {
	files, err := filepath.Glob("../../traces/*/*.ptx")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	constants := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, kernel := range m.Kernels {
			k, err := Contaminate(kernel)
			if err != nil {
				t.Fatal(err)
			}
			if list := names(k); len(list) > 0 {
				t.Errorf("%s: %s takes %v", file, kernel.Name, list)
			}
			if slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return addressIn(&in, ptx.SpaceConst) != nil }) {
				constants++
			}
		}
	}
	if constants == 0 {
		t.Error("no kernel of the catalogue reads constants through a register")
	}
}
