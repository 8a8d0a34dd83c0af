// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/extrapolate"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace/wtape"
)

const (
	// leastGathering is the part of the cycles that writes to DRAM may be missing for
	// before a warning says so.
	leastGathering = 0.02
	// leastWarming is the same for reads that may find their data later.
	leastWarming = 0.5
	// leastUneven is the same for a slice that the machine has no equal of.
	leastUneven = 0.02
	// leastSlicedDRAM is the same for DRAM that a slice uses in its own way.
	leastSlicedDRAM = 0.1
	// leastMeeting is the same for atomics that a slice does not show meet.
	leastMeeting = 0.02
)

// suitability says why the machine should have another sample. The sample may store
// less than two fills of the machine, or leave the last cache not full. The machine
// may have no such slice, or the slice may not show how atomics meet or what DRAM
// does. The intervals are wide enough for that already.
func suitability(r *wtape.Reader, m *arch.Machine, run *gpu.Run, own []extrapolate.Estimate, total *extrapolate.Estimate) []string {
	var list []string
	s := r.Sampling()
	few, first, share := 0, -1, 0.0
	for i := range run.Launches {
		representative := s.Launches[i].Representative
		if own[representative].Exposed[extrapolate.FewFills] == 0 {
			continue
		}
		few++
		if first < 0 {
			first = representative
		}
		share += float64(own[representative].Cycles * ratioOf(s.Launches[i].WarpInstructions, s.Launches[representative].WarpInstructions))
	}
	remedy := fmt.Sprintf("record it with --sample auto,for=%s, or replay the whole trace", m.Name)
	if few > 0 {
		l := &run.Launches[first]
		list = append(list, fmt.Sprintf("the sample does not suit %s: of launch %d (kernel %s) it stores %d thread blocks, and the machine holds %d at a time; %d of %d launches, with %.1f %% of the cycles, can only be guessed: %s",
			m.Name, first, r.Kernels()[l.Kernel].Name, storedParts(r)[first].blocks, l.Occupancy.Blocks*m.GPU.SMs, few, len(run.Launches), min(100, 100*ratio(share, total.Cycles)), remedy))
	}
	if part := ratio(total.Exposed[extrapolate.Gathering], total.Cycles); part > leastGathering {
		list = append(list, fmt.Sprintf("the sample does not suit %s: its thread blocks do not fill the last cache of the machine, so that up to %.1f %% of the cycles, for writes to DRAM, may be missing: %s", m.Name, 100*part, remedy))
	}
	if part := ratio(total.Exposed[extrapolate.Warming], total.Cycles); part > leastWarming {
		list = append(list, fmt.Sprintf("the sample does not suit %s: its thread blocks do not fill the last cache of the machine; up to %.1f %% of the cycles may go to reads of DRAM that later find their data in the cache: %s", m.Name, 100*part, remedy))
	}
	if part := ratio(total.Exposed[extrapolate.Uneven], total.Cycles); part > leastUneven {
		slice := extrapolate.PartOf(m, int(s.SlicesKept), int(s.SlicesAll))
		list = append(list, fmt.Sprintf("the sample does not suit %s: it is of %d of %d parts of a machine, for which %d of %d SMs stand: %s", m.Name, s.SlicesKept, s.SlicesAll, slice.SMs, slice.All, remedy))
	}
	if part := ratio(total.Exposed[extrapolate.SlicedDRAM], total.Cycles); part > leastSlicedDRAM {
		list = append(list, fmt.Sprintf("the sample does not suit %s: it is of a part of a machine, which uses rows and channels of DRAM in its own way, and up to %.0f %% of the cycles depend on that: %s", m.Name, 100*part, remedy))
	}
	if part := ratio(total.Exposed[extrapolate.Meeting], total.Cycles); part > leastMeeting {
		list = append(list, fmt.Sprintf("the sample does not suit %s: it is of a part of a machine, and the whole run takes up to %.0f %% longer if all its atomics are on one line: %s", m.Name, 100*part, remedy))
	}
	return list
}
