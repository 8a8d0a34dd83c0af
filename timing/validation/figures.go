// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"math"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// Measure gives the figures of a replay, counted as the reference counts. A
// write to a line that is there without the sector is a miss at the L2. A write
// that finds no line is a miss at the L1.
func Measure(s *replay.Section) Figures {
	c := func(id counters.ID) float64 { return float64(s.Counters[id]) }
	return Figures{
		Cycles: float64(s.Cycles),
		L1MissRate: share(c(counters.L1ReadMiss)+c(counters.L1Write)-c(counters.L1WriteHit),
			c(counters.L1Read)+c(counters.L1Write)),
		L2MissRate: share(c(counters.L2ReadMiss)+c(counters.L2WriteMiss)+c(counters.L2WriteSectorMiss),
			c(counters.L2Read)+c(counters.L2Write)),
		Activates: c(counters.DRAMActivate), Reads: c(counters.DRAMRead), Writes: c(counters.DRAMWrite),
		BusUse: share(c(counters.DRAMBusCycles), c(counters.DRAMChannelCycles)),
	}
}

// share is a/b, zero of nothing.
func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// CyclesOff is the signed difference of the cycles from the reference, in percent.
func (f *Figures) CyclesOff(reference *Figures) float64 {
	return 100 * (f.Cycles/reference.Cycles - 1)
}

// MissRateOff is the larger difference of the two miss rates, in points (1/100).
func (f *Figures) MissRateOff(reference *Figures) float64 {
	return 100 * max(math.Abs(f.L1MissRate-reference.L1MissRate), math.Abs(f.L2MissRate-reference.L2MissRate))
}
