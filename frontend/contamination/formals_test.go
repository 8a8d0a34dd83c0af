// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// Parameters and results may be registers (PTX ISA 7.1). A function that has none any more declares them as registers,
// each with its type, and a vector with its elements. One without a name is left out.
func TestFormalsThatAreRegistersAreDeclared(t *testing.T) {
	m, err := ptx.Parse("formals.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.func (.reg .b32 sum, .reg .f64 half) add(.reg .b32 a, .reg .b32 _, .reg .v2 .f32 pair, .reg .f64 last, .reg .v4 .b32 quad)
{
	.reg .f32 %f;
	add.u32 sum, a, quad.w;
	add.f32 %f, pair.x, pair.y;
	cvt.f64.f32 half, %f;
	add.f64 half, half, last;
	ret;
}
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r; .reg .f64 %g; .reg .b64 %d; .reg .v2 .f32 %v; .reg .v4 .b32 %q;
	ld.param.u64 %d, [p];
	mov.u32 %r, %tid.x;
	mov.f32 %v.x, 0f3F800000;
	mov.f32 %v.y, 0f40000000;
	mov.u32 %q.x, 1; mov.u32 %q.y, 2; mov.u32 %q.z, 3; mov.u32 %q.w, 4;
	mov.f64 %g, 0d3FF0000000000000;
	call (%r, %g), add, (%r, %r, %v, %g, %q);
	st.global.u32 [%d], %r;
	st.global.f64 [%d+8], %g;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	k, err := contaminator.Contaminate(m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	r, err := Rewrite([]*contaminator.Kernel{k}, Options{Mode: Segments, Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ptx.Parse("again.ptx", r.Text); err != nil {
		t.Error(err)
	}
	for _, want := range []string{".reg .b32 sum;", ".reg .f64 half;", ".reg .b32 a;", ".reg .v2 .f32 pair;", ".reg .f64 last;", ".reg .v4 .b32 quad;"} {
		if n := strings.Count(string(r.Text), want); n != 1 {
			t.Errorf("%q is there %d times", want, n)
		}
	}
	if strings.Contains(string(r.Text), " _;") {
		t.Error("a register without a name is declared")
	}
}
