// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/extrapolate"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// The intervals in use are those that the committed measurement asks for.
func TestScaleOfIntervalsIsWhatTheFittedHalfNeeds(t *testing.T) {
	rows, err := readSamplingRows()
	if err != nil {
		t.Fatal(err)
	}
	if got := fitScale(fittedRows(rows)); got != extrapolate.JudgedScale {
		t.Errorf("the fitted half needs a scale of %g, package extrapolate has %g", got, extrapolate.JudgedScale)
	}
}

// Of twenty estimates with intervals of 5 %, one is off by 12.4 % and one by 8.1 %. The
// place of 95 % is the last of the 20.
func TestScaleIsThatOfTheRowAtItsPlace(t *testing.T) {
	var rows []samplingRow
	for i := range 20 {
		r := samplingRow{StoredPercent: 50, Cycles: 1000000, FullCycles: 1010000, ExposedPercent: map[string]float64{"steady": 100}}
		switch i {
		case 3:
			r.FullCycles = 1124000
		case 7:
			r.FullCycles = 1081000
		}
		rows = append(rows, r)
	}
	if got := fitScale(rows); math.Abs(got-2.5) > 1e-9 {
		t.Errorf("scale %g, want 2.5", got)
	}
	for range 20 { // of 40 it is the one before the last
		rows = append(rows, rows[0])
	}
	if got := fitScale(rows); math.Abs(got-1.65) > 1e-9 {
		t.Errorf("scale %g, want 1.65", got)
	}
	if got := fitScale(rows[:10]); !math.IsNaN(got) {
		t.Errorf("ten rows give %g", got)
	}
	for i := range rows { // rows that warn do not count
		rows[i].Warned = true
	}
	if got := fitScale(rows); !math.IsNaN(got) {
		t.Errorf("rows that warn give %g", got)
	}
}

func TestSamplingMeasurementIsOfTheCommittedWorkloads(t *testing.T) {
	rows, err := readSamplingRows()
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if r := &rows[i]; r.Refused == "" && (r.FullCycles == 0 || r.Cycles == 0 || r.StoredPercent <= 0 || r.StoredPercent > 100) {
			t.Errorf("%+v", r)
		}
	}
}
