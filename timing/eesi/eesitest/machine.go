// SPDX-License-Identifier: Apache-2.0

// Package eesitest builds machines with lanes that fetch by themselves, for tests.
package eesitest

import (
	"math/rand/v2"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/gpu/gputest"
)

// Machine is a small machine with lanes that fetch by themselves.
func Machine(divergence string) *arch.Machine {
	m := gputest.Machine()
	m.GPU.Core, m.GPU.Divergence, m.SM.Scheduler, m.SM.WarpSwitch = eesi.Kind, divergence, "lrr", "all"
	m.SetSection(eesi.Key, &eesi.Section{Turn: "any", LineRequests: 1, ReadCycles: 1, MemoryQueue: 2, UpperRegisters: 4, DecoderGates: 8500})
	return m
}

// Section is that of a machine of this package.
func Section(m *arch.Machine) *eesi.Section { return m.Section(eesi.Key).(*eesi.Section) }

// RandomMachine is one with random parameters.
func RandomMachine(r *rand.Rand) *arch.Machine {
	pick := func(values ...int) int { return values[r.IntN(len(values))] }
	m := Machine([]string{eesi.Together, eesi.Apart, eesi.Interleaved}[r.IntN(3)])
	m.SM.WarpSwitch = []string{"non", "mem", "mem-every", "mem-miss", "bra", "mbr", "mbr-every", "mbr-miss", "all", "all"}[r.IntN(10)]
	m.SM.Scheduler = []string{"lrr", "lrr", eesi.Strict}[r.IntN(3)]
	m.SM.FetchWidth, m.SM.InstructionBuffer, m.SM.DecodeCycles = pick(1, 2, 4), pick(1, 2, 4), pick(0, 1, 3)
	m.SM.MaxWarps = pick(8, 24, 64)
	m.SM.Latencies.Branch.Cycles = pick(1, 3)
	m.Instruction = arch.Cache{LineBytes: 64, LatencyCycles: pick(1, 4)}
	*Section(m) = eesi.Section{
		Turn: []string{"any", "all"}[r.IntN(2)], TinyLines: pick(0, 1, 4, 16), TinyWays: 1, TinyLineBytes: pick(8, 32, 64), LineRequests: pick(1, 2), RequestsAlone: r.IntN(3) == 0, AccessesAlone: r.IntN(4) == 0, ReadCycles: pick(0, 1, 3),
		MemoryQueue: pick(1, 2, 4), UpperRegisters: pick(0, 1, 6), DecoderGates: 1,
	}
	if m.GPU.Divergence == eesi.Interleaved {
		Section(m).TinyLines = 0
	}
	return m
}
