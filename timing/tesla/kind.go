// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

func init() {
	core.Kinds.Register(kind, core.Kind{New: newMultiprocessor, Compile: compile, Occupancy: occupancy, FrontEnds: frontEnds, TeslaLanguage: true})
}

// frontEnds gives each multiprocessor its own; it issues one warp in a cycle at most.
func frontEnds(_ *arch.Machine, cores []core.Core) ([]core.Driver, error) {
	drivers := make([]core.Driver, len(cores))
	for i, c := range cores {
		p, ok := c.(*multiprocessor)
		if !ok {
			return nil, fmt.Errorf("BUG: core %d is a %T, and no multiprocessor of the Tesla-like machine", i, c)
		}
		drivers[i] = core.Driver{FrontEnd: frontEnd{p}, Cores: cores[i : i+1], SlotsPerCycle: 1}
	}
	return drivers, nil
}

// maxWarps is the largest number of warps of a thread block that the field WARP holds.
const maxWarps = 15

// warpsOf is the number of warps of a width of a launch's thread blocks.
func warpsOf(l *trace.Launch, width int) int {
	width = max(width, 1)
	return int((l.Block.Count() + uint64(width) - 1) / uint64(width))
}

// occupancy says how many blocks have slots. The machine dispatches without a look at it
// (3.7); a block that takes what another one uses ends the replay.
func occupancy(m *arch.Machine, k *trace.Kernel, l *trace.Launch, _ int) (core.Occupancy, error) {
	s, err := sectionOf(m)
	if err != nil {
		return core.Occupancy{}, err
	}
	if k.Tesla == nil {
		return core.Occupancy{}, otherLanguage(m, k)
	}
	if there := k.Tesla.RecordedIn.WarpWidth; k.Tesla.WarpsPerBlock != warpsOf(l, there) {
		return core.Occupancy{}, fmt.Errorf("kernel %s: a thread block of %d threads, and the kernel says %d warps of %d; the trace is altered", k.Name, l.Block.Count(), k.Tesla.WarpsPerBlock, there)
	}
	warps := warpsOf(l, s.WarpWidth)
	if warps > maxWarps {
		return core.Occupancy{}, fmt.Errorf("kernel %s: a thread block of %d threads has %d warps of %d, and the four bits of WARP hold at most %d", k.Name, l.Block.Count(), warps, s.WarpWidth, maxWarps)
	}
	registers := warps * k.Tesla.RegistersPerThread * s.rows()
	o := core.Occupancy{Need: seam.Footprint{Threads: warps * s.WarpWidth, Warps: warps, Registers: registers * s.Processors, SharedBytes: int(k.SharedBytes)}}
	for _, r := range []struct {
		name            string
		need, available int
		parameter       string
	}{
		{"blocks", 1, s.BlockSlots, "tesla.block_slots"}, {"warps", warps, s.WarpSlots, "tesla.warp_slots"},
		{"registers", registers, 1 << s.RegisterAddressBits, "tesla.register_address_bits"},
	} {
		if r.need > r.available {
			return o, fmt.Errorf("kernel %s: a thread block needs %d %s of a multiprocessor, which has %d (%s)", k.Name, r.need, r.name, r.available, r.parameter)
		}
		if n := r.available / max(r.need, 1); o.Limiter == "" || n < o.Blocks {
			o.Blocks, o.Limiter = n, r.name
		}
	}
	return o, nil
}
