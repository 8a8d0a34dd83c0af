// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// A curve through points is a power law between neighbours. At a point it is the point,
// at the geometric mean of two neighbours the mean of theirs. Beyond the ends it goes on
// as it does between the last two.
func TestACurveIsStraightInLogarithms(t *testing.T) {
	c := curve{{10, 3}, {20, 12}, {80, 24}, {160, 3}} // exponents 2, 1/2 and -3
	for x, want := range map[float64]float64{
		10: 3, 20: 12, 80: 24, 160: 3,
		math.Sqrt(10 * 20): math.Sqrt(3 * 12), math.Sqrt(20 * 80): math.Sqrt(12 * 24), math.Sqrt(80 * 160): math.Sqrt(24 * 3),
		5: 3.0 / 4, 320: 3.0 / 8,
	} {
		if got := c.at(x); !near(got, want) {
			t.Errorf("at %g: %g, want %g", x, got, want)
		}
	}
}

// A refresh of all banks opens and closes a row of each: it costs, in a component of its
// own, what as many activates and precharges cost.
func TestARefreshCostsARowOfEachBank(t *testing.T) {
	m := load(t, "gtx480")
	for refresh, banks := range map[string]float64{"all_bank": float64(m.DRAM.Banks), "per_bank": 1} {
		m.DRAM.Refresh = refresh
		model, err := NewModel(m, TechnologyOf(m), DefaultCoefficients())
		if err != nil {
			t.Fatal(err)
		}
		const n = 1000
		cost := func(path string, id counters.ID) float64 {
			set := new(counters.Set)
			set[id] = n
			r := account(t, model, set, 0)
			return r.Node(path).DynamicJ
		}
		rows := cost("chip/DRAM", counters.DRAMActivate) + cost("chip/DRAM", counters.DRAMPrecharge)
		if got, want := cost("chip/DRAM/refresh", counters.DRAMRefresh), banks*rows; rows <= 0 || !near(got, want) {
			t.Errorf("%s: a refresh costs %g J, want %g", refresh, got/n, want/n)
		}
	}
}

// A wake-up given for a machine's node costs on another what logic does. Energy goes as
// the feature size and the square of the nominal voltage, 0.9 V at 32 nm and 1 V at 45.
func TestAWakeUpIsLogicOfTheNode(t *testing.T) {
	probeGates = []arch.PowerGate{{Path: "chip/sm/front end", Instances: 15, GatedCycles: "probe_gated_cycles", WakeUps: "probe_wakes", WakePJ: 200, Source: "test"}}
	t.Cleanup(func() { probeGates = nil })
	m := load(t, "gtx480")
	m.SetSection("probe", &probe{Level: 1})
	m.Technology.NodeNM = 45
	for ratio, volts := range map[float64]float64{1: 0.9, 0.5: 0.45} {
		model, err := NewModel(m, Technology{NodeNM: 32, TemperatureK: 360, VoltageRatio: ratio}, DefaultCoefficients())
		if err != nil {
			t.Fatal(err)
		}
		set := new(counters.Set)
		set[probeCounter(4)] = 10
		r := account(t, model, set, 0)
		if got, want := r.Node("chip/sm/front end wake-up").DynamicJ, 10*200e-12*volts*volts*32/45; !near(got, want) {
			t.Errorf("ten wake-ups at %g of the voltage cost %g J, want %g", ratio, got, want)
		}
	}
}
