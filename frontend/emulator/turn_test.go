// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"strings"
	"testing"
)

// Without a barrier the second warp is too late for what the first one writes, unless it
// keeps step.
func TestWarpsKeepStepByTurns(t *testing.T) {
	body := `mov.u32 %r1, 0; shr.u32 %r2, %r0, 5;
	LOOP: st.volatile.global.u32 [%d1], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 50; @%p1 bra LOOP;
	ld.volatile.global.u32 %r3, [%d1]; st.global.u32 [%d0+4], %r3; ret;`
	for turn, want := range map[int]int{0: 0, 1: 48} {
		l := &callLog{}
		s := script{body: body, grid: dims(1, 1), block: dims(64, 1), words: 66, options: Options{Turn: turn}, recorder: l}
		s.run(t)
		switches, last := 0, ""
		for _, c := range l.calls {
			if !strings.HasPrefix(c, "visit") {
				continue
			}
			warp := c[len("visit"):][:1]
			if warp != last && last != "" {
				switches++
			}
			last = warp
		}
		if switches < want || turn == 0 && switches != 1 {
			t.Errorf("turns of %d: warps change %d times", turn, switches)
		}
	}
}
