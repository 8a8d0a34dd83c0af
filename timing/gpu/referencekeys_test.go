// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// Kernels of n instructions that begin at multiples of the alignment share lines: together
// they miss as often as the lines that they lie in.
func TestKernelsBeginAtTheirAlignment(t *testing.T) {
	const bytes, line = 8, 128
	for _, n := range []int{2, 5, 16, 20} {
		for _, alignment := range []int{8, 32, 128, 256} {
			m := gputest.Machine()
			m.GPU.SMs = 1
			m.SM.InstructionBytes, m.SM.KernelAlignment = bytes, alignment
			m.Instruction = arch.Cache{Bytes: 1 << 16, Ways: 2, LineBytes: line}
			var launches []gputest.Launch
			lines := map[int]bool{}
			for i, begin := 0, 0; i < 4; i++ {
				launches = append(launches, gputest.Launch{Kernel: chain(n - 1), Blocks: 1, Threads: 32})
				launches[i].Kernel.Name = string(rune('a' + i))
				for at := range n {
					lines[(begin+at*bytes)/line] = true
				}
				begin = (begin + n*bytes + alignment - 1) / alignment * alignment
			}
			run := replay(t, build(t, m, &gputest.Memory{LatencyCycles: 5, FetchMissCycles: 40}), launches...)
			if got := run.Total[counters.FetchMiss]; got != uint64(len(lines)) {
				t.Errorf("%d instructions, alignment %d: %d misses, want one for each of %d lines", n, alignment, got, len(lines))
			}
		}
	}
}

// A lane of a vector access moves the bytes of all elements or of the first one.
func TestVectorAccessesMoveAllElementsOrTheFirst(t *testing.T) {
	for modifier, elements := range map[string]int{"": 1, "v2": 2, "v4": 4} {
		for _, what := range []string{"whole", "first"} {
			m, err := arch.Load("gtx480-ref")
			if err != nil {
				t.Fatal(err)
			}
			m.SM.VectorAccesses, m.GPU.SMs, m.L2.WritePieces = what, 1, false
			k := gputest.NewKernel("vector")
			k.Store(trace.SpaceGlobal, 1, 2)
			in := &k.Instructions[0]
			in.LaneBytes = uint8(4 * elements)
			if modifier != "" {
				in.Modifiers = []string{modifier}
			}
			k.Load(trace.SpaceGlobal, 3, 1).Exit()
			g, err := New(m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			run := replay(t, g, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
				w.VisitAt(0, 0xC0000000, int64(4*elements))
			}})
			// The load wants lines. Of a sector that is stored in full nothing is fetched.
			want := uint64(4 * elements)
			if what == "first" && elements > 1 {
				want = 0
			}
			if got := run.Total[counters.L2ReadHit]; got != want {
				t.Errorf("%q, %s: %d sectors hit, want %d", modifier, what, got, want)
			}
		}
	}
}
