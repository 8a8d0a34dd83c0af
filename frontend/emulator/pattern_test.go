// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace/wtape"
)

// patternLog is a callLog that takes patterns; it writes down their addresses.
type patternLog struct {
	callLog
	patterns int
}

func (l *patternLog) AccessPattern(warp int, base uint64, p *wtape.AccessPattern) {
	var a [WarpSize]uint64
	p.Place(base, &a)
	l.patterns++
	l.Access(warp, p.Mask, &a)
}

// wanderingBody reads, several times in one segment and with the same register, words at
// places that change for some lanes, under guards that change. It writes down in out where
// each lane read and what, 12 times one after the other. Half of the reads come with narrow
// addresses.
const wanderingBody = `
	.shared .align 8 .b8 sh[4096];
	mov.u32 %r9, 0; mov.u32 %r2, 0;
	FILL: shl.b32 %r3, %r2, 7; mad.lo.u32 %r3, %r0, 4, %r3; mov.u32 %r4, sh; add.u32 %r4, %r4, %r3;
	mad.lo.u32 %r5, %r3, 77, 5; st.shared.u32 [%r4], %r5; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 32; @%p3 bra FILL;
	LOOP:
	mad.lo.u32 %r6, %r9, 3, %r0; and.b32 %r6, %r6, 7; setp.ne.u32 %p1, %r6, 2;
	mul.lo.u32 %r3, %r0, %r0; and.b32 %r3, %r3, 31; shl.b32 %r3, %r3, 2; mad.lo.u32 %r3, %r9, 128, %r3;
	mov.u32 %r4, sh; add.u32 %r4, %r4, %r3; mov.u32 %r7, 1; @%p1 ld.shared.u32 %r7, [%r4];` + wanderingNote + `
	shr.u32 %r3, %r0, %r9; shl.b32 %r3, %r3, 3; add.u32 %r4, %r4, %r3; and.b32 %r4, %r4, 4092; mov.u32 %r7, 1; @%p1 ld.shared.u32 %r7, [%r4];` + wanderingNote + `
	cvt.u64.u32 %d5, %r4; cvta.shared.u64 %d5, %d5; mov.u32 %r7, 1; ld.u32 %r7, [%d5];` + wanderingNote + `
	xor.b64 %d5, %d5, 256; mov.u32 %r7, 1; ld.u32 %r7, [%d5]; cvt.u32.u64 %r4, %d5; and.b32 %r4, %r4, 4095;` + wanderingNote + `
	add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 3; @%p2 bra LOOP; ret;`

const wanderingNote = `st.global.u32 [%d0], %r4; st.global.u32 [%d0+128], %r7; add.u64 %d0, %d0, 256;`

func TestLanesThatMoveApartAreFollowed(t *testing.T) {
	const reads = 12
	s := script{body: wanderingBody, words: reads * 64}
	plain, patterns := &callLog{}, &patternLog{}
	s.recorder = plain
	words := s.run(t)
	s.recorder = patterns
	s.run(t)
	if diff := cmp.Diff(plain.calls, patterns.calls); diff != "" {
		t.Errorf("patterns are recorded as something else:\n%s", diff)
	}
	if patterns.patterns < reads {
		t.Errorf("%d patterns were recorded", patterns.patterns)
	}
	for i := range reads {
		for lane := range WarpSize {
			place, got := words[i*64+lane], words[i*64+32+lane]
			want := place/4*4*77 + 5
			if n := (uint32(i/4)*3 + uint32(lane)) & 7; i%4 < 2 && n == 2 {
				want = 1 // the guard keeps the lane from reading
			}
			if got != want {
				t.Errorf("read %d of lane %d at %d gave %d, want %d", i, lane, place, got, want)
			}
		}
	}
	checkWandering(t, plain.calls, words)
}

// checkWandering compares the recorded addresses of the reads with those that the
// kernel wrote down.
func checkWandering(t *testing.T, calls []string, words []uint32) {
	t.Helper()
	read := 0
	for _, c := range calls {
		if !strings.HasPrefix(c, "access") {
			continue
		}
		var mask uint32
		var warp int
		var a [WarpSize]uint64
		list := strings.Fields(strings.NewReplacer("[", " ", "]", " ", "access", "access ").Replace(c))
		if _, err := fmt.Sscan(strings.Join(list[1:3], " "), &warp, &mask); err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if _, err := fmt.Sscan(list[3+i], &a[i]); err != nil {
				t.Fatal(err)
			}
			if mask>>i&1 == 1 && uint32(a[i])&4095 != words[read*64+i] {
				t.Fatalf("access %d: lane %d is recorded at %#x, it read at %#x", read, i, a[i], words[read*64+i])
			}
		}
		read++
	}
	if read != len(words)/64 {
		t.Errorf("%d irregular accesses are recorded, want %d", read, len(words)/64)
	}
}

func TestPatternsOutliveNoThreadBlock(t *testing.T) {
	// The blocks' logs hand patterns on; a note that one recorder left in a pattern
	// means nothing to another.
	body := "mov.u32 %r1, %ctaid.x; mul.wide.u32 %d7, %r1, 3072; add.u64 %d0, %d0, %d7;" + wanderingBody
	const blocks = 96
	var want []string
	for _, workers := range []int{1, 3} {
		l := &patternLog{}
		s := script{body: body, grid: dims(blocks, 1), words: blocks * 12 * 64, options: Options{Workers: workers}, recorder: l}
		s.run(t)
		if want == nil {
			want = l.calls
		} else if diff := cmp.Diff(want, l.calls); diff != "" {
			t.Errorf("%d workers record something else:\n%s", workers, diff)
		}
	}
}
