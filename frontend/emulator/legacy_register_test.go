// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// A function takes and gives vectors of registers: the reversed elements of a vector, weighed.
func TestVectorsOfRegistersArePassed(t *testing.T) {
	s := script{declarations: `.func (.reg .v2 .b32 out) turned(.reg .v4 .u16 in, .reg .b32 more)
{ .reg .b32 %t<4>; cvt.u32.u16 %t0, in.w; cvt.u32.u16 %t1, in.z; mad.lo.u32 out.x, %t1, 256, %t0; cvt.u32.u16 %t0, in.y; cvt.u32.u16 %t1, in.x; mad.lo.u32 %t0, %t1, 256, %t0; add.u32 out.y, %t0, more; ret; }
`, words: 64, body: `.reg .v4 .u16 v; .reg .v2 .b32 w; .reg .b64 %f; cvt.u16.u32 v.x, %r0; add.u16 v.y, v.x, 1; add.u16 v.z, v.x, 2; add.u16 v.w, v.x, 3;
	call (w), turned, (v, %r0); st.global.b32 [%d0], w.x; mov.u64 %f, turned;
	P: .callprototype (.reg .v2 .b32 _) _ (.reg .v4 .u16 _, .reg .b32 _); call (w), %f, (v, 7), P; st.global.b32 [%d0+128], w.y; ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i >= 32 {
			return uint32(256*(i-32) + i - 32 + 1 + 7)
		}
		return uint32(256*(i+2) + i + 3)
	})
}

// Registers that a module declares are each kernel's own; functions have none of them.
func TestRegistersOfAModuleAreEachKernels(t *testing.T) {
	const declared = ".reg .u32 %kept; .reg .v2 .b32 %pair<2>;\n"
	s := script{declarations: declared, words: 64, body: "add.u32 %kept, %r0, 5; mov.b32 %pair1.x, %kept; mul.lo.u32 %pair1.y, %kept, 3; st.global.b32 [%d0], %pair1.y; st.global.b32 [%d0+128], %kept; ret;"}
	expect(t, s.run(t), func(i int) uint32 {
		if i >= 32 {
			return uint32(i - 32 + 5)
		}
		return uint32(3 * (i + 5))
	})
	_, err := ptx.Parse("shared.ptx", []byte(ptxHeader+declared+".func f() { mov.u32 %kept, 1; ret; }\n"))
	if err == nil || !strings.Contains(err.Error(), "register %kept is declared outside of functions, which share none") {
		t.Error(err)
	}
}

// Bytes of addresses, also of generic ones and of places behind a variable's begin.
func TestBytesOfAddressesInInitialValues(t *testing.T) {
	s := script{declarations: `.global .align 8 .b8 place[32];
.global .align 8 .u8 parts[16] = {0xFF(generic(place)+5), 0xFF00(generic(place)+5), 0xFF0000(generic(place)+5), 0xFF000000(generic(place)+5), 0xFF00000000(generic(place)+5), 0, 0, 0, 0xFF(place+6), 0xFF00(place), 0xFF0000(place), 0xFF000000(place)};
`, words: 64, body: `.reg .b64 %x<4>; mov.u64 %x0, parts; ld.global.u64 %x1, [%x0]; mov.u64 %x2, place; cvta.global.u64 %x2, %x2; sub.u64 %x1, %x1, %x2; cvt.u32.u64 %r1, %x1; st.global.b32 [%d0], %r1;
	ld.global.u32 %r1, [%x0+8]; mov.u64 %x2, place; cvt.u32.u64 %r2, %x2; sub.u32 %r1, %r1, %r2; st.global.b32 [%d0+128], %r1; ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(5 + i/32) })
}
