// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pathRecorder keeps the visits and guards of warp 0.
type pathRecorder struct {
	discard
	path   []visit
	guards []uint32
}

type visit struct{ Block, Mask uint32 }

func (p *pathRecorder) Visit(warp int, block, mask uint32) {
	if warp == 0 {
		p.path = append(p.path, visit{block, mask})
	}
}

func (p *pathRecorder) Guard(warp int, mask uint32) {
	if warp == 0 {
		p.guards = append(p.guards, mask)
	}
}

func TestBothSidesOfABranchReconverge(t *testing.T) {
	r := &pathRecorder{}
	s := script{recorder: r, body: `
		setp.lt.u32 %p1, %r0, 12;
		mov.u32 %r1, 0;
		@%p1 bra TAKEN;
		add.u32 %r1, %r1, 100;
		bra JOIN;
	TAKEN:
		add.u32 %r1, %r1, 200;
	JOIN:
		add.u32 %r1, %r1, %r0;
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 12 {
			return uint32(200 + i)
		}
		return uint32(100 + i)
	})
	want := []visit{{0, 0xffffffff}, {1, 0xfffff000}, {2, 0x00000fff}, {3, 0xffffffff}}
	if d := cmp.Diff(want, r.path); d != "" {
		t.Errorf("the fall-through side runs first, then the taken one, then both (-want +got):\n%s", d)
	}
}

func TestLanesLeaveALoopOneByOneAndMeetBehindIt(t *testing.T) {
	r := &pathRecorder{}
	s := script{recorder: r, body: `
		mov.u32 %r1, 0;
		mov.u32 %r2, 0;
	LOOP:
		add.u32 %r2, %r2, %r1;
		add.u32 %r1, %r1, 1;
		setp.le.u32 %p1, %r1, %r0;
		@%p1 bra LOOP;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(i * (i + 1) / 2) })
	if len(r.path) != 1+32+1 {
		t.Fatalf("%d visits, want the entry, 32 rounds and the end", len(r.path))
	}
	for round := range 32 {
		if want := (visit{1, ^uint32(0) << round}); r.path[1+round] != want {
			t.Errorf("round %d: %+v, want %+v", round, r.path[1+round], want)
		}
	}
	if last := r.path[33]; last.Mask != ^uint32(0) {
		t.Errorf("behind the loop mask %#x, want all lanes", last.Mask)
	}
}

func TestNestedDivergenceKeepsEveryLanesValue(t *testing.T) {
	s := script{block: dims(64, 1), body: `
		and.b32 %r1, %r0, 1;
		and.b32 %r2, %r0, 6;
		mov.u32 %r3, 0;
		setp.eq.u32 %p1, %r1, 0;
		@%p1 bra EVEN;
		mov.u32 %r4, 0;
	ODDLOOP:
		setp.ge.u32 %p2, %r4, %r2;
		@%p2 bra JOIN;
		add.u32 %r3, %r3, 10;
		add.u32 %r4, %r4, 2;
		setp.eq.u32 %p3, %r4, 4;
		@!%p3 bra ODDLOOP;
		add.u32 %r3, %r3, 1000;
		bra ODDLOOP;
	EVEN:
		setp.eq.u32 %p2, %r2, 4;
		@%p2 bra FOUR;
		add.u32 %r3, %r3, 7;
		bra JOIN;
	FOUR:
		add.u32 %r3, %r3, 5;
	JOIN:
		st.global.u32 [%d0], %r3;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i%2 == 0 {
			if i&6 == 4 {
				return 5
			}
			return 7
		}
		var sum uint32
		for j := 0; j < i&6; {
			sum += 10
			if j += 2; j == 4 {
				sum += 1000
			}
		}
		return sum
	})
}

func TestEarlyExitLeavesTheOthersRunning(t *testing.T) {
	r := &pathRecorder{}
	s := script{recorder: r, block: dims(64, 1), body: `
		.shared .align 4 .b8 buffer[256];
		mov.u32 %r5, buffer;
		setp.gt.u32 %p1, %r0, 40;
		setp.lt.u32 %p2, %r0, 8;
		@%p1 exit;
		@%p2 ret;
		shl.b32 %r1, %r0, 2;
		add.u32 %r1, %r1, %r5;
		st.shared.u32 [%r1], %r0;
		bar.sync 0;
		ld.shared.u32 %r2, [buffer+40];
		add.u32 %r2, %r2, %r0;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 8 || i > 40 {
			return 0
		}
		return uint32(10 + i)
	})
	if last := r.path[len(r.path)-1]; last.Mask != 0xffffff00 {
		t.Errorf("mask at the end %#x, want lanes 8 to 31", last.Mask)
	}
}

func TestIndexedBranchGroupsLanesByTarget(t *testing.T) {
	s := script{body: `
		.reg .b32 %x;
		and.b32 %r1, %r0, 3;
	TABLE: .branchtargets ZERO, ONE, TWO, ONE;
		brx.idx %r1, TABLE;
	ZERO:
		mov.u32 %r2, 100;
		bra JOIN;
	ONE:
		mov.u32 %r2, 200;
		bra JOIN;
	TWO:
		mov.u32 %r2, 300;
	JOIN:
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return []uint32{100, 200, 300, 200}[i%4] })
}

func TestGuardsAreRecordedAndHaveNoEffectWhereFalse(t *testing.T) {
	r := &pathRecorder{}
	s := script{recorder: r, body: `
		setp.ge.u32 %p1, %r0, 16;
		mov.u32 %r1, 1;
		@%p1 mov.u32 %r1, 2;
		@!%p1 add.u32 %r1, %r1, 4;
		mov.u64 %d5, 0;
		setp.gt.u32 %p2, %r0, 64;
		@%p2 st.global.u32 [%d5], %r1;
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i >= 16 {
			return 2
		}
		return 5
	})
	if d := cmp.Diff([]uint32{0xffff0000, 0x0000ffff, 0}, r.guards); d != "" {
		t.Errorf("guards (-want +got):\n%s", d)
	}
}

func TestLaunchesOfAKernelDoNotSeeEachOthersRegisters(t *testing.T) {
	// %r9 is never written before it is read; it must be zero in every block.
	s := script{grid: dims(3, 1), words: 32, body: `
		mov.u32 %r1, %ctaid.x;
		add.u32 %r2, %r9, %r1;
		mov.u32 %r9, 77;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(int) uint32 { return 2 })
}
