// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// pointed is a kernel whose second and third parameters point to constant memory, as OpenCL's do: the
// sum of a weighed row of each, of the module's own table and of a generic load.
func pointed(t *testing.T, load string) run {
	t.Helper()
	m, err := ptx.Parse("pointed.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b32 own[4] = {100, 200, 300, 400};
.entry pointed(.param .u64 out, .param .u64 .ptr .const .align 4 first, .param .u64 .ptr .const .align 4 second)
{
	.reg .b64 %d<10>; .reg .b32 %r<10>; .reg .pred %p<3>;
	ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 40, %r1; mad.wide.u32 %d1, %r1, 4, %d1;
	`+load+` ld.param.u64 %d3, [second];
	and.b32 %r2, %r1, 3; mul.wide.u32 %d4, %r2, 4; add.u64 %d5, %d2, %d4; setp.gt.u32 %p1, %r2, 1; ld.const.b32 %r3, [%d5]; @%p1 bra ON;
	add.u64 %d5, %d3, %d4; ld.const.b32 %r4, [%d5+8]; mad.lo.u32 %r3, %r4, 10, %r3;
ON:	mov.u64 %d6, own; add.u64 %d6, %d6, %d4; ld.const.b32 %r5, [%d6]; add.u32 %r3, %r3, %r5; cvta.const.u64 %d7, %d3; ld.b32 %r6, [%d7]; mad.lo.u32 %r3, %r6, 1000, %r3;
	st.global.b32 [%d1], %r3; ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	words := func(n int, start uint32) (b []byte) {
		for i := range uint32(n) {
			b = binary.LittleEndian.AppendUint32(b, start+i)
		}
		return b
	}
	return run{module: m, kernel: "pointed", grid: trace.Dim3{X: 2, Y: 1, Z: 1}, block: trace.Dim3{X: 40, Y: 1, Z: 1},
		buffers: [][]byte{make([]byte, 320), words(70, 1), words(9, 5)}, constants: []int{1, 2}}
}

// Parameters that point to constant memory, on the project's device and on one whose addresses only
// the text tells.
func TestPointersToConstantsAreRecordedAlike(t *testing.T) {
	r := pointed(t, "ld.param.u64 %d2, [first];")
	for _, mode := range []contamination.Mode{contamination.Straight, contamination.Segments} {
		for _, foreign := range []bool{false, true} {
			d := open(t, nativecoexecutor.Options{Mode: mode, Foreign: foreign})
			r.compare(t, d)
			_, after, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint32(80) {
				want := 1 + i&3 + 100*(1+i&3) + 5000
				if i&3 <= 1 {
					want += 10 * (5 + i&3 + 2)
				}
				if got := binary.LittleEndian.Uint32(after[0][4*i:]); got != want {
					t.Fatalf("thread %d: %d, want %d", i, got, want)
				}
			}
		}
	}
}

// Buffers larger than what a module has in constant memory, places without a buffer, and loads of a
// part of a pointer are told.
func TestWrongPointersToConstantsAreSaid(t *testing.T) {
	const whole = "ld.param.u64 %d2, [first];"
	large := pointed(t, whole)
	large.buffers[1] = make([]byte, 40<<10)
	large.buffers[2] = make([]byte, 40<<10)
	d := open(t, nativecoexecutor.Options{})
	if _, _, err := large.record(t, emulator.Options{Coexecutor: d.Coexecutor}); err == nil || !strings.Contains(err.Error(), "parameter second: its 40960 bytes and those of other parameters are more than") {
		t.Error(err)
	}
	none := pointed(t, whole)
	none.constants = []int{1}
	if _, _, err := none.record(t, emulator.Options{Coexecutor: d.Coexecutor}); err == nil || !strings.Contains(err.Error(), "parameter second points to no buffer in constant memory") {
		t.Error(err)
	}
	part := pointed(t, "ld.param.v2.u32 {%r7, %r8}, [first]; mov.b64 %d2, {%r7, %r8};")
	k, err := contaminator.Contaminate(part.module.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := contamination.Check(contamination.Straight, k); err == nil || !strings.Contains(err.Error(), "parameter first points to constant memory, and is not loaded as a whole to a register") {
		t.Error(err)
	}
}
