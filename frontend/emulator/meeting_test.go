// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

func TestMembersOfAMaskMeetWhereverTheyAre(t *testing.T) {
	for name, body := range map[string]string{
		// Each side of a branch has an instruction of its own.
		"two instructions": `and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; mul.lo.u32 %r2, %r0, 5;
			@%p1 bra EVEN;
			mov.u32 %r4, %r2; shfl.sync.bfly.b32 %r3, %r4, 1, 31, -1; add.u32 %r3, %r3, 1000; bra JOIN;
		EVEN: shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
		JOIN: st.global.u32 [%d0], %r3; ret;`,
		// Lanes that wait for the others to reconverge go on to their instruction.
		"behind the join": `and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; mul.lo.u32 %r2, %r0, 5; mov.u32 %r5, 0;
			@%p1 bra JOIN;
			shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; add.u32 %r3, %r3, 1000; mov.u32 %r5, 1;
		JOIN: setp.ne.u32 %p2, %r5, 0; @%p2 bra END;
			shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
		END: st.global.u32 [%d0], %r3; ret;`,
		// Those of a short circuit come to one instruction on two ways.
		"short circuit": `and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; mul.lo.u32 %r2, %r0, 5; mov.u32 %r5, 0;
			@%p1 bra BODY;
			mov.u32 %r5, 1000; setp.lt.u32 %p2, %r0, 64; @!%p2 bra END;
		BODY: shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; add.u32 %r3, %r3, %r5;
		END: st.global.u32 [%d0], %r3; bar.warp.sync -1; ret;`,
	} {
		s := script{body: body}
		expect(t, s.run(t), func(i int) uint32 { return uint32(5*(i^1) + i%2*1000) })
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestVotesAndMatchesAndReductionsTakeOtherPathsIn(t *testing.T) {
	for _, c := range []struct {
		even, odd string
		want      func(i int) uint32
	}{
		{"vote.sync.ballot.b32 %r3, %p3, -1;", "vote.sync.ballot.b32 %r3, %p4, -1;", func(int) uint32 { return 0x55555555&0xffff | 0xaaaa0000 }},
		{"match.any.sync.b32 %r3, %r4, -1;", "match.any.sync.b32 %r3, %r5, -1;", func(i int) uint32 { return 0x01010101 << (i % 8) }},
		{"redux.sync.add.u32 %r3, %r4, -1;", "redux.sync.add.u32 %r3, %r5, -1;", func(int) uint32 { return 4 * 28 }},
		{"elect.sync %r3|%p5, -1;", "elect.sync %r3|%p6, -1;", func(int) uint32 { return 0 }},
	} {
		s := script{body: `and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; and.b32 %r4, %r0, 7; and.b32 %r5, %r0, 7;
			setp.lt.u32 %p3, %r0, 16; setp.ge.u32 %p4, %r0, 16;
			@%p1 bra EVEN;
			mov.u32 %r4, 99;
			` + c.odd + ` bra JOIN;
		EVEN: mov.u32 %r5, 77; ` + c.even + `
		JOIN: st.global.u32 [%d0], %r3; ret;`}
		expect(t, s.run(t), c.want)
	}
}

func TestEachMemberMaskHasAnExchangeOfItsOwn(t *testing.T) {
	// As programs aggregate atomics: peers by match, then a reduction over the peers.
	s := script{words: 96, body: `and.b32 %r1, %r0, 3;
		match.any.sync.b32 %r2, %r1, -1;
		redux.sync.add.u32 %r3, %r0, %r2;
		setp.lt.u32 %p1, %r0, 9;
		vote.sync.ballot.b32 %r4, %p1, %r2;
		elect.sync %r5|%p2, %r2;
		st.global.u32 [%d0], %r3; st.global.u32 [%d0+128], %r4; st.global.u32 [%d0+256], %r5; ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		lane := i % 32
		switch i / 32 {
		case 0:
			return uint32(8*(lane%4) + 4*28)
		case 1:
			return 0x11111111 << (lane % 4) & 0x1ff
		}
		return uint32(lane % 4)
	})
}

func TestMembersThatEndedAreNotWaitedFor(t *testing.T) {
	s := script{body: `setp.lt.u32 %p1, %r0, 8; setp.lt.u32 %p2, %r0, 20; mov.u32 %r1, 1;
		@%p1 bra GONE;
		@%p2 bra ON;
		redux.sync.add.u32 %r2, %r1, -1;
		bra STORE;
	ON: redux.sync.add.u32 %r2, %r1, -1;
	STORE: st.global.u32 [%d0], %r2; ret;
	GONE: st.global.u32 [%d0], 7; exit;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 8 {
			return 7
		}
		return 24
	})
}

func TestLanesThatDoNotComeAreNamed(t *testing.T) {
	body := `setp.lt.u32 %p1, %r0, 8; setp.eq.u32 %p2, %r0, 30;
		@%p1 bra OTHER;
		@%p2 exit;
		shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;
		ret;
	OTHER:
		vote.sync.ballot.b32 %r2, %p1, 0x800000ff;
		ret;`
	s := script{body: body}
	f := s.fault(t)
	want := fmt.Sprintf("vote.sync.ballot.b32 with member mask 0x800000ff is executed by lanes 0-7 and waits for lane 31 at line %d (shfl, basic block 2)", scriptLine+3)
	if f.Kind != coexecution.FaultMemberMask || f.Line != scriptLine+6 || f.Detail != want {
		t.Errorf("%v, want %q", f, want)
	}
	s = script{target: "sm_60", body: body}
	f = s.fault(t)
	if f.Kind != coexecution.FaultMemberMask || !strings.HasPrefix(f.Detail, "vote.sync.ballot.b32 with member mask 0x800000ff is executed by lanes 0-7 and waits for lane 31 ") ||
		!strings.HasSuffix(f.Detail, "before sm_70 all members must come to it on the same path") {
		t.Errorf("%v", f)
	}
}

func TestAPredicateMustNotKeepMembersOfThePathAway(t *testing.T) {
	s := script{body: `setp.lt.u32 %p1, %r0, 8; @%p1 shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1; ret;`}
	f := s.fault(t)
	if want := fmt.Sprintf("waits for lanes 8-31 whose guard does not hold at line %d", scriptLine); !strings.Contains(f.Detail, want) {
		t.Errorf("%v, want %q", f, want)
	}
}

func TestASuspendedRunGoesOnWithItsRecord(t *testing.T) {
	// Loads before and after the shuffle, of places that follow no stride.
	r := &everything{}
	s := script{recorder: r, input: floats(1, 64), body: `mul.lo.u32 %r1, %r0, 7; and.b32 %r1, %r1, 63; mad.wide.u32 %d3, %r1, 4, %d2;
		and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;
		@%p1 bra EVEN;
		ld.global.u32 %r2, [%d3]; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; st.global.u32 [%d0], %r3; ret;
	EVEN: ld.global.u32 %r2, [%d3]; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; st.global.u32 [%d0], %r3; ret;`}
	expect(t, s.run(t), func(i int) uint32 { return floats(1, 64)[(i^1)*7&63] })
	if n := strings.Count(r.text.String(), "\n"); n == 0 {
		t.Error("nothing is recorded")
	}
}

func TestBarrierSyncCountsThreads(t *testing.T) {
	// The lower halves of two warps meet at barrier 1, the upper ones at barrier 2.
	body := `.shared .align 4 .b8 s[256];
		shl.b32 %r1, %r0, 2; mov.u32 %r5, s; add.u32 %r1, %r1, %r5; and.b32 %r2, %r0, 16; setp.eq.u32 %p1, %r2, 0;
		@%p1 bra LOW;
		st.shared.u32 [%r1], %r0; barrier.sync 2, 32; bra JOIN;
	LOW: add.u32 %r3, %r0, 100; st.shared.u32 [%r1], %r3; barrier.sync 1, 32;
	JOIN: xor.b32 %r4, %r0, 32; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r5; ld.shared.u32 %r4, [%r4]; st.global.u32 [%d0], %r4; ret;`
	s := script{block: dims(64, 1), body: body, options: Options{CheckShared: true}}
	expect(t, s.run(t), func(i int) uint32 {
		if i&16 == 0 {
			return uint32(i^32) + 100
		}
		return uint32(i ^ 32)
	})
	s.target = "sm_60"
	if f := s.fault(t); f.Kind != coexecution.FaultBarrierDivergence {
		t.Errorf("%v, want a barrier divergence", f)
	}
}

func TestBarrierReductionsTakeThreadsFromTheirPaths(t *testing.T) {
	s := script{block: dims(64, 1), body: `and.b32 %r1, %r0, 3; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;
		@%p1 barrier.red.popc.u32 %r2, 0, %p1;
		@%p1 bra JOIN;
		barrier.red.popc.u32 %r2, 0, %p2;
	JOIN: st.global.u32 [%d0], %r2; ret;`}
	expect(t, s.run(t), func(int) uint32 { return 32 })
}

// The lanes of a warp take a lock one after the other, each spinning until it has it.
const lockedByLanes = `
	mov.u32 %r3, 0;
SPIN: atom.global.cas.b32 %r1, [%d2], 0, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r2, [%d2+4]; add.u32 %r2, %r2, %r0; st.volatile.global.u32 [%d2+4], %r2;
	atom.global.exch.b32 %r1, [%d2], 0;
	st.global.u32 [%d0], %r2; ret;`

func TestLanesThatSpinOnEachOtherFinish(t *testing.T) {
	s := script{body: lockedByLanes, input: []uint32{0, 0}, options: Options{MaxInstructions: 1 << 22}}
	words := s.run(t)
	total := uint32(0)
	for _, w := range words {
		total = max(total, w)
	}
	if total != 31*32/2 {
		t.Errorf("the last lane sees %d, want %d", total, 31*32/2)
	}
}

func TestLanesThatWaitForALaterPathFinish(t *testing.T) {
	// The fall-through side waits for the taken one; it counts, so that no state comes back.
	for name, wait := range map[string]string{"the same": "", "counting": "add.u32 %r3, %r3, 1;", "pausing": "nanosleep.u32 10;"} {
		s := script{input: []uint32{0}, options: Options{MaxInstructions: 1 << 22}, body: `
			setp.eq.u32 %p1, %r0, 5; mov.u32 %r3, 0;
			@%p1 bra PRODUCE;
		WAIT: ` + wait + ` ld.volatile.global.u32 %r1, [%d2]; setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT;
			bra JOIN;
		PRODUCE: st.volatile.global.u32 [%d2], 42; mov.u32 %r1, 1;
		JOIN: st.global.u32 [%d0], %r1; ret;`}
		expect(t, s.run(t), func(i int) uint32 {
			if i == 5 {
				return 1
			}
			return 42
		})
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// Ordinary loads behind a fence see what other lanes have written (9.7.13.4): compilers
// make them of flags that are not volatile. The waiting lane's others are past its loop.
func TestLanesThatWaitByAnyLoadBehindAFenceFinish(t *testing.T) {
	for name, wait := range map[string]string{
		"membar":           "membar.cta; ld.global.u32 %r1, [%d2];",
		"fence":            "fence.acq_rel.gpu; ld.global.u32 %r1, [%d2];",
		"behind the look":  "ld.global.u32 %r1, [%d2]; membar.gl;",
		"generic":          "membar.gl; ld.u32 %r1, [%d2];",
		"store meanwhile":  "membar.gl; ld.global.u32 %r1, [%d2]; st.global.u32 [%d2+8], %r1;",
		"of what was read": "membar.gl; ld.global.u32 %r1, [%d2]; and.b32 %r1, %r1, 63;",
	} {
		s := script{input: []uint32{0, 0, 0}, options: Options{MaxInstructions: 1 << 22}, body: `
			setp.ne.u32 %p1, %r0, 1; mov.u32 %r1, 42;
			@%p1 bra PAST;
		WAIT: ` + wait + ` setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT;
		PAST: setp.ne.u32 %p1, %r0, 4;
			@%p1 bra JOIN;
			st.global.u32 [%d2], 42; membar.gl;
		JOIN: st.global.u32 [%d0], %r1; ret;`}
		expect(t, s.run(t), func(int) uint32 { return 42 })
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestLanesThatSpinOnEachOtherAreToldBeforeSM70(t *testing.T) {
	s := script{target: "sm_60", body: lockedByLanes, input: []uint32{0, 0}, options: Options{MaxInstructions: 1 << 22}}
	if f := s.fault(t); f.Kind != coexecution.FaultEndless {
		t.Errorf("%v, want an endless wait", f)
	}
}

// A mask of members in a register is the same mask, also when lanes have to wait for others.
func TestMembersCanBeInARegister(t *testing.T) {
	s := script{body: `and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; mul.lo.u32 %r2, %r0, 5; mov.u32 %r6, -1;
		@%p1 bra EVEN;
		mov.u32 %r4, %r2; shfl.sync.bfly.b32 %r3, %r4, 1, 31, %r6; bra JOIN;
	EVEN: shfl.sync.bfly.b32 %r3, %r2, 1, 31, %r6;
	JOIN: st.global.u32 [%d0], %r3; ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(5 * (i ^ 1)) })
}
