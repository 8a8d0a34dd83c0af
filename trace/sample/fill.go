package sample

import "github.com/warptape/warptape/trace"

// The GPU that waves are counted on: the GTX480 of Buddy SM Table III, with what an
// SM of it holds.
const (
	fillSMs       = 16
	fillBlocks    = 8
	fillThreads   = 1536
	fillRegisters = 32768
	fillShared    = 48 << 10
)

// fill is the number of thread blocks of a launch that such a GPU holds at a time.
func fill(k *trace.Kernel, l *trace.Launch) uint64 {
	threads := (l.Block.Count() + trace.WarpSize - 1) / trace.WarpSize * trace.WarpSize
	perSM := min(fillBlocks, fillThreads/max(threads, 1))
	if registers := threads * uint64(k.RegistersPerThread); registers > 0 {
		perSM = min(perSM, fillRegisters/registers)
	}
	if shared := uint64(k.SharedBytes) + uint64(l.DynamicSharedBytes); shared > 0 {
		perSM = min(perSM, fillShared/shared)
	}
	return fillSMs * max(perSM, 1)
}

// fewest is the number of thread blocks of a launch that are stored in any case.
func (p *Policy) fewest(k *trace.Kernel, l *trace.Launch) uint64 {
	if p.Waves == 0 {
		return p.Minimum
	}
	return min(p.Waves, l.Grid.Count()) * fill(k, l)
}
