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
