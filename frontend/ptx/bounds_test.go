// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// Parameters have 32,764 bytes of space at most (PTX ISA, Kernel Function Parameters).
func TestParametersFillTheirSpace(t *testing.T) {
	text := func(elements int) []byte {
		return fmt.Appendf(nil, ".version 8.1\n.target sm_70\n.address_size 64\n.entry k(.param .align 4 .b32 a[%d]) { ret; }", elements)
	}
	if m, err := Parse("full.ptx", text(32764/4)); err != nil || m.Kernels[0].Params[0].Bytes != 32764 {
		t.Errorf("parameters of 32,764 bytes: %v", err)
	}
	if _, err := Parse("more.ptx", text(32764/4+1)); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("parameters of 32,768 bytes: %v", err)
	}
}

// Warpgroup products have n from 8 to 256 in steps of 8 (PTX ISA, wgmma.mma_async).
func TestShapesOfWarpgroupsHaveTheirBounds(t *testing.T) {
	for _, c := range []struct {
		text string
		n, k int
	}{{"m64n8k16", 8, 16}, {"m64n256k16", 256, 16}, {"m64n248k8", 248, 8}, {"m64n0k16", 0, 0}, {"m64n264k16", 0, 0}, {"m64n12k16", 0, 0}, {"m64n08k16", 0, 0}, {"m32n8k16", 0, 0}} {
		n, k, ok := warpgroupShape(c.text)
		if ok != (c.n > 0) || ok && (n != c.n || k != c.k) {
			t.Errorf("%s: %d, %d, %v", c.text, n, k, ok)
		}
	}
}

// Metadata of a sparse product lie in one lane of four, in two, or in all (PTX ISA, mma.sp: the sparsity
// selector goes to 3, to 1, or is zero).
func TestMetadataLieInAsManyLanesAsTheSelectorSays(t *testing.T) {
	for form, want := range map[string]int{
		"m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3,%r4}, {%f1,%f2,%f3,%f4}, %r5, 0":                   1,
		"m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3,%r4}, {%f1,%f2,%f3,%f4}, %r5, 0":                  1,
		"m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%f1,%f2,%f3,%f4}, %r5, 0":   2,
		"m16n8k16.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%f1,%f2,%f3,%f4}, %r5, 0": 2,
		"m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r3,%r4}, {%r1,%r2,%r3,%r4}, %r5, 0":                     2,
		"m16n8k64.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, %r5, 0":     4,
		"m16n8k64.row.col.s32.s4.s4.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r3,%r4}, {%r1,%r2,%r3,%r4}, %r5, 0":                     2,
		"m16n8k128.row.col.s32.u4.u4.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, %r5, 0":    4,
	} {
		m := moduleFor(t, "8.1", "sm_80", "mma.sp.sync.aligned."+form+";")
		if got := m.Kernels[0].Body[0].MetadataLanes(); got != want {
			t.Errorf("%s: %d lanes of four, want %d", form, got, want)
		}
	}
}
