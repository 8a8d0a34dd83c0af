// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// A product of warpgroups reads its sums where scale-d says, or may say, that it adds to them
// (9.7.15.5.2); other destinations are not read.
func TestReadsAreThoseOfTheISA(t *testing.T) {
	const sums = "%f0 %f1 %f2 %f3"
	for text, want := range map[string]string{
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, %p1, 1, 1, 0, 0;":                  sums + " %d1 %d2 %p1",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;":                    sums + " %d1 %d2",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 0, 1, 1, 0, 0;":                    "%d1 %d2",
		"@%p2 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, %d2, 0, 1, 1, 0;": "%p2 %r1 %r2 %r3 %r4 %d2",
		"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, %r1, 0, 1, 1, 1, 0, 0;":         sums + " %d1 %d2 %r1",
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3}, {%f0, %f1, %f2, %f3};":     "%r1 %r2 %r3 " + sums,
		"@!%p1 ld.global.v2.u32 {%r1, %r2}, [%d1+8];":                                                                         "%p1 %d1",
		"@%p1 atom.global.add.u32 %r1, [%d1], %r2;":                                                                           "%p1 %d1 %r2",
		"st.global.u32 [%d1], %r1;": "%d1 %r1",
	} {
		m, err := ptx.Parse("reads.ptx", []byte(".version 8.6\n.target sm_90a\n.address_size 64\n.entry k() { .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .f32 %f<4>;\n"+text+"\nret; }\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		Reads(&m.Kernels[0].Body[0], func(r *ptx.Register) { got = append(got, r.Name) })
		list := strings.Fields(want)
		slices.Sort(list)
		slices.Sort(got)
		if !slices.Equal(got, list) {
			t.Errorf("%s reads %q, want %q", text, got, list)
		}
	}
}
