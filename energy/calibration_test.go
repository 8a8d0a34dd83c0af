// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// TestTheCardCostsWhatGPUWattchFound prices single events on the calibrated card
// and compares with the effective energies, copied by hand.
func TestTheCardCostsWhatGPUWattchFound(t *testing.T) {
	m, err := model(t, referenceMachine).Calibrated()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		node    string
		counter counters.ID
		count   uint64
		pj      float64
	}{
		{"chip/sm/front end/fetch", counters.FetchAccess, 1, 63.434},
		{"chip/sm/L1", counters.L1Read, 1, 2934.6},
		{"chip/sm/shared memory", counters.SharedLaneRead, 32, 2119.5},
		{"chip/network", counters.ReplyFlits, 1, 1938.6},
		{"chip/L2/data", counters.L2ReadHit, 4, 2805},
		{"chip/sm", counters.RegisterLaneRead, 1, 7.2668},
		{"chip/sm/register file", counters.RegisterLaneWrite, 1, 5.986},
	} {
		var set counters.Set
		set[c.counter] = c.count
		r := account(t, m, &set, 0)
		if got := r.Node(c.node).DynamicJ * 1e12; !near(got, c.pj) {
			t.Errorf("%s: %d of %s use %g pJ, want %g", c.node, c.count, counters.Declared(c.counter).Name, got, c.pj)
		}
	}
}

// TestCalibrationScalesDynamicEnergyOnly: a machine keeps its leakage, its area and
// the energies that no row is about, and the uncalibrated model stays as it is.
func TestCalibrationScalesDynamicEnergyOnly(t *testing.T) {
	plain := model(t, "mesh56")
	set := randomCounts(9)
	before := account(t, plain, set, 1)
	scaled, err := plain.Calibrated()
	if err != nil {
		t.Fatal(err)
	}
	a, b := account(t, plain, set, 1), account(t, scaled, set, 1)
	fittedLeaves := map[string]bool{}
	for _, f := range fits {
		for _, l := range before.Leaves {
			for _, n := range f.nodes {
				fittedLeaves[l.Path] = fittedLeaves[l.Path] || under(l.Path, n)
			}
		}
	}
	for i, l := range a.Leaves {
		other := b.Leaves[i]
		if l.DynamicJ != before.Leaves[i].DynamicJ || l.StaticJ != other.StaticJ || l.AreaMM2 != other.AreaMM2 {
			t.Errorf("%s: %+v, then %+v, calibrated %+v", l.Path, before.Leaves[i], l, other)
		}
		fitted := fittedLeaves[l.Path] || l.Path == "chip/"+frontPipeline || l.Path == "chip/"+backPipeline
		if changed := l.DynamicJ != other.DynamicJ; changed != fitted {
			t.Errorf("%s: scaled is %t, named in the rows is %t", l.Path, changed, fittedLeaves[l.Path])
		}
	}
}

