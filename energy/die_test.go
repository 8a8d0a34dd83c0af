// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// accelwattchModel is the model of a machine under calibration accelwattch, at a node.
func accelwattchModel(t *testing.T, machine string, nodeNM float64) *Model {
	t.Helper()
	m := load(t, machine)
	tech := TechnologyOf(m)
	if nodeNM > 0 {
		tech.NodeNM = nodeNM
	}
	plain, err := NewModel(m, tech, AccelWattchCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	model, err := plain.AsAccelWattch()
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// CACTI's cell of 146 F2 at 22 nm has 0.0707 um2, a little less than the 0.074 that TSMC has published for 16 nm.
func TestTheCellOfCACTI(t *testing.T) {
	if !near(cactiCellUM2, 0.070664) || cactiCellUM2 >= processes[0].CellUM2 {
		t.Errorf("a cell has %g um2, one of %s %g", cactiCellUM2, processes[0].Name, processes[0].CellUM2)
	}
}

// An addition on a chip of another process costs the V100's times the power that the process is stated to have, and a
// byte of DRAM what its kind does.
func TestACardsEnergiesAreThoseOfItsProcessAndDRAM(t *testing.T) {
	addition, _ := counters.Lookup("lane_ops_int_add")
	for machine, want := range map[string][2]float64{
		"v100": {6.9224, 31.36}, "rtx2080ti": {6.9224, 60}, "rtx3090": {6.9224 * 0.54, 58}, "a100": {6.9224 * 0.39, 31.36}, "h100": {6.9224 * 0.273, 31.36},
	} {
		m := accelwattchModel(t, machine, 0)
		if got := m.priceUnder([]string{"chip/sm/functional units/integer"}, addition); got/want[0]-1 > 1e-9 || want[0]/got-1 > 1e-9 {
			t.Errorf("%s: an addition costs %g pJ, want %g", machine, got, want[0])
		}
		if got := m.priceUnder([]string{"chip/DRAM/read"}, counters.DRAMReadBytes); got/want[1]-1 > 2e-3 || want[1]/got-1 > 2e-3 {
			t.Errorf("%s: a byte of DRAM costs %g pJ, want %g", machine, got, want[1])
		}
		card := accelwattchModel(t, "v100", 0)
		for path, id := range map[string]counters.ID{"DRAM/write": counters.DRAMWriteBytes, "DRAM/copies": counters.CopyToDeviceBytes} {
			if got, byte := m.component(path).pricePJ(id)/card.component(path).pricePJ(id), want[1]/31.36; !near(got, byte) {
				t.Errorf("%s: %s costs %g of what it does on the V100, want %g", machine, path, got, byte)
			}
		}
		for path, id := range map[string]counters.ID{"DRAM/activate": counters.DRAMActivate, "DRAM/precharge": counters.DRAMPrecharge} {
			if got, want := m.component(path).pricePJ(id), card.component(path).pricePJ(id); got != want {
				t.Errorf("%s: %s costs %g pJ, on the V100 %g", machine, path, got, want)
			}
		}
	}
}

// The parts of a Turing SM add up to that of TU116, with what TU102 has besides: 8.94 mm2 for two, 1.25 of tensor
// cores and 0.7 for ray tracing.
func TestASMOfTuringIsThatOfItsPictures(t *testing.T) {
	m := accelwattchModel(t, "rtx2080ti", 0)
	sum := 0.0
	for i := range m.Components {
		if c := &m.Components[i]; under(c.Path, "chip/sm") {
			sum += c.AreaMM2
		}
	}
	if want := 72 * (8.94 + 1.25 + 0.7) / 2; !near(sum, want) {
		t.Errorf("72 SMs have %g mm2, want %g", sum, want)
	}
}

// A machine has a die in its own technology only, and the machines of the papers have none.
func TestADieBelongsToItsTechnology(t *testing.T) {
	hasDie := func(m *Model) bool {
		return slices.ContainsFunc(m.Components, func(c Component) bool { return c.Path == "chip/memory interfaces, links, graphics" })
	}
	if !hasDie(accelwattchModel(t, "a100", 0)) || hasDie(accelwattchModel(t, "a100", 32)) {
		t.Error("a100 has no die at its node, or has one at another")
	}
	for _, machine := range []string{"gtx480", "gpsim-tiny", "mesh56", "gpsim-soc", "tesla-c870"} {
		if hasDie(accelwattchModel(t, machine, 0)) {
			t.Errorf("%s has a die", machine)
		}
	}
}

// All lanes multiply and add for a second, and DRAM moves what it can. The card then draws more than an idle one, and at
// most what its board may, with a tenth for peaks.
func TestCardsAtTheirPeakDrawWhatTheirBoardsMay(t *testing.T) {
	fma, _ := counters.Lookup("lane_ops_f32_fma")
	for _, machine := range []string{"v100", "rtx2080ti", "rtx3090", "a100", "h100"} {
		m := load(t, machine)
		die, _ := DieOf(m)
		cycles := m.Clocks.CoreMHz * 1e6 * float64(m.GPU.SMs)
		warps := cycles * float64(m.SM.Units.SP) / float64(m.SM.Latencies.F32Fma.Interval)
		bytes := m.Clocks.DRAMMHz * 1e6 * float64(m.L2.Partitions*m.DRAM.BurstBytes/m.DRAM.BurstCycles)
		var set counters.Set
		set[counters.IssuedWarp], set[counters.FetchInstruction], set[counters.ActiveSMCycles] = uint64(warps), uint64(warps), uint64(cycles)
		set[fma], set[counters.RegisterLaneRead], set[counters.RegisterLaneWrite] = uint64(32*warps), uint64(96*warps), uint64(32*warps)
		set[counters.DRAMReadBytes], set[counters.L2ReadMiss] = uint64(bytes), uint64(bytes/32)
		report, err := accelwattchModel(t, machine, 0).Account(&set, 1)
		if err != nil {
			t.Fatal(err)
		}
		if w := report.AverageW(); !(w > die.IdleW && w <= 1.1*die.BoardW) {
			t.Errorf("%s draws %.0f W at its peak, %.0f idle and %.0f at most", machine, w, die.IdleW, die.BoardW)
		} else {
			t.Logf("%s: %.0f W", machine, w)
		}
	}
}

// TestPartsOfCardsAreAsDenseAsTheirProcess: what is no array shrinks with the logic of the process, arrays
// with its cell. Of the L2 the interfaces to DRAM have 512 KiB each, and the rest is on its own. The die has more
// SMs than the card. Cells, processes and dies are copied from their sources by hand.
func TestPartsOfCardsAreAsDenseAsTheirProcess(t *testing.T) {
	for machine, want := range map[string]struct{ cell, logic, sms, l2 float64 }{
		"v100":      {0.074, 1, 84.0 / 80, (6144.0 - 8*512) / 6144},
		"rtx2080ti": {0.074, 1, 72.0 / 68, 0},
		"rtx3090":   {0.040, 0.63, 84.0 / 82, 0},
		"a100":      {0.027, 1 / 3.2, 128.0 / 108, (49152.0 - 12*512) / 40960},
		"h100":      {0.021, 1 / 6.1056, 144.0 / 132, (61440.0 - 12*512) / 51200},
	} {
		arrays := want.cell / (146 * 0.022 * 0.022) // CACTI's cell of 146 F2 at 22 nm
		on := load(t, machine)
		priced := modelAt(t, on, TechnologyOf(on), AccelWattchCoefficients())
		off := load(t, machine)
		off.Technology.Die = ""
		for _, before := range modelAt(t, off, TechnologyOf(off), AccelWattchCoefficients()).Components {
			ratio := arrays
			switch path := strings.TrimPrefix(before.Path, "chip/"); {
			case strings.HasPrefix(path, "sm/functional units/"), path == "sm/L1/data", path == "sm/front end/fetch":
				continue // laid out by themselves
			case path == "network/routers", path == "sm/front end/decode", path == "sm/front end/scheduler":
				ratio = want.logic
			case strings.HasPrefix(path, "L2/"):
				ratio *= want.l2
			}
			if under(before.Path, "chip/sm") {
				ratio *= want.sms
			}
			if before.Path == "chip/sm/shared memory/banks" { // which the L1 is a part of
				byte := ratio * before.AreaMM2 / float64(on.Shared.Bytes)
				if got := priced.component("sm/L1/data").AreaMM2 / float64(on.L1.Bytes); !near(got, byte) {
					t.Errorf("%s: a byte of L1 has %g mm2, of shared memory %g", machine, got, byte)
				}
			}
			after := priced.component(strings.TrimPrefix(before.Path, "chip/"))
			if !near(after.AreaMM2, ratio*before.AreaMM2) || after.StaticW != before.StaticW {
				t.Errorf("%s: %s: %g mm2 and %g W on the die, %g mm2 and %g W off it, want %g of the area", machine, before.Path, after.AreaMM2, after.StaticW, before.AreaMM2, before.StaticW, ratio)
			}
		}
	}
}

// TestUnitsOfTheA100ByHand: 64 single-precision and 64 integer lanes, 32 for double precision, 16 special functions
// and 1024 multiply-adds of tensor cores, in the areas of units that were made. They shrink 3.2 times, on 128 SMs.
func TestUnitsOfTheA100ByHand(t *testing.T) {
	m := modelAt(t, load(t, "a100"), TechnologyOf(load(t, "a100")), AccelWattchCoefficients())
	for unit, mm2 := range map[string]float64{ // in 12FFN
		"single precision": 64 * 0.00405, "integer": 64 * 0.002025, "double precision": 32 * 0.012, "special": 16 * 0.00405 * AccelWattchCoefficients().get("sfu.lane_factor").Value, "tensor": 1024 * 1.25 / 2 / 512,
		"move and convert": 0, "shuffle": 0, "address": 0,
	} {
		c := m.component("sm/functional units/" + unit)
		if want := 128 * mm2 / 3.2; !near(c.AreaMM2, want) {
			t.Errorf("%s: %g mm2, by hand %g", unit, c.AreaMM2, want)
		}
	}
}
