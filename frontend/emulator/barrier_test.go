// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

func TestBarrierMakesStoresOfOtherWarpsVisible(t *testing.T) {
	s := script{block: dims(256, 1), options: Options{CheckShared: true}, body: `
		.shared .align 4 .b8 buffer[1024];
		mov.u32 %r5, buffer;
		mad.lo.u32 %r1, %r0, 4, %r5;
		st.shared.u32 [%r1], %r0;
		bar.sync 0;
		sub.u32 %r2, 255, %r0;
		mad.lo.u32 %r1, %r2, 4, %r5;
		ld.shared.u32 %r3, [%r1];
		st.global.u32 [%d0], %r3;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(255 - i) })
}

func TestProducersArriveAndConsumersWait(t *testing.T) {
	// Warp 0 waits at barrier 3 for warp 1, which goes on without waiting.
	s := script{block: dims(64, 1), words: 64, body: `
		.shared .align 4 .b8 buffer[128];
		mov.u32 %r5, buffer;
		setp.ge.u32 %p1, %r0, 32;
		and.b32 %r1, %r0, 31;
		mad.lo.u32 %r1, %r1, 4, %r5;
		@%p1 bra PRODUCE;
		bar.sync 3, 64;
		ld.shared.u32 %r2, [%r1];
		st.global.u32 [%d0], %r2;
		ret;
	PRODUCE:
		add.u32 %r2, %r0, 1000;
		st.shared.u32 [%r1], %r2;
		bar.arrive 3, 64;
		st.global.u32 [%d0], 1;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 32 {
			return uint32(1000 + 32 + i)
		}
		return 1
	})
}

func TestBarrierReductionsCountAllThreads(t *testing.T) {
	s := script{block: dims(96, 1), body: `
		setp.ge.u32 %p1, %r0, 90;
		bar.red.popc.u32 %r1, 0, %p1;
		bar.red.and.pred %p2, 1, %p1;
		bar.red.or.pred %p3, 2, %p1;
		bar.red.and.pred %p4, 1, !%p5;
		selp.u32 %r2, 100, 0, %p2;
		selp.u32 %r3, 1000, 0, %p3;
		selp.u32 %r4, 10000, 0, %p4;
		add.u32 %r1, %r1, %r2;
		add.u32 %r1, %r1, %r3;
		add.u32 %r1, %r1, %r4;
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(int) uint32 { return 6 + 1000 + 10000 })
}

func TestBarrierDoesNotWaitForWarpsThatEnded(t *testing.T) {
	s := script{block: dims(128, 1), body: `
		setp.ge.u32 %p1, %r0, 64;
		@%p1 exit;
		bar.sync 0;
		st.global.u32 [%d0], 5;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 64 {
			return 5
		}
		return 0
	})
}

func TestBarrierDivergenceInsideAWarpIsAFault(t *testing.T) {
	s := script{body: `setp.lt.u32 %p1, %r0, 8;
		@%p1 bra SKIP;
		bar.sync 0;
	SKIP:
		bar.sync 0;
		ret;`}
	f := s.fault(t)
	want := fmt.Sprintf("script.ptx:%d: barrier divergence by thread (0,0,0) of block (0,0,0) in kernel kernel: "+
		"8 of the warp's 32 live threads arrived at barrier 0 (mask 0x000000ff of 0xffffffff); all must take the same path to it", scriptLine+4)
	if f.Kind != coexecution.FaultBarrierDivergence || f.Error() != want {
		t.Errorf("fault\n%v, want\n%v", f, want)
	}
}

