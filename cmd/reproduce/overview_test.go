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
	n.add(&assessment{claim: effect, verdict: Verdict{Outcome: OfEffect, Ratio: 0.75}})     // there and near
	n.add(&assessment{claim: effect, verdict: Verdict{Outcome: OfEffect, Ratio: 0.74}})     // there, not near
	n.add(&assessment{claim: effect, verdict: Verdict{Outcome: OtherDirection, Ratio: -1}}) // neither
	n.add(&assessment{claim: effect, verdict: Verdict{Outcome: NoEffect}})                  // neither
	n.add(&assessment{claim: plain, verdict: Verdict{Outcome: OfEffect, Ratio: 1.25}})      // has no direction, near
	n.add(&assessment{claim: words, verdict: Verdict{Outcome: AsSaid}})                     // there
	n.add(&assessment{claim: words, verdict: Verdict{Outcome: NotAsSaid}})                  // not there
	n.add(&assessment{claim: words, verdict: Verdict{Outcome: NotShown}})                   // not counted
	n.add(&assessment{claim: effect, verdict: Verdict{Outcome: InputOnly}})                 // not counted
	n.add(&assessment{claim: plain, verdict: Verdict{Outcome: NoValue}})                    // not counted
	if want := (tally{judged: 6, inDirection: 3, numbers: 5, near: 2, older: 4}); n != want {
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

func TestATallySaysHowManyMissesHaveACause(t *testing.T) {
	var n tally
	for _, c := range []*Cause{{Cause: "ports"}, {NotKnown: true}, {NotKnown: true}} {
		a := miss("1", "mean", "IPC")
		a.cause = c
		n.add(a)
	}
	if got := n.String(); !strings.Contains(got, "Of its 3 misses 1 has a known cause, of 2 none is known") || strings.Contains(got, "older") {
		t.Errorf("it says %q", got)
	}
	n.add(miss("1", "mean", "IPC"))
	if got := n.String(); !strings.Contains(got, "Of its 4 misses") || !strings.Contains(got, "1 is of an older model alone") {
		t.Errorf("with one of an older model it says %q", got)
	}
}
