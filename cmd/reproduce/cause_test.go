// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"slices"
	"strings"
	"testing"
)

// miss is a stated number that ours is not near, at size small.
func miss(figure, row, series string) *assessment {
	value := 100.0
	return &assessment{claim: &Claim{Figure: figure, Place: Place{row, series}, Quote: "the words", reading: Number{Value: &value}}, size: "small", verdict: Verdict{Outcome: OfEffect, Ratio: 0.5}}
}

// wrongWay is a claim of a direction that goes the other way.
func wrongWay(figure, row, series, quote string) *assessment {
	a := miss(figure, row, series)
	a.claim.Quote, a.claim.reading, a.verdict = quote, More{Change{Than: 100}}, Verdict{Outcome: OtherDirection}
	return a
}

func TestAMissHasTheFirstCauseThatCoversIt(t *testing.T) {
	hit := miss("2", "mean", "IPC")
	hit.verdict.Ratio = 1.1
	all := []*assessment{miss("1", "mean", "IPC"), miss("1", "bfs", "IPC"), hit, wrongWay("2", "mean", "time", "slower")}
	causes := []Cause{{Figures: []string{"1"}, Rows: []string{"bfs"}, NotKnown: true}, {Figures: []string{"1", "2"}, Cause: "ports", Shown: []string{"3"}}}
	if err := attribute(all, causes); err != nil {
		t.Fatal(err)
	}
	if all[0].cause != &causes[1] || all[1].cause != &causes[0] || all[2].cause != nil || all[3].cause != &causes[1] {
		t.Errorf("causes are %v, %v, %v and %v", all[0].cause, all[1].cause, all[2].cause, all[3].cause)
	}
	if got := causes[1].String(); got != "ports (figure 3)" {
		t.Errorf("it is written as %q", got)
	}
}

func TestAClaimWithADirectionIsMissedWhenItGoesAnotherWay(t *testing.T) {
	for outcome, want := range map[Outcome]bool{
		NoEffect: true, Unsure: true, OtherDirection: true, NotAsSaid: true,
		SameDirection: false, AsSaid: false, LessThanSaid: false, MoreThanSaid: false, AtTheLimit: false,
		NoValue: false, InputOnly: false, NotShown: false,
	} {
		a := wrongWay("1", "mean", "IPC", "slower")
		if a.verdict.Outcome = outcome; a.missed() != want {
			t.Errorf("%q: missed is %v", outcome, a.missed())
		}
	}
}

func TestACauseIsOfItsSizesAndWordsAlone(t *testing.T) {
	c := Cause{Figures: []string{"1"}, Sizes: []string{"paper"}, Quote: "saves less", NotKnown: true}
	a := wrongWay("1", "mean", "IPC", "it saves less than others")
	if c.covers("small", a.claim) || !c.covers("paper", a.claim) {
		t.Error("the size is not asked for")
	}
	if a.claim.Quote = "it saves more"; c.covers("paper", a.claim) {
		t.Error("the words are not asked for")
	}
}

func TestAMissWithoutACauseAndACauseWithoutAMissAreErrors(t *testing.T) {
	known := Cause{Figures: []string{"1"}, Cause: "ports"}
	for name, c := range map[string]struct {
		causes []Cause
		want   []string
	}{
		"no entries":   {nil, []string{`size small, figure 1, row mean, series IPC: "the words" is missed`, `size small, figure 1, row bfs, series IPC: "slower" is missed (other direction)`}},
		"never first":  {[]Cause{known, known}, []string{"entry 2"}},
		"other size":   {[]Cause{{Figures: []string{"1"}, Sizes: []string{"small", "paper"}, NotKnown: true}}, []string{"entry 1", "size paper"}},
		"other row":    {[]Cause{{Figures: []string{"1"}, Rows: []string{"mean", "bfs", "lbm"}, NotKnown: true}}, []string{"entry 1", "row lbm"}},
		"other series": {[]Cause{{Figures: []string{"1"}, Series: []string{"IPC", "time"}, NotKnown: true}}, []string{"entry 1", "series time"}},
		"other figure": {[]Cause{{Figures: []string{"1", "2"}, NotKnown: true}}, []string{"entry 1", "figure 2"}},
	} {
		err := attribute([]*assessment{miss("1", "mean", "IPC"), wrongWay("1", "bfs", "IPC", "slower")}, c.causes)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v lacks %q", name, err, want)
			}
		}
	}
}

// What an older model gave says little of today's: it may have a cause, and needs none.
func TestAMissOfAnOlderModelNeedsNoCause(t *testing.T) {
	a, b := miss("1", "mean", "IPC"), miss("2", "mean", "IPC")
	a.older, b.older = true, true
	if err := attribute([]*assessment{a, b}, []Cause{{Figures: []string{"2"}, NotKnown: true}}); err != nil {
		t.Fatal(err)
	}
	if a.cause != nil || b.cause == nil {
		t.Errorf("causes are %v and %v", a.cause, b.cause)
	}
	if a.causeCell() == "" || a.causeCell() == b.causeCell() {
		t.Errorf("the page says %q and %q", a.causeCell(), b.causeCell())
	}
}

func TestACauseIsKnownOrNot(t *testing.T) {
	for name, c := range map[string]Cause{
		"without figures":       {Cause: "ports", Rows: []string{"mean"}},
		"without rows":          {Figures: []string{"1"}, Cause: "ports"},
		"neither":               {Figures: []string{"1"}},
		"both":                  {Figures: []string{"1"}, Rows: []string{"mean"}, Cause: "ports", NotKnown: true},
		"tried, with a cause":   {Figures: []string{"1"}, Rows: []string{"mean"}, Cause: "ports", Tried: "nothing"},
		"tried, without either": {Figures: []string{"1"}, Tried: "nothing"},
	} {
		if c.check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Each study attributes its misses, or its pages are not written (assess). A figure that shows a cause is one of the study.
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
