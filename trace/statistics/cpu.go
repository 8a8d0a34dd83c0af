// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// CPULineBytes is the size of the lines by which the CPU's data are counted.
const CPULineBytes = 64

// CPU is what the CPU threads of a trace did.
type CPU struct {
	trace.CPUTotals
	// DistinctIPs counts the instruction addresses that were executed.
	DistinctIPs int `json:"distinct_ips"`
	// Branches by kind, those that occur.
	ByBranch map[string]uint64 `json:"by_branch"`
	// FootprintLines counts distinct lines of CPULineBytes that were read or written,
	// ReuseDistance and FirstTouches their touches as Global does, operand by
	// operand, thread after thread.
	FootprintLines uint64               `json:"footprint_lines"`
	ReuseDistance  [ReuseBuckets]uint64 `json:"reuse_distance"`
	FirstTouches   uint64               `json:"first_touches"`
	Bounded        bool                 `json:"bounded"`
}

// countCPU is nil for a trace without CPU threads.
func countCPU(r *wtape.Reader) (*CPU, error) {
	if r.CPUThreads() == 0 {
		return nil, nil
	}
	s := &CPU{ByBranch: map[string]uint64{}}
	reuse := newReuseStack(maxReuseLines)
	ips := map[uint64]struct{}{}
	var kinds [trace.CPUBranchCount]uint64
	c := wtape.NewCPUChunk()
	for i := range r.CPUChunks() {
		if err := r.ReadCPUChunk(i, c); err != nil {
			return nil, err
		}
		totals := c.Totals()
		s.CPUTotals.Add(&totals)
		for n := range c.Table {
			ips[c.Table[n].IP] = struct{}{}
		}
		for _, entry := range c.Steps {
			kinds[c.Table[entry].BranchKind()]++
		}
		for _, a := range c.Addresses {
			if distance, again := reuse.touch(a / CPULineBytes); again {
				s.ReuseDistance[reuseBucket(distance)]++
			} else {
				s.FirstTouches++
			}
		}
	}
	s.Threads, s.DistinctIPs = uint64(r.CPUThreads()), len(ips)
	s.FootprintLines, s.Bounded = uint64(len(reuse.last)), reuse.forgotten
	if s.Bounded {
		s.FootprintLines = s.FirstTouches
	}
	for kind, n := range kinds {
		if n > 0 && trace.CPUBranch(kind) != trace.CPUNoBranch {
			s.ByBranch[trace.CPUBranch(kind).String()] = n
		}
	}
	return s, nil
}
