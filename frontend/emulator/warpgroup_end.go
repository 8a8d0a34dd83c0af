package emulator

import (
	"fmt"
	"slices"
	"strings"
)

// unfinishedWarpgroup is the fault of a block that ends with products that not all
// warps of a group have executed.
func (s *scheduler) unfinishedWarpgroup() error {
	for i := range s.block.warpgroups {
		g := &s.block.warpgroups[i]
		if len(g.pending) == 0 {
			continue
		}
		w := &s.warps[i*warpgroupWarps+slices.Index(g.done[:], slices.Min(g.done[:]))]
		var missing []string
		for member, done := range g.done {
			if warp := i*warpgroupWarps + member; done == g.first {
				missing = append(missing, fmt.Sprintf("%d (threads %d to %d)", warp, warp*WarpSize, (warp+1)*WarpSize-1))
			}
		}
		f := &Fault{Kind: FaultPartialWarp, Detail: fmt.Sprintf("only %d of the four warps of warpgroup %d executed this wgmma.mma_async; it was not executed by warp %s",
			warpgroupWarps-g.pending[0].left, i, strings.Join(missing, ", "))}
		f.locate(s.kernel.contaminated.PTX, g.pending[0].instruction, &w.identity, 0)
		return f
	}
	return nil
}
