// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"strconv"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// asyncPrologue readies an mbarrier in every block of a cluster and maps the next block's
// tile to %r20, its mbarrier to %r21.
const asyncPrologue = `
	setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; mad.lo.u32 %r7, %r1, 16, 0; mov.u32 %r8, tile; add.u32 %r7, %r7, %r8;
	add.u32 %r9, %r2, 1; rem.u32 %r9, %r9, %r3; mapa.shared::cluster.u32 %r20, %r7, %r9; mov.u32 %r8, bar; mapa.shared::cluster.u32 %r21, %r8, %r9;
	mad.lo.u32 %r10, %r2, 1000, %r1;
`

// Each block writes to the next one's memory, which waits for as many bytes.
func TestAsynchronousStoresTellTheirBytes(t *testing.T) {
	for _, c := range []struct {
		name, store string
		bytes       int
		want        func(from, lane uint32) uint32
	}{
		{"b32", "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r20], %r10, [%r21];", 4, func(from, lane uint32) uint32 { return 1000*from + lane }},
		{"v4", "add.u32 %r11, %r10, 7; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r20], {%r10, %r10, %r11, %r10}, [%r21];", 16, func(from, lane uint32) uint32 { return 2000*from + 2*lane + 7 }},
		{"v2.b64", "cvt.u64.u32 %d3, %r10; st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r20], {%d3, %d3}, [%r21];", 16, func(from, lane uint32) uint32 { return 2 * (1000*from + lane) }},
		{"generic", "cvt.u64.u32 %d3, %r20; cvta.shared.u64 %d3, %d3; cvt.u64.u32 %d4, %r21; cvta.shared.u64 %d4, %d4; st.async.mbarrier::complete_tx::bytes.f32 [%d3], 0f3f800000, [%d4];", 4,
			func(uint32, uint32) uint32 { return 0x3f800000 }},
	} {
		got, err := clusterRunOf(t, dims(6, 1), dims(3, 1), 32, asyncPrologue+`
	st.shared.v4.b32 [%r7], {0, 0, 0, 0};
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], `+strconv.Itoa(32*c.bytes)+`;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	`+c.store+`
W:	mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;
	ld.shared.v4.b32 {%r12, %r13, %r14, %r15}, [%r7]; add.u32 %r12, %r12, %r14; st.global.b32 [%d2], %r12;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	ret;`)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for block := range uint32(6) {
			for lane := range uint32(32) {
				if want := c.want((block+2)%3, lane); got[block*64+lane] != want {
					t.Fatalf("%s: block %d lane %d: %d, want %d", c.name, block, lane, got[block*64+lane], want)
				}
			}
		}
	}
}

// Lanes reduce into one word of the next block.
func TestAsynchronousReductionsTellTheirBytes(t *testing.T) {
	for operation, want := range map[string]func(from uint32) uint32{
		"add.u32": func(from uint32) uint32 { return 5 + 32*1000*from + 31*16 },
		"max.s32": func(from uint32) uint32 { return max(5, 1000*from+31) },
		"min.u32": func(from uint32) uint32 { return min(5, 1000*from) },
		"xor.b32": func(from uint32) uint32 {
			v := uint32(5)
			for lane := range uint32(32) {
				v ^= 1000*from + lane
			}
			return v
		},
		"inc.u32": func(from uint32) uint32 { // wraps at the lane's value
			v := uint32(5)
			for lane := range uint32(32) {
				if v >= 1000*from+lane {
					v = 0
				} else {
					v++
				}
			}
			return v
		},
	} {
		got, err := clusterRunOf(t, dims(3, 1), dims(3, 1), 32, asyncPrologue+`
	st.shared.b32 [tile], 5; mapa.shared::cluster.u32 %r20, tile, %r9;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.`+operation+` [%r20], %r10, [%r21];
W:	mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;
	ld.shared.b32 %r12, [tile]; st.global.b32 [%d2], %r12;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	ret;`)
		if err != nil {
			t.Fatalf("%s: %v", operation, err)
		}
		for block := range uint32(3) {
			if v := want((block + 2) % 3); got[block*64] != v {
				t.Errorf("%s: block %d: %d, want %d", operation, block, got[block*64], v)
			}
		}
	}
}

// Those that release write to global memory (sm_100).
func TestAsynchronousStoresThatReleaseWriteToGlobalMemory(t *testing.T) {
	s := script{target: "sm_100a", body: "st.async.release.gpu.global.u32 [%d0], 40; red.async.release.sys.global.add.u32 [%d0], %r0; ret;"}
	expect(t, s.run(t), func(i int) uint32 { return 40 + uint32(i) })
}

func TestAsynchronousStoresStayInTheirCluster(t *testing.T) {
	end := " barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;"
	for _, c := range []struct {
		blocks     uint32
		line, want string
	}{
		{1, "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r20], %r10, [%r21];", "needs a cluster of two thread blocks"},
		{2, "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r20], %r10, [%r8];", "both must be in one"},
		{2, "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7], %r10, [%r8];", "red.async writes to another block's"},
		{2, "st.async.mbarrier::complete_tx::bytes.b32 [%d1], %r10, [%d1];", "must be in shared memory"},
	} {
		_, err := clusterRunOf(t, dims(c.blocks, 1), dims(c.blocks, 1), 32, asyncPrologue+"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; "+c.line+end)
		wantFault(t, err, coexecution.FaultOutOfBounds, c.want)
	}
}
