// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"math"
	"testing"
)

// Published peak figures: those that the makers print for the cards, and what the
// papers' tables say of their machines.
func TestPeaksAreThosePublished(t *testing.T) {
	for _, c := range []struct {
		machine, figure string
		published       float64
		within          float64 // of the published figure
		source          string
	}{
		{"gtx480-15", "single", 1345, 0.01, "NVIDIA GeForce GTX 480 specifications: 480 processors at 1401 MHz"},
		{"gtx480-15", "dram", 177.4, 0.01, "NVIDIA GeForce GTX 480 specifications: memory bandwidth"},
		{"gtx480", "double", 89.6, 0.001, "GPGPU-Sim SM2_GTX480: a multiply-add of a warp every 8 cycles on the one SFU of 16 SMs at 700 MHz"},
		{"gtx480", "dram", 177.4, 0.01, "NVIDIA GeForce GTX 480 specifications: memory bandwidth"},
		{"v100", "single", 15700, 0.01, "NVIDIA Tesla V100 data sheet: SXM2, 15.7 teraflops"},
		{"v100", "double", 7800, 0.01, "NVIDIA Tesla V100 data sheet: SXM2, 7.8 teraflops"},
		{"v100", "dram", 900, 0.01, "NVIDIA Tesla V100 data sheet: 900 GB/s"},
		{"rtx2080ti", "single", 13450, 0.01, "NVIDIA Turing whitepaper WP-09183, Table 1: 13.4 teraflops of the reference card"},
		{"rtx2080ti", "double", 420, 0.01, "NVIDIA Turing whitepaper WP-09183: a thirty-second of single precision"},
		{"rtx2080ti", "dram", 616, 0.001, "NVIDIA Turing whitepaper WP-09183, Table 1: 616 GB/s"},
		{"rtx3090", "single", 35600, 0.01, "NVIDIA Ampere GA102 whitepaper, Table 2: 35.6 teraflops"},
		{"rtx3090", "double", 556, 0.01, "NVIDIA Ampere GA102 whitepaper: a sixty-fourth of single precision"},
		{"rtx3090", "dram", 936, 0.001, "NVIDIA Ampere GA102 whitepaper, Table 2: 936 GB/s"},
		{"a100", "single", 19500, 0.01, "NVIDIA A100 data sheet: 19.5 teraflops"},
		{"a100", "double", 9700, 0.01, "NVIDIA A100 data sheet: 9.7 teraflops"},
		{"a100", "dram", 2039, 0.001, "NVIDIA A100 80 GB data sheet: 2039 GB/s"},
		{"h100", "single", 66900, 0.01, "NVIDIA H100 data sheet: SXM5, 66.9 teraflops"},
		{"h100", "double", 33500, 0.01, "NVIDIA H100 data sheet: SXM5, 33.5 teraflops"},
		{"h100", "dram", 3352, 0.001, "NVIDIA H100 data sheet: SXM5, 3352 GB/s"},
		{"tesla-c870", "single", 345.6, 0.001, "128 processors at 1.35 GHz, a multiply-add each (board specification BD-03399-001)"},
		{"tesla-c870", "double", 0, 0, "CUDA programming guide 1.0: no double precision"},
		{"tesla-c870", "dram", 76.8, 0.001, "board specification BD-03399-001: 76.8 GB/s"},
		{"mesh56", "dram", 500, 0.03, "near-data computing paper, Table 2: 500 GB/s"},
		{"gpsim-soc", "dram", 18, 0.001, "GPSim thesis, Table 3.2"},
		{"gpsim-tiny", "dram", 18, 0.001, "GPSim thesis, Table 5.1"},
	} {
		p := mustLoad(t, c.machine).Peaks()
		got := map[string]float64{"single": p.SingleGigaflops, "double": p.DoubleGigaflops, "dram": p.DRAMGigabytes}[c.figure]
		if math.Abs(got-c.published) > c.within*c.published {
			t.Errorf("%s: %s peak %.1f, published %.1f (%s)", c.machine, c.figure, got, c.published, c.source)
		}
	}
}

// Occupancy limits that NVIDIA's occupancy calculator gives for the devices.
func TestOccupancyLimitsAreThoseOfTheCalculator(t *testing.T) {
	for name, want := range map[string]struct{ registers, shared int }{
		"v100":       {32, 3072},
		"rtx2080ti":  {64, 4096},
		"rtx3090":    {40, 6400},
		"a100":       {32, 5120},
		"h100":       {32, 7168},
		"gtx480":     {20, 6144},
		"tesla-c870": {10, 2048},
	} {
		if p := mustLoad(t, name).Peaks(); p.RegistersAtFullOccupancy != want.registers || p.SharedAtFullBlocks != want.shared {
			t.Errorf("%s: %d registers, %d bytes; want %d, %d", name, p.RegistersAtFullOccupancy, p.SharedAtFullBlocks, want.registers, want.shared)
		}
	}
}

func TestPeaksAreBoundByIssue(t *testing.T) {
	m := mustLoad(t, "v100")
	both := m.Peaks().SingleGigaflops
	m.SM.Schedulers = 1
	if one := m.Peaks().SingleGigaflops; one != both/2 {
		t.Errorf("one scheduler gives %g of %g", one, both)
	}
}
