// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/dump"
	"github.com/warptape/warptape/trace/wtape"
)

// dumpedAt records a kernel and gives what a dump says of each execution that names one of the
// words, without the address and the line.
func dumpedAt(t *testing.T, body string, cluster trace.Dim3, words ...string) (list []string) {
	t.Helper()
	var b bytes.Buffer
	w, err := wtape.NewWriter(&b, "numbers", trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", ".version 8.6\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 in) {\n.shared .align 8 .b64 b[4]; .shared .align 128 .b8 tile[512]; .reg .b64 %d<8>; .reg .b32 %r<12>; .reg .b16 %h<2>; .reg .pred %p<6>;\nld.param.u64 %d1, [in];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %cluster_ctarank;\n"+body+"ret;\n}", "k")
	in := upload(t, d, "in", make([]uint32, 256))
	grid := dims(1, 1)
	if n := cluster.Count(); n > 0 {
		grid = dims(uint32(n), 1)
	}
	number, err := w.AddKernel(k.Static())
	if err != nil {
		t.Fatal(err)
	}
	block := trace.Dim3{X: 32, Y: 1, Z: 1}
	if _, err := w.BeginLaunch(trace.Launch{Kernel: number, Grid: grid, Block: block, Cluster: cluster}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: grid, Block: block, Cluster: cluster, Arguments: pack(in), Recorder: w}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := dump.Write(r, &out, dump.Options{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
			_, what, _ := strings.Cut(line, " lanes ")
			list = append(list, strings.TrimSpace(what))
		}
	}
	return list
}

// The trace has what lanes bring to mbarriers, from registers and as immediates, and what looks
// gave, also by generic addresses.
func TestATraceSaysWhatLanesBringToMbarriers(t *testing.T) {
	got := dumpedAt(t, `setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 7; mov.u32 %r4, b; add.u32 %r5, %r1, 1;
	@%p1 mbarrier.init.shared.b64 [b], %r3;
	@%p1 mbarrier.init.shared.b64 [b+8], 528;
	cvt.u64.u32 %d2, %r4; cvta.shared.u64 %d2, %d2; bar.sync 0;
	@%p1 mbarrier.arrive.shared.b64 %d3, [b], 2;
	@%p1 mbarrier.arrive_drop.b64 %d4, [%d2];
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [b], 48;
	@%p1 mbarrier.arrive_drop.expect_tx.shared.b64 _, [b], 16;
	@%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 32;
	@%p1 mbarrier.complete_tx.shared.b64 [b], 96;
	mbarrier.arrive.shared.b64 _, [b+8], %r5;
	mbarrier.test_wait.shared.b64 %p2, [b], %d3;
	mbarrier.try_wait.parity.shared.b64 %p2, [b+8], 0;
	mbarrier.try_wait.parity.b64 %p2, [%d2], 1;
	cp.async.mbarrier.arrive.noinc.shared.b64 [b+8];
	cp.async.mbarrier.arrive.shared.b64 [b+8];
	@%p1 mbarrier.inval.shared.b64 [b];
`, trace.Dim3{}, "mbarrier")
	var counts []string // of the lanes, from 1
	for i := range 32 {
		counts = append(counts, fmt.Sprintf("count %d", i+1))
	}
	same(t, got, []string{
		"00000001 address 0x0 count 7",
		"00000001 address 0x8 count 528",
		"00000001 address 0x0 count 2",
		"00000001 address 0x40000000 count 1",
		"00000001 address 0x0 48 bytes",
		"00000001 address 0x0 16 bytes",
		"00000001 address 0x0 32 bytes",
		"00000001 address 0x0 96 bytes",
		"ffffffff base 0x8 stride 0 " + strings.Join(counts, ", "),
		"ffffffff base 0x0 stride 0 phase of parity 0: not complete",
		"ffffffff base 0x8 stride 0 phase of parity 0: complete", // 528 have arrived
		"ffffffff base 0x40000000 stride 0 phase of parity 1: complete",
		"ffffffff base 0x8 stride 0 count 1",
		"ffffffff base 0x8 stride 0 count 1",
		"00000001 address 0x0",
	})
}

// Lanes in front of those that execute would have addresses below shared memory.
func TestNumbersOfLanesBehindOthersAreKept(t *testing.T) {
	got := dumpedAt(t, `setp.ge.u32 %p1, %r1, 28; mov.u32 %r4, b; sub.u32 %r5, %r1, 28; mad.lo.u32 %r4, %r5, 8, %r4; mov.u32 %r6, 5;
	@%p1 mbarrier.init.shared.b64 [%r4], 5;
	@%p1 mbarrier.arrive.shared.b64 _, [%r4], %r6;
	@%p1 mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;
`, trace.Dim3{}, "mbarrier")
	same(t, got, []string{
		"f0000000 base 0xffffffffffffff20 stride 8 count 5",
		"f0000000 base 0xffffffffffffff20 stride 8 count 5",
		"f0000000 base 0xffffffffffffff20 stride 8 phase of parity 0: complete",
	})
}

