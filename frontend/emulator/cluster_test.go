// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

// clusterRunOf runs a kernel of one warp a block with 64 words of output for each
// block, in clusters.
func clusterRunOf(t *testing.T, grid, cluster trace.Dim3, threads uint32, body string) ([]uint32, error) {
	t.Helper()
	d := NewDevice(Options{MaxInstructions: 1 << 22})
	k := kernelOf(t, d, "k.ptx", ".version 8.6\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 out) {\n"+
		".shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar; .reg .b64 %d<8>; .reg .b32 %r<32>; .reg .pred %p<8>; .reg .b16 %h<4>;\n"+
		"ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;\n"+
		"mov.u32 %r4, %ctaid.y; mov.u32 %r5, %nctaid.x; mov.u32 %r6, %ctaid.x; mad.lo.u32 %r4, %r4, %r5, %r6; mad.wide.u32 %d2, %r4, 256, %d1; mad.wide.u32 %d2, %r1, 4, %d2;\n"+
		body+"\n}\n", "k")
	words := int(grid.Count()) * 64
	out := upload(t, d, "out", make([]uint32, words))
	_, err := d.Launch(LaunchRequest{Kernel: k, Grid: grid, Block: dims(threads, 1), Cluster: cluster, Arguments: pack(out)})
	return download(t, d, out, words), err
}

// Every block of a cluster reads what every other one wrote, through mapa, behind
// the barrier of the cluster; a second barrier keeps memory alive.
func TestClustersShareTheirMemory(t *testing.T) {
	grid, cluster := trace.Dim3{X: 4, Y: 6, Z: 1}, trace.Dim3{X: 2, Y: 3, Z: 1}
	got, err := clusterRunOf(t, grid, cluster, 32, `
	mov.u32 %r7, tile; mad.lo.u32 %r8, %r1, 4, %r7; mad.lo.u32 %r9, %r4, 1000, %r1; st.shared.b32 [%r8], %r9;
	barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
	mov.u32 %r10, 0; mov.u32 %r11, 0;
NEXT: mapa.shared::cluster.u32 %r12, %r8, %r10; ld.shared::cluster.b32 %r13, [%r12]; add.u32 %r11, %r11, %r13;
	getctarank.shared::cluster.u32 %r14, %r12; setp.ne.u32 %p1, %r14, %r10; @%p1 trap;
	add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r3; @%p2 bra NEXT;
	st.global.b32 [%d2], %r11;
	mov.u32 %r15, %clusterid.x; mov.u32 %r16, %clusterid.y; mov.u32 %r17, %nclusterid.x; mad.lo.u32 %r15, %r16, %r17, %r15;
	mov.u32 %r16, %cluster_ctaid.y; mov.u32 %r17, %cluster_nctaid.x; mov.u32 %r18, %cluster_ctaid.x; mad.lo.u32 %r16, %r16, %r17, %r18;
	setp.ne.u32 %p1, %r16, %r2; @%p1 trap;
	mad.lo.u32 %r15, %r15, 100, %r2; st.global.b32 [%d2+128], %r15;
	barrier.cluster.arrive; barrier.cluster.wait;
	ret;`)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 6 {
		for x := range 4 {
			for lane := range 32 {
				sum := 0
				for dy := range 3 {
					for dx := range 2 {
						sum += ((y/3*3+dy)*4+x/2*2+dx)*1000 + lane
					}
				}
				at := (y*4+x)*64 + lane
				if got[at] != uint32(sum) {
					t.Fatalf("block (%d,%d) lane %d: %d, want %d", x, y, lane, got[at], sum)
				}
				if want := uint32((y/3*2+x/2)*100 + y%3*2 + x%2); got[at+32] != want {
					t.Fatalf("block (%d,%d): cluster and rank %d, want %d", x, y, got[at+32], want)
				}
			}
		}
	}
}

// Atomics in another block's memory, and a ring of mbarriers: each block waits for
// its neighbour before, whose thread arrives remotely.
func TestClustersArriveAtEachOthersMbarriers(t *testing.T) {
	got, err := clusterRunOf(t, dims(4, 1), dims(4, 1), 32, `
	setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; st.shared.b32 [tile], 0;
	fence.mbarrier_init.release.cluster;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	mov.u32 %r7, tile; mov.u32 %r8, 0; mapa.shared::cluster.u32 %r9, %r7, %r8; red.shared::cluster.add.u32 [%r9], 1;
	add.u32 %r10, %r2, 1; rem.u32 %r10, %r10, %r3; mov.u32 %r11, bar; mapa.shared::cluster.u32 %r12, %r11, %r10;
	setp.eq.u32 %p2, %r2, 0; @%p2 bra GO;
W:	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0; @!%p3 bra W;
GO:	mov.u32 %r13, %clock; st.global.b32 [%d2+128], %r13;
	@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	ld.shared::cluster.b32 %r14, [%r9]; st.global.b32 [%d2], %r14;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	ret;`)
	if err != nil {
		t.Fatal(err)
	}
	for block := range 4 {
		if got[block*64] != 128 {
			t.Errorf("block %d counts %d, want 128", block, got[block*64])
		}
		if block > 0 && got[block*64+32] <= got[(block-1)*64+32] {
			t.Errorf("block %d went on before block %d", block, block-1)
		}
	}
}

