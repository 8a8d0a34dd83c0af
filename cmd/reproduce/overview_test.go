// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"bytes"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

func TestATallyCountsDirectionsAndNumbersApart(t *testing.T) {
	value, neutral := 1.4, 1.0
	effect := &Claim{reading: Number{Value: &value, Neutral: &neutral}}
	plain := &Claim{reading: Number{Value: &value}}
	words := &Claim{reading: Little{Neutral: 1, Loss: 5, Gain: 5}}
	var n tally
	n.add(effect, Verdict{Outcome: OfEffect, Ratio: 0.75})     // there and near
	n.add(effect, Verdict{Outcome: OfEffect, Ratio: 0.74})     // there, not near
	n.add(effect, Verdict{Outcome: OtherDirection, Ratio: -1}) // neither
	n.add(effect, Verdict{Outcome: NoEffect})                  // neither
	n.add(plain, Verdict{Outcome: OfEffect, Ratio: 1.25})      // has no direction, near
	n.add(words, Verdict{Outcome: AsSaid})                     // there
	n.add(words, Verdict{Outcome: NotAsSaid})                  // not there
	n.add(words, Verdict{Outcome: NotShown})                   // not counted
	n.add(effect, Verdict{Outcome: InputOnly})                 // not counted
	n.add(plain, Verdict{Outcome: NoValue})                    // not counted
	if want := (tally{judged: 6, inDirection: 3, numbers: 5, near: 2}); n != want {
		t.Errorf("%+v, want %+v", n, want)
	}
}

func TestTheOverviewHasEveryStatedNumberOfEveryStudyOnce(t *testing.T) {
	tracetest.Nightly(t)
	var b bytes.Buffer
	if err := WriteOverview(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	all, err := CommittedResults()
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, r := range all {
		measured[r.Study] = true
	}
	for _, s := range Studies() {
		claims, err := publishedOf(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		if !measured[s.Name] {
			continue
		}
		if strings.Count(text, "("+s.Page()+")") != 1 {
			t.Errorf("the overview does not lead to %s once", s.Page())
		}
		for i := range claims {
			c := &claims[i]
			row := "| " + c.Figure + " | " + c.Row + ", " + c.Series + " | \"" + c.Quote + "\" (" + c.Where + ")"
			if _, number := c.value(); number && strings.Count(text, row) != 1 {
				t.Errorf("%s: %d rows %s", s.Name, strings.Count(text, row), row)
			}
		}
	}
}
