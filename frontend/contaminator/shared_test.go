// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// The table says where variables of shared memory lie, as the machine has them: in their order,
// at their alignment, extern arrays behind. A name with two meanings is left out.
func TestTheTableSaysWhereSharedVariablesLie(t *testing.T) {
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n"
	for _, c := range []struct {
		name, text string
		want       []trace.SharedVariable
	}{
		{"two and an extern array", `.shared .align 4 .b8 a[12]; .shared .align 16 .b8 b[32]; .shared .b8 unused[64]; .extern .shared .align 32 .b8 more[];
.entry k() { .reg .b32 %r<4>; ld.shared.b32 %r1, [a]; st.shared.b32 [b+4], %r1; mov.b32 %r2, more; ret; }`,
			[]trace.SharedVariable{{Name: "a", Bytes: 12}, {Name: "b", Offset: 16, Bytes: 32}, {Name: "more", Offset: 64}}},
		{"the kernel's own", `.entry k() { .reg .b32 %r<4>; .shared .b32 own; .shared .align 8 .b64 other; st.shared.b32 [own], 1; st.shared.b64 [other], 1; ret; }`,
			[]trace.SharedVariable{{Name: "own", Bytes: 4}, {Name: "other", Offset: 8, Bytes: 8}}},
		{"none", `.global .b32 g; .entry k() { st.global.b32 [g], 1; ret; }`, nil},
		{"a name in a function as well", `.shared .b32 v; .shared .b32 w;
.func f() { .shared .b32 v; st.shared.b32 [v], 1; ret; }
.entry k() { st.shared.b32 [v], 2; st.shared.b32 [w], 3; call f; ret; }`,
			[]trace.SharedVariable{{Name: "w", Offset: 4, Bytes: 4}}},
		{"the name of a parameter", `.shared .b32 v; .shared .b32 w;
.func f(.param .b32 v) { .reg .b32 %r<2>; ld.param.b32 %r1, [v]; ret; }
.entry k() { .param .b32 p; st.param.b32 [p], 1; st.shared.b32 [v], 2; st.shared.b32 [w], 3; call f, (p); ret; }`,
			[]trace.SharedVariable{{Name: "w", Offset: 4, Bytes: 4}}},
	} {
		m, err := ptx.Parse("k.ptx", []byte(head+c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		k, err := Contaminate(m.Kernels[0])
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := k.Static.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !cmp.Equal(k.Static.SharedVariables, c.want) {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, k.Static.SharedVariables))
		}
	}
}
