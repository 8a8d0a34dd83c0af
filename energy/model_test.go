// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

var builtIn = []string{"gtx480", "gpsim-soc", "mesh56", "mesh56+butterfly", "gtx480+mesh+shared-mesh"}

func load(t *testing.T, name string) *arch.Machine {
	t.Helper()
	m, err := arch.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func model(t *testing.T, name string) *Model {
	t.Helper()
	m, err := NewModel(load(t, name), TechnologyOf(load(t, name)), DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func account(t *testing.T, m *Model, set *counters.Set, seconds float64) Report {
	t.Helper()
	r, err := m.Account(set, seconds)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// randomCounts gives counts that no run has; the account is linear, so any do.
func randomCounts(seed uint64) *counters.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	var s counters.Set
	for i := range s {
		s[i] = rng.Uint64N(1 << 30)
	}
	return &s
}

// near says that two numbers agree; infinite ones agree with none.
func near(a, b float64) bool {
	most := math.Max(math.Abs(a), math.Abs(b))
	return math.Abs(a-b) <= 1e-9*most && !math.IsInf(most, 0)
}

func TestEveryCounterIsPricedOrFree(t *testing.T) {
	charged := map[counters.ID]bool{}
	for _, name := range builtIn {
		for _, c := range model(t, name).Components {
			for _, ch := range c.Charges {
				charged[ch.Counter] = true
			}
		}
	}
	for id := range counters.ID(counters.Count) {
		reason, free := Free(id)
		switch {
		case charged[id] && free:
			t.Errorf("%s is charged and listed as free (%s)", counters.Declared(id).Name, reason)
		case !charged[id] && !free:
			t.Errorf("%s is neither charged nor listed as free", counters.Declared(id).Name)
		case free && reason == "":
			t.Errorf("%s is free without a reason", counters.Declared(id).Name)
		}
	}
}

func TestLeavesAddUpToTheChip(t *testing.T) {
	for _, name := range builtIn {
		r := account(t, model(t, name), randomCounts(1), 1e-3)
		var dynamic, static, area float64
		seen := map[string]bool{}
		for _, l := range r.Leaves {
			if seen[l.Path] {
				t.Errorf("%s: component %s exists twice", name, l.Path)
			}
			seen[l.Path] = true
			for _, other := range r.Leaves {
				if other.Path != l.Path && under(other.Path, l.Path) {
					t.Errorf("%s: %s is a leaf and holds %s", name, l.Path, other.Path)
				}
			}
			dynamic += l.DynamicJ
			static += l.StaticJ
			area += l.AreaMM2
		}
		total := r.Total()
		if !near(dynamic, total.DynamicJ) || !near(static, total.StaticJ) || !near(area, total.AreaMM2) {
			t.Errorf("%s: leaves hold %g J + %g J on %g mm2, the chip %+v", name, dynamic, static, area, total)
		}
		parts := r.Node("chip/sm").TotalJ() + r.Node("chip/network").TotalJ() + r.Node("chip/L2").TotalJ() + r.Node("chip/LLC").TotalJ() + r.Node("chip/DRAM").TotalJ() + r.Node("chip/constant").TotalJ()
		if !near(parts, total.TotalJ()) {
			t.Errorf("%s: the parts hold %g J, the chip %g J", name, parts, total.TotalJ())
		}
	}
}

func TestEveryChargeIsAPositiveEnergy(t *testing.T) {
	for _, name := range builtIn {
		for _, c := range model(t, name).Components {
			for _, ch := range c.Charges {
				if !(ch.PJ > 0 && ch.PJ < 1e6) {
					t.Errorf("%s: %s charges %g pJ for %s", name, c.Path, ch.PJ, counters.Declared(ch.Counter).Name)
				}
			}
			if !(c.StaticW >= 0 && c.StaticW < 100) || !(c.AreaMM2 >= 0 && c.AreaMM2 < 300) {
				t.Errorf("%s: %s draws %g W on %g mm2", name, c.Path, c.StaticW, c.AreaMM2)
			}
		}
	}
}

func TestNoActivityCostsStaticEnergyOnly(t *testing.T) {
	r := account(t, model(t, "gtx480"), &counters.Set{}, 2)
	if total := r.Total(); total.DynamicJ != 0 || total.StaticJ <= 0 {
		t.Errorf("an idle chip uses %g J dynamic and %g J static", total.DynamicJ, total.StaticJ)
	}
	if half := account(t, model(t, "gtx480"), &counters.Set{}, 1); !near(2*half.Total().StaticJ, r.Total().StaticJ) {
		t.Error("static energy is not proportional to time")
	}
}

func TestDoubleActivityCostsDoubleDynamicEnergy(t *testing.T) {
	once := randomCounts(2)
	twice := *once
	twice.Add(once)
	m := model(t, "gpsim-soc")
	a, b := account(t, m, once, 1), account(t, m, &twice, 1)
	for i := range a.Leaves {
		if !near(2*a.Leaves[i].DynamicJ, b.Leaves[i].DynamicJ) || a.Leaves[i].StaticJ != b.Leaves[i].StaticJ {
			t.Errorf("%s: %+v for once, %+v for twice", a.Leaves[i].Path, a.Leaves[i], b.Leaves[i])
		}
	}
}

// TestHandComputedOperation prices a thousand single-precision additions by hand:
// 29.58 pJ each at 40 nm (GPUWattch), and nothing else.
func TestHandComputedOperation(t *testing.T) {
	id, ok := counters.Lookup("lane_ops_f32_add")
	if !ok {
		t.Fatal("lane_ops_f32_add is not a counter")
	}
	var set counters.Set
	set[id] = 1000
	r := account(t, model(t, "gtx480"), &set, 0)
	if got, want := r.Total().DynamicJ, 29.58e-9; !near(got, want) {
		t.Errorf("1000 additions use %g J, want %g J", got, want)
	}
	if got := r.Node("chip/sm/functional units/single precision").DynamicJ; !near(got, r.Total().DynamicJ) {
		t.Errorf("additions use %g J elsewhere", r.Total().DynamicJ-got)
	}
}

// TestVoltageActsBySquare: dynamic energy goes with the square of the voltage
// (DRAM has a supply of its own), leakage power with its first power.
func TestVoltageActsBySquare(t *testing.T) {
	tech := TechnologyOf(load(t, "gtx480"))
	tech.VoltageRatio = 0.8
	low, err := NewModel(load(t, "gtx480"), tech, DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	a, b := account(t, model(t, "gtx480"), randomCounts(3), 1), account(t, low, randomCounts(3), 1)
	for i, l := range a.Leaves {
		if strings.HasPrefix(l.Path, "chip/DRAM") {
			if diff := cmp.Diff(l, b.Leaves[i]); diff != "" {
				t.Errorf("DRAM depends on the chip's voltage:\n%s", diff)
			}
			continue
		}
		static := 0.8
		if l.Path == "chip/constant" { // clocks, not leakage
			static = 0.64
		}
		if !near(l.DynamicJ*0.64, b.Leaves[i].DynamicJ) || !near(l.StaticJ*static, b.Leaves[i].StaticJ) {
			t.Errorf("%s: %+v at nominal voltage, %+v at 0.8 of it", l.Path, l, b.Leaves[i])
		}
	}
}

func TestSmallerNodesAndCoolerChipsUseLess(t *testing.T) {
	m := load(t, "gtx480")
	set := randomCounts(4)
	last := math.Inf(1)
	for _, nm := range []float64{65, 55, 45, 40, 32, 28, 22} {
		tech := Technology{NodeNM: nm, TemperatureK: 360, VoltageRatio: 1}
		r, err := Account(m, set, 0.01, tech)
		if err != nil {
			t.Fatal(err)
		}
		if e := r.Node("chip/sm").DynamicJ; e >= last {
			t.Errorf("%g nm: %g J, more than at the node before", nm, e)
		} else {
			last = e
		}
		tech.TemperatureK = 320
		cool, err := Account(m, set, 0.01, tech)
		if err != nil {
			t.Fatal(err)
		}
		if cool.Node("chip/sm").StaticJ >= r.Node("chip/sm").StaticJ {
			t.Errorf("%g nm: leakage does not fall with temperature", nm)
		}
	}
}

func TestTechnologyOutsideTheModelIsRefusedByKey(t *testing.T) {
	m := load(t, "gtx480")
	for key, tech := range map[string]Technology{
		"node_nm":       {NodeNM: 7, TemperatureK: 360, VoltageRatio: 1},
		"temperature_k": {NodeNM: 32, TemperatureK: 77, VoltageRatio: 1},
		"voltage_ratio": {NodeNM: 32, TemperatureK: 360, VoltageRatio: math.NaN()},
	} {
		if _, err := NewModel(m, tech, DefaultCoefficients()); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s out of range: error %v", key, err)
		}
	}
}

func TestStructuresOutsideTheModelAreRefusedByKey(t *testing.T) {
	m := *load(t, "gtx480")
	m.L1.Bytes = 1 << 30
	if _, err := NewModel(&m, TechnologyOf(load(t, "gtx480")), DefaultCoefficients()); err == nil || !strings.Contains(err.Error(), "l1") {
		t.Errorf("an L1 of 1 GiB: error %v", err)
	}
}

func TestTimeMustBeANumber(t *testing.T) {
	for _, s := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := model(t, "gtx480").Account(&counters.Set{}, s); err == nil {
			t.Errorf("a run of %g s has an energy", s)
		}
	}
}

func TestTagsAreASmallPartOfEveryCache(t *testing.T) {
	for _, name := range builtIn {
		for _, c := range []string{"sm/L1", "L2"} {
			r := account(t, model(t, name), randomCounts(5), 1)
			tags, data := r.Node("chip/"+c+"/tags"), r.Node("chip/"+c+"/data")
			if tags.StaticJ <= 0 || tags.StaticJ >= data.StaticJ || tags.AreaMM2 >= data.AreaMM2 {
				t.Errorf("%s: %s: tags %+v, data %+v", name, c, tags, data)
			}
		}
	}
}

// TestMachinesNameTheirTechnology: what the YAML says is what is priced.
func TestMachinesNameTheirTechnology(t *testing.T) {
	want := map[string]Technology{
		"gtx480":    {NodeNM: 40, TemperatureK: 360, VoltageRatio: 1},
		"gpsim-soc": {NodeNM: 32, LowPower: true, TemperatureK: 360, VoltageRatio: 1},
		"mesh56":    {NodeNM: 22, TemperatureK: 360, VoltageRatio: 1},
	}
	for name := range want {
		got := TechnologyOf(load(t, name))
		if got.Source == "" {
			t.Errorf("%s: the technology has no source", name)
		}
		got.Source = ""
		if diff := cmp.Diff(want[name], got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestNominalVoltagesAgreeWithGPUWattch compares with the voltages that GPUWattch
// (40 nm) and AccelWattch (23 nm) compute with.
func TestNominalVoltagesAgreeWithGPUWattch(t *testing.T) {
	for nm, want := range map[float64]float64{40: 0.9615, 23: 0.810} {
		if got := nominalVolts.at(nm); math.Abs(got-want) > 0.01 {
			t.Errorf("%g nm: %g V, want %g", nm, got, want)
		}
	}
}
