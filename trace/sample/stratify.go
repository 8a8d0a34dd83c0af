// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"

	"github.com/warptape/warptape/trace"
)

// stratify clusters the groups of thread blocks of a launch by their signatures
// and stores of each stratum its share of the thread blocks: whole units
// of consecutive thread blocks.
func (p *Profile) stratify(launch int, l *launchProfile) choice {
	want := max(p.policy.wanted(l.grid), p.least(l))
	if want >= l.grid {
		return whole(launch, l.grid)
	}
	units, unitBlocks := l.units()
	assigned := clusters(normalised(units), min(p.policy.Strata, int(want/unitBlocks)))
	strata := 0
	for _, s := range assigned {
		strata = max(strata, s+1)
	}
	if strata == 1 {
		return p.policy.systematic(launch, l.grid, want)
	}
	c := choice{representative: launch, strata: strata, groupStratum: assigned, groupBlocks: unitBlocks}
	stored := p.pick(assigned, strata, float64(want)/float64(l.grid))
	for g, chosen := range stored {
		if !chosen {
			continue
		}
		first := uint64(g) * unitBlocks
		blocks := min(unitBlocks, l.grid-first)
		if n := len(c.runs); n > 0 && c.runs[n-1].Stratum == assigned[g] && c.runs[n-1].First+c.runs[n-1].Blocks == first {
			c.runs[n-1].Blocks += blocks
			continue
		}
		c.runs = append(c.runs, trace.Run{Stratum: assigned[g], First: first, Blocks: blocks})
	}
	return c
}

// unitBlocks is the least number of consecutive thread blocks that are stored
// together. It is about twice what fits a GPU of 16 SMs at a time, so that half
// of a unit runs in parallel with others of its own.
const unitBlocks = 256

// units are the signatures per thread block of units, each of so many thread
// blocks.
func (l *launchProfile) units() (out []signature, blocks uint64) {
	per := max(1, unitBlocks/l.groupBlocks)
	blocks = per * l.groupBlocks
	out = make([]signature, (l.grid+blocks-1)/blocks)
	for i := range l.groups {
		out[uint64(i)/per].add(&l.groups[i])
	}
	for i := range out {
		out[i].scale(1 / float64(min(blocks, l.grid-uint64(i)*blocks)))
	}
	return out, blocks
}

// pick chooses a fraction of the units of every stratum, at least one each, at
// equal distances.
func (p *Profile) pick(assigned []int, strata int, fraction float64) []bool {
	of := make([][]int, strata)
	for u, s := range assigned {
		of[s] = append(of[s], u)
	}
	chosen := make([]bool, len(assigned))
	for _, units := range of {
		want := min(len(units), max(1, int(math.Round(fraction*float64(len(units))))))
		for i := range want {
			from, to := len(units)*i/want, len(units)*(i+1)/want
			chosen[units[(from+to)/2]] = true
		}
	}
	return chosen
}
