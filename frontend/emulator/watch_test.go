// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"bytes"
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

func TestWatchingChangesNothing(t *testing.T) {
	const body = "mul.lo.u32 %r1, %r0, %r0; st.global.u32 [%d0], %r1; bar.sync 0; ret;"
	plain := script{block: dims(64, 1), body: body}
	var out bytes.Buffer
	seen := script{block: dims(64, 1), body: body, options: Options{Watch: &coexecution.Watch{Thread: 3, Out: &out}}}
	a, b := plain.run(t), seen.run(t)
	expect(t, a, func(i int) uint32 { return b[i] })
}
