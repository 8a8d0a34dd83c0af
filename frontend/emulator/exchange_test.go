// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"testing"
)

// shuffleTwin restates the pseudocode of 9.7.9.6 for one lane.
func shuffleTwin(mode string, lane, b, c int) (source int, inRange bool) {
	b, segment, clamp := b&31, c>>8&31, c&31
	maxLane := lane&segment | clamp&(^segment&31)
	minLane := lane & segment
	j := 0
	switch mode {
	case "up":
		j = lane - b
		inRange = j >= maxLane
	case "down":
		j = lane + b
		inRange = j <= maxLane
	case "bfly":
		j = lane ^ b
		inRange = j <= maxLane
	case "idx":
		j = minLane | b&(^segment&31)
		inRange = j <= maxLane
	}
	if !inRange {
		j = lane
	}
	return j, inRange
}

func TestShufflesFollowThePseudocode(t *testing.T) {
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		for _, c := range []int{0, 0x1f, 0x181f, 0x1c03, 0x1c00, 0x0f, 0x1010, 0x1e01} {
			for _, b := range []int{0, 1, 2, 3, 5, 16, 31, 33} {
				// With immediates and, which is another path, with registers.
				s := script{words: 64, body: fmt.Sprintf(`
					mad.lo.u32 %%r1, %%r0, 3, 7;
					shfl.sync.%s.b32 %%r2|%%p1, %%r1, %d, %d, 0xffffffff;
					selp.u32 %%r3, 1000, 0, %%p1;
					add.u32 %%r2, %%r2, %%r3;
					st.global.u32 [%%d0], %%r2;
					mov.u32 %%r4, %d; mov.u32 %%r5, %d;
					shfl.sync.%s.b32 %%r2|%%p1, %%r1, %%r4, %%r5, 0xffffffff;
					selp.u32 %%r3, 1000, 0, %%p1;
					add.u32 %%r2, %%r2, %%r3;
					st.global.u32 [%%d0+128], %%r2;
					ret;`, mode, b, c, b, c, mode)}
				expect(t, s.run(t), func(i int) uint32 {
					source, ok := shuffleTwin(mode, i%32, b, c)
					if ok {
						return uint32(1000 + 3*source + 7)
					}
					return uint32(3*source + 7)
				})
			}
		}
	}
}

func TestShuffleIntoItsOwnSourceReadsOldValues(t *testing.T) {
	s := script{body: `shfl.sync.bfly.b32 %r0, %r0, 1, 31, -1; st.global.u32 [%d0], %r0; ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(i ^ 1) })
}

func TestVotesCountActiveMembersOnly(t *testing.T) {
	s := script{block: dims(40, 1), words: 40, body: `
		setp.ge.u32 %p1, %r0, 4;
		setp.lt.u32 %p2, %r0, 32;
		and.pred %p3, %p1, %p2;
		vote.sync.ballot.b32 %r1, %p3, 0xffff;
		vote.sync.all.pred %p4, %p1, 0xfff0;
		vote.sync.any.pred %p5, !%p1, 0xfff0;
		vote.sync.uni.pred %p6, %p1, 0x0fff;
		selp.u32 %r2, 0x100000, 0, %p4;
		selp.u32 %r3, 0x200000, 0, %p5;
		selp.u32 %r4, 0x400000, 0, %p6;
		or.b32 %r1, %r1, %r2;
		or.b32 %r1, %r1, %r3;
		or.b32 %r1, %r1, %r4;
		activemask.b32 %r5;
		popc.b32 %r5, %r5;
		shl.b32 %r5, %r5, 24;
		or.b32 %r1, %r1, %r5;
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		if i < 32 {
			return 0xfff0 | 0x100000 | 32<<24
		}
		return 0x100000 | 0x400000 | 8<<24 // eight lanes, none below 32, p1 everywhere
	})
}

