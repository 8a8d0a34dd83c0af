// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
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
	for _, c := range []struct {
		machine string
		class   trace.OpClass
		cycles  clock.Cycle
		source  string
	}{
		{"v100", trace.ClassF32Fma, 4, "Jia et al., arXiv 1804.06826, Table 4.1: FFMA"},
		{"v100", trace.ClassIntMad, 5, "Jia et al., arXiv 1804.06826, Table 4.1: IMAD"},
		{"v100", trace.ClassF64Fma, 8, "Jia et al., arXiv 1804.06826, Table 4.1: DFMA"},
		{"rtx2080ti", trace.ClassF32Fma, 4, "Jia et al., arXiv 1903.07486, Table 4.1: FFMA"},
		{"rtx3090", trace.ClassF32Fma, 4, "GPGPU-Sim SM86_RTX3070, measured on the card"},
		{"a100", trace.ClassF32Fma, 4, "Abdelkhalik et al., HPEC 2022: FFMA"},
		{"a100", trace.ClassF64Fma, 4, "Abdelkhalik et al., HPEC 2022: DFMA"},
		{"tesla-c870", trace.ClassF32Fma, 12, "Wong et al., ISPASS 2010: 24 processor cycles"},
		{"tesla-c870", trace.ClassIntMul, 48, "Wong et al., ISPASS 2010: 96 processor cycles"},
	} {
		m := builtIn(t, c.machine)
		got := cyclesOf(t, m, dependent(c.class, 30)) - cyclesOf(t, m, dependent(c.class, 10))
		if got != 20*c.cycles {
			t.Errorf("%s: 20 dependent instructions take %d cycles, measured %d each (%s)", c.machine, got, c.cycles, c.source)
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