// An early return before a barrier, as compilers write it: a branch to the ret that all
// share, with or without something to do before it. Threads that leave are not waited for.
func TestThreadsThatReturnEarlyAreNotWaitedForAtABarrier(t *testing.T) {
	for _, target := range []string{"sm_30", "sm_60", "sm_70", "sm_80"} {
		for _, work := range []string{"", "st.global.u32 [%d0+512], 9;"} {
			s := script{target: target, block: dims(96, 1), words: 256, declarations: ".shared .align 4 .b8 sh[512];", body: `
				setp.ge.u32 %p1, %r0, 46;
				@%p1 bra RETURN;
				mov.u32 %r1, sh;
				mad.lo.u32 %r2, %r0, 4, %r1;
				st.shared.u32 [%r2], %r0;
				bar.sync 0;
				xor.b32 %r2, %r0, 1;
				mad.lo.u32 %r2, %r2, 4, %r1;
				ld.shared.u32 %r3, [%r2];
				st.global.u32 [%d0], %r3;
			RETURN:
				` + work + `
				ret;`}
			expect(t, s.run(t), func(i int) uint32 {
				switch {
				case i < 46:
					return uint32(i) ^ 1
				case work != "" && i >= 128 && i < 128+96:
					return 9
				}
				return 0
			})
		}
	}
}

func TestWarpsAtDifferentBarriersAreADeadlock(t *testing.T) {
	s := script{block: dims(64, 1), body: `setp.lt.u32 %p1, %r0, 32;
		@%p1 bra FIRST;
		bar.sync 1;
		ret;
	FIRST:
		bar.sync 2;
		ret;`}
	f := s.fault(t)
	want := fmt.Sprintf("script.ptx:%d: barrier divergence by thread (0,0,0) of block (0,0,0) in kernel kernel: "+
		"barrier 2 waits for all threads of the block and 32 have arrived, but every other warp of the block has ended or waits at another barrier", scriptLine+5)
	if f.Error() != want {
		t.Errorf("fault\n%v, want\n%v", f, want)
	}
}

func TestBarrierForMoreThreadsThanComeIsADeadlock(t *testing.T) {
	s := script{block: dims(64, 1), body: `bar.sync 1, 96; ret;`}
	if f := s.fault(t); f.Kind != coexecution.FaultBarrierDivergence {
		t.Errorf("fault %v, want a barrier divergence", f)
	}
}

func TestWarpsMustAgreeOnABarriersCount(t *testing.T) {
	s := script{block: dims(64, 1), body: `setp.lt.u32 %p1, %r0, 32;
		mov.u32 %r1, 64;
		@%p1 mov.u32 %r1, 32;
		add.u32 %r1, %r1, 32;
		bar.sync 1, %r1;
		ret;`}
	f := s.fault(t)
	if want := "barrier 1 was opened for 64 threads, this warp says 96 threads"; f.Detail != want {
		t.Errorf("detail %q, want %q", f.Detail, want)
	}
}

func TestUnalignedBarrierGathersTheWarpFromItsPaths(t *testing.T) {
	// Three paths of each warp meet at barrier 0, one of them directly before
	// the reconvergence point; eight lanes end without coming.
	s := script{block: dims(64, 1), options: Options{CheckShared: true}, body: `
		.shared .align 4 .b8 buffer[256];
		mov.u32 %r5, buffer;
		mad.lo.u32 %r6, %r0, 4, %r5;
		st.shared.u32 [%r6], %r0;
		and.b32 %r1, %r0, 31;
		setp.lt.u32 %p1, %r1, 8;
		setp.lt.u32 %p2, %r1, 16;
		setp.ge.u32 %p3, %r1, 24;
		mov.u32 %r2, 0;
		@%p1 bra FIRST;
		@%p2 bra SECOND;
		@%p3 bra LAST;
		barrier.sync 0;
		add.u32 %r2, %r2, 100;
		bra JOIN;
	LAST:
		ret;
	SECOND:
		barrier.sync 0;
		bra JOIN;
	FIRST:
		add.u32 %r2, %r2, 200;
		barrier.sync 0;
	JOIN:
		sub.u32 %r3, 63, %r0;
		mad.lo.u32 %r6, %r3, 4, %r5;
		ld.shared.u32 %r4, [%r6];
		add.u32 %r4, %r4, %r2;
		st.global.u32 [%d0], %r4;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		switch lane := i % 32; {
		case lane < 8:
			return uint32(63 - i + 200)
		case lane < 16:
			return uint32(63 - i)
		case lane < 24:
			return uint32(63 - i + 100)
		}
		return 0
	})
}

func TestUnalignedBarrierInADivergentLoopMeetsEveryRound(t *testing.T) {
	// Even and odd lanes wait on different lines, round after round.
	s := script{block: dims(64, 1), body: `
		.shared .align 4 .b8 counter[4];
		and.b32 %r1, %r0, 1;
		setp.eq.u32 %p1, %r1, 0;
		mov.u32 %r2, 0;
		setp.eq.u32 %p3, %r0, 0;
	LOOP:
		@%p1 bra EVEN;
		barrier.sync 1;
		bra NEXT;
	EVEN:
		@%p3 red.shared.add.u32 [counter], 1;
		barrier.sync 1;
		add.u32 %r3, %r3, 1;
	NEXT:
		ld.shared.u32 %r4, [counter];
		barrier.sync 0;
		add.u32 %r2, %r2, 1;
		setp.lt.u32 %p2, %r2, 5;
		@%p2 bra LOOP;
		mad.lo.u32 %r4, %r3, 100, %r4;
		st.global.u32 [%d0], %r4;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return []uint32{505, 5}[i%2] })
}

