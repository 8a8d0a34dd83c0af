// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"strings"
	"testing"
)

// A vector is its registers, in every operand that takes a list of them; colours
// are other names of the same registers.
func TestVectorsAreTheirRegisters(t *testing.T) {
	m := mustParse(t, `.version 8.0
.target sm_80
.address_size 64
.global .texref picture;
.entry k() {
	.reg .v4 .f32 v, %c<2>; .reg .v2 .b32 %pair<3>; .reg .b64 %d<2>; .reg .v4 .u16 %short;
	ld.global.v4.f32 v, [%d0];
	st.global.v4.f32 [%d0], %c1;
	tex.2d.v4.f32.f32 %c0, [picture, %pair2];
	mov.b64 %d1, %pair1;
	mov.b64 %pair0, %d1;
	mov.v4.f32 v, %c0;
	mov.v4.u16 %short, %tid;
	mov.v2.u32 %pair0, %nctaid;
	add.f32 v.r, v.g, %c1.w;
	cvt.u32.u32 %pair0.y, %ctaid.w;
	{ .reg .v2 .f32 v; mov.f32 v.y, %c1.a; }
	mov.f32 v.b, v.a;
	ret;
}`)
	want := []string{
		"ld.global.v4.f32 {v.x, v.y, v.z, v.w}, [%d0];",
		"st.global.v4.f32 [%d0], {%c1.x, %c1.y, %c1.z, %c1.w};",
		"tex.2d.v4.f32.f32 {%c0.x, %c0.y, %c0.z, %c0.w}, [picture, {%pair2.x, %pair2.y}];",
		"mov.b64 %d1, {%pair1.x, %pair1.y};",
		"mov.b64 {%pair0.x, %pair0.y}, %d1;",
		"mov.v4.f32 {v.x, v.y, v.z, v.w}, {%c0.x, %c0.y, %c0.z, %c0.w};",
		"mov.v4.u16 {%short.x, %short.y, %short.z, %short.w}, {%tid.x, %tid.y, %tid.z, 0};",
		"mov.v2.u32 {%pair0.x, %pair0.y}, {%nctaid.x, %nctaid.y};",
		"add.f32 v.x, v.y, %c1.w;",
		"cvt.u32.u32 %pair0.y, 0;",
		"mov.f32 v.y, %c1.w;",
		"mov.f32 v.z, v.w;",
	}
	k := m.Kernels[0]
	for i, w := range want {
		if got := Format(&k.Body[i]); got != w {
			t.Errorf("%s, want %s", got, w)
		}
	}
	if inner, outer := k.Body[10].Operands[0].Register, k.Body[5].Operands[0].Elements[1].Register; inner == outer {
		t.Error("an inner vector has the registers of an outer one")
	}
	seen := make(map[*Register]bool)
	for i, r := range k.Registers {
		if seen[r] || r.Index != i || r.Type != F32 && strings.HasPrefix(r.Name, "v") {
			t.Errorf("register %d is %+v", i, r)
		}
		seen[r] = true
	}
}
