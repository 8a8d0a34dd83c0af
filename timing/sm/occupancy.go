// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/residency"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// limit is one resource of an SM.
type limit struct {
	name            string
	need, available int
	key             string // of the architecture
}

// NewOccupancy computes the occupancy of a launch of k whose thread blocks have
// warps hardware warps. A thread block too large for an empty SM is an error
// that names the kernel and the limit. Of equal limits the first in the order of
// core.Occupancy.Limiter is named.
func NewOccupancy(m *arch.Machine, k *trace.Kernel, l *trace.Launch, warps int) (core.Occupancy, error) {
	shared := roundUp(uint64(k.SharedBytes)+uint64(l.DynamicSharedBytes)+uint64(m.Shared.BlockReserve), m.Shared.AllocationUnit)
	registers := uint64(k.RegistersPerThread)
	if m.SM.RegistersPerThread > 0 {
		registers = uint64(m.SM.RegistersPerThread)
	}
	if n := m.GPU.RegistersOf(k.Name); n > 0 {
		registers = uint64(n)
	}
	perWarp := roundUp(registers*trace.WarpSize, m.SM.RegisterAllocationUnit)
	o := core.Occupancy{
		Need: seam.Footprint{
			Threads: warps * trace.WarpSize, Warps: warps,
			Registers: clampInt(perWarp * uint64(warps)), SharedBytes: clampInt(shared),
		},
		Blocks: -1,
	}
	for _, r := range limitsOf(m, &o.Need) {
		if r.need > r.available {
			return o, fmt.Errorf("kernel %s: a thread block needs %d %s, an SM of %s has %d (%s)", k.Name, r.need, unitOf(r.name), m.Name, r.available, r.key)
		}
		if r.need == 0 {
			continue
		}
		if n := r.available / r.need; o.Blocks < 0 || n < o.Blocks {
			o.Blocks, o.Limiter = n, r.name
		}
	}
	return o, nil
}

// limitsOf lists what bounds the thread blocks of an SM.
func limitsOf(m *arch.Machine, need *seam.Footprint) [5]limit {
	return [...]limit{
		{"threads", need.Threads, m.SM.MaxThreads, "sm.max_threads"},
		{"warps", need.Warps, min(m.SM.MaxWarps, warpset.Max), "sm.max_warps"},
		{"blocks", 1, min(m.SM.MaxBlocks, residency.MaxBlocks), "sm.max_blocks"},
		{"registers", need.Registers, m.SM.Registers, "sm.registers"},
		{"shared_memory", need.SharedBytes, m.Shared.Bytes, "shared_memory.bytes"},
	}
}

// ResidentWarps is how many warps the SM has at a time of thread blocks with such needs.
func (s *SM) ResidentWarps(need *seam.Footprint) int {
	blocks := residency.MaxBlocks
	for _, r := range limitsOf(s.machine, need) {
		if r.need > 0 {
			blocks = min(blocks, r.available/r.need)
		}
	}
	return blocks * need.Warps
}

func unitOf(limit string) string {
	if limit == "shared_memory" {
		return "bytes of shared memory"
	}
	return limit
}

// roundUp rounds n up to a multiple of unit (any unit below 2 means no rounding).
func roundUp(n uint64, unit int) uint64 {
	if unit < 2 {
		return n
	}
	u := uint64(unit)
	return (n + u - 1) / u * u
}

func clampInt(n uint64) int { return int(min(n, 1<<40)) }
