// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// TestCrossbarsOfBankedStructuresAreTermsOfTheirOwn: a lane pays for each once, in
// addition to the array, by the ports that the crossbar runs between. Its price is DSENT's
// 0.0662 pJ and 0.0462 pJ a port at 45 nm, added by hand.
func TestCrossbarsOfBankedStructuresAreTermsOfTheirOwn(t *testing.T) {
	m := load(t, "gtx480")
	tech := TechnologyOf(m)
	tech.NodeNM = 45
	priced, err := NewModel(m, tech, DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		node    string
		ports   int
		counter counters.ID
	}{
		{"chip/sm/coalescer", 64, counters.GlobalLane},
		{"chip/sm/shared memory", 32 + m.Shared.Banks, counters.SharedLaneRead},
		{"chip/sm/shared memory", 32 + m.Shared.Banks, counters.SharedLaneWrite},
		{"chip/sm/operand collector", max(m.SM.RegisterBanks, 1) + m.SM.CollectorCount(), counters.RegisterLaneRead},
	} {
		var set counters.Set
		set[c.counter] = 1
		r := account(t, priced, &set, 0)
		across := r.Node(c.node+"/crossbar").DynamicJ * 1e12
		if want := 0.0662 + 0.0462*float64(c.ports); !near(across, want) {
			t.Errorf("%s: a lane pays %g pJ for its crossbar, want %g", c.node, across, want)
		}
		if whole := r.Node(c.node).DynamicJ * 1e12; whole <= across {
			t.Errorf("%s: %g pJ in all, %g of them for the crossbar", c.node, whole, across)
		}
	}
}

// TestDRAMIsPricedByCommand: activate and precharge per command, bytes per byte, a
// refresh of all banks as a row of each, a copy as the bytes that it moves.
func TestDRAMIsPricedByCommand(t *testing.T) {
	m := load(t, "gtx480")
	m.DRAM.Refresh, m.Link.Kind = "all_bank", "pcie"
	priced := func() *Model {
		p, err := NewModel(m, TechnologyOf(m), DefaultCoefficients())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	price := func(p *Model, id counters.ID) float64 {
		var set counters.Set
		set[id] = 1
		return dynamicPJ(t, p, &set)
	}
	row := price(priced(), counters.DRAMActivate) + price(priced(), counters.DRAMPrecharge)
	if got := price(priced(), counters.DRAMRefresh); !near(got, float64(m.DRAM.Banks)*row) {
		t.Errorf("a refresh of %d banks costs %g pJ, a row %g", m.DRAM.Banks, got, row)
	}
	if got := price(priced(), counters.CopyToHostBytes); !near(got, price(priced(), counters.DRAMReadBytes)) {
		t.Errorf("a copied byte costs %g pJ", got)
	}
	m.DRAM.Refresh, m.Link.Kind = "per_bank", "on_die"
	if got := price(priced(), counters.DRAMRefresh); !near(got, row) {
		t.Errorf("a refresh of one bank costs %g pJ, a row %g", got, row)
	}
	if got := price(priced(), counters.CopyToHostBytes); !near(got, 2*price(priced(), counters.DRAMReadBytes)) {
		t.Errorf("a byte copied on the die costs %g pJ", got)
	}
}
