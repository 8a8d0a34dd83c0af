// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// unfinishedWarpgroup is the fault of a block that ends with products that not all
// warps of a group have executed.
func (s *scheduler) unfinishedWarpgroup() error {
	for i := range s.block.Warpgroups {
		g := &s.block.Warpgroups[i]
		if len(g.Pending) == 0 {
			continue
		}
		w := &s.warps[i*coexecution.WarpgroupWarps+slices.Index(g.Done[:], slices.Min(g.Done[:]))]
		var missing []string
		for member, done := range g.Done {
			if warp := i*coexecution.WarpgroupWarps + member; done == g.First {
				missing = append(missing, fmt.Sprintf("%d (threads %d to %d)", warp, warp*WarpSize, (warp+1)*WarpSize-1))
			}
		}
		f := &coexecution.Fault{Kind: coexecution.FaultPartialWarp, Detail: fmt.Sprintf("only %d of the four warps of warpgroup %d executed this wgmma.mma_async; it was not executed by warp %s",
			coexecution.WarpgroupWarps-g.Pending[0].Left, i, strings.Join(missing, ", "))}
		f.Locate(s.kernel.contaminated.PTX, g.Pending[0].Instruction, &w.identity, 0)
		return f
	}
	return nil
}
