// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"fmt"
	"math/rand/v2"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
)

// RandomMachine is some legal small machine.
func RandomMachine(r *rand.Rand) *arch.Machine {
	m := Machine()
	pick := func(choices ...int) int { return choices[r.IntN(len(choices))] }
	m.GPU.SMs = pick(1, 2, 3)
	m.GPU.BlocksPerCycle, m.GPU.DispatchCycles = pick(1, 2), pick(0, 1, 1, 3, 8)
	m.GPU.LaunchCycles = pick(0, 1, 7)
	s := &m.SM
	s.MaxWarps, s.MaxBlocks = pick(8, 24, 64, 96, 128), pick(2, 8, 32)
	if s.MaxWarps > 48 && r.IntN(2) == 0 { // else threads or registers run out before
		s.MaxThreads, s.Registers = s.MaxWarps*32, s.MaxWarps*32*64
	}
	s.FetchWidth, s.InstructionBuffer = pick(1, 2, 4), pick(1, 2, 5, 8)
	if pick(0, 1) == 1 {
		s.FetchesPerCycle = pick(1, 2, 4)
	}
	s.DecodeCycles, s.OperandReadCycles = pick(0, 1, 3), pick(0, 1, 4)
	s.Schedulers, s.IssuePerScheduler = pick(1, 2, 4), pick(1, 2)
	s.DualIssueDifferentUnits = r.IntN(2) == 0
	s.Scheduler = []string{"lrr", "gto", "oldest", "two-level", "warp-limit"}[r.IntN(5)]
	if s.Scheduler != "two-level" && s.Scheduler != "warp-limit" {
		s.WarpSwitch = []string{"", "", "", "", "non", "mem", "mem-every", "mem-miss", "bra", "mbr", "mbr-miss", "all"}[r.IntN(12)]
		if s.WarpSwitch != "" && r.IntN(3) == 0 {
			s.Scheduler = "srr"
		}
	}
	s.SchedulerWarps = pick(1, 2, 6)
	s.RegisterBanks, s.OperandCollectors = pick(0, 2, 16), pick(0, 1, 3, 12)
	randomCollectors(r, s)
	s.Units = arch.Units{SP: pick(1, 2), Int: pick(0, 1), DP: pick(0, 1), SFU: pick(1, 2), Tensor: 1, LDST: pick(1, 2)}
	for _, l := range []*arch.Latency{&s.Latencies.IntAdd, &s.Latencies.F32Fma, &s.Latencies.Special, &s.Latencies.Branch, &s.Latencies.Barrier, &s.Latencies.Fence} {
		*l = arch.Latency{Cycles: pick(1, 2, 9, 100), Interval: pick(1, 2, 7)}
	}
	if r.IntN(2) == 0 {
		divide(s)
	}
	s.FetchAcrossLines = r.IntN(2) == 0
	s.FetchArrivals = r.IntN(2) == 0
	if r.IntN(2) == 0 {
		m.Instruction = arch.Cache{Bytes: 4096, Ways: 2, LineBytes: pick(32, 128)}
	}
	if m.Instruction.Bytes > 0 && r.IntN(2) == 0 {
		s.FetchArrivals, s.L0 = false, arch.L0{Bytes: 4 * m.Instruction.LineBytes, Ways: pick(1, 2, 4), StreamLines: pick(0, 1, 8)}
		m.Instruction.LatencyCycles = pick(1, 20)
	}
	s.WriteBackCycles = pick(0, 0, 1, 3)
	m.Clocks.NetworkMHz, m.Clocks.DRAMMHz = float64(pick(500, 700, 1000)), float64(pick(924, 1000))
	return m
}

// randomCollectors gives half of the machines collectors with an arbiter: one general
// set, and besides it some of the kinds their own.
func randomCollectors(r *rand.Rand, s *arch.SM) {
	if r.IntN(2) == 0 {
		return
	}
	set := func() arch.CollectorSet { return arch.CollectorSet{Count: 1 + r.IntN(4), Ports: 1 + r.IntN(2)} }
	c := &s.Collectors
	c.General = set()
	for _, own := range []*arch.CollectorSet{&c.SP, &c.Int, &c.DP, &c.SFU, &c.LDST} {
		if r.IntN(2) == 0 {
			*own = set()
		}
	}
	c.WholeOperands = r.IntN(2) == 0
	s.WARHazards = r.IntN(2) == 0
	s.ResultBuses, s.UnitResults = r.IntN(3), r.IntN(2)
	c.ParallelReads, c.ResultsPass, c.Steps = r.IntN(2) == 0, r.IntN(2) == 0, 1+r.IntN(2)
}

