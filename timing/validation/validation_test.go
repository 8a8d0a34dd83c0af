// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"
)

func TestReferenceHasItsFourRows(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 || rows[0].Name != "saxpy_1048576" || rows[3].Registers != 24 || rows[3].Reference.Cycles != 377499 || rows[1].Reference.BusUse != 0.4584 {
		t.Errorf("%+v", rows)
	}
}

func TestReportSaysHowFarEveryFigureIsOff(t *testing.T) {
	rows := []Row{{Name: "k", Reference: Figures{Cycles: 200, L1MissRate: 0.5, L2MissRate: 0.25, Activates: 10, Reads: 4, Writes: 8, BusUse: 0.5}}}
	ours := []Figures{{Cycles: 190, L1MissRate: 0.52, L2MissRate: 0.25, Activates: 11, Reads: 4, Writes: 6, BusUse: 0.25}}
	var b strings.Builder
	if err := WriteReport(&b, rows, ours); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| k | cycles | 200 | 190 | -5.0 % |", "|  | L1 miss rate, % | 50.00 | 52.00 | +2.00 points |",
		"|  | DRAM writes | 8 | 6 | -25.0 % |", "|  | DRAM bus use, % | 50.00 | 25.00 | -25.00 points |",
		"Mean absolute difference of the cycles: 5.0 %.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("missing %q in\n%s", want, b.String())
		}
	}
	if off := ours[0].MissRateOff(&rows[0].Reference); off < 1.99 || off > 2.01 {
		t.Errorf("miss rates off by %g points, want 2", off)
	}
}
