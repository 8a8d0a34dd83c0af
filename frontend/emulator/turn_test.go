// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace/tracetest"
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

// perWarp sorts what a launch records by warp: the order of warps is that of their turns.
func perWarp(text string) map[string]string {
	of := map[string]string{}
	block := ""
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.HasPrefix(line, "block") {
			block = line
			continue
		}
		warp, _, _ := strings.Cut(line, " ")
		of[block+warp] += line
	}
	return of
}

// Without races each warp does the same, whatever the turns.
func TestTurnsLeaveEachWarpWhatItDoes(t *testing.T) {
	seeds := tracetest.Seeds(t, 60, tracetest.Fewer(5, 15))
	several := 0
	for _, seed := range seeds {
		w := &writer{r: rand.New(rand.NewPCG(seed, 23))}
		body := w.kernel()
		run := func(turn int) (words []uint32, of map[string]string) {
			d := NewDevice(Options{Turn: turn})
			k := kernelOf(t, d, "random.ptx", ptxHeader+scriptPrologue+body+"\n}\n", "kernel")
			n := 96 * 2 * 32
			buffer := upload(t, d, "out", make([]uint32, n))
			var e everything
			if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(2, 1), Block: dims(96, 1), Arguments: pack(buffer, uint64(7)), Recorder: &e}); err != nil {
				return nil, nil // which warp comes to its fault first is up to the turns
			}
			return download(t, d, buffer, n), perWarp(e.text.String())
		}
		words, of := run(0)
		for _, turn := range []int{1, 2, 5} {
			gotWords, gotOf := run(turn)
			if diff := cmp.Diff(of, gotOf); diff != "" || !slices.Equal(words, gotWords) {
				t.Fatalf("seed %d: turns of %d change what a warp does: %s\n%s", seed, turn, diff, body)
			}
		}
		if len(of) > 0 {
			several++
		}
	}
	if tracetest.Whole() && several < len(seeds)/3 {
		t.Errorf("%d of %d kernels end without a fault: the test says little", several, len(seeds))
	}
}
