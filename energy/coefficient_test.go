// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"strings"
	"testing"
)

func TestEveryCoefficientHasUnitAndSource(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range DefaultCoefficients().List() {
		if seen[c.Key] || c.Unit == "" || c.Source == "" || c.Value <= 0 {
			t.Errorf("incomplete or repeated: %+v", c)
		}
		seen[c.Key] = true
		says := strings.HasPrefix(c.Source, "assumed") || strings.HasPrefix(c.Source, "second-hand")
		if says != c.Assumed {
			t.Errorf("%s: assumed is %t, the source says %q", c.Key, c.Assumed, c.Source)
		}
	}
}

func TestAChangedCoefficientChangesTheModel(t *testing.T) {
	base := DefaultCoefficients()
	changed, err := base.With("dram.byte", 250)
	if err != nil {
		t.Fatal(err)
	}
	set := randomCounts(1)
	a := account(t, model(t, "gtx480"), set, 1)
	m, err := NewModel(load(t, "gtx480"), TechnologyOf(load(t, "gtx480")), changed)
	if err != nil {
		t.Fatal(err)
	}
	b := account(t, m, set, 1)
	if got, want := b.Node("chip/DRAM/read").DynamicJ, 2*a.Node("chip/DRAM/read").DynamicJ; !near(got, want) {
		t.Errorf("twice the energy per byte gives %g J, want %g J", got, want)
	}
	if base.get("dram.byte").Value != 125 {
		t.Error("With changed the table that it was called on")
	}
}

func TestUnknownAndImpossibleCoefficientsAreRefused(t *testing.T) {
	for key, v := range map[string]float64{"op.int_ad": 1, "op.int_add": -1} {
		if _, err := DefaultCoefficients().With(key, v); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s = %g: error %v", key, v, err)
		}
	}
}
