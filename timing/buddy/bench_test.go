// SPDX-License-Identifier: Apache-2.0

package buddy_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// The benchmarks isolate the front end: a memory of constant latency, additions
// and loads, the machine once with a front end per SM and once in clusters.
func BenchmarkAlone(b *testing.B)    { benchmark(b, 0) }
func BenchmarkClusters(b *testing.B) { benchmark(b, 4) }

func benchmark(b *testing.B, size int) {
	k := gputest.NewKernel("mixed")
	for i := range 200 {
		if i%8 == 0 {
			k.Load(trace.SpaceGlobal, i%16, 1)
		} else {
			k.Op(trace.ClassIntAdd, i%16, (i+3)%16)
		}
	}
	k.Exit()
	m := machine(8)
	if size > 0 {
		m = with(m, size)
	}
	src := gputest.NewSource(gputest.Trace(b, gputest.Launch{Kernel: k, Blocks: 64, Threads: 256}))
	g, err := gpu.New(m, gpu.Options{Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return (&gputest.Memory{LatencyCycles: 200}).Build(c.Core, global), nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	var issued uint64
	for b.Loop() {
		run, err := g.Replay(b.Context(), src, nil)
		if err != nil {
			b.Fatal(err)
		}
		issued += run.Total[counters.IssuedWarp]
	}
	b.ReportMetric(float64(issued)/b.Elapsed().Seconds(), "instructions/s")
}
