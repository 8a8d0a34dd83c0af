// SPDX-License-Identifier: Apache-2.0

package prefetch

import "github.com/warptape/warptape/timing/arch"

// nextLine asks for the lines behind one that misses, or that is read for the first time
// after it has been prefetched. That is tagged prefetch (Gindele 1977; Smith, "Cache
// Memories", ACM Computing Surveys 1982, recalled and not looked up).
type nextLine struct {
	lineBytes uint64
	degree    int
}

var nextLinePolicy = Policy{
	Parameters: []arch.CallParameter{degree(1)},
	New:        func(a Arguments, lineBytes int) Prefetcher { return &nextLine{uint64(lineBytes), a["degree"]} },
	Source:     "Smith, Cache Memories, ACM Computing Surveys 1982: tagged prefetch (recalled and not looked up)",
}

// degree is the parameter that says how many lines are proposed at a time.
func degree(n int) arch.CallParameter {
	return arch.CallParameter{Name: "degree", Unit: "lines", Min: 1, Max: 32, Default: n, About: "lines that are proposed at a time", Source: "assumed"}
}

// Access implements Prefetcher.
func (p *nextLine) Access(a *Access, lines []uint64) []uint64 {
	if a.Hit && !a.First {
		return lines
	}
	for i := range p.degree {
		lines = append(lines, a.Line+uint64(i+1)*p.lineBytes)
	}
	return lines
}

// Filled and Reset implement Prefetcher: the marks of lines are the cache's.
func (p *nextLine) Filled(uint64, bool) {}
func (p *nextLine) Reset()              {}
