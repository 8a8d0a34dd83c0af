// SPDX-License-Identifier: Apache-2.0

package offload_test

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// BenchmarkOffload replays the same additions, most of them of operands in two
// slices, without and with offloading: what differs is queues, packets and service.
// A steady state allocates nothing; what remains is the machine's beginning.
func BenchmarkOffload(b *testing.B) {
	k := sum()
	k.Branch()
	k.Exit()
	k.Blocks[0].Successors = []uint32{0, 1}
	r := gputest.Trace(b, gputest.Launch{Kernel: k, Blocks: 400, Threads: 256, Record: func(w *gputest.Warp) {
		for i := range 4 {
			w.VisitWith(0, gputest.Full, func(n int) (uint64, int64, *[32]uint64) {
				return uint64(n+1)<<26 + uint64((w.Block*8+w.Warp)*4+i)*128 + uint64(n%2)*640, 4, nil
			})
		}
		w.Visit(1, gputest.Full)
	}})
	for _, spec := range []string{"mesh56", "mesh56+llc-compute", "mesh56+omni-compute"} {
		b.Run(spec, func(b *testing.B) {
			m := load(b, spec)
			src := gputest.NewSource(r)
			b.ReportAllocs()
			for b.Loop() {
				g, err := gpu.New(m, gpu.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := g.Replay(context.Background(), src, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.Totals().WarpInstructions)*float64(b.N)/b.Elapsed().Seconds(), "warp-instructions/s")
		})
	}
}

// TestOffloadingAllocatesNothingInItsSteadyState: more thread blocks take
// hardly more memory.
func TestOffloadingAllocatesNothingInItsSteadyState(t *testing.T) {
	tracetest.Nightly(t)
	allocations := func(blocks int) float64 {
		k := sum()
		k.Branch()
		k.Exit()
		k.Blocks[0].Successors = []uint32{1}
		r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: func(w *gputest.Warp) {
			w.VisitWith(0, gputest.Full, func(n int) (uint64, int64, *[32]uint64) {
				return uint64(n+1)<<26 + uint64(w.Block*8+w.Warp)*128 + uint64(n%2)*640, 4, nil
			})
			w.Visit(1, gputest.Full)
		}})
		src := gputest.NewSource(r)
		m := load(t, "mesh56+omni-compute")
		run := func() {
			g, err := gpu.New(m, gpu.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.Replay(context.Background(), src, nil); err != nil {
				t.Fatal(err)
			}
		}
		run() // decodes the chunks
		return testing.AllocsPerRun(1, run)
	}
	few, many := allocations(300), allocations(1000)
	if chains := float64(700 * 8); many-few > chains/20 {
		t.Errorf("%.0f allocations for %.0f more chains", many-few, chains)
	}
}
