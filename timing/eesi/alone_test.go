// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/eesi/eesitest"
	"github.com/warptape/warptape/timing/eesi/threadwise"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// TestAccessesAloneAreOneForEachLane: on random machines with eesi.accesses_alone each
// access has one lane. There are as many as threads make in the recording, whose columns
// are the oracle, at the same addresses. A replay is that of the slow twin, to the last
// counter.
func TestAccessesAloneAreOneForEachLane(t *testing.T) {
	lanes := 0
	for _, seed := range tracetest.Seeds(t, 400, tracetest.Fewer(10, 24)) {
		r := rand.New(rand.NewPCG(seed, 260))
		l := gputest.RandomBlock(r, 1+r.IntN(256))
		tape := gputest.Trace(t, l)
		chunk := wtape.NewChunk()
		if err := tape.ReadChunk(0, chunk); err != nil {
			t.Fatal(err)
		}
		m := eesitest.RandomMachine(r)
		eesitest.Section(m).AccessesAlone = true
		memory := *gputest.RandomMemory(r)
		first, second := memory, memory
		seen := map[gputest.Step]int{}
		first.Seen = func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
			if n := bits.OnesCount32(a.Mask); n != 1 {
				t.Errorf("seed %d: an access has %d lanes", seed, n)
			}
			gputest.Steps(a, func(_ int, s gputest.Step) { seen[s]++ })
		}
		want := map[gputest.Step]int{}
		for thread := range l.Threads {
			_, _, accesses := gputest.ThreadPath(&tape.Kernels()[0], chunk, 0, thread)
			lanes += len(accesses)
			for _, s := range accesses {
				want[s]++
			}
		}
		got := replay(t, m, gpu.Options{}, tape, &first)
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Fatalf("seed %d, %s: accesses (-recorded +issued):\n%.2000s", seed, m.GPU.Divergence, diff)
		}
		if diff := cmp.Diff(replay(t, threadwise.Of(m), gpu.Options{}, tape, &second), got); diff != "" {
			t.Fatalf("seed %d, %s (%+v): (-by thread +together):\n%.2000s", seed, m.GPU.Divergence, *eesitest.Section(m), diff)
		}
	}
	if tracetest.Whole() && lanes < 50_000 {
		t.Errorf("%d accesses of lanes are few", lanes)
	}
}
