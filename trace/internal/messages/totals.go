// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func FromTotals(t *trace.Totals) *wtapepb.Totals {
	return &wtapepb.Totals{
		Launches: t.Launches, ThreadBlocks: t.ThreadBlocks, Warps: t.Warps, Threads: t.Threads,
		WarpInstructions: t.WarpInstructions, ThreadInstructions: t.ThreadInstructions,
		Visits: t.Visits, MemoryInstructions: t.MemoryInstructions, ByClass: storedCounts(&t.ByClass),
		BytesToDevice: t.BytesToDevice, BytesToHost: t.BytesToHost,
		CpuThreads: t.CPU.Threads, CpuInstructions: t.CPU.Instructions, CpuBranches: t.CPU.Branches,
		CpuTakenBranches: t.CPU.TakenBranches, CpuLoads: t.CPU.Loads, CpuStores: t.CPU.Stores, CpuSyncs: t.CPU.Syncs,
	}
}

// storedCounts are the counts as files have them. Those of classes that came after the
// first files are there only where something has them, so that a trace without them is
// the same, bit for bit, as before.
func storedCounts(c *trace.ClassCounts) []uint64 {
	n := len(c)
	for n > int(trace.ClassNop)+1 && c[n-1] == 0 {
		n--
	}
	return c[:n]
}

func ToTotals(m *wtapepb.Totals) trace.Totals {
	t := trace.Totals{
		Launches: m.GetLaunches(), ThreadBlocks: m.GetThreadBlocks(), Warps: m.GetWarps(), Threads: m.GetThreads(),
		WarpInstructions: m.GetWarpInstructions(), ThreadInstructions: m.GetThreadInstructions(),
		Visits: m.GetVisits(), MemoryInstructions: m.GetMemoryInstructions(),
		BytesToDevice: m.GetBytesToDevice(), BytesToHost: m.GetBytesToHost(),
		CPU: trace.CPUTotals{
			Threads: m.GetCpuThreads(), Instructions: m.GetCpuInstructions(), Branches: m.GetCpuBranches(),
			TakenBranches: m.GetCpuTakenBranches(), Loads: m.GetCpuLoads(), Stores: m.GetCpuStores(), Syncs: m.GetCpuSyncs(),
		},
	}
	copy(t.ByClass[:], m.GetByClass())
	return t
}
