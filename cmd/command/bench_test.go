// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// The size that the benchmarks run: long enough for a rate, short enough to be
// run once by every check.
const benchSize = "demo"

// recordTo records a workload to a file and returns its totals.
func recordTo(tb testing.TB, name, size, path string, workers int) trace.Totals {
	tb.Helper()
	wl, err := traces.Find(name)
	if err != nil {
		tb.Fatal(err)
	}
	program, err := host.Load(wl.Files, wl.Program)
	if err != nil {
		tb.Fatal(err)
	}
	w, err := wtape.Create(path, trace.Header{Tool: "test"}, wtape.Options{Workers: workers})
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Abort()
	if _, err := program.Run(context.Background(), host.Options{Size: size, Seed: 1, Sink: w, Out: io.Discard}); err != nil {
		tb.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		tb.Fatal(err)
	}
	return w.Totals()
}

// BenchmarkWorkloadRecord measures a whole recording: host program, emulation,
// encoding, compression, check of the results.
func BenchmarkWorkloadRecord(b *testing.B) {
	for _, name := range tracetest.Some(b, demoWorkloads, 3) {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "w.wtape")
			var instructions uint64
			for b.Loop() {
				totals := recordTo(b, name, benchSize, path, 1)
				instructions += totals.WarpInstructions
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "warp-insn/s")
		})
	}
}

// BenchmarkWorkloadReplay measures a whole replay on one worker: opening,
// decoding, timing, results.
func BenchmarkWorkloadReplay(b *testing.B) {
	for _, machine := range []string{"gtx480", "gpsim-soc", "mesh56", "mesh56+crossbar", "v100", "a100", "h100"} {
		for _, name := range tracetest.Some(b, demoWorkloads, 1) {
			b.Run(machine+"/"+name, func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "w.wtape")
				totals := recordTo(b, name, benchSize, path, 1)
				m, err := arch.Load(machine)
				if err != nil {
					b.Fatal(err)
				}
				var instructions uint64
				for b.Loop() {
					r, err := wtape.Open(path)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := replay.Run(context.Background(), r, []*arch.Machine{m}, replay.Options{Workers: 1}); err != nil {
						b.Fatal(err)
					}
					r.Close()
					instructions += totals.WarpInstructions
				}
				b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "warp-insn/s")
			})
		}
	}
}

// replayBench replays a workload on machines, again and again.
func replayBench(b *testing.B, name string, machines []*arch.Machine, o replay.Options) {
	path := filepath.Join(b.TempDir(), "w.wtape")
	totals := recordTo(b, name, benchSize, path, 1)
	var instructions uint64
	for b.Loop() {
		r, err := wtape.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := replay.Run(context.Background(), r, machines, o); err != nil {
			b.Fatal(err)
		}
		r.Close()
		instructions += totals.WarpInstructions * uint64(len(machines))
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "warp-insn/s")
}

// BenchmarkCoresOfAReplay compares one replay on one and on two cores; it needs
// two that are idle.
func BenchmarkCoresOfAReplay(b *testing.B) {
	m, err := arch.Load("gtx480")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range tracetest.Some(b, demoWorkloads, 1) {
		for _, cores := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/cores=%d", name, cores), func(b *testing.B) {
				replayBench(b, name, []*arch.Machine{m}, replay.Options{Workers: 1, Cores: cores})
			})
		}
	}
}

// BenchmarkParallelReplays compares two replays one after the other with two side
// by side.
func BenchmarkParallelReplays(b *testing.B) {
	m, err := arch.Load("gtx480")
	if err != nil {
		b.Fatal(err)
	}
	other := m.Clone() // of two that are the same one would replay
	other.GPU.LaunchCycles++
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			replayBench(b, "sgemm", []*arch.Machine{m, other}, replay.Options{Workers: workers})
		})
	}
}
