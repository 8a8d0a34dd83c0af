package tables

import (
	"bytes"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

// writePeaks writes the table of what the machines reach at most.
func writePeaks(b *bytes.Buffer) error {
	b.WriteString(peaksIntroduction)
	entries, err := arch.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Overlay {
			continue
		}
		m, err := arch.Load(e.Name)
		if err != nil {
			return err
		}
		p := m.Peaks()
		double := "none"
		if p.DoubleGigaflops > 0 {
			double = fmt.Sprintf("%.0f", p.DoubleGigaflops)
		}
		fmt.Fprintf(b, "| `%s` | %d | %.1f | %s | %.1f | %.0f | %.0f | %d | %d | %d | %d |\n", e.Name, m.GPU.SMs,
			p.SingleGigaflops, double, p.DRAMGigabytes, p.L2Gigabytes, p.SharedGigabytes,
			m.SM.MaxWarps, m.SM.MaxBlocks, p.RegistersAtFullOccupancy, p.SharedAtFullBlocks)
	}
	b.WriteString(peaksSources)
	return nil
}

const peaksIntroduction = "## What they reach at most\n\n" +
	"Derived from the values of each machine: multiply-adds count as two operations; the L2 gives a sector of each slice a cycle. An SM\n" +
	"holds its most warps with at most so many registers a thread, and its most thread blocks with at most so much shared memory each.\n\n" +
	"| machine | SMs | single GFLOP/s | double GFLOP/s | DRAM GB/s | L2 GB/s | shared memory GB/s | warps per SM | blocks per SM | registers | shared bytes |\n" +
	"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"

const peaksSources = "\nA test compares them with what is published: GTX 480 1345 GFLOP/s and 177.4 GB/s (15 SMs); Tesla V100 SXM2 15.7 and 7.8 TFLOP/s,\n" +
	"900 GB/s; Tesla C870 345.6 GFLOP/s of multiply-adds and 76.8 GB/s; near-data paper 500 GB/s; GPSim thesis 18 GB/s. Others compare latencies of `v100` and\n" +
	"`tesla-c870` with microbenchmarks of the cards, and check that streams of multiply-adds reach the peaks.\n"
