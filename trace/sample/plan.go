// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"

	"github.com/warptape/warptape/trace"
)

// choice is what a sample stores of one launch.
type choice struct {
	// representative is the launch that stands for this one; runs is empty
	// unless it is the launch itself.
	representative int
	strata         int
	runs           []trace.Run // Stratum counts within the launch
	// groupStratum gives the stratum of each group of groupBlocks consecutive
	// thread blocks; nil when there is one stratum.
	groupStratum []int
	groupBlocks  uint64
}

// stratum is the stratum of a thread block.
func (c *choice) stratum(block uint64) int {
	if c.groupStratum == nil {
		return 0
	}
	return c.groupStratum[block/c.groupBlocks]
}

// whole stores all thread blocks of a launch.
func whole(launch int, grid uint64) choice {
	return choice{representative: launch, strata: 1, runs: []trace.Run{{Blocks: grid}}}
}

// choose decides on a launch that represents itself; least is the number of
// thread blocks that are stored in any case, full that which fills a machine.
func (p *Policy) choose(launch int, grid, least, full uint64) choice {
	if p.Kind == "sms" {
		return p.slice(launch, grid, least, full)
	}
	if long := *p; p.Waves > 0 {
		long.Run = max(p.Run, min(full, grid)*runFills)
		return long.systematic(launch, grid, max(p.wanted(grid), least))
	}
	return p.systematic(launch, grid, max(p.wanted(grid), least))
}

// runFills is the least length of a run in fills of the machine: where two runs meet,
// thread blocks that are far apart in the grid run together.
const runFills = 8

// wanted is the number of thread blocks that the policy asks for in so many.
func (p *Policy) wanted(grid uint64) uint64 {
	if p.Kind == "count" {
		return p.Count
	}
	return uint64(math.Round(p.Fraction * float64(grid)))
}

// systematic stores about n of the thread blocks in runs at equal distances, the
// first of them at a place that the seed chooses.
func (p *Policy) systematic(launch int, grid, n uint64) choice {
	if n >= grid {
		return whole(launch, grid)
	}
	runs := max(1, n/p.Run)
	c := choice{representative: launch, strata: 1}
	random := generator{p.Seed ^ uint64(launch)*0x9e3779b97f4a7c15}
	end := uint64(0) // of the run before
	for i := range runs {
		from, to := grid*i/runs, grid*(i+1)/runs
		length := n*(i+1)/runs - n*i/runs
		if i == 0 {
			random.state = random.next() % (to - from - length + 1)
		}
		room := max(to-from, length) - length // both are rounded: the run may be the longer
		first := max(end, from+min(random.state, room))
		end = first + length
		if last := len(c.runs) - 1; last >= 0 && c.runs[last].First+c.runs[last].Blocks == first {
			c.runs[last].Blocks += length
			continue
		}
		c.runs = append(c.runs, trace.Run{First: first, Blocks: length})
	}
	return c
}

// slice stores the thread blocks that run on Kept of All equal slices of a machine,
// or the policy's fraction of them. They are as many neighbours as fill the slice, or the
// policy's run, at equal distances. On the machine, too, neighbours run at the same time and share
// lines, DRAM rows and sets of the last cache. Least and full are of the machine.
func (p *Policy) slice(launch int, grid, least, full uint64) choice {
	kept, all := uint64(p.Kept), uint64(p.All)
	part := *p
	// A replay rounds the SMs of the slice, so that they may hold more than their share.
	full = max(full, 1)
	holds := max(1, full/max(p.For.SMs, 1)*trace.SliceSMs(p.For.SMs, kept, all))
	part.Run = max(holds, p.Run)
	own := trace.SliceBlocks(grid, kept, all)
	least = min(least, grid)
	share := max((least*kept+all-1)/all, (least*holds+full-1)/full)
	return part.systematic(launch, grid, min(own, max(p.wanted(own), share)))
}

// generator is SplitMix64: a few random numbers that depend on nothing else.
type generator struct{ state uint64 }

func (g *generator) next() uint64 {
	g.state += 0x9e3779b97f4a7c15
	z := g.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
