// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// extremes changes a legal machine into another, often at the ends of what is
// legal: one SM or 1024, queues and registers for misses of one entry, odd sizes.
func extremes(r *rand.Rand, m *arch.Machine) {
	pick := func(choices ...int) int { return choices[r.IntN(len(choices))] }
	m.GPU.SMs = pick(1, 1, 2, 3, 7, 13, 1024)
	m.GPU.BlocksPerCycle, m.GPU.LaunchCycles = pick(1, 5), pick(0, 1, 100)
	s := &m.SM
	s.MaxWarps = pick(8, 9, 24, 48, 64)
	s.MaxThreads, s.MaxBlocks = max(32*s.MaxWarps, s.MaxThreads), pick(1, 3, 8, 32)
	s.Schedulers, s.IssuePerScheduler = pick(1, 2, 3, 8), pick(1, 2)
	s.FetchWidth, s.InstructionBuffer, s.DecodeCycles = pick(1, 2, 16), pick(2, 3, 64), pick(0, 1, 30)
	s.Scheduler = []string{"lrr", "gto", "oldest"}[r.IntN(3)]
	s.WarpSwitch = []string{"", "non", "mem", "bra", "mbr", "all"}[r.IntN(6)]
	s.Coalescing = []string{"", "lines", "cc1.0", "cc1.2"}[r.IntN(4)]
	s.RegisterBanks, s.ResultBuses = pick(0, 1, 3, 16, 256), pick(0, 1, 2)
	s.WARHazards = r.IntN(2) == 0
	s.Collectors.General = arch.CollectorSet{Count: pick(1, 5, 64), Ports: pick(1, 16)}
	if r.IntN(2) == 0 {
		s.Collectors.LDST = arch.CollectorSet{Count: 1, Ports: 1}
	}
	s.Units.SP, s.Units.Int, s.Units.DP, s.Units.SFU = pick(1, 3, 16), pick(0, 1), pick(0, 1), pick(1, 4)
	m.Shared.Banks, m.Shared.BankBytes = pick(1, 2, 16, 32, 128), pick(4, 8)
	for _, c := range []*arch.Cache{&m.L1, &m.Constant, &m.Instruction, &m.Texture, &m.L2.Slice, &m.LLC} {
		if c.Bytes == 0 {
			continue
		}
		if r.IntN(2) == 0 {
			c.SectorBytes = max(32, c.LineBytes/pick(1, 2, 4))
		}
		c.MSHRs, c.MSHRMerges, c.MissQueue = max(pick(1, 2, 64), c.LineBytes/c.SectorBytes), pick(1, 3, 64), pick(1, 2, 16)
		c.Ways, c.LatencyCycles = pick(1, 2, 3), pick(1, 17, 200)
		c.Bytes = c.Ways * c.LineBytes * pick(1, 2, 32)
		if c.Index == "fermi" {
			c.Index = "xor"
		}
	}
	m.L1.Banks = pick(1, 4, 32)
	m.L1.Write = []string{"through_no_allocate", "local_back_no_allocate", "back_allocate"}[r.IntN(3)]
	if m.L1.Write == "through_no_allocate" {
		m.L1.Allocate = []string{"", "on_miss", "on_fill"}[r.IntN(3)]
	} else {
		m.L1.Allocate = "on_miss"
	}
	m.Network.FlitBytes, m.Network.InputQueue, m.Network.OutputQueue = pick(1, 7, 32, 1024), pick(1, 2, 64), pick(1, 2, 64)
	m.L2.InputQueue, m.DRAM.Queue, m.DRAM.ExtraCycles = pick(1, 2, 64), pick(1, 3, 64), pick(0, 1, 100)
	m.Clocks.CoreMHz, m.Clocks.DRAMMHz = float64(pick(1, 700, 1337, 20000)), float64(pick(100, 924, 4001))
}