// One block loads for all: a multicast copy fills the memory of the blocks in the
// mask and completes the mbarrier of each.
func TestMulticastCopiesReachTheirBlocks(t *testing.T) {
	got, err := clusterRunOf(t, dims(4, 1), dims(4, 1), 32, `
	setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; mov.u32 %r7, tile; mad.lo.u32 %r7, %r1, 4, %r7; st.shared.b32 [%r7], 7;
	setp.eq.u32 %p2, %r2, 1; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
	mad.lo.u32 %r9, %r1, 3, 5; @%p2 st.global.b32 [%d2+128], %r9;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	and.pred %p3, %p1, %p2; mov.b16 %h1, 0xd; add.u64 %d3, %d2, 128;
	@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d3], 128, [bar], %h1;
	@%p2 bra END;
W:	mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;
END: ld.shared.b32 %r10, [%r7]; st.global.b32 [%d2], %r10;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	ret;`)
	if err != nil {
		t.Fatal(err)
	}
	for block := range 4 {
		for lane := range 32 {
			want := uint32(3*lane + 5)
			if block == 1 {
				want = 7
			}
			if got[block*64+lane] != want {
				t.Fatalf("block %d lane %d: %d, want %d", block, lane, got[block*64+lane], want)
			}
		}
	}
}

func TestClustersAreCheckedAsADebuggerWould(t *testing.T) {
	remote := "mov.u32 %r7, tile; add.u32 %r8, %r2, 1; rem.u32 %r8, %r8, %r3; mapa.shared::cluster.u32 %r9, %r7, %r8; "
	for _, c := range []struct {
		body   string
		kind   coexecution.FaultKind
		detail string
	}{
		{"setp.eq.u32 %p1, %r2, 1; @%p1 ret; L: nanosleep.u32 1; add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 9; @%p2 bra L;" + remote + "ld.shared::cluster.b32 %r10, [%r9]; ret;", coexecution.FaultUseAfterFree, "thread block 1 of the cluster has ended"},
		{remote + "ld.shared::cluster.b32 %r10, [%r9+2048]; ret;", coexecution.FaultOutOfBounds, "past the end of the thread block's shared memory"},
		{"mov.u32 %r7, tile; mapa.shared::cluster.u32 %r9, %r7, 2; ret;", coexecution.FaultOutOfBounds, "thread block 2 of a cluster of 2"},
		{"mov.u32 %r7, 0xc0000; ld.shared::cluster.b32 %r9, [%r7]; ret;", coexecution.FaultOutOfBounds, "no shared memory of a cluster of 2"},
		{"setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; W: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra W; ret;", coexecution.FaultEndless, "waits at line"},
	} {
		_, err := clusterRunOf(t, dims(2, 1), dims(2, 1), 32, c.body)
		if err == nil {
			t.Errorf("%s: no fault", c.body)
			continue
		}
		wantFault(t, err, c.kind, c.detail)
	}
	for size, want := range map[trace.Dim3]string{{X: 3, Y: 1, Z: 1}: "no multiple of the cluster", {X: 17, Y: 1, Z: 1}: "more than 16"} {
		if _, err := clusterRunOf(t, dims(4, 1), size, 32, "ret;"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", size, err, want)
		}
	}
}

// The records of blocks come in ascending order, whatever rows clusters have.
func TestClustersAreRecordedBlockByBlock(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", ".version 8.6\n.target sm_90\n.address_size 64\n.entry k() .reqnctapercluster 2, 2 { .reg .b32 %r; mov.u32 %r, %ctaid.x; barrier.cluster.arrive; barrier.cluster.wait; ret; }\n", "k")
	r := &blockOrder{}
	result, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(4, 4), Block: dims(64, 1), Recorder: r})
	if err != nil {
		t.Fatal(err)
	}
	if want := "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]"; fmt.Sprint(r.blocks) != want || result.ThreadBlocks != 16 || r.visits != 16*2*2 {
		t.Errorf("%v, %d blocks, %d visits", r.blocks, result.ThreadBlocks, r.visits)
	}
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(4, 4), Block: dims(64, 1), Cluster: dims(4, 1)}); err == nil || !strings.Contains(err.Error(), ".reqnctapercluster demands (2,2,1)") {
		t.Error(err)
	}
}

type blockOrder struct {
	blocks []uint64
	visits int
}

