package energy

import (
	"testing"

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
		if changed := l.DynamicJ != other.DynamicJ; changed != fittedLeaves[l.Path] {
			t.Errorf("%s: scaled is %t, named in the rows is %t", l.Path, changed, fittedLeaves[l.Path])
		}
	}
}
