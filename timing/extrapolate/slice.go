// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// Part is what a slice is of its machine.
type Part struct {
	// SMs of the machine's All are in the slice.
	SMs, All int
	// Blocks is the part of the thread blocks that the slice runs.
	Blocks float64
}

// PartOf is the slice of m for kept of all equal parts of a trace's thread blocks:
// as many SMs as the sample was made for.
func PartOf(m *arch.Machine, kept, all int) Part {
	return Part{SMs: int(trace.SliceSMs(uint64(m.GPU.SMs), uint64(kept), uint64(all))), All: m.GPU.SMs, Blocks: float64(kept) / float64(all)}
}

// share of the machine.
func (p Part) share() float64 { return float64(p.SMs) / float64(p.All) }

// Slice is a part of m: so many of its SMs, and that share of L2 capacity and of
// the rates of dispatch, network, L2 and DRAM, with unchanged latencies. What share of a
// partition is left over after whole partitions is taken from clocks and ways.
// Times of a DRAM channel that bound its rate stay the same number of its slower
// cycles: there are fewer channels than the share wants, or slower ones. Machines
// that cannot be divided are refused.
func Slice(m *arch.Machine, p Part) (*arch.Machine, error) {
	if m.Network.Topology != "crossbar" {
		return nil, fmt.Errorf("%s: a part of a %s network is not like the whole: sample the trace with auto,for=%s, or fraction=F, instead of sms=K/N", m.Name, m.Network.Topology, m.Name)
	}
	s := *m
	s.GPU.SMs = p.SMs
	s.GPU.Clusters.GPCs = int(math.Round(float64(m.GPU.Clusters.GPCs) * p.share())) // zero is one
	s.GPU.BlocksPerCycle, s.GPU.DispatchCycles = dispatch(&m.GPU, p.share())
	share := float64(m.L2.Partitions) * p.share()
	s.L2.Partitions = int(math.Ceil(share))
	part := share / float64(s.L2.Partitions)
	for _, c := range []*arch.Cache{&s.L2.Slice, &s.LLC} {
		c.LatencyCycles = scaled(c.LatencyCycles, part)
		if c.Bytes == 0 { // there is no cache, but a queue in its place
			continue
		}
		ways := int(math.Round(float64(c.Ways) * part))
		if ways < 1 {
			return nil, fmt.Errorf("%s has %d ways in a cache, too few for a part of %d/%d: sample the trace with another sms=K/N, or with fraction=F", m.Name, c.Ways, p.SMs, p.All)
		}
		c.Bytes = c.Bytes / c.Ways * ways
		c.Ways = ways
	}
	s.Clocks.NetworkMHz *= part
	s.Network.LatencyCycles = scaled(s.Network.LatencyCycles, part)
	s.Clocks.L2MHz *= part
	s.Clocks.DRAMMHz *= part
	combinable(&s.Clocks)
	d := &s.DRAM
	d.GigabytesPerSecond *= p.share()
	for _, t := range []*int{&d.ExtraCycles, &d.TCL, &d.TRCD, &d.TRP, &d.TRAS, &d.TRC, &d.TWL, &d.TWR, &d.TREFI, &d.TRFC} {
		*t = scaled(*t, part)
	}
	return &s, nil
}

// grids are the steps in MHz to which clocks are rounded, the finest that helps.
var grids = []float64{1, 2, 5, 10}

// combinable rounds the clocks where the model cannot combine them as they are. They are
// off by some thousandths then, and the slice with them.
func combinable(c *arch.Clocks) {
	clocks := []*float64{&c.CoreMHz, &c.NetworkMHz, &c.L2MHz, &c.DRAMMHz}
	given, names, kilohertz := make([]float64, len(clocks)), make([]string, len(clocks)), make([]uint64, len(clocks))
	for i, mhz := range clocks {
		given[i] = *mhz
	}
	for _, grid := range append([]float64{0}, grids...) {
		for i, mhz := range clocks {
			if grid > 0 {
				*mhz = max(grid, float64(math.Round(given[i]/grid)*grid))
			}
			kilohertz[i] = uint64(math.Round(*mhz * 1000))
		}
		if _, err := clock.Domains(names, kilohertz); err == nil {
			return
		}
	}
}

// dispatch is a share of the rate at which thread blocks are dispatched, as so many
// every so many cycles: the one or the other is one.
func dispatch(g *arch.GPU, share float64) (blocks, cycles int) {
	rate := share * float64(max(g.BlocksPerCycle, 1)) / float64(max(g.DispatchCycles, 1))
	return max(1, int(math.Round(rate))), max(1, int(math.Round(1/rate)))
}

// scaled is a time in cycles of a clock that runs at a part of its frequency.
func scaled(cycles int, part float64) int {
	if cycles == 0 {
		return 0
	}
	return max(1, int(math.Round(float64(cycles)*part)))
}

// A slice may differ from its machine by a part of the cycles. biasUneven is that part
// for what its SMs are off the part of the thread blocks that it runs. It is mostUneven
// at most.
const (
	biasUneven = 0.5
	mostUneven = 0.25
)

// hiddenDRAM is the part of the time that DRAM may take at most without a slice being
// off for it: other warps have work.
const hiddenDRAM = 0.1

// exposedDRAM is the part of the time of a slice that depends on how programs use rows
// and channels of DRAM, which is another way than on the machine.
func (o *Observation) exposedDRAM() float64 {
	c := &o.Launch.Counters
	return max(0, max(o.waited(c), busy(c))-hiddenDRAM) / (1 - hiddenDRAM)
}

// OfSlice is the estimate of a whole launch from its replay on a slice of the
// machine. Cycles are in proportion to the thread blocks per SM, and counters in
// proportion to the warp instructions. The thread blocks of the slice, if not all
// are stored, are extrapolated first, as on any machine.
func OfSlice(o *Observation, p Part) Estimate {
	instructions := o.Instructions
	within := *o
	within.Blocks, within.Resident = o.SliceBlocks, o.Resident/p.All*p.SMs
	within.Instructions = uint64(math.Round(float64(instructions) * float64(o.SliceBlocks) / float64(o.Blocks)))
	within.CacheSectors = uint64(float64(o.CacheSectors) * p.share())
	e := Launch(&within)
	uneven := p.share() / p.Blocks
	e.Scale(uneven)
	e.Exposed[Sliced] = e.Cycles
	e.Exposed[SlicedDRAM] = o.exposedDRAM() * e.Cycles
	e.Exposed[Uneven] = min(mostUneven, biasUneven*math.Abs(uneven-1)) * e.Cycles
	if run := e.Counters[counters.IssuedWarp]; run > 0 {
		factor := float64(instructions) * o.issued() / run
		for i := range e.Counters {
			e.Counters[i] *= factor
		}
	}
	// The thread blocks of the others may do their atomics on a line of these, one by one.
	e.Exposed[Meeting] = float64(e.Counters[counters.L2Atomic] * o.AtomicCycles * (1 - p.Blocks))
	e.Counters[counters.BlocksDispatched] = float64(o.Blocks)
	e.Counters[counters.BlocksRetired] = float64(o.Blocks)
	return e
}
