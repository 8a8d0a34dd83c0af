// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/published"
	"github.com/warptape/warptape/trace"
)

func builtIn(t *testing.T, name string) *arch.Machine {
	t.Helper()
	m, err := arch.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	m.GPU.SMs = 1
	return m
}

// dependent is a kernel of n instructions of a class, each waiting for the last.
func dependent(class trace.OpClass, n int) *gputest.Kernel {
	k := gputest.NewKernel("dependent")
	for range n {
		k.Op(class, 1, 1)
	}
	return k.Exit()
}

func TestDependentInstructionsIssueAsMeasuredOnTheCards(t *testing.T) {
	figures, err := published.MeasuredBy("model")
	if err != nil {
		t.Fatal(err)
	}
	figures = append(figures,
		published.Figure{Machine: "tesla-c870", Benchmark: "chain f32_fma", Least: 12, Most: 12, Source: "Wong et al., ISPASS 2010: 24 processor cycles"},
		published.Figure{Machine: "tesla-c870", Benchmark: "chain int_mul", Least: 48, Most: 48, Source: "Wong et al., ISPASS 2010: 96 processor cycles"})
	classes := map[string]trace.OpClass{
		"f32_fma": trace.ClassF32Fma, "f32_add": trace.ClassF32Add, "int_add": trace.ClassIntAdd, "int_mad": trace.ClassIntMad,
		"int_mul": trace.ClassIntMul, "f16": trace.ClassF16, "f64_fma": trace.ClassF64Fma,
	}
	for _, f := range figures {
		if f.Kind() != "chain" {
			continue
		}
		class, ok := classes[f.Of()]
		if !ok {
			t.Fatalf("nothing measures %q", f.Benchmark)
		}
		m := builtIn(t, f.Machine)
		each := float64(cyclesOf(t, m, dependent(class, 30))-cyclesOf(t, m, dependent(class, 10))) / 20
		if each < f.Least || each > f.Most {
			t.Errorf("%s: %s: %.1f cycles, want %v to %v (%s)", f.Machine, f.Benchmark, each, f.Least, f.Most, f.Source)
		}
	}
}

// The streams keep all units of an SM busy, so that the peak figures of
// arch.Machine.Peaks are what the model can reach.
func TestStreamsOfMultiplyAddsReachThePeak(t *testing.T) {
	const n = 740 // what the L0s of sub-cores hold
	k := gputest.NewKernel("stream")
	for i := range n {
		k.Op(trace.ClassF32Fma, 1+i%8, 1+i%8, 20+i%4)
	}
	k.Exit()
	// The operand collectors of the gtx480 lose a tenth to bank conflicts.
	for name, share := range map[string]float64{"v100": 0.97, "rtx2080ti": 0.97, "rtx3090": 0.97, "a100": 0.97, "h100": 0.97, "tesla-c870": 0.97, "gtx480": 0.85} {
		m := builtIn(t, name)
		const blocks, threads = 2, 384
		run := replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: k, Blocks: blocks, Threads: threads})
		flops := float64(2*n*blocks*threads) / float64(run.Cycles)
		peak := m.Peaks().SingleGigaflops / (m.Clocks.CoreMHz / 1000)
		if flops > peak || flops < share*peak {
			t.Errorf("%s: %.1f operations a cycle, the peak is %.1f", name, flops, peak)
		}
	}
}
