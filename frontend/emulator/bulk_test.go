// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

// mbarrierModel is an mbarrier by the words of 9.7.13.15: counts, and a phase that
// completes when no arrival and no byte is pending.
type mbarrierModel struct{ expected, pending, bytes, phase int }

func (m *mbarrierModel) settle() {
	if m.pending == 0 && m.bytes == 0 {
		m.pending = m.expected
		m.phase++
	}
}

// Random arrivals and transactions: after each, the parity wait on both parities and
// the count of pending arrivals are those of the model.
func TestMbarrierPhasesFollowTheirCounts(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := mbarrierModel{expected: 1 + r.IntN(5)}
		m.pending = m.expected
		body := fmt.Sprintf("mbarrier.init.shared.b64 [b], %d;\n", m.expected)
		var want []uint32
		for step := range 40 {
			pending, n, at := m.pending, 1+r.IntN(3), 4*step
			state := "" // taken before the operation, when there is one
			switch op := r.IntN(6); {
			case op == 0:
				body += fmt.Sprintf("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], %d;\n", 16*n)
				m.bytes += 16 * n
			case op == 1 && m.bytes != 0:
				body += fmt.Sprintf("mbarrier.complete_tx.shared.b64 [b], %d;\n", m.bytes)
				m.bytes = 0
			case op == 2:
				body += fmt.Sprintf("mbarrier.arrive.expect_tx.release.cta.shared.b64 %%s, [b], %d;\n", 32*n)
				state = "%s"
				m.bytes += 32 * n
				m.pending--
			case op == 3 && m.expected > 1 && m.pending > 0:
				body += "mbarrier.arrive_drop.shared.b64 %s, [b];\n"
				state = "%s"
				m.expected--
				m.pending--
			case m.pending > 0:
				n = 1 + r.IntN(m.pending)
				body += fmt.Sprintf("mbarrier.arrive.shared.b64 %%s, [b], %d;\n", n)
				state = "%s"
				m.pending -= n
			default: // only bytes are left
				body += fmt.Sprintf("mbarrier.complete_tx.shared.b64 [b], %d;\n", m.bytes)
				m.bytes = 0
			}
			if m.pending < 0 { // no thread was left to arrive
				t.Fatalf("seed %d step %d: the test's own arrivals exceed those expected", seed, step)
			}
			m.settle()
			body += "mbarrier.test_wait.parity.shared.b64 %p1, [b], 0; mbarrier.try_wait.parity.shared.b64 %p2, [b], 1, 1000;\n" +
				"selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 2, 0, %p2; or.b32 %r1, %r1, %r2;\n"
			v := uint32(1)
			if m.phase%2 == 0 {
				v = 2
			}
			if state != "" {
				body += "mbarrier.pending_count.b64 %r3, %s; shl.b32 %r3, %r3, 4; or.b32 %r1, %r1, %r3;\n"
				v |= uint32(pending) << 4
			}
			body += fmt.Sprintf("st.global.b32 [%%d1+%d], %%r1;\n", at)
			want = append(want, v)
			if m.pending == 0 { // so that the next step can arrive
				body += fmt.Sprintf("mbarrier.complete_tx.shared.b64 [b], %d;\n", m.bytes)
				m.bytes = 0
				m.settle()
			}
		}
		got, err := launchText(t, Options{}, ".entry k(.param .u64 out) {\n.shared .align 8 .b64 b; .reg .b64 %d<4>; .reg .b64 %s; .reg .b32 %r<8>; .reg .pred %p<4>;\nld.param.u64 %d1, [out];\n"+body+"ret;\n}", 1)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d step %d: %#x, want %#x", seed, i, got[i], want[i])
			}
		}
	}
}

// bulkRun runs one thread's script with a tile of 256 bytes and an mbarrier that
// one arrival completes. The script has 64 words of input at %d2 (1, 2, ...) and 64
// of output at %d1.
func bulkRun(t *testing.T, body string) ([]uint32, error) {
	t.Helper()
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", ".version 8.6\n.target sm_90a\n.address_size 64\n"+`.entry k(.param .u64 out, .param .u64 in) {
	.shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar; .reg .b64 %d<8>; .reg .b32 %r<16>; .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b64 %s;
	ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; mov.u32 %r9, %tid.x;
	mbarrier.init.shared.b64 [bar], 1;
`+body+"\nret;\n}", "k")
	input := make([]uint32, 64)
	for i := range input {
		input[i] = uint32(i + 1)
	}
	out, in := upload(t, d, "out", make([]uint32, 64)), upload(t, d, "in", input)
	_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(out, in)})
	return download(t, d, out, 64), err
}

const bulkWait = "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;\n"

func TestBulkCopiesMoveAndTellTheirBarrier(t *testing.T) {
	got, err := bulkRun(t, `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 144;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d2+16], 112, [bar];
	mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; selp.b32 %r1, 7, 0, %p2;
	cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [tile+128], [%d2], 32, [bar], 0;
