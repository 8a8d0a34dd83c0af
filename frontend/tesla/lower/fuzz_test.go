// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// FuzzLower lowers bodies of kernels. None ends otherwise than with a program or an error.
// A program does what the emulator does, unless the kernel's result is not given: threads
// race, or it reads what no thread has written.
func FuzzLower(f *testing.F) {
	for i, body := range []string{
		"", "bar.sync 0;", "mov.u32 %r4, %ctaid.z; st.shared.u32 [%r2], %r4;",
		"setp.lt.u32 %p0, %r0, 9; @%p0 bra a; neg.s32 %r4, %r0; st.shared.u32 [%r2], %r4; a: bar.sync 0;",
		"mov.u32 %r4, 5; a: sub.u32 %r4, %r4, 1; setp.ne.u32 %p0, %r4, 0; @%p0 bra a; st.shared.u32 [%r2], %r4;",
		"ld.shared.s32 %r4, [%r2]; shr.s32 %r4, %r4, 3; min.s32 %r5, %r4, %r0; setp.gt.s32 %p1, %r5, 7; selp.b32 %r5, %r4, %r5, %p1; st.shared.u32 [%r2], %r5;",
		"mov.u32 %r4, %tid.y; mad.lo.u32 %r4, %r4, 77, %r0; st.shared.u32 [m+4], %r4; exit;",
		"add.f32 %r1, %r2, %r3;", "bra a; a: @%p1 bra a;",
	} {
		f.Add(body, uint8(i))
	}
	f.Fuzz(func(t *testing.T, body string, how uint8) {
		at := shapes[int(how)%len(shapes)]
		text := fmt.Sprintf(prologue, "", clearing+body, "")
		m, err := ptx.Parse("k.ptx", []byte(text))
		if err != nil || len(m.Kernels) != 1 || len(m.Kernels[0].Params) != 2 {
			return
		}
		program, err := Kernel(m.Kernels[0], Launch{at.grid, at.block, []uint32{11, 22}})
		if err != nil {
			return
		}
		want, err := emulate(withDump(clearing+body), at, 11, 22)
		if err != nil {
			return // a fault, or too long
		}
		r, err := execute(program, 4<<(how%5))
		if err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		if len(r.Dependences) > 0 || ends(m.Kernels[0]) {
			return
		}
		if got := r.Shared[0][:len(want)]; !slices.Equal(got, want) {
			t.Fatalf("%+v: the machine has\n%v, the emulator\n%v\n%s\n%s", at, got, want, body, program)
		}
	})
}

// ends reports whether a kernel may end before its last instruction, and so before the
// emulator's would store what it leaves.
func ends(k *ptx.Kernel) bool {
	return slices.ContainsFunc(k.Body[:len(k.Body)-1], func(in ptx.Instruction) bool { return in.Op == ptx.OpExit || in.Op == ptx.OpRet })
}

// FuzzLowerText lowers whole texts: there is a program, which assembles, or an error.
func FuzzLowerText(f *testing.F) {
	f.Add(fmt.Sprintf(prologue, "", clearing, ""))
	f.Add(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ptx.Parse("k.ptx", []byte(text))
		if err != nil {
			return
		}
		one := trace.Dim3{X: 1, Y: 1, Z: 1}
		for _, k := range m.Kernels {
			program, err := Kernel(k, Launch{one, one, make([]uint32, min(len(k.Params), 2))})
			if err != nil {
				continue
			}
			if _, err := execute(program, 8); err != nil && len(program) == 0 {
				t.Fatal(err)
			}
		}
	})
}
