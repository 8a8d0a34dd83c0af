package trace

// CPULineBytes is the size of the lines by which the CPU's data are counted.
const CPULineBytes = 64

// CPUStats is what the CPU threads of a trace did.
type CPUStats struct {
	CPUTotals
	// DistinctIPs counts the instruction addresses that were executed.
	DistinctIPs int `json:"distinct_ips"`
	// Branches by kind, those that occur.
	ByBranch map[string]uint64 `json:"by_branch"`
	// FootprintLines counts distinct lines of CPULineBytes that were read or written,
	// ReuseDistance and FirstTouches their touches as GlobalStats does, operand by
	// operand, thread after thread.
	FootprintLines uint64               `json:"footprint_lines"`
	ReuseDistance  [ReuseBuckets]uint64 `json:"reuse_distance"`
	FirstTouches   uint64               `json:"first_touches"`
	Bounded        bool                 `json:"bounded"`
}

// cpuStats is nil for a trace without CPU threads.
func cpuStats(r *Reader) (*CPUStats, error) {
	if r.CPUThreads() == 0 {
		return nil, nil
	}
	s := &CPUStats{ByBranch: map[string]uint64{}}
	reuse := newReuseStack(maxReuseLines)
	ips := map[uint64]struct{}{}
	var kinds [cpuBranchEnd]uint64
	c := NewCPUChunk()
	for i := range r.index.cpu {
		if err := r.ReadCPUChunk(i, c); err != nil {
			return nil, err
		}
		totals := c.totals()
		s.CPUTotals.add(&totals)
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
		if n > 0 && CPUBranch(kind) != CPUNoBranch {
			s.ByBranch[CPUBranch(kind).String()] = n
		}
	}
	return s, nil
}
