// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/sm/residency"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// An SM has as many warps and thread blocks as the model takes, and no latency that is longer.
func TestAnSMIsAsLargeAsTheModelTakes(t *testing.T) {
	const longest = 1 << 16 // of execution, write-back, operand read and decode together
	for name, c := range map[string]struct {
		change func(m *arch.SM)
		key    string // what the refusal names; empty: none
	}{
		"no warp":           {func(m *arch.SM) { m.MaxWarps = 0 }, "sm.max_warps"},
		"all warps":         {func(m *arch.SM) { m.MaxWarps = warpset.Max }, ""},
		"a warp more":       {func(m *arch.SM) { m.MaxWarps = warpset.Max + 1 }, "sm.max_warps"},
		"no thread block":   {func(m *arch.SM) { m.MaxBlocks = 0 }, "sm.max_blocks"},
		"one thread block":  {func(m *arch.SM) { m.MaxBlocks = 1 }, ""},
		"all thread blocks": {func(m *arch.SM) { m.MaxBlocks = residency.MaxBlocks }, ""},
		"a block more":      {func(m *arch.SM) { m.MaxBlocks = residency.MaxBlocks + 1 }, "sm.max_blocks"},
		"the latency":       {func(m *arch.SM) { m.Latencies.F32Fma.Cycles = longest - 7 - gputest.OperandRead - gputest.DecodeCycles }, ""},
		"a cycle more":      {func(m *arch.SM) { m.Latencies.F32Fma.Cycles = longest - 6 - gputest.OperandRead - gputest.DecodeCycles }, "65536"},
	} {
		m := gputest.Machine()
		m.SM.WriteBackCycles = 7
		c.change(&m.SM)
		_, err := gpu.New(m, options(nil))
		if refused := err != nil; refused != (c.key != "") || refused && !strings.Contains(err.Error(), c.key) {
			t.Errorf("%s: %v, want %q", name, err, c.key)
		}
	}
}

// What is furthest ahead comes in its cycle, whatever the latencies: behind the longest transfer, operand read with the most conflicts,
// execution and write-back.
func TestTheLongestExecutionEndsInItsCycle(t *testing.T) {
	const read, back, conflicts = 100, 100, 255
	k := gputest.NewKernel("longest")
	k.Op(trace.ClassF32Fma, 1, 10, 10+160) // 320 words of one bank
	for _, o := range []int{1, 2} {
		k.Instructions[0].Operands[o].Register.Words = 160
	}
	k.Exit()
	for latency := 400; latency < 1300; latency += 20 {
		decode := []int{1, 100}[latency/20%2]
		m := gputest.Machine()
		m.SM.OperandReadCycles, m.SM.WriteBackCycles, m.SM.DecodeCycles, m.SM.RegisterBanks = read, back, decode, 1
		m.SM.Latencies.F32Fma.Cycles = latency
		r := stepped(t, m, steady(), straight(k), func(_ clock.Cycle, _ *sm.SM, hook sm.Lockstep) { hook.SetTransfer(units.MaxTransfer) })
		if want := clock.Cycle(gputest.LaunchCycles + decode + units.MaxTransfer + read + conflicts + latency + back + 1); r.Cycles != want {
			t.Errorf("a latency of %d: %d cycles, want %d", latency, r.Cycles, want)
		}
	}
}

// Schedulers that admit some warps only see every cycle in which that changes, also where collectors keep warps from issuing: a replay
// that sleeps is one that visits every cycle.
func TestLimitedSchedulersSleepWithoutEffect(t *testing.T) {
	for seed := range uint64(12) {
		var cycles [2]clock.Cycle
		var total [2]counters.Set
		for every := range 2 {
			r := rand.New(rand.NewPCG(seed, 91))
			m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
			m.SM.Scheduler, m.SM.SchedulerWarps, m.SM.WarpSwitch = []string{"two-level", "warp-limit", "srr"}[seed%3], 1+r.IntN(2), ""
			m.SM.Collectors = arch.Collectors{General: arch.CollectorSet{Count: 2, Ports: 1}}
			o := optionsWith(memory, nil)
			o.EveryCycle = every == 1
			run := replay(t, buildWith(t, m, o), gputest.RandomLaunches(r)...)
			cycles[every], total[every] = run.Cycles, run.Total
		}
		if cycles[0] != cycles[1] || total[0] != total[1] {
			t.Errorf("seed %d: %d cycles asleep, %d awake", seed, cycles[0], cycles[1])
		}
	}
}