func TestThreadsOfAWarpAtTwoBarriersWaitForEver(t *testing.T) {
	s := script{body: `setp.lt.u32 %p1, %r0, 8;
		@%p1 bra OTHER;
		barrier.sync 1;
		ret;
	OTHER:
		barrier.sync 2;
		ret;`}
	for target, want := range map[string]string{
		"sm_60": "threads of the warp wait at barrier 1 for all threads of the block, others arrived at barrier 2 for all threads of the block",
		"sm_70": "barrier 2 waits for all threads of the block and 8 have arrived, but every other warp of the block has ended or waits at another barrier",
	} {
		s.target = target
		if f := s.fault(t); f.Detail != want {
			t.Errorf("%s: detail %q, want %q", target, f.Detail, want)
		}
	}
}

// wordRecorder keeps the words of accesses by warp.
type wordRecorder struct {
	discard
	words [2][]string
}

func (r *wordRecorder) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	if mask == 0 {
		r.words[warp] = append(r.words[warp], "nothing")
	} else {
		r.words[warp] = append(r.words[warp], fmt.Sprintf("%v, stride %d", trace.BarrierOf(base), stride))
	}
}

// Traces have the numbers of barriers, and of their threads, that are in registers; of
// immediates they have none (docs/trace-format.md, section 4.5).
func TestBarriersInRegistersAreInTheTrace(t *testing.T) {
	r := &wordRecorder{}
	s := script{block: dims(64, 1), recorder: r, body: `
		setp.ge.u32 %p1, %r0, 32;
		shr.u32 %r1, %r0, 5;
		add.u32 %r2, %r1, 5;
		add.u32 %r3, %r1, 4;
		mov.u32 %r4, 64;
		mov.u32 %r5, 9;
		bar.sync 1;
		@%p1 bra SECOND;
		bar.sync %r2, 64;
		bra JOIN;
	SECOND:
		bar.arrive %r3, 64;
		bra JOIN;
	JOIN:
		@%p1 bar.sync %r5, 32;
		barrier.sync 3, %r4;
		bar.red.popc.u32 %r1, %r5, %p1;
		ret;`}
	s.run(t)
	rest := []string{"barrier 3 for 64 threads, stride 0", "barrier 9 for all threads, stride 0"}
	for warp, want := range [][]string{
		append([]string{"barrier 5 for 64 threads, stride 0", "nothing"}, rest...),
		append([]string{"barrier 5 for 64 threads, stride 0", "barrier 9 for 32 threads, stride 0"}, rest...),
	} {
		if got := r.words[warp][2:]; !slices.Equal(got, want) { // two loads of parameters come first
			t.Errorf("warp %d: %q, want %q", warp, got, want)
		}
	}
}
