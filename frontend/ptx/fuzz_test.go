// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"os"
	"testing"
)

// FuzzParse: whatever the text, Parse returns; either a module whose every
// instruction has a form and whose every operand is complete, or errors with
// places in the text.
func FuzzParse(f *testing.F) {
	for _, file := range []string{
		"testdata/reference/saxpy.sm70.ptx", "testdata/reference/transpose.sm30.ptx", "testdata/nvcc-style/modern.ptx",
		"testdata/nvcc-style/ptx14.ptx", "testdata/errors/module.ptx",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(".version 7.0\n.entry k() { .reg .b32 %r<4294967295>; mov.b32 %r4294967294, {%r1, %r2}; ret; }"))
	f.Add([]byte(".version 7.0\n.global .b8 a[1099511627776][1] = {{1},{2}};"))
	f.Add([]byte(".version 7.0\n.entry k() {{{{{ }}"))
	f.Add([]byte(".version 7.0\n.entry k() { l: .branchtargets m<4096>; brx.idx %r1, l; }"))
	f.Add([]byte(".version 7.0\n.func (.reg .u32 %o) f (.reg .u32 %i) { call (%o), f, (%i); } .global .u64 t[2] = {f, 0xFF(f)}; .entry k() { .reg .b64 %d; .reg .u32 %r; mov.u64 %d, f; P: .callprototype (.param .b32 _) _ (.param .b32 _); @!%q call (%r), %d, (3), P; Q: .calltargets f; call (_), %d, (%r), Q; E: }"))
	f.Add([]byte(".version 7.0\n.func (.reg .u32 %o) f (.reg .u32 %i) { call (%o), f, (%i); } .global .u64 t[2] = {f, 0xFF(f)}; .entry k() { .reg .b64 %d; .reg .u32 %r; mov.u64 %d, f; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (%r), %d, (3), P; Q: .calltargets f; call (_), %d, (%r), Q; E: }"))
	f.Add([]byte(".version 7.0\n.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b); .func g(.param .align 8 .b8 s[24]) { .reg .b64 %d; mov.b64 %d, s; ld.param.b32 %d, [%d+4]; } .entry k() { { .param .align 8 .b8 a[24]; st.param.v2.b32 [a+8], {1, 2}; call.uni g, (a); } ret; }"))
	f.Add([]byte("/* never closed"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("fuzz.ptx", text)
		if err != nil {
			checkErrors(t, err)
			return
		}
		for _, k := range m.Kernels {
			for i := range k.Body {
				checkInstruction(t, k, &k.Body[i])
			}
		}
	})
}

func checkErrors(t *testing.T, err error) {
	t.Helper()
	list, ok := AsErrorList(err)
	if !ok || len(list) == 0 {
		t.Fatalf("not a list of errors: %v", err)
	}
	for _, e := range list {
		if e.Line < 1 || e.Column < 1 || e.Message == "" || len(e.Message) > 4096 {
			t.Errorf("error without a place or with too much text: %v", e)
		}
	}
}

func checkInstruction(t *testing.T, k *Kernel, in *Instruction) {
	t.Helper()
	if in.Form() == nil {
		t.Fatalf("%v: no form", in.Position)
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		switch {
		case o.Kind == OperandNone:
			t.Fatalf("%v: operand %d is empty", in.Position, i)
		case o.Kind == OperandLabel && (o.Label == nil || o.Label.Index > len(k.Body)):
			t.Fatalf("%v: unresolved label", in.Position)
		case o.Kind == OperandRegister && k.Registers[o.Register.Index] != o.Register:
			t.Fatalf("%v: a register that the kernel does not have", in.Position)
		}
	}
	if Format(in) == "" {
		t.Fatalf("%v: not printable", in.Position)
	}
}