// Lanes that bring different numbers keep their addresses, in other thread blocks and in the
// generic window, too.
func TestNumbersThatDifferLeaveAddressesAlone(t *testing.T) {
	got := dumpedAt(t, `setp.eq.u32 %p2, %r2, 1; setp.lt.u32 %p4, %r1, 2; and.pred %p4, %p4, %p2; setp.lt.u32 %p1, %r1, 2;
	mov.u32 %r6, b; mad.lo.u32 %r8, %r1, 8, %r6; mov.u32 %r9, tile; mad.lo.u32 %r9, %r1, 4, %r9; add.u32 %r3, %r1, 1;
	@%p1 mbarrier.init.shared.b64 [%r8], 9;
	barrier.cluster.arrive; barrier.cluster.wait;
	mapa.shared::cluster.u32 %r7, %r8, 2; mapa.shared::cluster.u32 %r5, %r9, 2;
	@%p4 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7], %r3;
	@%p4 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5], %r1, [%r7];
	cvt.u64.u32 %d2, %r8; cvta.shared.u64 %d2, %d2;
	@%p4 mbarrier.arrive.b64 _, [%d2], %r3;
	barrier.cluster.arrive; barrier.cluster.wait;
`, trace.Dim3{X: 3, Y: 1, Z: 1}, "mbarrier.arrive", "st.async")
	var done []string
	for _, line := range got {
		if !strings.HasPrefix(line, "00000000") {
			done = append(done, line)
		}
	}
	same(t, done, []string{
		"00000003 base 0xc0000 stride 8 count 1, count 2",
		"00000003 base 0xc0080 stride 4 mbarrier 0x0, mbarrier 0x8",
		"00000003 base 0x40000000 stride 8 count 1, count 2",
	})
}

// Copies to several thread blocks name them, and stores to others their mbarrier; of a copy whose
// lanes complete several mbarriers the trace says so.
func TestATraceSaysWhereCopiesAndStoresComplete(t *testing.T) {
	got := dumpedAt(t, `setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 1; and.pred %p3, %p1, %p2; setp.lt.u32 %p4, %r1, 2; and.pred %p4, %p4, %p2;
	@%p1 mbarrier.init.shared.b64 [b], 1; @%p1 mbarrier.init.shared.b64 [b+8], 1;
	mov.u32 %r4, tile; mad.lo.u32 %r4, %r1, 4, %r4; mapa.shared::cluster.u32 %r5, %r4, 2; mov.u32 %r6, b; mapa.shared::cluster.u32 %r7, %r6, 2;
	mad.lo.u32 %r8, %r1, 8, %r6; mov.u32 %r9, tile; mad.lo.u32 %r9, %r1, 128, %r9; mov.b16 %h1, 5;
	barrier.cluster.arrive; barrier.cluster.wait;
	@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d1], 64, [b], %h1;
	@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%d1+256], 32, [%r8];
	@%p2 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5], %r1, [%r7+8];
	@%p2 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r1, [%r7];
	barrier.cluster.arrive; barrier.cluster.wait;
`, trace.Dim3{X: 3, Y: 1, Z: 1}, "cp.async.bulk", "st.async", "red.async")
	var done []string // by the one thread block that does them
	for _, line := range got {
		if !strings.HasPrefix(line, "00000000") {
			done = append(done, strings.ReplaceAll(line, "0xc0000000", "IN"))
		}
	}
	same(t, done, []string{
		"00000001 IN+64 mbarrier 0x0 tx 64 thread blocks 0005",
		"00000003 0xc0000100+32 x2 stride 0 mbarrier 0x8 tx 64, and other mbarriers",
		"ffffffff base 0xc0080 stride 4 mbarrier 0x8", // rank 2, tile behind four mbarriers
		"ffffffff base 0xc0080 stride 4 mbarrier 0x0",
	})
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("the trace has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A state names the phase in which it was given: with one arrival a phase, the second arrival's is of parity 1, and the third's of parity 0 again.
func TestAStateNamesThePhaseThatIsWaitedFor(t *testing.T) {
	got := dumpedAt(t, `setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [b], 1;
	bar.sync 0;
	@%p1 mbarrier.arrive.shared.b64 %d2, [b];
	@%p1 mbarrier.arrive.shared.b64 %d3, [b];
	@%p1 mbarrier.test_wait.shared.b64 %p2, [b], %d2;
	@%p1 mbarrier.test_wait.shared.b64 %p2, [b], %d3;
	@%p1 mbarrier.init.shared.b64 [b+8], 2;
	@%p1 mbarrier.arrive.shared.b64 %d2, [b+8], 2;
	@%p1 mbarrier.arrive.shared.b64 %d3, [b+8];
	@%p1 mbarrier.test_wait.shared.b64 %p2, [b+8], %d2;
	@%p1 mbarrier.test_wait.shared.b64 %p2, [b+8], %d3;
`, trace.Dim3{}, "test_wait")
	same(t, got, []string{
		"00000001 address 0x0 phase of parity 0: not complete", // two phases have passed
		"00000001 address 0x0 phase of parity 1: complete",
		"00000001 address 0x8 phase of parity 0: complete",
		"00000001 address 0x8 phase of parity 1: not complete",
	})
}
