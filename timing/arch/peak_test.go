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
