package energy

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// TestClaimsAreComputed: the model knows all structures of the claims. How far it
// is from the papers is for the reader of the document to see, but the one claim
// that is a ratio, in which a version of CACTI cancels, must come out close.
func TestClaimsAreComputed(t *testing.T) {
	claims, err := Claims()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range claims {
		if !(c.Computed > 0 && c.Published > 0) || c.Unit == "" || c.Source == "" {
			t.Errorf("incomplete: %+v", c)
		}
		if c.Unit == "%" && (c.Computed < 0.75*c.Published || c.Computed > 1.25*c.Published) {
			t.Errorf("%s: published %g %%, computed %g %%", c.Name, c.Published, c.Computed)
		}
	}
}

// TestSensitivityOfAnUnusedConstantIsZero: a run without DRAM traffic does not
// depend on the energy of a byte, every run depends on leakage.
func TestSensitivityOfAnUnusedConstantIsZero(t *testing.T) {
	set := randomCounts(1)
	for _, id := range []string{"dram_read_bytes", "dram_write_bytes"} {
		i, ok := counters.Lookup(id)
		if !ok {
			t.Fatalf("%s is not a counter", id)
		}
		set[i] = 0
	}
	list, err := Sensitivities(load(t, "gtx480"), TechnologyOf(load(t, "gtx480")), set, 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range list {
		switch s.Coefficient.Key {
		case "dram.byte":
			seen++
			if s.Less != 0 || s.More != 0 {
				t.Errorf("energy of a byte changes the total by %g and %g %% without traffic", s.Less, s.More)
			}
		case "logic.leakage_mw_per_mm2", "dram.background_mw":
			seen++
			if !(s.Less < 0 && s.More > 0) || s.More+s.Less > 1e-6 || s.More+s.Less < -1e-6 {
				t.Errorf("%s: %g and %g %%, not opposite", s.Coefficient.Key, s.Less, s.More)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d of 3 coefficients are varied", seen)
	}
}
