// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// meeting is a kernel of two warps whose lanes take several paths: %r0 is the thread, %p1 says that
// it is even, the result is %r3. Each path stores it where the results before it lead.
func meeting(t testing.TB, body string) run {
	m, err := ptx.Parse("meeting.ptx", []byte(`.version 8.0
.target sm_90
.address_size 64
.func (.reg .u32 r) exchange(.reg .u32 a) {
	.reg .u32 %t; .reg .pred %q;
	and.b32 %t, a, 1; setp.eq.u32 %q, %t, 0; @%q bra EVEN;
	shfl.sync.bfly.b32 r, a, 1, 31, -1; add.u32 r, r, 100; bra DONE;
EVEN: shfl.sync.bfly.b32 r, a, 3, 31, -1;
DONE: ret;
}
.entry meeting(.param .u64 out)
{
	.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<4>; .shared .align 4 .b8 tile[256]; .local .align 4 .b8 own[8];
	ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d2, %r0, 4, %d1; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;
	mul.lo.u32 %r2, %r0, 5; mov.u32 %r3, 0; mov.u32 %r5, 0; mov.u32 %r7, tile; mad.lo.u32 %r7, %r0, 4, %r7; st.local.u32 [own], %r2; st.shared.u32 [%r7], %r2;
`+body+`
END: ld.shared.u32 %r8, [%r7]; add.u32 %r3, %r3, %r8; and.b32 %r9, %r3, 63; mad.wide.u32 %d3, %r9, 4, %d1; st.global.u32 [%d2], %r3; ld.global.u32 %r8, [%d3]; ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	return run{module: m, kernel: "meeting", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 256)}}
}

// Lanes on several paths that wait for each other, by segments, where each path is a launch.
func TestLanesThatMeetAreRecordedAlike(t *testing.T) {
	bodies := map[string]string{
		"two instructions": `@%p1 bra EVEN;
	mov.u32 %r4, %r2; shfl.sync.bfly.b32 %r3, %r4, 1, 31, -1; add.u32 %r3, %r3, 1000; st.shared.u32 [%r7], %r3; bra END;
EVEN: ld.local.u32 %r6, [own]; shfl.sync.bfly.b32 %r3, %r6, 1, 31, -1; st.local.u32 [own+4], %r3; st.shared.u32 [%r7], %r6;`,
		"behind the join": `@%p1 bra JOIN;
	shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; add.u32 %r3, %r3, 1000; mov.u32 %r5, 1;
JOIN: setp.ne.u32 %p2, %r5, 0; @%p2 bra END;
	shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;`,
		"short circuit": `@%p1 bra BODY;
	mov.u32 %r5, 1000; setp.lt.u32 %p2, %r0, 64; @!%p2 bra END;
BODY: shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; add.u32 %r3, %r3, %r5;`,
		"several in a segment": `@%p1 bra EVEN;
	shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; vote.sync.ballot.b32 %r4, %p1, 0xaaaaaaaa; st.shared.u32 [%r7], %r4; match.any.sync.b32 %r5, %r0, -1; add.u32 %r3, %r3, %r5; bra END;
EVEN: shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; mov.u32 %r6, 0x55555555; shfl.sync.up.b32 %r4, %r3, 2, 0, %r6; add.u32 %r3, %r3, %r4; match.any.sync.b32 %r5, %r3, -1; add.u32 %r3, %r3, %r5;`,
		"with guards": `and.b32 %r6, %r0, 31; setp.ge.u32 %p2, %r6, 8; setp.gt.u32 %p3, %r6, 3; @%p1 bra EVEN;
	@%p2 redux.sync.add.u32 %r3, %r2, 0xaaaaaa00; @%p3 redux.sync.max.u32 %r4, %r2, 0xfffffff0; bra END;
EVEN: @%p3 redux.sync.max.u32 %r3, %r2, 0xfffffff0;`,
		"in a function":  "call (%r3), exchange, (%r2);",
		"round a loop":   "AGAIN: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p1 bra EVEN;\n\tshfl.sync.idx.b32 %r4, %r3, 2, 31, -1; add.u32 %r3, %r3, %r4; @%p2 bra AGAIN; bra END;\nEVEN: shfl.sync.idx.b32 %r4, %r2, 1, 31, -1; xor.b32 %r3, %r3, %r4; @%p2 bra AGAIN;",
		"a warp barrier": "@%p1 bra EVEN;\n\tbar.warp.sync -1; st.shared.u32 [%r7], 7; bar.warp.sync -1; bra END;\nEVEN: bar.warp.sync -1; bar.warp.sync -1; ld.shared.u32 %r3, [%r7+4];",
	}
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(bodies)), tracetest.Fewer(1, 2)) {
		t.Run(name, func(t *testing.T) {
			r := meeting(t, bodies[name])
			r.compare(t, open(t, nativecoexecutor.Options{}))
			r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
		})
	}
	r := spaces(t)
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// Lanes that wait for some which do not come are told as the interpreter tells them.
func TestLanesThatDoNotMeetAreSaid(t *testing.T) {
	r := meeting(t, "@!%p1 bra END; setp.lt.u32 %p2, %r0, 8; @%p2 shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0x55555555;")
	_, _, want := r.record(t, emulator.Options{})
	_, _, got := r.record(t, emulator.Options{Coexecutor: open(t, nativecoexecutor.Options{Mode: contamination.Segments}).Coexecutor})
	if want == nil || got == nil || !strings.Contains(got.Error(), "waits for") || got.Error() != want.Error() {
		t.Errorf("%v, want %v", got, want)
	}
}
