// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/report"
)

// The section of a page has every pair, the worst first, and every row without a match.
func TestTheSectionHasAllRows(t *testing.T) {
	nan := Decimal(math.NaN())
	r := &Report{Measured: "hw.csv", Keys: []string{"trace"}, Rows: 4, Models: []Model{{
		Name: "<gtx480>",
		Figures: []Figure{{Name: "cycles", Unit: "core cycles", AbsoluteError: Estimate{Value: 15, Low: 10, High: 20}, Pearson: none, Spearman: none, Pairs: []Pair{
			{Line: 2, Of: "a", Measured: 100, Ours: 110, Error: 10}, {Line: 3, Of: "b", Measured: 0, Ours: 1, Error: nan}, {Line: 4, Of: "c", Measured: 100, Ours: 80, Error: -20},
		}}},
		UnmatchedMeasurements: []Unmatched{{Line: 5, Of: "d", Reason: "no result is of it"}},
		UnmatchedResults:      []Unmatched{{Of: "e", Reason: "not measured"}},
	}}}
	s := r.Section()
	var lengths []int
	var text bytes.Buffer
	for _, p := range s.Parts {
		d := (*report.Dataset)(nil)
		if p.Table != nil {
			d = p.Table.Dataset
		} else {
			d = p.Chart.Dataset
		}
		lengths = append(lengths, d.Len())
		if err := json.NewEncoder(&text).Encode(d.Columns); err != nil {
			t.Fatal(err)
		}
	}
	if len(lengths) != 4 || lengths[0] != 1 || lengths[1] != 3 || lengths[2] != 3 || lengths[3] != 2 {
		t.Errorf("rows of the parts: %v", lengths)
	}
	for _, want := range []string{`"words":["c","a","b"]`, `[-20,10,null]`, `"words":["d","e"]`, `[5,null]`, `"words":["cycles [core cycles]"]`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s lacks %s", text.String(), want)
		}
	}
	if err := report.Write(&text, &report.Document{Sections: []*report.Section{s}}); err != nil {
		t.Error(err)
	}
}
