// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// at40 is the technology that GPUWattch's figures of a GTX480 are given for.
var at40 = Technology{NodeNM: 40, TemperatureK: 360, VoltageRatio: 1}

func modelAt(t *testing.T, m *arch.Machine, tech Technology, c *Coefficients) *Model {
	t.Helper()
	priced, err := NewModel(m, tech, c)
	if err != nil {
		t.Fatal(err)
	}
	return priced
}

// component finds one by its path below the chip; nil where there is none.
func (m *Model) component(path string) *Component {
	for i := range m.Components {
		if m.Components[i].Path == "chip/"+path {
			return &m.Components[i]
		}
	}
	return nil
}

// TestLogicOfGTX480ByHand: what an SM has besides arrays and crossbars, with the
// effective energies that GPUWattch gives, copied by hand. The areas follow from the 0.08 mm2
// of a lane and the half square millimetre of scheduler and decoder, and 30 mW leak from
// each mm2. Two units for double precision and three tensor units are added to the card.
func TestLogicOfGTX480ByHand(t *testing.T) {
	machine := load(t, "gtx480")
	machine.SM.Units.DP, machine.SM.Units.Tensor = 2, 3
	m := modelAt(t, machine, at40, DefaultCoefficients())
	type costs map[string]float64
	for path, want := range map[string]struct {
		mm2   float64 // of an SM
		costs costs
	}{
		"sm/front end/decode":    {0.25, costs{"fetched_instructions": 2}},
		"sm/front end/scheduler": {0.25, costs{"issued_warp_instructions": 54.89}},
		"sm/functional units/integer": {0, costs{
			"lane_ops_int_add": 43.116, "lane_ops_int_minmax": 43.116, "lane_ops_int_mul": 193.41, "lane_ops_int_mad": 236.526, "lane_ops_int_div": 1934.1,
		}},
		"sm/functional units/single precision": {32 * 0.08, costs{
			"lane_ops_f16": 29.58, "lane_ops_f32_add": 29.58, "lane_ops_f32_minmax": 29.58, "lane_ops_f32_mul": 53.244, "lane_ops_f32_fma": 82.824, "lane_ops_f32_div": 1419.8,
		}},
		"sm/functional units/double precision": {2 * 32 / 8 * 2.051 * 0.08, costs{ // a warp instruction every eight cycles
			"lane_ops_f64_add": 60.66858, "lane_ops_f64_minmax": 60.66858, "lane_ops_f64_mul": 109.203444, "lane_ops_f64_fma": 169.872024, "lane_ops_f64_div": 2912.0098,
		}},
		"sm/functional units/special":          {32.0 / 8 * 2.051 * 0.08, nil}, // a test of its own has the prices
		"sm/functional units/tensor":           {3 * 32 * 4 * 0.08, costs{"lane_ops_tensor": 31.537 * logicScale(23, 40)}},
		"sm/functional units/move and convert": {0, costs{"lane_ops_convert": 43.116, "lane_ops_move": 10.8, "lane_ops_predicate": 1.35}},
		"sm/functional units/shuffle":          {0, costs{"lane_ops_shuffle": (0.0662 + 64*0.0462) * logicScale(45, 40)}},
		"sm/functional units/address":          {0, costs{"issued_ldst": 29.58}},
	} {
		c := m.component(path)
		if c == nil {
			t.Errorf("%s: no such component", path)
			continue
		}
		if mm2 := 16 * want.mm2; !near(c.AreaMM2, mm2) || !near(c.StaticW, 0.030*mm2) {
			t.Errorf("%s: %g mm2 and %g W, by hand %g and %g", path, c.AreaMM2, c.StaticW, mm2, 0.030*mm2)
		}
		if want.costs == nil {
			continue
		}
		for id := range counters.ID(counters.Count) {
			if got, pj := c.pricePJ(id), want.costs[counters.Declared(id).Name]; !near(got, pj) {
				t.Errorf("%s: %s costs %g pJ, by hand %g", path, counters.Declared(id).Name, got, pj)
			}
			delete(want.costs, counters.Declared(id).Name)
		}
		for name := range want.costs {
			t.Errorf("%s: %s is not a counter", path, name)
		}
	}
}

