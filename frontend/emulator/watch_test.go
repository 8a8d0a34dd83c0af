// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// watched runs a body on two blocks of 64 threads and gives what thread 37 of
// block 1 did, without the places.
func watched(t *testing.T, body string, registers ...string) []string {
	t.Helper()
	var out bytes.Buffer
	s := script{grid: dims(2, 1), block: dims(64, 1), body: body, options: Options{Watch: &coexecution.Watch{Block: 1, Thread: 37, Registers: registers, Out: &out}}}
	s.run(t)
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestWatchShowsWhatOneThreadWrites(t *testing.T) {
	lines := watched(t, "add.s32 %r1, %r0, -40;\nsetp.lt.s32 %p1, %r1, 0;\n@%p1 mov.f32 %r2, 0f3FC00000;\n@!%p1 mov.u32 %r3, 1;\nmov.u64 %d3, 0x100000002; mov.b64 {%r4, %r5}, %d3;\n.loc 1 7 0\nret;",
		"%r1", "%p1", "%r2", "%r3", "%r5")
	want := []string{"launch 1: kernel kernel, block (1,0,0), thread (37,0,0)",
		"add.s32 %r1, %r0, -40;  %r1 = 0xfffffffd (-3)", "setp.lt.s32 %p1, %r1, 0;  %p1 = true",
		"@%p1 mov.f32 %r2, 0f3FC00000;  %r2 = 0x3fc00000 (1.5)", "mov.u64 %d3, 0x100000002; mov.b64 {%r4, %r5}, %d3;  %r5 = 0x1 (1)"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i := range want {
		if !strings.HasSuffix(lines[i], want[i]) {
			t.Errorf("line %q, want %q", lines[i], want[i])
		}
	}
}

// A predicate is shown as that of the thread, whatever those of its neighbours are.
func TestWatchShowsAPredicateThatIsFalse(t *testing.T) {
	lines := watched(t, "setp.ne.u32 %p1, %r0, 37;\nsetp.eq.u32 %p2, %r0, 37;\nret;", "%p1", "%p2")
	for i, want := range []string{"%p1 = false", "%p2 = true"} {
		if len(lines) != 3 || !strings.HasSuffix(lines[i+1], want) {
			t.Errorf("lines %q, want %q in line %d", lines, want, i+1)
		}
	}
}

func TestWatchWithoutNamesShowsEveryInstructionThatTheThreadExecutes(t *testing.T) {
	lines := watched(t, "setp.eq.u32 %p1, %r0, 37;\n@!%p1 bra L;\nst.global.u32 [%d1], %r0;\nL: ret;")
	if n := len(lines); n != 1+4+4-1 { // the head, the prologue, the body but for the branch
		t.Errorf("%d lines: %q", n, lines)
	}
	if last := lines[len(lines)-2]; !strings.Contains(last, "script.ptx:") || !strings.Contains(last, "st.global.u32 [%d1], %r0;") {
		t.Errorf("line %q", last)
	}
}

// A run that waits for lanes of another path goes on after the instruction at which they meet. The
// watched thread is once in the run that waits, once in the one that comes last.
func TestWatchGoesOnWhereLanesMeet(t *testing.T) {
	const body = `and.b32 %%r1, %%r0, 1; setp.eq.u32 %%p1, %%r1, %d; @%%p1 bra OTHER;
		add.u32 %%r2, %%r0, 100; shfl.sync.bfly.b32 %%r3, %%r2, 1, 31, -1; add.u32 %%r4, %%r3, 1; bra END;
	OTHER: add.u32 %%r2, %%r0, 200; shfl.sync.bfly.b32 %%r3, %%r2, 1, 31, -1; add.u32 %%r4, %%r3, 2;
	END: st.global.u32 [%%d0], %%r4; ret;`
	for odd, values := range [][]string{
		{"%r2 = 0x89 (137)", "%r3 = 0xec (236)", "%r4 = 0xed (237)"}, // thread 37 falls through, 36 branches
		{"%r2 = 0xed (237)", "%r3 = 0x88 (136)", "%r4 = 0x8a (138)"},
	} {
		lines := watched(t, fmt.Sprintf(body, odd), "%r2", "%r3", "%r4")
		if len(lines) != 1+len(values) {
			t.Fatalf("%d lines: %q", len(lines), lines)
		}
		for i, want := range values {
			if !strings.HasSuffix(lines[1+i], want) {
				t.Errorf("line %q, want %q", lines[1+i], want)
			}
		}
	}
}

// The watched thread's run may wait for other lanes while the thread itself leaves the instruction out.
func TestWatchLeavesOutAMeetingOfOtherLanes(t *testing.T) {
	lines := watched(t, `and.b32 %r1, %r0, 31; setp.lt.u32 %p2, %r1, 2; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra OTHER;
		mov.u32 %r3, 5; @%p2 shfl.sync.bfly.b32 %r3, %r0, 1, 31, 3; add.u32 %r4, %r3, 1; bra END;
	OTHER: mov.u32 %r3, 5; @%p2 shfl.sync.bfly.b32 %r3, %r0, 1, 31, 3; add.u32 %r4, %r3, 2;
	END: st.global.u32 [%d0], %r4; ret;`, "%r3", "%r4")
	want := []string{"%r3 = 0x5 (5)", "%r4 = 0x6 (6)"}
	if len(lines) != 1+len(want) {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, w := range want {
		if !strings.HasSuffix(lines[1+i], w) {
			t.Errorf("line %q, want %q", lines[1+i], w)
		}
	}
}

func TestWatchingChangesNothing(t *testing.T) {
	const body = "mul.lo.u32 %r1, %r0, %r0; st.global.u32 [%d0], %r1; bar.sync 0; ret;"
	plain := script{block: dims(64, 1), body: body}
	var out bytes.Buffer
	seen := script{block: dims(64, 1), body: body, options: Options{Watch: &coexecution.Watch{Thread: 3, Out: &out}}}
	a, b := plain.run(t), seen.run(t)
	expect(t, a, func(i int) uint32 { return b[i] })
}
