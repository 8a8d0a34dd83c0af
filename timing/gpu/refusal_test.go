// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// operation is a kernel that does one thing.
func operation(name string, class trace.OpClass) *gputest.Kernel {
	k := gputest.NewKernel(name)
	if class == trace.ClassAtomic {
		k.Memory(class, trace.SpaceGlobal, 1, 2, 3)
	} else {
		k.Op(class, 1, 2)
	}
	return k.Exit()
}

func TestEveryLimitRefusesTheKernelThatExceedsItByOne(t *testing.T) {
	lacks := func(change func(*arch.SM)) func(*arch.Machine) { return func(m *arch.Machine) { change(&m.SM) } }
	for name, c := range map[string]struct {
		machine func(m *arch.Machine) // at the limit
		over    func(m *arch.Machine) // beyond it
		kernel  *gputest.Kernel
		threads int
		words   []string
	}{
		"threads": {
			func(m *arch.Machine) { m.SM.MaxThreads = 256 }, func(m *arch.Machine) { m.SM.MaxThreads = 255 },
			operation("wide", trace.ClassF32Add), 256, []string{"wide", "256 threads", "has 255", "sm.max_threads"},
		},
		"warps": {
			func(m *arch.Machine) { m.SM.MaxWarps = 8 }, func(m *arch.Machine) { m.SM.MaxWarps = 7 },
			operation("tall", trace.ClassF32Add), 256, []string{"tall", "8 warps", "has 7", "sm.max_warps"},
		},
		"registers": {
			func(m *arch.Machine) { m.SM.Registers = 8 * 32 * 10; m.SM.RegisterAllocationUnit = 1 },
			func(m *arch.Machine) { m.SM.Registers = 8*32*10 - 1; m.SM.RegisterAllocationUnit = 1 },
			withRegisters(operation("hungry", trace.ClassF32Add), 10), 256, []string{"hungry", "2560 registers", "has 2559", "sm.registers"},
		},
		"shared memory": {
			func(m *arch.Machine) { m.Shared.Bytes = 4096 }, func(m *arch.Machine) { m.Shared.Bytes = 4096 - m.Shared.AllocationUnit },
			withShared(operation("sharing", trace.ClassF32Add), 4096), 32, []string{"sharing", "4096 bytes of shared memory", "shared_memory.bytes"},
		},
		"no double unit": {
			lacks(func(s *arch.SM) { s.Units.DP, s.Units.SFU = 0, 1 }), lacks(func(s *arch.SM) { s.Units.DP, s.Units.SFU = 0, 0 }),
			operation("precise", trace.ClassF64Fma), 32, []string{"precise", "dp unit", "units.dp"},
		},
		"no double precision": {
			lacks(func(s *arch.SM) { s.Units.DP, s.Units.SFU = 0, 1 }), lacks(func(s *arch.SM) { s.Lacks.Double = true }),
			operation("precise", trace.ClassF64Fma), 32, []string{"precise", "double precision", "sm.lacks.double"},
		},
		"no tensor units": {
			lacks(func(s *arch.SM) { s.Units.Tensor = 1 }), lacks(func(s *arch.SM) { s.Units.Tensor = 0 }),
			operation("deep", trace.ClassTensor), 32, []string{"deep", "tensor unit", "units.tensor"},
		},
		"no atomics": {
			lacks(func(*arch.SM) {}), lacks(func(s *arch.SM) { s.Lacks.Atomics = true }),
			operation("counting", trace.ClassAtomic), 32, []string{"counting", "atomic", "sm.lacks.atomics"},
		},
		"no shuffles": {
			lacks(func(*arch.SM) {}), lacks(func(s *arch.SM) { s.Lacks.Shuffles = true }),
			operation("mixing", trace.ClassShuffle), 32, []string{"mixing", "shuffle", "sm.lacks.shuffles"},
		},
	} {
		fits, over := gputest.Machine(), gputest.Machine()
		c.machine(fits)
		c.over(over)
		src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: c.kernel, Blocks: 1, Threads: c.threads}))
		if _, err := build(t, fits, &gputest.Memory{}).Replay(context.Background(), src, nil); err != nil {
			t.Errorf("%s: refused at the limit: %v", name, err)
		}
		err := build(t, over, &gputest.Memory{}).Check(src.Kernels(), src.Launches())
		for _, w := range c.words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", name, err, w)
			}
		}
	}
}

func withRegisters(k *gputest.Kernel, n uint32) *gputest.Kernel {
	k.RegistersPerThread = n
	return k
}

func withShared(k *gputest.Kernel, bytes uint32) *gputest.Kernel {
	k.SharedBytes = bytes
	return k
}

func TestEveryKernelThatCannotRunIsNamedOnce(t *testing.T) {
	m := gputest.Machine()
	m.SM.Units.Tensor = 0
	good, deep, sharing := chain(1), operation("deep", trace.ClassTensor), withShared(operation("sharing", trace.ClassF32Add), 60<<10)
	var launches []gputest.Launch
	for _, k := range []*gputest.Kernel{good, deep, sharing, deep, sharing, good} {
		launches = append(launches, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	}
	src := gputest.NewSource(gputest.Trace(t, launches...))
	err := build(t, m, &gputest.Memory{}).Check(src.Kernels(), src.Launches())
	if err == nil || strings.Count(err.Error(), "kernel deep") != 1 || strings.Count(err.Error(), "kernel sharing") != 1 || strings.Contains(err.Error(), "chain") {
		t.Errorf("%v", err)
	}
}

// A divergence policy may refuse kernels: each is named with the reason, whichever kernels stand between.
func TestEveryKernelThatThePolicyRefusesIsNamed(t *testing.T) {
	var launches []gputest.Launch
	for _, name := range []string{"first", "second", "third", "second", "fourth"} {
		launches = append(launches, gputest.Launch{Kernel: operation(name, trace.ClassIntAdd), Blocks: 1, Threads: 32})
	}
	src := gputest.NewSource(gputest.Trace(t, launches...))
	g := build(t, gputest.Machine(), &gputest.Memory{})
	g.policy.Check = func(k *trace.Kernel) error {
		if k.Name == "first" || k.Name == "third" {
			return fmt.Errorf("kernel %s has a loop", k.Name)
		}
		return nil
	}
	err := g.Check(src.Kernels(), src.Launches())
	want := "test: gpu.divergence: kernel first has a loop\ntest: gpu.divergence: kernel third has a loop"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
