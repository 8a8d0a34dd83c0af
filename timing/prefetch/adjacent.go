// SPDX-License-Identifier: Apache-2.0

package prefetch

// adjacent asks for the other line of an aligned pair when one of them misses. It is
// written to be copied: all that a policy needs is here.
type adjacent struct{ lineBytes uint64 }

var adjacentPolicy = Policy{
	New:    func(_ Arguments, lineBytes int) Prefetcher { return &adjacent{uint64(lineBytes)} },
	Source: "Intel 64 and IA-32 Architectures Optimization Reference Manual, spatial prefetcher of the L2 (recalled and not looked up)",
}

// Access implements Prefetcher.
func (p *adjacent) Access(a *Access, lines []uint64) []uint64 {
	if a.Hit {
		return lines
	}
	return append(lines, a.Line^p.lineBytes)
}

// Filled and Reset implement Prefetcher: nothing is remembered.
func (p *adjacent) Filled(uint64, bool) {}
func (p *adjacent) Reset()              {}
