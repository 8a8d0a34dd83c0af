// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"strings"
	"testing"
)

// mbarrierRaces runs a body on two warps with mbarriers full, which one arrival completes, and empty, which
// 32 complete. %p1 is thread 0, %p2 the first warp; %d8 is the input in global memory.
func mbarrierRaces(t *testing.T, body string) (races int, err error) {
	t.Helper()
	s := &script{target: "sm_90", block: dims(64, 1), input: make([]uint32, 64), options: Options{CheckRaces: true}, body: `.shared .align 16 .b8 s[512]; .shared .align 8 .b64 full; .shared .align 8 .b64 empty;
		setp.eq.u32 %p1, %r0, 0; setp.lt.u32 %p2, %r0, 32; shl.b32 %r1, %r0, 2; xor.b32 %r3, %r1, 128; mov.u32 %r4, s; add.u32 %r1, %r1, %r4; add.u32 %r3, %r3, %r4;
		@%p1 mbarrier.init.shared.b64 [full], 1; @%p1 mbarrier.init.shared.b64 [empty], 32; bar.sync 0;
` + body}
	_, err = s.launch(t)
	if err != nil {
		races = strings.Count(err.Error(), " race: ")
	}
	return races, err
}

// An mbarrier orders what arrives there before who waits there, and a bulk copy before who waits for
// the mbarrier that it completes, or for its group. Nothing else orders a copy, not even a barrier.
func TestMbarriersOrderAccesses(t *testing.T) {
	const (
		waitFull  = "F%s: mbarrier.try_wait.parity.shared.b64 %%p3, [full], 0; @!%%p3 bra F%s;\n"
		waitEmpty = "E: mbarrier.try_wait.parity.shared.b64 %p3, [empty], 0; @!%p3 bra E;\n"
		copyIn    = "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], 256; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d2], 256, [full];\n"
		copyOut   = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d2], [s], 256;\n"
		read      = "ld.shared.u32 %r5, [%r3];\n"
	)
	full := func(label string) string { return strings.NewReplacer("%s", label, "%%", "%").Replace(waitFull) }
	for _, c := range []struct {
		name, body string
		races      int
	}{
		{"a copy and who waits for it", copyIn + full("1") + read + "ret;", 0},
		{"a copy and who does not", copyIn + read + "ret;", 1},
		{"a copy and who meets its warp at a barrier", copyIn + "bar.sync 0;\n" + read + "ret;", 1},
		{"a copy behind a store, without a barrier", "@!%p2 st.shared.u32 [%r1], 1;\n" + copyIn + "ret;", 1},
		{"a copy behind a store and a barrier", "@!%p2 st.shared.u32 [%r1], 1; bar.sync 0;\n" + copyIn + "ret;", 0},
		{"a copy behind its own warp's store", "@%p1 st.shared.u32 [%r1], 1;\n" + copyIn + "ret;", 0},
		{"one warp produces, one consumes", "@!%p2 bra C;\nst.shared.u32 [%r1], 1; bar.warp.sync -1; @%p1 mbarrier.arrive.shared.b64 _, [full]; ret;\nC:\n" + full("2") + read + "ret;", 0},
		{"one that does not wait", "@!%p2 bra C;\nst.shared.u32 [%r1], 1; bar.warp.sync -1; @%p1 mbarrier.arrive.shared.b64 _, [full]; ret;\nC:\n" + read + "ret;", 1},
		{"one that arrives before it stores", "@!%p2 bra C;\n@%p1 mbarrier.arrive.shared.b64 _, [full]; st.shared.u32 [%r1], 1; ret;\nC:\n" + full("3") + read + "ret;", 1},
		{"an arrival that orders nothing", "@!%p2 bra C;\nst.shared.u32 [%r1], 1; bar.warp.sync -1; @%p1 mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [full]; ret;\nC:\n" + full("4") + read + "ret;", 1},
		{"a store behind who has read", "@!%p2 bra C;\n" + waitEmpty + "st.shared.u32 [%r1], 1; ret;\nC:\n" + read + "mbarrier.arrive.shared.b64 _, [empty]; ret;", 0},
		{"another copy behind who has read", "@!%p2 bra C;\n" + copyIn + waitEmpty +
			"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d2], 256, [full]; ret;\nC:\n" + full("5") + read + "mbarrier.arrive.shared.b64 _, [empty]; ret;", 0},
		{"another copy too soon", "@!%p2 bra C;\n" + copyIn +
			"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d2], 256, [full]; ret;\nC:\n" + full("6") + read + "mbarrier.arrive.shared.b64 _, [empty]; ret;", 1},
		{"two copies to one place", copyIn + "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d2], 256, [full]; ret;", 1},
		{"a copy out and a store", copyOut + "@%p1 st.shared.u32 [%r1], 1; ret;", 1},
		{"a copy out, waited for, and a store", copyOut + "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group.read 0; @%p1 st.shared.u32 [%r1], 1; ret;", 0},
		{"a copy out in a group that may be under way", copyOut + "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group.read 1; @%p1 st.shared.u32 [%r1], 1; ret;", 1},
		{"a copy out in the group before", copyOut + "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group.read 1; @%p1 st.shared.u32 [%r1], 1; ret;", 0},
		{"a copy out, waited for, and a store behind a barrier", copyOut + "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group.read 0; bar.sync 0; st.shared.u32 [%r1], 1; ret;", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if n, err := mbarrierRaces(t, c.body); n != c.races || n == 0 && err != nil {
				t.Errorf("%d races, want %d: %v", n, c.races, err)
			}
		})
	}
}

// The four warps of a warpgroup read the factors of a product together: one of them arrives at the
// mbarrier for all.
func TestAWarpgroupReadsTogether(t *testing.T) {
	const product = `mov.b64 %d4, 0x800080000; setp.eq.u32 %p3, %r0, %r0; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r20, %r21, %r22, %r23}, {%r10, %r11, %r12, %r10}, %d4, %p3, 1, 1; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
`
	for _, c := range []struct {
		name, arrive string
		races        int
	}{
		{"its first warp arrives", "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.arrive.shared.b64 _, [full];", 0},
		{"its last warp arrives", "setp.eq.u32 %p1, %r0, 96; @%p1 mbarrier.arrive.shared.b64 _, [full];", 0},
	} {
		s := &script{target: "sm_90a", block: dims(160, 1), options: Options{CheckRaces: true}, body: `.shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 full;
			setp.eq.u32 %p1, %r0, 0; setp.ge.u32 %p2, %r0, 128; mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0;
			@%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0;
			@%p2 bra S;
` + product + c.arrive + `ret;
S: mbarrier.try_wait.parity.shared.b64 %p3, [full], 0; @!%p3 bra S;
			and.b32 %r1, %r0, 31; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], 1; ret;`}
		_, err := s.launch(t)
		n := 0
		if err != nil {
			n = strings.Count(err.Error(), " race: ")
		}
		if n != c.races || n == 0 && err != nil {
			t.Errorf("%s: %d races, want %d: %v", c.name, n, c.races, err)
		}
	}
}