func TestMatchFindsPeers(t *testing.T) {
	s := script{body: `
		and.b32 %r1, %r0, 3;
		match.any.sync.b32 %r2, %r1, 0xffffffff;
		shr.u32 %r3, %r0, 6;
		cvt.u64.u32 %d5, %r3;
		match.all.sync.b64 %r4|%p1, %d5, 0xffffffff;
		match.all.sync.b32 %r5|%p2, %r1, 0xffffffff;
		selp.u32 %r4, %r4, 0, %p1;
		selp.u32 %r5, 1, %r5, %p2;
		sub.u32 %r4, %r4, 0xffffffff;
		add.u32 %r2, %r2, %r4;
		add.u32 %r2, %r2, %r5;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return 0x11111111 << (i % 4) })
}

// Values of 64 bits that differ in their upper words alone differ.
func TestMatchComparesAllBits(t *testing.T) {
	for shift, want := range map[int]func(i int) uint32{
		0:  func(i int) uint32 { return 0x11111111 << (i % 4) },
		31: func(i int) uint32 { return 0x11111111 << (i % 4) },
		62: func(i int) uint32 { return 0x11111111 << (i % 4) },
		63: func(i int) uint32 { return 0x55555555 << (i % 2) },
	} {
		s := script{body: fmt.Sprintf(`
		and.b32 %%r1, %%r0, 3;
		cvt.u64.u32 %%d5, %%r1;
		shl.b64 %%d5, %%d5, %d;
		match.any.sync.b64 %%r2, %%d5, 0xffffffff;
		st.global.u32 [%%d0], %%r2;
		ret;`, shift)}
		expect(t, s.run(t), want)
	}
}

func TestReduxReducesOverMembers(t *testing.T) {
	s := script{body: `
		sub.u32 %r1, %r0, 10;
		redux.sync.add.s32 %r2, %r1, 0xffffffff;
		redux.sync.min.s32 %r3, %r1, 0xffffffff;
		redux.sync.max.u32 %r4, %r1, 0xffffffff;
		redux.sync.or.b32 %r5, %r0, 0x000000ff;
		add.u32 %r2, %r2, %r3;
		add.u32 %r2, %r2, %r4;
		add.u32 %r2, %r2, %r5;
		st.global.u32 [%d0], %r2;
		ret;`}
	// The lanes hold -10 to 21: sum 176, least -10, largest unsigned -1.
	want := int32(176 - 10 - 1 + 7)
	expect(t, s.run(t), func(int) uint32 { return uint32(want) })
}

// atomicTwin applies an atomic to one word.
func atomicTwin(op string, old, b uint32) uint32 {
	switch op {
	case "add.u32", "add.s32":
		return old + b
	case "and.b32":
		return old & b
	case "or.b32":
		return old | b
	case "xor.b32":
		return old ^ b
	case "exch.b32":
		return b
	case "min.u32":
		return min(old, b)
	case "max.u32":
		return max(old, b)
	case "min.s32":
		return uint32(min(int32(old), int32(b)))
	case "max.s32":
		return uint32(max(int32(old), int32(b)))
	case "inc.u32":
		if old >= b {
			return 0
		}
		return old + 1
	case "dec.u32":
		if old == 0 || old > b {
			return b
		}
		return old - 1
	}
	panic(op)
}

func TestAtomicsServeLanesInOrder(t *testing.T) {
	operations := []string{"add.u32", "add.s32", "and.b32", "or.b32", "xor.b32", "exch.b32", "min.u32", "max.u32", "min.s32", "max.s32", "inc.u32", "dec.u32"}
	for _, op := range operations {
		for _, space := range []string{".global", ""} {
			// Each of four words gets the lanes that are equal modulo 4.
			s := script{input: []uint32{5, 0xfffffff0, 0, 17}, words: 36, body: fmt.Sprintf(`
				and.b32 %%r1, %%r0, 3;
				mul.lo.u32 %%r1, %%r1, 4;
				cvt.u64.u32 %%d3, %%r1;
				add.u64 %%d3, %%d3, %%d2;
				mul.lo.u32 %%r2, %%r0, 0x9e3779b9;
				rem.u32 %%r3, %%r0, 7;
				shr.u32 %%r2, %%r2, %%r3;
				atom%s.%s %%r4, [%%d3], %%r2;
				st.global.u32 [%%d0], %%r4;
				bar.sync 0;
				ld.global.u32 %%r5, [%%d3];
				setp.lt.u32 %%p1, %%r0, 4;
				@%%p1 st.global.u32 [%%d0+128], %%r5;
				ret;`, space, op)}
			memory := []uint32{5, 0xfffffff0, 0, 17}
			var want []uint32
			for i := range uint32(32) {
				b := i * 0x9e3779b9 >> (i % 7)
				want = append(want, memory[i%4])
				memory[i%4] = atomicTwin(op, memory[i%4], b)
			}
			want = append(want, memory...)
			expect(t, s.run(t), func(i int) uint32 { return want[i] })
		}
	}
}

func TestCompareAndSwapElectsTheFirstLane(t *testing.T) {
	s := script{input: []uint32{0}, body: `
		add.u32 %r1, %r0, 1;
		atom.global.cas.b32 %r2, [%d2], 0, %r1;
		st.global.u32 [%d0], %r2;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 { return uint32(min(i, 1)) })
}