// TestThePipelineIsChargedWhereACardWasFitted: GPUWattch's 2273 pJ a core cycle at full duty
// are two warp instructions. A quarter is the front end's unless told otherwise. Circuits
// and CACTI have no such term, and parts that are kept none either.
func TestThePipelineIsChargedWhereACardWasFitted(t *testing.T) {
	price := func(m *Model, path string) float64 {
		for i := range m.Components {
			if c := &m.Components[i]; c.Path == "chip/"+path {
				return c.pricePJ(counters.IssuedWarp)
			}
		}
		return -1
	}
	for _, c := range []struct {
		spec        string
		share       float64
		keep        []string
		front, back float64
	}{
		{"gtx480-ref", 0.25, nil, 2273.0 / 8, 2273.0 * 3 / 8},
		{"gtx480", 0, nil, 0, 2273.0 / 2},
		{"gtx480", 1, nil, 2273.0 / 2, 0},
		{"gtx480", 0.25, []string{"chip/sm/front end"}, 0, 2273.0 * 3 / 8},
	} {
		machine, err := arch.Load(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		coefficients, err := DefaultCoefficients().With("pipeline.front_end_share", c.share)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := NewModel(machine, Technology{NodeNM: 40, TemperatureK: 360, VoltageRatio: 1}, coefficients)
		if err != nil {
			t.Fatal(err)
		}
		scaled, err := plain.Calibrated(c.keep...)
		if err != nil {
			t.Fatal(err)
		}
		if got := max(price(plain, frontPipeline), price(plain, backPipeline)); got > 0 {
			t.Errorf("%s: the pipeline costs %g pJ without a card", c.spec, got)
		}
		if front, back := price(scaled, frontPipeline), price(scaled, backPipeline); !near(front, c.front) || !near(back, c.back) {
			t.Errorf("%s, share %g, kept %v: a warp instruction costs %g and %g pJ, want %g and %g", c.spec, c.share, c.keep, front, back, c.front, c.back)
		}
	}
}

// By the cycle the two parts of the pipeline cost what AccelWattch's does, 100.07 pJ at 22 nm, a quarter of it in front.
func TestThePipelineIsChargedByTheCycle(t *testing.T) {
	m, err := NewModel(load(t, "gtx480"), Technology{NodeNM: 22, TemperatureK: 360, VoltageRatio: 1}, DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	m.withPipelineCycles()
	for path, want := range map[string]float64{frontPipeline: 100.07 / 4, backPipeline: 100.07 * 3 / 4} {
		found := false
		for i := range m.Components {
			if c := &m.Components[i]; c.Path == "chip/"+path {
				if found = true; !near(c.pricePJ(counters.ActiveSMCycles), want) || c.pricePJ(counters.IssuedWarp) != 0 {
					t.Errorf("%s: %g pJ a cycle, want %g, and %g pJ a warp instruction", path, c.pricePJ(counters.ActiveSMCycles), want, c.pricePJ(counters.IssuedWarp))
				}
			}
		}
		if !found {
			t.Errorf("there is no %s", path)
		}
	}
}

func TestCalibrationKeepsWhatItIsToldTo(t *testing.T) {
	plain := model(t, "mesh56")
	set := randomCounts(9)
	kept, err := plain.Calibrated("chip/network")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := plain.Calibrated()
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := account(t, plain, set, 1), account(t, kept, set, 1), account(t, whole, set, 1)
	for i, l := range a.Leaves {
		want := c.Leaves[i]
		if under(l.Path, "chip/network") {
			want = l
		}
		if b.Leaves[i] != want {
			t.Errorf("%s: %+v, want %+v", l.Path, b.Leaves[i], want)
		}
	}
	if !strings.Contains(kept.Calibration, "chip/network") || whole.Calibration != "arrays and network scaled to GPUWattch's GTX480" {
		t.Errorf("calibrations %q and %q", kept.Calibration, whole.Calibration)
	}
}

// TestAGivenEnergyIsNotScaled: 64 pJ for an access of the instruction cache stay 64 pJ
// under the calibration that scales what CACTI computes; all else is scaled still.
func TestAGivenEnergyIsNotScaled(t *testing.T) {
	for _, spec := range []string{"gtx480", "gtx480+published-icache"} {
		plain := model(t, spec)
		scaled, err := plain.Calibrated()
		if err != nil {
			t.Fatal(err)
		}
		a, b := account(t, plain, randomCounts(9), 0), account(t, scaled, randomCounts(9), 0)
		for node, same := range map[string]bool{"chip/sm/front end/fetch": spec != "gtx480", "chip/sm/L1": false, "chip/network": false} {
			if x, y := a.Node(node).DynamicJ, b.Node(node).DynamicJ; (x == y) != same {
				t.Errorf("%s: %s takes %g J, calibrated %g J", spec, node, x, y)
			}
		}
		if said := strings.Contains(scaled.Calibration, "instruction_cache"); said != (spec != "gtx480") {
			t.Errorf("%s: calibration %q", spec, scaled.Calibration)
		}
	}
}

// TestFlipFlopBuffersAreDSENTs: a mesh's routers leak what 512 buffers of 35.5 mW and
// 128 switches leak. The buffers are those of 448 links and 64 ends that send, in two
// networks of 8x8.
func TestFlipFlopBuffersAreDSENTs(t *testing.T) {
	leaks := func(spec string) float64 {
		r := account(t, model(t, spec), &counters.Set{}, 1)
		return r.Node("chip/network/routers").StaticJ
	}
	m, err := arch.Load("mesh56")
	if err != nil {
		t.Fatal(err)
	}
	sram := leaks("mesh56")
	tech := TechnologyOf(m)
	want := 512 * 35.5e-3 * tech.leakage()
	if got := leaks("mesh56+dsent-buffers"); got < want || got > want+sram {
		t.Errorf("routers leak %.2f W, flip-flops alone %.2f W, with SRAM all of them %.2f W", got, want, sram)
	}
}
