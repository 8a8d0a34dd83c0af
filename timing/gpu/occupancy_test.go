// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

func TestOccupancyNamesTheLimiter(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(m *arch.Machine, k *gputest.Kernel)
		threads int
		dynamic uint32
		blocks  int
		limiter string
	}{
		"threads":       {func(m *arch.Machine, _ *gputest.Kernel) { m.SM.MaxThreads = 1000 }, 250, 0, 3, "threads"},
		"warps":         {func(m *arch.Machine, _ *gputest.Kernel) { m.SM.MaxWarps = 20 }, 256, 0, 2, "warps"},
		"blocks":        {func(*arch.Machine, *gputest.Kernel) {}, 32, 0, 8, "blocks"},
		"registers":     {func(_ *arch.Machine, k *gputest.Kernel) { k.RegistersPerThread = 63 }, 256, 0, 2, "registers"},
		"shared memory": {func(_ *arch.Machine, k *gputest.Kernel) { k.SharedBytes = 10001 }, 64, 1000, 4, "shared_memory"},
	} {
		m, k := gputest.Machine(), chain(1)
		c.change(m, k)
		g := build(t, m, &gputest.Memory{})
		run := replay(t, g, gputest.Launch{Kernel: k, Blocks: 40, Threads: c.threads, DynamicBytes: c.dynamic})
		o := run.Launches[0].Occupancy
		if o.Blocks != c.blocks || o.Limiter != c.limiter {
			t.Errorf("%s: %d blocks by %s, want %d by %s", name, o.Blocks, o.Limiter, c.blocks, c.limiter)
		}
		if n := g.cores[0].(*sm.SM).ResidentWarps(&o.Need); n != c.blocks*((c.threads+31)/32) {
			t.Errorf("%s: an SM has %d warps at a time of %d blocks", name, n, c.blocks)
		}
		if n := run.Total[counters.BlocksRetired]; n != 40 {
			t.Errorf("%s: %d thread blocks ended, want 40", name, n)
		}
	}
}

func TestLaunchThatCannotRunIsRefusedBeforeTheFirst(t *testing.T) {
	good, big, double := chain(1), chain(1), gputest.NewKernel("precise")
	big.Name, big.SharedBytes = "greedy", 60<<10
	double.Op(trace.ClassF64Add, 1).Exit()
	m := gputest.Machine()
	m.SM.Units.DP, m.SM.Units.SFU = 0, 0
	for _, c := range []struct {
		launch gputest.Launch
		words  []string
	}{
		{gputest.Launch{Kernel: big, Blocks: 1, Threads: 32}, []string{"greedy", "launch 1", "61440 bytes of shared memory", "49152", "shared_memory.bytes"}},
		{gputest.Launch{Kernel: good, Blocks: 1, Threads: 1600}, []string{"chain", "1600 threads", "1536", "sm.max_threads"}},
		{gputest.Launch{Kernel: double, Blocks: 1, Threads: 32}, []string{"precise", "precise.ptx:1", "dp unit", "units.dp"}},
	} {
		issued := uint64(0)
		src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: good, Blocks: 1, Threads: 32}, c.launch))
		_, err := build(t, m, &gputest.Memory{}).Replay(context.Background(), src, func(n uint64) { issued = n })
		if err == nil || issued > 0 {
			t.Fatalf("%s ran", c.launch.Kernel.Name)
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
}
