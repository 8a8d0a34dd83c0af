// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
)

// maskRecorder keeps the lanes of each access.
type maskRecorder struct {
	discard
	masks []uint32
}

func (r *maskRecorder) Access(_ int, mask uint32, _ *[32]uint64) { r.masks = append(r.masks, mask) }

func (r *maskRecorder) AccessStrided(_ int, mask uint32, _ uint64, _ int64) {
	r.masks = append(r.masks, mask)
}

// wholeWarp has instructions that need all lanes of the warp to execute the same one, with
// what the kernel must do before.
var wholeWarp = map[string][2]string{
	"mma.sync": {"", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11}, {%r12}, {%f1, %f2, %f3, %f4}; mov.b32 %r3, %f1;"},
	"wmma": {"", `wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%r10, %r11}, {%r12, %r12},
		{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}; mov.b32 %r3, %a0;`},
	"movmatrix": {"", "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r10;"},
	"ldmatrix":  {"st.shared.b32 [%r15], %r10;", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r16];"},
	"stmatrix":  {"", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r16], {%r10}; ld.shared.b32 %r3, [%r15];"},
	"wgmma":     {"", "mov.b64 %d4, 0x800080000; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r10}, %d4, %p3, 1, 1; mov.b32 %r3, %f1;"},
}

// apartTogether is a kernel whose lanes come to the line on two paths, by two calls of
// the function that has it, or all on one.
func apartTogether(before, line string, apart bool) script {
	calls := "call (%r3), f, (%r0);"
	if apart {
		calls = "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN; " + calls + " bra JOIN; EVEN: " + calls + " JOIN:"
	}
	return script{target: "sm_90a", block: dims(128, 1), words: 128, body: calls + " st.global.u32 [%d0], %r3; ret;", declarations: `
.shared .align 1024 .b8 s[2048];
.func (.reg .b32 result) f(.reg .b32 x) {
	.reg .b32 %a<8>; .reg .f32 %f<8>; .reg .pred %p<16>; .reg .b32 %r<32>; .reg .b64 %d<8>;
	setp.eq.u32 %p3, x, x; mul.lo.u32 %r10, x, 0x10003; add.u32 %r11, %r10, 0x300020; xor.b32 %r12, %r10, 0x155;
	and.b32 %r14, x, 31; shl.b32 %r13, %r14, 2; mov.u32 %r15, s; add.u32 %r15, %r15, %r13;
	and.b32 %r14, %r14, 7; shl.b32 %r14, %r14, 4; mov.u32 %r16, s; add.u32 %r16, %r16, %r14;
	` + before + `
	` + line + `
	mov.b32 result, %r3; ret;
}`}
}

func TestInstructionsOfWholeWarpsTakeLanesFromTheirPaths(t *testing.T) {
	for name, c := range wholeWarp {
		one, two := apartTogether(c[0], c[1], false), apartTogether(c[0], c[1], true)
		want, got := one.run(t), two.run(t)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
	}
}

// Each path's record has the addresses of its own lanes.
func TestMatrixAccessesOfTwoPathsAreRecordedByPath(t *testing.T) {
	c := wholeWarp["ldmatrix"]
	masks := func(apart bool) (union uint32, records int) {
		r := &maskRecorder{}
		s := apartTogether(c[0], c[1], apart)
		s.block, s.recorder = dims(32, 1), r
		s.run(t)
		for _, m := range r.masks {
			union |= m
		}
		return union, len(r.masks)
	}
	_, one := masks(false)
	union, two := masks(true)
	if union != lanes.FullMask || two <= one {
		t.Errorf("%d records with the lanes of 0x%08x; %d where all lanes come together", two, union, one)
	}
}

func TestLanesThatDoNotComeToAMatrixInstructionAreNamed(t *testing.T) {
	for name, c := range wholeWarp {
		for _, test := range []struct{ other, want string }{
			{c[1], "executed by lanes 0-7 and waits for lanes 8-31 at line"}, // another one of the same kind
			{"bar.sync 1;", "executed by lanes 8-31 and waits for lanes 0-7"},
		} {
			s := apartTogether(c[0], `and.b32 %r9, x, 31; setp.lt.u32 %p4, %r9, 8; @%p4 bra OTHER; `+c[1]+` bra JOIN;
			OTHER: `+test.other+`
			JOIN: `, false)
			f := s.fault(t)
			if f.Kind != coexecution.FaultPartialWarp || !strings.Contains(f.Detail, test.want) || !strings.Contains(f.Detail, "takes all lanes of the warp") {
				t.Errorf("%s: %v, want %q", name, f, test.want)
			}
		}
	}
}

func TestAPredicateMustNotKeepLanesFromAMatrixInstruction(t *testing.T) {
	s := apartTogether("", "setp.lt.u32 %p4, x, 16; @%p4 movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r10;", false)
	if f := s.fault(t); f.Kind != coexecution.FaultPartialWarp || !strings.Contains(f.Detail, "executed by lanes 0-15 and waits for lanes 16-31 whose guard does not hold") {
		t.Error(f)
	}
}
