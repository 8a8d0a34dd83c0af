package trace

import "github.com/warptape/warptape/proto/wtapepb"

func totalsToProto(t *Totals) *wtapepb.Totals {
	return &wtapepb.Totals{
		Launches: t.Launches, ThreadBlocks: t.ThreadBlocks, Warps: t.Warps, Threads: t.Threads,
		WarpInstructions: t.WarpInstructions, ThreadInstructions: t.ThreadInstructions,
		Visits: t.Visits, MemoryInstructions: t.MemoryInstructions, ByClass: t.ByClass[:],
		BytesToDevice: t.BytesToDevice, BytesToHost: t.BytesToHost,
		CpuThreads: t.CPU.Threads, CpuInstructions: t.CPU.Instructions, CpuBranches: t.CPU.Branches,
		CpuTakenBranches: t.CPU.TakenBranches, CpuLoads: t.CPU.Loads, CpuStores: t.CPU.Stores,
	}
}

func totalsFromProto(m *wtapepb.Totals) Totals {
	t := Totals{
		Launches: m.GetLaunches(), ThreadBlocks: m.GetThreadBlocks(), Warps: m.GetWarps(), Threads: m.GetThreads(),
		WarpInstructions: m.GetWarpInstructions(), ThreadInstructions: m.GetThreadInstructions(),
		Visits: m.GetVisits(), MemoryInstructions: m.GetMemoryInstructions(),
		BytesToDevice: m.GetBytesToDevice(), BytesToHost: m.GetBytesToHost(),
		CPU: CPUTotals{
			Threads: m.GetCpuThreads(), Instructions: m.GetCpuInstructions(), Branches: m.GetCpuBranches(),
			TakenBranches: m.GetCpuTakenBranches(), Loads: m.GetCpuLoads(), Stores: m.GetCpuStores(),
		},
	}
	copy(t.ByClass[:], m.GetByClass())
	return t
}
