// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math"
	"testing"

	"github.com/warptape/warptape/energy/sram"
)

// The memory model has no CAM of fewer than 16 entries: a smaller one takes its part of all that grows with
// entries. Bits beyond or below 48 count in proportion.
func TestSmallCAMsTakeTheirPart(t *testing.T) {
	memories, err := sram.Default()
	if err != nil {
		t.Fatal(err)
	}
	tech := Technology{NodeNM: 40, TemperatureK: 360, VoltageRatio: 1}
	b := &builder{machine: load(t, "gtx480"), tech: tech, memories: memories, coefficients: DefaultCoefficients()}
	whole := b.search("x", 16, 48)
	for _, c := range []struct {
		entries, bits int
		part          float64
	}{{16, 48, 1}, {8, 48, 0.5}, {4, 48, 0.25}, {16, 24, 0.5}, {8, 96, 1}} {
		got := b.search("x", c.entries, c.bits)
		for name, pair := range map[string][2]float64{
			"search": {got.SearchPJ, whole.SearchPJ}, "leakage": {got.LeakageMW, whole.LeakageMW}, "area": {got.AreaMM2, whole.AreaMM2},
		} {
			if pair[1] <= 0 || math.Abs(pair[0]/pair[1]-c.part) > 1e-9 {
				t.Errorf("%d entries of %d bits: %s %g, want %g of %g", c.entries, c.bits, name, pair[0], c.part, pair[1])
			}
		}
	}
}

// What is left of a whole is never below nothing.
func TestPartsAreTakenOut(t *testing.T) {
	whole := sram.Estimate{ReadPJ: 10, WritePJ: 20, SearchPJ: 30, LeakageMW: 40, AreaMM2: 50, AccessNS: 1, CycleNS: 2}
	got := lessEstimates(whole, sram.Estimate{ReadPJ: 1, WritePJ: 2, SearchPJ: 3, LeakageMW: 4, AreaMM2: 60, AccessNS: 9, CycleNS: 9})
	if want := (sram.Estimate{ReadPJ: 9, WritePJ: 18, SearchPJ: 27, LeakageMW: 36, AccessNS: 1, CycleNS: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Crossbars have a port for each SM and each slice of the L2, both ways: `gtx480` has 16 and 12, `v100` 80 and 64.
func TestPortsOfCrossbars(t *testing.T) {
	for machine, want := range map[string]float64{"gtx480": 2 * (16 + 12), "v100": 2 * (80 + 64)} {
		if got := (&builder{machine: load(t, machine)}).routerPorts(); got != want {
			t.Errorf("%s: %g ports, want %g", machine, got, want)
		}
	}
}