func (b *blockOrder) BeginBlock(block uint64)                  { b.blocks = append(b.blocks, block) }
func (b *blockOrder) Visit(int, uint32, uint32)                { b.visits++ }
func (b *blockOrder) Guard(int, uint32)                        {}
func (b *blockOrder) Access(int, uint32, *[32]uint64)          {}
func (b *blockOrder) AccessStrided(int, uint32, uint64, int64) {}
func (b *blockOrder) EndBlock() error                          { return nil }

// A thread block of a cooperative grid is a cluster of its own, as that of any launch without clusters
// (PTX ISA 2.2.2): its registers say so, its barrier waits for no other, and it maps no other's memory.
func TestBlocksOfACooperativeGridAreClustersOfOne(t *testing.T) {
	d := NewDevice(Options{})
	text := `.version 8.6
.target sm_90a
.address_size 64
.entry k(.param .u64 out)
{
	.shared .align 4 .b32 word; .reg .b64 %d<4>; .reg .b32 %r<16>; .reg .pred %p<3>;
	ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r4, %r3, 3, %r2; mad.wide.u32 %d1, %r4, 4, %d1;
	setp.eq.u32 %p1, %r4, 4; @!%p1 bra ON; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ON:	mov.u32 %r5, %clusterid.y; mov.u32 %r6, %nclusterid.x; mov.u32 %r7, %clusterid.x; mad.lo.u32 %r5, %r5, %r6, %r7;
	mov.u32 %r6, %cluster_nctarank; mad.lo.u32 %r5, %r6, 100, %r5; mov.u32 %r6, %cluster_ctarank; mad.lo.u32 %r5, %r6, 1000, %r5;
	mov.u32 %r6, %cluster_ctaid.x; mad.lo.u32 %r5, %r6, 1000, %r5; mov.u32 %r6, word; getctarank.shared::cluster.u32 %r8, %r6; mad.lo.u32 %r5, %r8, 1000, %r5;
	mapa.shared::cluster.u32 %r6, %r6, RANK; st.global.b32 [%d1], %r5; ret;
}
`
	launch := func(rank string) ([]uint32, error) {
		k := kernelOf(t, d, "k.ptx", strings.Replace(text, "RANK", rank, 1), "k")
		out := upload(t, d, "out", make([]uint32, 6))
		_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(3, 2), Block: dims(32, 1), Cooperative: true, Arguments: pack(out)})
		return download(t, d, out, 6), err
	}
	got, err := launch("0")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if want := uint32(100 + i); v != want {
			t.Errorf("thread block %d: %d, want %d", i, v, want)
		}
	}
	if _, err := launch("1"); err == nil || !strings.Contains(err.Error(), "mapa to thread block 1 of a cluster of 1") {
		t.Error(err)
	}
}

// A thread block of a cluster waits for another's store. That is no wait for ever while the other one counts in
// registers, in local or in shared memory. It is one when the other waits as well.
func TestWaitsWithinAClusterEndWhenTheOtherGoesOn(t *testing.T) {
	const wait = `
	mov.u32 %r7, tile; st.shared.b32 [tile], 0; st.shared.b32 [tile+4], 0; barrier.cluster.arrive; barrier.cluster.wait;
	setp.ne.u32 %p1, %r2, 0; @%p1 bra OTHER;
L: nanosleep.u32 1; ld.volatile.shared.b32 %r8, [tile]; setp.eq.u32 %p2, %r8, 0; @%p2 bra L; bra END;
OTHER: mov.u32 %r9, 0;
M: nanosleep.u32 1; `
	const store = `
	mapa.shared::cluster.u32 %r11, %r7, 0; mov.u32 %r12, 1; st.shared::cluster.b32 [%r11], %r12;
END: barrier.cluster.arrive; barrier.cluster.wait; ret;`
	for name, c := range map[string]struct {
		counts string
		ends   bool
	}{
		"registers": {"add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 100000; @%p3 bra M;", true},
		"local":     {".local .align 4 .b8 l[4]; ld.local.u32 %r9, [l]; add.u32 %r9, %r9, 1; st.local.u32 [l], %r9; setp.lt.u32 %p3, %r9, 100000; mov.u32 %r9, 0; @%p3 bra M;", true},
		"shared":    {"ld.volatile.shared.b32 %r9, [tile+4]; add.u32 %r9, %r9, 1; st.volatile.shared.b32 [tile+4], %r9; setp.lt.u32 %p3, %r9, 100000; mov.u32 %r9, 0; @%p3 bra M;", true},
		"nothing":   {"ld.volatile.shared.b32 %r9, [tile]; setp.eq.u32 %p3, %r9, 0; @%p3 bra M;", false},
	} {
		_, err := clusterRunOf(t, trace.Dim3{X: 2, Y: 1, Z: 1}, trace.Dim3{X: 2, Y: 1, Z: 1}, 32, wait+c.counts+store)
		var f *coexecution.Fault
		if endless := errors.As(err, &f) && f.Kind == coexecution.FaultEndless; endless == c.ends || c.ends && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
