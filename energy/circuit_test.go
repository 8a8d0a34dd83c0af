// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// TestCircuitsReplaceOperationsOnly: the rows exist, cost less than what was
// fitted to a card, and leave arrays, network and DRAM as they are.
func TestCircuitsReplaceOperationsOnly(t *testing.T) {
	fitted, circuit := DefaultCoefficients(), CircuitCoefficients()
	for _, row := range circuitTable {
		if old := fitted.get(row.Key); row.Value >= old.Value || row.Unit != old.Unit {
			t.Errorf("%s: %g %s as a circuit, %g %s on a card", row.Key, row.Value, row.Unit, old.Value, old.Unit)
		}
	}
	m, err := NewModel(load(t, "gtx480"), TechnologyOf(load(t, "gtx480")), circuit)
	if err != nil {
		t.Fatal(err)
	}
	if m.Calibration != circuitName {
		t.Errorf("calibration %q", m.Calibration)
	}
	a, b := account(t, model(t, "gtx480"), randomCounts(8), 1), account(t, m, randomCounts(8), 1)
	for i, l := range a.Leaves {
		operation := under(l.Path, "chip/sm/functional units") && l.Path != "chip/sm/functional units/shuffle" || l.Path == "chip/sm/front end/scheduler"
		if changed := l.DynamicJ != b.Leaves[i].DynamicJ; changed != operation {
			t.Errorf("%s: changed is %t", l.Path, changed)
		}
	}
}

// TestACircuitsAdditionByHand: 0.9 pJ at 45 nm, on a chip of 45 nm.
func TestACircuitsAdditionByHand(t *testing.T) {
	tech := TechnologyOf(load(t, "gtx480"))
	tech.NodeNM = 45
	m, err := NewModel(load(t, "gtx480"), tech, CircuitCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	id, _ := counters.Lookup("lane_ops_f32_add")
	var set counters.Set
	set[id] = 1000
	if got := dynamicPJ(t, m, &set); !near(got, 900) {
		t.Errorf("1000 additions use %g pJ", got)
	}
}