// divide makes every scheduler a sub-core, with units and collectors of its own.
func divide(s *arch.SM) {
	s.Collectors.SubCores = true
	n := s.SubCoreCount()
	if n > arch.MaxSubCores {
		s.Collectors.SubCores = false
		return
	}
	c, u := &s.Collectors, &s.Units
	for _, set := range []*arch.CollectorSet{&c.General, &c.SP, &c.Int, &c.DP, &c.SFU, &c.Tensor, &c.LDST} {
		set.Count *= n
	}
	for _, count := range []*int{&u.SP, &u.Int, &u.DP, &u.SFU, &u.Tensor} {
		if *count > 1 || s.Collects() { // else one for all
			*count *= n
		}
	}
	s.RegisterBanks *= n
}

// RandomMemory answers after a random constant time.
func RandomMemory(r *rand.Rand) *Memory {
	m := &Memory{LatencyCycles: clock.Cycle(1 + r.IntN(200))}
	if r.IntN(2) == 0 {
		m.FetchMissCycles = clock.Cycle(1 + r.IntN(60))
	}
	return m
}

// RandomLaunches records a few launches of random kernels: sections of random
// paths, separated by barriers that all warps reach, with random masks and guards.
func RandomLaunches(r *rand.Rand) []Launch {
	var launches []Launch
	for i := range 1 + r.IntN(3) {
		k, sections := randomKernel(r, fmt.Sprintf("random%d", i))
		l := Launch{
			Kernel: k, Blocks: r.IntN(12), Threads: 1 + r.IntN(256),
			Record: func(w *Warp) { recordSections(r, w, sections) },
		}
		countThreads(k, l.Threads)
		launches = append(launches, l)
	}
	return launches
}

// RandomBlock is a random kernel with one thread block of so many threads.
func RandomBlock(r *rand.Rand, threads int) Launch {
	k, sections := randomKernel(r, "random")
	countThreads(k, threads)
	return Launch{Kernel: k, Blocks: 1, Threads: threads, Record: func(w *Warp) { recordSections(r, w, sections) }}
}

// wholeBlock is what a barrier for a number of threads expects: all of them.
const wholeBlock = -1

// countThreads makes barriers for all threads, counted, barriers for as many warps as
// hold those of a thread block.
func countThreads(k *Kernel, threads int) {
	for i := range k.Instructions {
		for j := range k.Instructions[i].Operands {
			if o := &k.Instructions[i].Operands[j]; o.Value == wholeBlock {
				o.Value = int64((threads + trace.WarpSize - 1) / trace.WarpSize * trace.WarpSize)
			}
		}
	}
}

// section is a run of basic blocks first..last. Block last ends with a barrier or the
// exit.
type section struct{ first, last uint32 }

func randomKernel(r *rand.Rand, name string) (*Kernel, []section) {
	k := NewKernel(name)
	var sections []section
	n := 1 + r.IntN(3)
	for i := range n {
		s := section{first: uint32(len(k.Blocks) - 1)}
		for range r.IntN(4) {
			randomInstructions(r, k)
			k.Branch()
		}
		s.last = uint32(len(k.Blocks) - 1)
		randomInstructions(r, k)
		switch {
		case i == n-1:
			k.Exit()
		case r.IntN(3) == 0:
			k.Barrier("sync", int64(r.IntN(16)), wholeBlock)
		default:
			k.Barrier("sync", int64(r.IntN(16)))
		}
		if last := &k.Instructions[len(k.Instructions)-1]; last.Class == trace.ClassBarrier && r.IntN(4) == 0 {
			InRegisters(last)
		}
		sections = append(sections, s)
	}
	return k, sections
}

func randomInstructions(r *rand.Rand, k *Kernel) {
	for range r.IntN(8) {
		reg := func() int { return r.IntN(80) }
		switch r.IntN(9) {
		case 0:
			k.Load(trace.SpaceGlobal, reg(), reg())
		case 1:
			k.Store(trace.SpaceShared, reg(), reg())
		case 2:
			k.Memory(trace.ClassAtomic, trace.SpaceGlobal, []int{None, reg()}[r.IntN(2)], reg(), reg())
		case 3:
			k.Op(trace.ClassSpecial, reg(), reg())
		case 4:
			k.Op(trace.ClassF64Add, reg(), reg(), reg())
		case 5:
			k.Op(trace.ClassFence, None)
		default:
			k.Op([]trace.OpClass{trace.ClassIntAdd, trace.ClassF32Fma}[r.IntN(2)], reg(), reg(), reg(), reg())
		}
		if r.IntN(4) == 0 {
			k.Guarded(r.IntN(4))
		}
	}
}

func recordSections(r *rand.Rand, w *Warp, sections []section) {
	for _, s := range sections {
		for b := s.first; b < s.last; b++ {
			for range r.IntN(3) {
				mask := w.Lanes & (r.Uint32() | r.Uint32())
				if mask == 0 {
					mask = w.Lanes
				}
				w.VisitGuarded(b, mask, mask&[]uint32{0, mask, r.Uint32()}[r.IntN(3)])
			}
		}
		w.Visit(s.last, w.Lanes)
	}
}
