// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/ptx"
)

func TestInvariantInstructions(t *testing.T) {
	cases := []struct{ what, body, want string }{
		{"parameters and what is computed of them", "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1; add.u64 %rd3, %rd2, 4; ret;", "ld cvta add"},
		{"threads' coordinates", "mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.y; mad.lo.u32 %r3, %r1, %r2, 1; setp.lt.u32 %p1, %r3, 7; ret;", "mov mov mad setp"},
		{"thread blocks' coordinates", "mov.u32 %r1, %ctaid.x; add.u32 %r2, %r1, 1; ret;", ""},
		{"clocks", "mov.u32 %r1, %clock; add.u32 %r2, %r1, 1; ret;", ""},
		{"memory", "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ret;", "ld"},
		{"parameters beyond the last one", "ld.param.u64 %rd1, [out+8]; ld.param.u64 %rd2, [n]; ld.param.u32 %r1, [out+2]; ret;", ""},
		{"guards", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r2, 1; ret;", "mov setp"},
		{"two writers", "mov.u32 %r1, 1; add.u32 %r2, %r1, 1; mov.u32 %r1, 2; ret;", ""},
		{"a register read before it is written", "add.u32 %r2, %r1, 1; mov.u32 %r1, 1; ret;", ""},
		{"a register that a path leads to past its writer", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L: add.u32 %r3, %r2, 1; ret;", "mov setp"},
		{"a register of one side only", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; add.u32 %r3, %r2, 1; L: ret;", "mov setp mov add"},
		{"a loop", "mov.u32 %r4, 0; L: mov.u32 %r1, %tid.x; add.u32 %r4, %r4, %r1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L; ret;", "mov"},
		{"a register that counts from itself", "L: add.u32 %r1, %r1, 1; bra L;", ""},
		{"a register that other lanes read", "mov.u32 %r1, %tid.x; shfl.sync.idx.b32 %r2, %r1, 3, 31, -1; mov.u32 %r3, %r1; ret;", ""},
		{"a writer that nothing leads to", "bra M; mov.u32 %r1, 1; M: add.u32 %r2, %r1, 1; ret;", ""},
		{"carries", "add.cc.u32 %r1, 1, 2; addc.u32 %r2, 1, 2; ret;", ""},
		{"an operand written further down", "bra M; L: add.u32 %r2, %r1, 1; ret; M: mov.u32 %r1, 1; bra L;", "mov add"},
	}
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			k := fromText(t, c.body)
			var got []string
			for _, i := range k.Invariants() {
				got = append(got, k.PTX.Body[i].Op.String())
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRegistersOfFunctionsAreNotInvariant(t *testing.T) {
	m, err := ptx.Parse("calls.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.func f() { .reg .b32 %r<3>; mov.u32 %r1, 1; ret; }
.entry k() { .reg .b32 %r<3>; mov.u32 %r1, %tid.x; call f; ret; }
`))
	if err != nil {
		t.Fatal(err)
	}
	k, err := Contaminate(m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if list := k.Invariants(); len(list) > 0 {
		t.Errorf("invariants %v in a kernel with functions", list)
	}
}