`+bulkWait+`cp.async.bulk.prefetch.L2.global [%d2], 64;
	cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 160;
	cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
	st.global.b32 [%d1+252], %r1;`)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		want := uint32(0)
		switch {
		case i < 28:
			want = uint32(i + 5)
		case i >= 32 && i < 40:
			want = uint32(i - 31)
		}
		if v != want {
			t.Errorf("word %d is %d, want %d", i, v, want)
		}
	}
}

func TestBulkCopiesWithAMaskMoveSomeBytes(t *testing.T) {
	got, err := bulkRun(t, `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d2], 32, [bar];
`+bulkWait+`mov.b16 %h1, 0xf00f;
	cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d1], [tile], 32, %h1;`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{1, 0, 0, 4, 5, 0, 0, 8, 0}; fmt.Sprint(got[:9]) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got[:9], want)
	}
}

// Each reduction is applied to every element, as red would.
func TestBulkReductionsCombineElements(t *testing.T) {
	for _, c := range []struct {
		suffix string
		want   func(old, v uint32) uint32 // a word
	}{
		{"add.u32", func(a, b uint32) uint32 { return a + b }}, {"and.b32", func(a, b uint32) uint32 { return a & b }}, {"xor.b64", func(a, b uint32) uint32 { return a ^ b }},
		{"max.s32", func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }}, {"min.u32", func(a, b uint32) uint32 { return min(a, b) }},
		{"inc.u32", func(a, b uint32) uint32 {
			if a >= b {
				return 0
			}
			return a + 1
		}},
	} {
		got, err := bulkRun(t, `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d2], 32, [bar];
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+32], [%d2+64], 32, [bar];
`+bulkWait+`cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 32;
	cp.reduce.async.bulk.global.shared::cta.bulk_group.`+c.suffix+` [%d1], [tile+32], 32;`)
		if err != nil {
			t.Fatalf("%s: %v", c.suffix, err)
		}
		for i := range 8 {
			if want := c.want(uint32(i+1), uint32(i+17)); got[i] != want {
				t.Errorf("%s: word %d is %d, want %d", c.suffix, i, got[i], want)
			}
		}
	}
	got, err := bulkRun(t, `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d2], 32, [bar];
`+bulkWait+`mbarrier.expect_tx.shared.b64 [bar], 16;
	cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [tile], [tile+16], 16, [bar];
	mbarrier.expect_tx.shared.b64 [bar], 16;
	cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [tile+64], [tile], 16, [bar];
	cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile+64], 16;`)
	if err != nil || fmt.Sprint(got[:4]) != "[6 8 10 12]" {
		t.Errorf("%v %v", got[:4], err)
	}
}

func TestBulkCopiesAreCheckedAsADebuggerWould(t *testing.T) {
	copyOf := func(to, from, size string) string {
		return "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes " + to + ", " + from + ", " + size + ", [bar];"
	}
	for _, c := range []struct {
		body   string
		kind   coexecution.FaultKind
		detail string
	}{
		{copyOf("[tile]", "[%d2]", "24"), coexecution.FaultMisaligned, "its size is 24 bytes, which is no multiple of 16"},
		{copyOf("[tile]", "[%d2+8]", "16"), coexecution.FaultMisaligned, "a multiple of 16"},
		{copyOf("[tile+4]", "[%d2]", "16"), coexecution.FaultMisaligned, "a multiple of 16"},
		{copyOf("[tile]", "[%d2]", "512"), coexecution.FaultOutOfBounds, "past the end of buffer in"},
		{copyOf("[tile+144]", "[%d2]", "256"), coexecution.FaultOutOfBounds, "past the end of the thread block's shared memory"},
		{copyOf("[tile]", "[0]", "16"), coexecution.FaultNull, "never mapped"},
		{"mbarrier.expect_tx.shared.b64 [bar], 1048575; mbarrier.expect_tx.shared.b64 [bar], 16;", coexecution.FaultBarrierDivergence, "tx-count becomes 1048591"},
		{"mbarrier.inval.shared.b64 [bar]; " + copyOf("[tile]", "[%d2]", "16"), coexecution.FaultBarrierDivergence, "mbarrier.init has not made"},
		{"mbarrier.arrive.noComplete.release.cta.shared.b64 %s, [bar], 1;", coexecution.FaultBarrierDivergence, "with .noComplete completes the phase"},
		{"st.shared.b64 [tile], 0; mbarrier.arrive.shared.b64 %s, [tile];", coexecution.FaultBarrierDivergence, "mbarrier.init has not made"},
		{"mov.b16 %h1, 2; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d2], 16, [bar], %h1;", coexecution.FaultOutOfBounds, "thread block 1 of a cluster of 1"},
	} {
		_, err := bulkRun(t, c.body)
		if err == nil {
			t.Errorf("%s: no fault", c.body)
			continue
		}
		wantFault(t, err, c.kind, c.detail)
	}
}

// A copy brings fewer bytes than were expected: the error says which warp waits, and for what.
func TestAWaitForMissingBytesIsReported(t *testing.T) {
	_, err := bulkRun(t, `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d2], 48, [bar];
