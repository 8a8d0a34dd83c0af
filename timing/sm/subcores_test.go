// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// A unit of sixteen lanes takes a warp every other cycle. A warp whose sub-core has one of the
// four issues every other cycle, and a warp that may use all of them in every cycle. Where each
// sub-core has a warp, all of them together take as long as one.
func TestAWarpHasTheUnitsOfItsSubCore(t *testing.T) {
	const lines, interval = 20, 2
	cycles := func(divided bool, warps int) clock.Cycle {
		m := gputest.Machine()
		m.SM.Schedulers, m.SM.Units.SP, m.SM.Units.Int = 4, 4, 4
		m.SM.FetchWidth, m.SM.InstructionBuffer = 4, 8
		m.SM.Latencies.IntAdd = arch.Latency{Cycles: 4, Interval: interval}
		m.SM.Collectors.SubCores = divided
		m.SM.L0 = arch.L0{Bytes: 1 << 15, Ways: 4, StreamLines: 16}
		m.Instruction = arch.Cache{Bytes: 1 << 16, Ways: 4, LineBytes: 128, SectorBytes: 128, LatencyCycles: 1}
		return fetching(t, m, 0, linesOfCode(lines), warps).Cycles
	}
	one, alone, four := cycles(true, 1), cycles(false, 1), cycles(true, 4)
	instructions := clock.Cycle(16*lines - 1)
	near := func(got, want clock.Cycle) bool { return got >= want && got <= want+40 }
	if !near(one, interval*instructions) || !near(alone, instructions) || four < one || four > one+lines {
		t.Errorf("%d instructions: %d cycles with a sub-core's units, %d with all, %d for four warps", instructions, one, alone, four)
	}
}

// Two warps of one sub-core share its unit, and those of two sub-cores do not.
func TestWarpsOfOneSubCoreShareItsUnits(t *testing.T) {
	m := gputest.Machine()
	m.SM.Schedulers, m.SM.Units.SP, m.SM.Units.SFU = 2, 2, 2
	m.SM.Latencies.Special = arch.Latency{Cycles: 20, Interval: 16}
	m.SM.Collectors.SubCores = true
	k := gputest.NewKernel("sines")
	for n := range 100 {
		k.Op(trace.ClassSpecial, 10+n)
	}
	kernel := k.Exit()
	for warps, units := range map[int]clock.Cycle{1: 1, 2: 1, 3: 2, 4: 2} { // warps w and w + 2 have sub-core w
		got := replay(t, build(t, m, &gputest.Memory{}), gputest.Launch{Kernel: kernel, Blocks: 1, Threads: 32 * warps}).Cycles
		if want := 100 * 16 * units; got < want || got > want+60 {
			t.Errorf("%d warps: %d cycles, want some %d", warps, got, want)
		}
	}
}
