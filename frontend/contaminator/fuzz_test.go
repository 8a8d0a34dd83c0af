// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// FuzzContaminate: any kernel that the parser accepts is contaminated without a
// panic, into segments whose references hold.
func FuzzContaminate(f *testing.F) {
	f.Add([]byte(".version 7.0\n.entry k() { L: bra L; }"))
	f.Add([]byte(".version 7.0\n.entry k() { .reg .pred %p; @%p exit; bar.sync 0; @!%p bra E; ret; E: }"))
	f.Add([]byte(".version 7.0\n.entry k() { .reg .b32 %r; .reg .b64 %d; mov.b64 %d, {%r, %r}; A: brx.idx %r, T; T: .branchtargets A, B; B: trap; }"))
	f.Add([]byte(".version 7.0\n.shared .b8 s[9]; .extern .shared .align 32 .b8 e[]; .entry k() { .reg .u32 %r; mov.u32 %r, e; ld.shared.u8 %r, [s+8]; exit; }"))
	f.Add([]byte(".version 7.0\n.func (.reg .u32 %o) f (.reg .u32 %i) { call (%o), f, (%i); } .global .u64 t[2] = {f, 0xFF(f)}; .entry k() { .reg .b64 %d; .reg .u32 %r; mov.u64 %d, f; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (%r), %d, (3), P; Q: .calltargets f; call (_), %d, (%r), Q; E: }"))
	f.Add([]byte(".version 7.0\n.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b); .func g(.param .align 8 .b8 s[24]) { .reg .b64 %d; mov.b64 %d, s; ld.param.b32 %d, [%d+4]; } .entry k() { { .param .align 8 .b8 a[24]; st.param.v2.b32 [a+8], {1, 2}; call.uni g, (a); } ret; }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ptx.Parse("fuzz.ptx", text)
		if err != nil {
			return
		}
		for _, k := range m.Kernels {
			if c, err := Contaminate(k); err == nil {
				checkStatic(t, c)
			}
		}
	})
}
