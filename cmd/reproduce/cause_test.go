// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"slices"
	"strings"
	"testing"
)

// miss is a stated number that ours is not near.
func miss(figure, row, series string) stated {
	value := 100.0
	return stated{claim: &Claim{Figure: figure, Place: Place{row, series}, reading: Number{Value: &value}}, verdict: Verdict{Outcome: OfEffect, Ratio: 0.5}}
}

func TestAMissHasTheFirstCauseThatCoversIt(t *testing.T) {
	hit := miss("2", "mean", "IPC")
	hit.verdict.Ratio = 1.1
	rows := []stated{miss("1", "mean", "IPC"), miss("1", "bfs", "IPC"), hit}
	causes := []Cause{{Figures: []string{"1"}, Rows: []string{"bfs"}, NotKnown: true}, {Figures: []string{"1", "2"}, Cause: "ports", Shown: []string{"3"}}}
	if err := attribute(rows, causes); err != nil {
		t.Fatal(err)
	}
	if rows[0].cause != &causes[1] || rows[1].cause != &causes[0] || rows[2].cause != nil {
		t.Errorf("causes are %v, %v and %v", rows[0].cause, rows[1].cause, rows[2].cause)
	}
	if got := causes[1].String(); got != "ports (figure 3)" {
		t.Errorf("it is written as %q", got)
	}
}

func TestAMissWithoutACauseAndACauseWithoutAMissAreErrors(t *testing.T) {
	rows := []stated{miss("1", "mean", "IPC")}
	if err := attribute(rows, nil); err == nil || !strings.Contains(err.Error(), "figure 1, mean, IPC") {
		t.Errorf("a miss without a cause gives %v", err)
	}
	all := Cause{Figures: []string{"1"}, Cause: "ports"}
	if err := attribute(rows, []Cause{all, all}); err == nil || !strings.Contains(err.Error(), "entry 2") {
		t.Errorf("a cause that is never the first one gives %v", err)
	}
}

func TestACauseIsKnownOrNot(t *testing.T) {
	for name, c := range map[string]Cause{
		"without figures":       {Cause: "ports"},
		"neither":               {Figures: []string{"1"}},
		"both":                  {Figures: []string{"1"}, Cause: "ports", NotKnown: true},
		"tried, with a cause":   {Figures: []string{"1"}, Cause: "ports", Tried: "nothing"},
		"tried, without either": {Figures: []string{"1"}, Tried: "nothing"},
	} {
		if c.check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Each study with stated numbers attributes its misses (WriteOverview fails otherwise);
// a figure that shows a cause is one of the study.
func TestFiguresThatShowCausesExist(t *testing.T) {
	for _, s := range Studies() {
		causes, err := causesOf(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range causes {
			for _, shown := range append(slices.Clone(c.Shown), c.Figures...) {
				if !slices.ContainsFunc(s.Figures, func(f Figure) bool { return f.ID == shown }) {
					t.Errorf("%s, entry %d names figure %s, which the study lacks", s.Name, i+1, shown)
				}
			}
		}
	}
}
