// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math"
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
	for _, c := range []struct {
		key string
		v   float64
	}{{"op.int_ad", 1}, {"op.int_add", -1}, {"op.int_add", -1e-300}, {"op.int_add", 1e12}, {"op.int_add", math.Inf(1)}, {"op.int_add", math.NaN()}} {
		if _, err := DefaultCoefficients().With(c.key, c.v); err == nil || !strings.Contains(err.Error(), c.key) {
			t.Errorf("%s = %g: error %v", c.key, c.v, err)
		}
	}
	for _, v := range []float64{0, 1, math.Nextafter(1e12, 0)} {
		if changed, err := DefaultCoefficients().With("op.int_add", v); err != nil || changed.get("op.int_add").Value != v {
			t.Errorf("%g: %v", v, err)
		}
	}
}

// The first counter without declaration is named, and no counter of the baseline.
func TestAnUndeclaredCounterIsNamed(t *testing.T) {
	b := &builder{}
	if b.counter("dram_reads"); b.err != nil {
		t.Errorf("a counter of the baseline: %v", b.err)
	}
	b.counter("nobodys")
	b.counter("another")
	if b.err == nil || !strings.Contains(b.err.Error(), "the counter nobodys,") {
		t.Errorf("error %v", b.err)
	}
}
