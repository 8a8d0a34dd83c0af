// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"testing"

	cputraces "github.com/warptape/warptape/traces/cpu"
)

// TestWeightedSpeedUpWeighsProgramsAlike: a slow program that gains half makes an eighth of four, where their sum hardly moves.
func TestWeightedSpeedUpWeighsProgramsAlike(t *testing.T) {
	r := &Results{}
	for _, set := range cputraces.Sets() {
		for _, size := range stlbSizes {
			slow := uint64(1000)
			if size.label == "2048" {
				slow = 1500
			}
			m := Measurement{Workload: set.Name, Architecture: size.spec, Programs: []ProgramRun{{Instructions: slow, Cycles: 100_000}}}
			for range 3 {
				m.Programs = append(m.Programs, ProgramRun{Instructions: 100_000, Cycles: 100_000})
			}
			r.Measurements = append(r.Measurements, m)
		}
	}
	s, err := Find("fusetlb")
	if err != nil {
		t.Fatal(err)
	}
	d := NewData(s, r)
	rows, err := fuseWeighted(d)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := fuseSets(cputraces.Sets(), throughput)(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(cputraces.Sets()) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows {
		if row.Values[0] != 100 || row.Values[3] != 112.5 || sums[i].Values[3] > 100.2 {
			t.Errorf("%s: %v, and sums %v; want 100 and 112.5, and next to 100", row.Label, row.Values, sums[i].Values)
		}
	}
}