// TestChannelsDrawAWattAtRest: each of the six, and what is charged by use draws nothing.
func TestChannelsDrawAWattAtRest(t *testing.T) {
	m := modelAt(t, load(t, "gtx480"), at40, DefaultCoefficients())
	for _, path := range []string{"DRAM/activate", "DRAM/precharge", "DRAM/read", "DRAM/write", "DRAM/refresh", "DRAM/copies", "DRAM/background"} {
		want := 0.0
		if path == "DRAM/background" {
			want = 6
		}
		if c := m.component(path); c == nil || c.StaticW != want || c.AreaMM2 != 0 {
			t.Errorf("%s: %+v, want %g W", path, c, want)
		}
	}
}

// TestAMachineHasNoComponentOfWhatItLacks: of a cache of no bytes nothing is priced, and all else is as before.
func TestAMachineHasNoComponentOfWhatItLacks(t *testing.T) {
	whole := modelAt(t, load(t, "gpsim-soc"), at40, DefaultCoefficients())
	for path, remove := range map[string]func(*arch.Machine){
		"chip/sm/L1":              func(m *arch.Machine) { m.L1.Bytes = 0 },
		"chip/sm/constant cache":  func(m *arch.Machine) { m.Constant.Bytes = 0 },
		"chip/sm/texture cache":   func(m *arch.Machine) { m.Texture.Bytes = 0 },
		"chip/sm/front end/fetch": func(m *arch.Machine) { m.Instruction.Bytes = 0 },
		"chip/sm/shared memory":   func(m *arch.Machine) { m.Shared.Bytes = 0 },
		"chip/L2":                 func(m *arch.Machine) { m.L2.Slice.Bytes = 0 },
		"chip/LLC":                func(m *arch.Machine) { m.LLC.Bytes = 0 },
	} {
		machine := load(t, "gpsim-soc")
		remove(machine)
		m := modelAt(t, machine, at40, DefaultCoefficients())
		var left []string
		for i := range whole.Components {
			if c := &whole.Components[i]; !under(c.Path, path) {
				left = append(left, c.Path)
			}
		}
		for i := range m.Components {
			if i >= len(left) || m.Components[i].Path != left[i] {
				t.Errorf("without %s there is %s", path, m.Components[i].Path)
				break
			}
		}
		if len(m.Components) != len(left) {
			t.Errorf("without %s: %d components, want %d", path, len(m.Components), len(left))
		}
	}
}

// TestCircuitsByTheirFactors: an operation that takes GPUWattch's factor costs as many
// additions of single precision. On the card special functions differ by the same factors.
func TestCircuitsByTheirFactors(t *testing.T) {
	fitted, circuit := DefaultCoefficients(), CircuitCoefficients()
	for _, key := range []string{"op.f32_div", "op.special_rcp"} {
		if got := circuit.get(key).Value / circuit.get("op.f32_add").Value; !near(got, 48) {
			t.Errorf("%s is %g additions as a circuit, want 48", key, got)
		}
	}
	for key, factor := range map[string]float64{"op.special": 26.75, "op.special_sqrt": 25, "op.special_log": 35, "op.special_sin": 12, "op.special_exp": 35} {
		if got := circuit.get(key).Value / circuit.get("op.f32_add").Value; !near(got, 2.051*factor) {
			t.Errorf("%s is %g additions as a circuit, want %g", key, got, 2.051*factor)
		}
		// The card's figures have five digits.
		if got := fitted.get(key).Value / fitted.get("op.special_sqrt").Value * 25; got/factor > 1.0002 || factor/got > 1.0002 {
			t.Errorf("%s has a factor of %g on the card, want %g", key, got, factor)
		}
	}
	if got := circuit.get("op.int_div").Value; !near(got, 0.9*40*2.051) {
		t.Errorf("an integer division is %g pJ as a circuit", got)
	}
	for key, parts := range map[string][2]string{"op.int_mad": {"op.int_mul", "op.int_add"}, "op.f32_fma": {"op.f32_mul", "op.f32_add"}} {
		for _, table := range []*Coefficients{fitted, circuit} {
			if got, want := table.get(key).Value, table.get(parts[0]).Value+table.get(parts[1]).Value; !near(got, want) {
				t.Errorf("%s is %g pJ, its parts %g", key, got, want)
			}
		}
	}
}