`+bulkWait)
	wantFault(t, err, coexecution.FaultEndless, "its phase 0 waits for 0 of 1 arrivals and 16 bytes")
}

// Four stages of a ring, filled by one thread and emptied by the others.
func TestBulkCopiesRunARing(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "k.ptx", ".version 8.6\n.target sm_90a\n.address_size 64\n"+`.entry k(.param .u64 out, .param .u64 in) {
	.shared .align 128 .b8 ring[512]; .shared .align 8 .b64 full[4]; .shared .align 8 .b64 empty[4];
	.reg .b64 %d<8>; .reg .b32 %r<24>; .reg .pred %p<8>;
	ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;
	mov.u32 %r2, full; mov.u32 %r3, empty; mov.u32 %r4, ring;
	mov.u32 %r5, 0;
INIT: shl.b32 %r6, %r5, 3; add.u32 %r7, %r2, %r6; add.u32 %r8, %r3, %r6;
	@%p1 mbarrier.init.shared.b64 [%r7], 1; @%p1 mbarrier.init.shared.b64 [%r8], 32;
	add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra INIT;
	fence.mbarrier_init.release.cluster; bar.sync 0;
	mov.u32 %r9, 0; mov.u32 %r10, 0;
	setp.ge.u32 %p3, %r1, 32; @%p3 bra CONSUME;
	@!%p1 bra END;
PRODUCE:
	and.b32 %r11, %r9, 3; shl.b32 %r12, %r11, 3; add.u32 %r13, %r2, %r12; add.u32 %r14, %r3, %r12;
	shr.u32 %r15, %r9, 2; not.b32 %r15, %r15; and.b32 %r15, %r15, 1;
EMPTY: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r14], %r15; @!%p4 bra EMPTY;
	mbarrier.arrive.expect_tx.shared.b64 _, [%r13], 128;
	shl.b32 %r16, %r11, 7; add.u32 %r16, %r16, %r4; mul.wide.u32 %d3, %r9, 128; add.u64 %d3, %d3, %d2;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r16], [%d3], 128, [%r13];
	add.u32 %r9, %r9, 1; setp.lt.u32 %p5, %r9, 11; @%p5 bra PRODUCE;
	bra END;
CONSUME:
	and.b32 %r11, %r9, 3; shl.b32 %r12, %r11, 3; add.u32 %r13, %r2, %r12; add.u32 %r14, %r3, %r12;
	shr.u32 %r15, %r9, 2; and.b32 %r15, %r15, 1;
FULL: mbarrier.try_wait.parity.shared.b64 %p4, [%r13], %r15; @!%p4 bra FULL;
	shl.b32 %r16, %r11, 7; add.u32 %r16, %r16, %r4; and.b32 %r17, %r1, 31; mad.lo.u32 %r16, %r17, 4, %r16;
	ld.shared.b32 %r18, [%r16]; add.u32 %r10, %r10, %r18;
	mbarrier.arrive.shared.b64 _, [%r14];
	add.u32 %r9, %r9, 1; setp.lt.u32 %p5, %r9, 11; @%p5 bra CONSUME;
	mad.wide.u32 %d1, %r17, 4, %d1; st.global.b32 [%d1], %r10;
END: ret;
}`, "k")
	input := make([]uint32, 11*32)
	for i := range input {
		input[i] = uint32(i * i)
	}
	out, in := upload(t, d, "out", make([]uint32, 32)), upload(t, d, "in", input)
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: 64, Y: 1, Z: 1}, Arguments: pack(out, in)}); err != nil {
		t.Fatal(err)
	}
	for lane, v := range download(t, d, out, 32) {
		want := uint32(0)
		for i := range 11 {
			want += input[32*i+lane]
		}
		if v != want {
			t.Errorf("lane %d: %d, want %d", lane, v, want)
		}
	}
	if !strings.Contains(strings.Join(k.Static().TimingDependent, ";"), "mbarrier") {
		t.Error("a kernel that waits for copies is not labelled")
	}
}