// Any legal machine runs any trace to its end and keeps the invariants; what
// contradicts itself is refused with an error.
func TestRandomLegalMachinesReplayRandomTraces(t *testing.T) {
	randomMachines(t, []string{"gtx480", "gtx480-ref", "gpsim-soc", "mesh56"}, 5, extremes)
}

// So do the cards from Volta on, with their sectors, sub-cores, halves of an L2 and kinds of DRAM.
func TestRandomCardsReplayRandomTraces(t *testing.T) {
	randomMachines(t, []string{"v100", "qv100-ref", "rtx2080ti", "rtx3090", "a100", "h100"}, 6, func(r *rand.Rand, m *arch.Machine) {
		sm := m.SM
		extremes(r, m)
		if sm.Collectors.SubCores { // units and banks that four sub-cores share out evenly
			m.SM = sm
		}
		m.Constant.Behind = ""
		extremesOfMemory(r, m)
	})
}

// extremesOfMemory changes what cards of different years have otherwise: partitions of an L2 and
// how addresses go round them, its halves, and the policies of a channel of DRAM.
func extremesOfMemory(r *rand.Rand, m *arch.Machine) {
	l, d := &m.L2, &m.DRAM
	l.Partitions, l.SlicesPerPartition = []int{1, 2, 5, 22, 64}[r.IntN(5)], 1<<r.IntN(2)
	l.PartitionHash = "none"
	if l.Partitions&(l.Partitions-1) == 0 {
		l.PartitionHash = []string{"none", "xor", "ipoly"}[r.IntN(3)]
	}
	l.FarCycles = 0
	if m.GPU.SMs > 1 && l.Partitions%2 == 0 {
		l.FarCycles = []int{0, 1, 300}[r.IntN(3)]
	}
	m.Network.RepliesPerCycle = 1 + r.IntN(2)
	d.Mapping = []string{"row_bank_column", "row_column_bank", "row_bank_column_group"}[r.IntN(3)]
	d.BankHash = []string{"none", "xor"}[r.IntN(2)]
	d.CommandBus = []string{"shared", "row_and_column"}[r.IntN(2)]
	d.Refresh = []string{"none", "all_bank", "per_bank"}[r.IntN(3)]
	d.Writes = []string{"mixed", "drain"}[r.IntN(2)]
	d.WriteHigh = 1 + r.IntN(d.Queue)
	d.WriteLow = r.IntN(d.WriteHigh)
	d.Scheduler = []string{"frfcfs", "fcfs", "frfcfs-cap"}[r.IntN(3)]
}

// randomMachines replays random traces on machines that are drawn from those of the names.
func randomMachines(t *testing.T, names []string, stream uint64, change func(*rand.Rand, *arch.Machine)) {
	draws := tracetest.Seeds(t, 60, 4)
	legal := 0
	for _, seed := range draws {
		r := rand.New(rand.NewPCG(seed, stream))
		m := load(t, names[r.IntN(len(names))])[0]
		change(r, m)
		if m.Validate() != nil {
			continue
		}
		legal++
		g, err := gpu.New(m, gpu.Options{})
		if err != nil {
			t.Fatalf("seed %d: a machine that validates is refused: %v", seed, err)
		}
		launches := gputest.RandomLaunches(r)[:1]
		if launches[0].Threads > m.SM.MaxThreads || launches[0].Threads > 32*m.SM.MaxWarps {
			launches[0].Threads = 32
		}
		src := gputest.NewSource(gputest.Trace(t, launches...))
		run, err := g.Replay(t.Context(), src, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		gputest.Invariants(t, m, &run.Total, run.Cycles)
		if g, err = gpu.New(m, gpu.Options{Cores: 3}); err != nil {
			t.Fatal(err)
		}
		if apart, err := g.Replay(t.Context(), src, nil); err != nil || !cmp.Equal(run, apart) {
			t.Errorf("seed %d: three cores change the result: %v %s", seed, err, cmp.Diff(run, apart))
		}
	}
	if tracetest.Whole() && legal < len(draws)/2 {
		t.Errorf("only %d of %d random machines are legal", legal, len(draws))
	}
}