func TestSharedAndFloatAtomics(t *testing.T) {
	s := script{block: dims(64, 1), body: `
		.shared .align 8 .b8 s[16];
		mov.u32 %r1, s;
		st.shared.u64 [%r1], 0;
		st.shared.f32 [%r1+8], 0f00000000;
		bar.sync 0;
		cvt.u64.u32 %d3, %r0;
		red.shared.add.u64 [%r1], %d3;
		atom.shared.add.f32 %r2, [s+8], 0f3f000000;
		bar.sync 0;
		ld.shared.u64 %d4, [%r1];
		ld.shared.f32 %r3, [%r1+8];
		cvt.rzi.u32.f32 %r3, %r3;
		cvt.u32.u64 %r4, %d4;
		mad.lo.u32 %r4, %r3, 0x10000, %r4;
		st.global.u32 [%d0], %r4;
		ret;`}
	expect(t, s.run(t), func(int) uint32 { return 32<<16 + 63*64/2 })
}

func TestSixteenBitCompareAndSwap(t *testing.T) {
	s := script{block: dims(1, 1), input: []uint32{0x00050007}, body: `
		mov.u16 %h1, 7; mov.u16 %h2, 0x1234;
		atom.global.cas.b16 %h3, [%d2], %h1, %h2;
		ld.global.u32 %r1, [%d2];
		st.global.u32 [%d0], %r1;
		ret;`}
	expect(t, s.run(t), func(int) uint32 { return 0x00051234 })
}

func TestLaneMasksAndPlaces(t *testing.T) {
	s := script{block: dims(8, 8), grid: dims(2, 1), words: 64, body: `
		mov.u32 %r1, %tid.y;
		mad.lo.u32 %r2, %r1, 8, %r0;
		mad.wide.u32 %d0, %r2, 4, %d1;
		mov.u32 %r3, %lanemask_lt; popc.b32 %r3, %r3;
		mov.u32 %r4, %lanemask_ge; popc.b32 %r4, %r4;
		mov.u32 %r5, %lanemask_le; mov.u32 %r6, %lanemask_eq; mov.u32 %r7, %lanemask_gt;
		xor.b32 %r5, %r5, %r7; not.b32 %r5, %r5;
		mov.u32 %r8, %laneid; mov.u32 %r9, %warpid; mov.u32 %r10, %nwarpid; mov.u32 %r11, %ntid.y; mov.u32 %r12, %nctaid.x; mov.u32 %r13, %ctaid.x;
		add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; popc.b32 %r6, %r6; add.u32 %r3, %r3, %r6;
		mad.lo.u32 %r3, %r9, 100, %r3; mad.lo.u32 %r3, %r10, 1000, %r3; mad.lo.u32 %r3, %r11, 10000, %r3; mad.lo.u32 %r3, %r12, 100000, %r3; mad.lo.u32 %r3, %r13, 1000000, %r3;
		mad.lo.u32 %r3, %r8, 10000000, %r3;
		st.global.u32 [%d0], %r3;
		ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		lane, warp := i%32, i/32
		return uint32(32 + 1 + 0 + warp*100 + 2*1000 + 8*10000 + 2*100000 + 1000000 + lane*10000000)
	})
}

func TestElectionHasOneLeaderAmongTheMembers(t *testing.T) {
	s := script{words: 64, body: `
		mov.u32 %r5, 0xffffffff; setp.lt.u32 %p2, %r0, 5;
		elect.sync %r1|%p1, %r5;
		selp.u32 %r2, 100, 0, %p1; add.u32 %r2, %r2, %r1; st.global.u32 [%d0], %r2;
		mov.u32 %r3, 7; @%p2 bra END;
		elect.sync _|%p1, 0xffffffe0;
		selp.u32 %r3, 1, 0, %p1;
		END: st.global.u32 [%d0+128], %r3; ret;`}
	expect(t, s.run(t), func(i int) uint32 {
		switch {
		case i == 0:
			return 100
		case i == 37:
			return 1
		case i >= 32 && i < 37:
			return 7
		}
		return 0
	})
}
