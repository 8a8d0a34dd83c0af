// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace/tracetest"
)

// On the V100 itself the scaled parts add up to what AccelWattch found the card to draw. The
// static power of the chip is that of its classes of instructions.
func TestAccelWattchsEnergiesAreThoseOfItsCard(t *testing.T) {
	m, err := arch.Load("v100")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := NewModel(m, TechnologyOf(m), AccelWattchCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	model, err := plain.AsAccelWattch()
	if err != nil {
		t.Fatal(err)
	}
	for i := range accelwattchFits {
		f := &accelwattchFits[i]
		sum := 0.0
		for _, path := range f.nodes {
			for j := range model.Components {
				if c := &model.Components[j]; under(c.Path, path) {
					sum += c.pricePJ(f.counter)
				}
			}
		}
		if math.Abs(sum/f.pj-1) > 1e-9 {
			t.Errorf("%s: %v pJ, AccelWattch gives %v", f.row, sum, f.pj)
		}
	}
	for i := range accelwattchCounts {
		row := &accelwattchCounts[i]
		for _, ch := range row.instead {
			if got := model.priceUnder(row.nodes, ch.Counter); math.Abs(got/ch.PJ-1) > 1e-9 {
				t.Errorf("%s: %v pJ, AccelWattch gives %v", counters.Declared(ch.Counter).Name, got, ch.PJ)
			}
		}
		for _, id := range row.dropped {
			if slices.ContainsFunc(row.instead, func(ch Charge) bool { return ch.Counter == id }) {
				continue
			}
			if got := model.priceUnder(row.nodes, id); got != 0 {
				t.Errorf("%s still costs %v pJ", counters.Declared(id).Name, got)
			}
		}
	}
	static := 0.0
	for i := range model.Components {
		if c := &model.Components[i]; !ofTheBoard(c.Path) {
			static += c.StaticW
		}
	}
	if math.Abs(static/37.387-1) > 1e-3 {
		t.Errorf("static power of the chip: %v W", static)
	}
	constant := 0.0
	for i := range model.Components {
		if c := &model.Components[i]; c.Path == "chip/constant" {
			constant = c.StaticW
		}
	}
	if math.Abs(constant/32.325-1) > 1e-3 {
		t.Errorf("constant power of the board: %v W, AccelWattch gives 32.325", constant)
	}
	if model.Calibration != accelwattchName {
		t.Errorf("calibration %q", model.Calibration)
	}
}

// Every machine has a model with the energies of the GV100.
func TestAccelWattchsEnergiesGoWithEveryMachine(t *testing.T) {
	for _, name := range tracetest.Draw(t, []string{"gtx480", "gpsim-soc", "mesh56", "rtx2080ti", "rtx3090", "a100", "h100", "tesla-c870"}, 2) {
		m, err := arch.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := NewModel(m, TechnologyOf(m), AccelWattchCoefficients())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		model, err := plain.AsAccelWattch()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range model.Components {
			c := &model.Components[i]
			if math.IsNaN(c.StaticW) || c.StaticW < 0 {
				t.Errorf("%s: %s draws %v W", name, c.Path, c.StaticW)
			}
			for _, charge := range c.Charges {
				if math.IsNaN(charge.PJ) || charge.PJ < 0 {
					t.Errorf("%s: %s charges %v pJ", name, c.Path, charge.PJ)
				}
			}
		}
	}
}
