package extrapolate

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// Slice is a machine of kept of all equal parts of m: so many of its SMs, and that
// share of L2 capacity and of the bandwidth of L2 and DRAM, with unchanged
// latencies. What share of a partition is left over after whole partitions is
// taken from clocks and ways. A machine whose SMs or ways do not divide so is
// refused.
func Slice(m *arch.Machine, kept, all int) (*arch.Machine, error) {
	refuse := func(what string, n int) error {
		return fmt.Errorf("%s has %d %s, of which there is no %d/%d: sample the trace with another sms=K/N, or with fraction=F", m.Name, n, what, kept, all)
	}
	if m.GPU.SMs*kept%all != 0 {
		return nil, refuse("SMs", m.GPU.SMs)
	}
	if m.Network.Topology != "crossbar" {
		return nil, fmt.Errorf("%s: a part of a %s network is not like the whole: sample the trace with fraction=F instead of sms=K/N", m.Name, m.Network.Topology)
	}
	s := *m
	s.GPU.SMs = m.GPU.SMs * kept / all
	share := float64(m.L2.Partitions) * float64(kept) / float64(all)
	s.L2.Partitions = int(math.Ceil(share))
	part := share / float64(s.L2.Partitions)
	for _, c := range []*arch.Cache{&s.L2.Slice, &s.LLC} {
		ways := int(math.Round(float64(c.Ways) * part))
		if c.Bytes == 0 {
			continue
		}
		if ways < 1 {
			return nil, refuse("ways of a cache", c.Ways)
		}
		c.Bytes = c.Bytes / c.Ways * ways
		c.Ways = ways
		c.LatencyCycles = scaled(c.LatencyCycles, part)
	}
	s.Clocks.L2MHz *= part
	s.Clocks.DRAMMHz *= part
	d := &s.DRAM
	d.GigabytesPerSecond *= float64(kept) / float64(all)
	for _, t := range []*int{&d.ExtraCycles, &d.TCL, &d.TRCD, &d.TRP, &d.TRAS, &d.TRC, &d.TRRD, &d.TWL, &d.TWR, &d.TCDLR, &d.TRTPL} {
		*t = scaled(*t, part)
	}
	return &s, nil
}

// scaled is a time in cycles of a clock that runs at a part of its frequency.
func scaled(cycles int, part float64) int {
	if cycles == 0 {
		return 0
	}
	return max(1, int(math.Round(float64(cycles)*part)))
}

// biasSlice is the part of the cycles by which a slice may differ from its machine.
const biasSlice = 0.08

// OfSlice is the estimate of a whole launch from its replay on a slice of the
// machine: the same cycles, and counters in proportion to the warp instructions.
func OfSlice(o *Observation) Estimate {
	e := Exact(o.Launch)
	e.Bias = biasSlice * e.Cycles
	if stored := e.Counters[counters.IssuedWarp]; stored > 0 {
		factor := float64(o.Instructions) / stored
		for i := range e.Counters {
			e.Counters[i] *= factor
		}
	}
	return e
}
