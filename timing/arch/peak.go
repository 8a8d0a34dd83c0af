// SPDX-License-Identifier: Apache-2.0

package arch

import "math"

// Peaks are the figures that data sheets give, derived from the machine.
type Peaks struct {
	// SingleGigaflops and DoubleGigaflops count a fused multiply-add as two
	// operations, in 10^9 per second; zero: the machine refuses such kernels.
	SingleGigaflops, DoubleGigaflops float64
	// DRAMGigabytes, L2Gigabytes and SharedGigabytes are in 10^9 bytes per second. They are
	// those of all DRAM pins, of all L2 slices (a sector a cycle each) and of the banks of all
	// SMs' shared memory.
	DRAMGigabytes, L2Gigabytes, SharedGigabytes float64
	// RegistersAtFullOccupancy is the number of 32-bit registers of a thread with
	// which an SM still holds its most warps. SharedAtFullBlocks is the bytes of
	// shared memory of a thread block with which it holds its most blocks.
	RegistersAtFullOccupancy, SharedAtFullBlocks int
}

// Peaks derives the figures. Multiply-adds go to the SP units, those in double
// precision to the DP units or, without any, to the SFUs; no more start in a
// cycle than the schedulers issue.
func (m *Machine) Peaks() Peaks {
	s := &m.SM
	issue := float64(s.Schedulers * s.IssuePerScheduler)
	gigaflops := func(units, interval int) float64 {
		warps := math.Min(float64(units)/float64(max(interval, 1)), issue)
		return float64(m.GPU.SMs) * 2 * 32 * warps * m.Clocks.CoreMHz / 1000
	}
	p := Peaks{
		SingleGigaflops: gigaflops(s.Units.SP, s.Latencies.F32Fma.Interval),
		DRAMGigabytes:   m.DRAMGigabytesPerSecond(),
	}
	if m.L2.Slice.Bytes > 0 {
		p.L2Gigabytes = float64(m.L2.Partitions*m.L2.SlicesPerPartition*m.L2.Slice.SectorBytes) * m.Clocks.L2MHz / 1000
	}
	if !s.Lacks.Double {
		double := s.Units.DP
		if double == 0 {
			double = s.Units.SFU
		}
		p.DoubleGigaflops = gigaflops(double, s.Latencies.F64Fma.Interval)
	}
	if m.Shared.Bytes > 0 {
		p.SharedGigabytes = float64(m.GPU.SMs) * sharedBytes(&m.Shared) * m.Clocks.CoreMHz / 1000
		p.SharedAtFullBlocks = roundDown(m.Shared.Bytes/max(s.MaxBlocks, 1), m.Shared.AllocationUnit)
	}
	p.RegistersAtFullOccupancy = roundDown(s.Registers/max(s.MaxWarps, 1), s.RegisterAllocationUnit) / 32
	return p
}

// roundDown gives the largest multiple of unit that is not above n.
func roundDown(n, unit int) int { return n / max(unit, 1) * max(unit, 1) }

// sharedBytes is what the shared memory of an SM gives in a core cycle.
func sharedBytes(s *Shared) float64 {
	banks := float64(s.Banks*s.BankBytes) / float64(max(s.WavefrontCycles, 1))
	if s.BytesPerCycle > 0 {
		return min(banks, float64(s.BytesPerCycle))
	}
	return banks
}
