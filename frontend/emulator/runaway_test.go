// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace/tracetest"
)

func TestEndlessLoopsAreToldWithTheirLines(t *testing.T) {
	lines := func(first, last int) string { return fmt.Sprintf("lines %d to %d", scriptLine+first, scriptLine+last) }
	for _, c := range []struct {
		name, body, want string
	}{
		{"nothing changes", "mov.u32 %r1, 1;\nL: add.u32 %r2, %r1, 1;\nbra L;", "the loop in " + lines(1, 2) + " comes back to the same values"},
		{"a flag that no thread sets", "L:\nld.volatile.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;", "the wait in " + lines(1, 3) + " never ends"},
		{"a flag of a later warp", "setp.ge.u32 %p2, %r0, 32;\n@%p2 st.volatile.global.u32 [%d1], 1;\nL: ld.volatile.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;", "the wait in " + lines(2, 4)},
		{"a lock held for ever", "L: atom.global.cas.b32 %r1, [%d1+4], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;", "the wait in " + lines(0, 2)},
		{"a pause in the wait", "L: nanosleep.u32 100;\nld.volatile.global.u32 %r1, [%d1+8];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;", "the wait in " + lines(0, 3)},
		{"a word of a thread's own that goes to and fro", ".local .align 4 .b8 l[4];\nL: ld.local.u32 %r1, [l];\nxor.b32 %r1, %r1, 1;\nst.local.u32 [l], %r1;\nmov.u32 %r1, 0;\nbra L;", "the wait in " + lines(1, 5)},
		{"three states of a register", "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nrem.u32 %r1, %r1, 3;\nbra L;", "the loop in " + lines(1, 3) + " comes back to the same values"},
		{"in a divergent path", "setp.ne.u32 %p1, %r0, 5;\n@%p1 bra E;\nL: ld.volatile.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nE: ret;", "the wait in " + lines(2, 4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script{block: dims(64, 1), body: c.body, options: Options{MaxInstructions: 1 << 26}}
			if f := s.fault(t); f.Kind != coexecution.FaultEndless || !strings.Contains(f.Detail, c.want) {
				t.Errorf("%v: %v, want %q", f.Kind, f, c.want)
			}
		})
	}
}

// A word of registers is watched only where both states have it: where the warp has more
// paths now, or another one runs, the bytes at its place are others'.
func TestAWordIsWatchedWhereStatesLieAlike(t *testing.T) {
	kept, now := make([]byte, 64), make([]byte, 64)
	kept[24], now[24] = 7, 8
	for _, c := range []struct{ running, registers, watch int }{{1, 16, 2}, {1, 24, 0}, {1, 8, 0}, {0, 16, 0}} {
		d := loopDetector{kept: kept, now: now, running: 1, registers: 16, watch: 3}
		if d.watchRegisters(c.running, c.registers); d.watch != c.watch || c.watch != 0 && d.watched != binary.NativeEndian.Uint64(kept[24:]) {
			t.Errorf("warp %d, registers from byte %d: word %d of value %d, want word %d", c.running, c.registers, d.watch, d.watched, c.watch)
		}
	}
}

// Loops that do end, after more steps than the detector waits, are no endless
// loops: one counts in a register, one in memory, one waits for a pausing warp.
func TestLongLoopsEnd(t *testing.T) {
	loops := map[string]string{
		"register": "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 300000; @%p1 bra L; ret;",
		"memory":   "L: ld.volatile.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%d0], %r1; setp.lt.u32 %p1, %r1, 300000; mov.u32 %r1, 0; @%p1 bra L; ret;",
		"local":    ".local .align 4 .b8 l[4]; L: ld.local.u32 %r1, [l]; add.u32 %r1, %r1, 1; st.local.u32 [l], %r1; setp.lt.u32 %p1, %r1, 300000; mov.u32 %r1, 0; @%p1 bra L; ret;",
		"turns": "setp.ge.u32 %p2, %r0, 32; @%p2 bra LATE; L: nanosleep.u32 1; ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;" +
			"LATE: mov.u32 %r1, 0; M: nanosleep.u32 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 300000; @%p1 bra M; st.volatile.global.u32 [%d1], 1; ret;",
	}
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(loops)), tracetest.Fewer(2, len(loops))) {
		body := loops[name]
		s := script{block: dims(64, 1), body: body, words: 64, options: Options{MaxInstructions: 1 << 26}}
		if _, err := s.launch(t); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One warp has ended, the next waits and comes back to the same values. The last counts, which takes more steps than the
// detector waits, and lets it go on.
func TestAWaitEndsBehindAWarpThatHasEnded(t *testing.T) {
	s := script{block: dims(96, 1), options: Options{MaxInstructions: 1 << 26}, body: "setp.lt.u32 %p2, %r0, 32; @%p2 ret; setp.ge.u32 %p2, %r0, 64; @%p2 bra LATE;" +
		"L: nanosleep.u32 1; ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;" +
		"LATE: mov.u32 %r1, 0; M: nanosleep.u32 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 80000; @%p1 bra M; st.volatile.global.u32 [%d1], 1; ret;"}
	if _, err := s.launch(t); err != nil {
		t.Error(err)
	}
}

func TestAnExhaustedBudgetNamesTheHotLoop(t *testing.T) {
	s := script{block: dims(64, 1), options: Options{MaxInstructions: 20000}, body: "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 7;\n@%p1 bra M;\nadd.u32 %r2, %r1, 1;\nM: setp.lt.u32 %p1, %r1, 1000000;\n@%p1 bra L;\nret;"}
	f := s.fault(t)
	if want := fmt.Sprintf("mostly in lines %d to %d", scriptLine+1, scriptLine+6); f.Kind != coexecution.FaultBudget || !strings.Contains(f.Detail, want) || f.Line < scriptLine+1 || f.Line > scriptLine+6 {
		t.Errorf("%v, want %q", f, want)
	}
	// A launch that ends soon after the budget is exhausted has exhausted it.
	s = script{block: dims(32, 1), options: Options{MaxInstructions: 5}, body: "add.u32 %r1, %r1, 1; ret;"}
	if f := s.fault(t); f.Kind != coexecution.FaultBudget {
		t.Errorf("%v", f)
	}
}
