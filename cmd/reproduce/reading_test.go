// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// claimOf is the claim of an entry about row "w" and series "s".
func claimOf(t *testing.T, reading string) *Claim {
	t.Helper()
	list, err := parseClaims([]byte(`- {figure: "1", rows: [w], series: [s], where: here, quote: "words", ` + reading + "}"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %d claims, %v", reading, len(list), err)
	}
	return &list[0]
}

// tableOf has ours in row "w" among other rows, and a mean.
func tableOf(ours, mean float64, others ...float64) *Table {
	t := &Table{Figure: &Figure{ID: "1", Series: []string{"s"}}, Values: []Row{{Label: "w", Values: []float64{ours}}}}
	for i, v := range others {
		t.Values = append(t.Values, Row{Label: string(rune('A' + i)), Values: []float64{v}})
	}
	t.Values = append(t.Values, Row{Label: "mean", Values: []float64{mean}, Of: []string{"w"}})
	return t
}

func verdictOn(t *testing.T, reading string, ours float64) Verdict {
	t.Helper()
	return tableOf(ours, 40, 10, 20, 30).Verdict(claimOf(t, reading))
}

// sides are a value for each outcome that a reading has.
var sides = []struct {
	reading string
	ours    float64
	want    string
}{
	{"number: {value: 63, neutral: 100}", 81.5, "effect x 0.50"},
	{"number: {value: 63, neutral: 100}", 118.5, "other direction: effect x -0.50"},
	{"number: {value: 63, neutral: 100}", 99.6, "no effect"},
	{"number: {value: 37, neutral: 0, scale: 100}", -0.4, "no effect"},
	{"number: {value: 37, neutral: 0, scale: 100}", 18.5, "effect x 0.50"},
	{"number: {value: 40}", 30, "0.75 of it"},
	{"number: {value: 40}", math.NaN(), "no value"},
	{"more: {than: 100}", 101, "same direction"},
	{"more: {than: 100}", 100.4, "no effect"},
	{"more: {than: 100}", 99, "other direction"},
	{"more: {than: 0, scale: 1}", 0.004, "no effect"},
	{"more: {than: 0, scale: 1}", -0.2, "other direction"},
	{"more: {than: 100, by: 10}", 112, "as said: +12.0 %"},
	{"more: {than: 100, by: 10}", 103, "same direction, less than said: +3.0 %"},
	{"more: {than: 100, by: 10}", 99, "other direction: -1.0 %"},
	{"more: {than: 100, most: 19}", 110, "as said: +10.0 %"},
	{"more: {than: 100, most: 19}", 130, "same direction, more than said: +30.0 %"},
	{"less: {than: 100}", 99, "same direction"},
	{"less: {than: 100}", 99.6, "no effect"},
	{"less: {than: 100}", 101, "other direction"},
	{"less: {than: 100, most: 5}", 96, "as said: -4.0 %"},
	{"less: {than: 100, most: 5}", 88.5, "same direction, more than said: -11.5 %"},
	{"less: {than: 100, by: 5}", 98, "same direction, less than said: -2.0 %"},
	{"half: {of: 100}", 52, "as said: -48.0 %"},
	{"half: {of: 100}", 70, "same direction, less than said: -30.0 %"},
	{"half: {of: 100}", 30, "same direction, more than said: -70.0 %"},
	{"half: {of: 100}", 100, "no effect"},
	{"half: {of: 100}", 120, "other direction: +20.0 %"},
	{"little: {neutral: 1, loss: 5, gain: 10}", 1.09, "as said: +9.0 %"},
	{"little: {neutral: 1, loss: 5, gain: 10}", 0.96, "as said: -4.0 %"},
	{"little: {neutral: 1, loss: 5, gain: 10}", 0.8, "not as said: -20.0 %"},
	{"little: {neutral: 1, loss: 5, gain: 10}", 1.2, "not as said: +20.0 %"},
	{"little: {neutral: 1, loss: 5, gain: 10}", 0.947, "at the limit: -5.3 %"},
	{"about: {value: 50, within: 10}", 54, "as said: +8.0 %"},
	{"about: {value: 50, within: 10}", 60, "not as said: +20.0 %"},
	{"about: {value: 0, within: 1, scale: 100}", 0.9, "as said: +0.9 %"},
	{"about: {value: 0, within: 1, scale: 100}", 6, "not as said: +6.0 %"},
	{"between: {from: 20, to: 50}", 20, "as said"},
	{"between: {from: 20, to: 50}", 15, "not as said: below"},
	{"between: {from: 20, to: 50}", 51, "not as said: above"},
	{"over: 1.5", 1.6, "as said"},
	{"over: 1.5", 1.4, "not as said"},
	{"over: 1.5", 1.496, "at the limit"},
	{"under: 2", 1.9, "as said"},
	{"under: 2", 2.1, "not as said"},
	{"under: 2", 2.005, "at the limit"},
	{"not_less: 100", 99.6, "as said"},
	{"not_less: 100", 90, "not as said: -10.0 %"},
	{"not_more: 100", 100.4, "as said"},
	{"not_more: 100", 104, "not as said: +4.0 %"},
	{"poor_portion: {most: 50}", 10, "as said: 25 % of the mean"},
	{"poor_portion: {most: 50}", 42, "same direction, more than said: 105 % of the mean"},
	{"poor_portion: {most: 50}", 0.1, "no effect"},
	{"poor_portion: {most: 50}", -3, "other direction"},
	{"highest: {rows: 1}", 31, "as said"},
	{"highest: {rows: 1}", 25, "not as said: 1 of 4 rows come before"},
	{"highest: {rows: 1}", 30.01, "no effect: rows are equal"},
	{"highest: {rows: 1, scale: 1000}", 31, "no effect: rows are equal"},
	{"lowest: {rows: 2}", 15, "as said"},
	{"lowest: {rows: 2}", 25, "not as said: 2 of 4 rows come before"},
	{"lowest: {rows: 2}", 20, "no effect: rows are equal"},
	{`input: {value: 1.06, because: "its area"}`, 1.07, "input, not result: its area"},
	{`unable: {because: "nothing is shared"}`, 0, "cannot be shown: nothing is shared"},
}

func TestEveryKindOfClaimComesOutEachWay(t *testing.T) {
	outcomes := map[string][]Outcome{}
	for _, c := range sides {
		v := verdictOn(t, c.reading, c.ours)
		if v.String() != c.want {
			t.Errorf("%s, ours %g: %q, want %q", c.reading, c.ours, v, c.want)
		}
		kind, _, _ := strings.Cut(c.reading, ":")
		if !slices.Contains(outcomes[kind], v.Outcome) {
			outcomes[kind] = append(outcomes[kind], v.Outcome)
		}
	}
	entry := reflect.TypeFor[claimEntry]()
	for i := range entry.NumField() {
		f := entry.Field(i)
		if f.Type.Kind() != reflect.Pointer || f.Name == "Against" {
			continue
		}
		kind := f.Tag.Get("yaml")
		if want := 2; len(outcomes[kind]) < want && kind != "input" && kind != "unable" {
			t.Errorf("kind %s comes out as %v only", kind, outcomes[kind])
		}
	}
}

// TestEqualRunsHaveNoEffect: the quotient of equal runs may round to another number
// than 100.
func TestEqualRunsHaveNoEffect(t *testing.T) {
	for _, ours := range []float64{100, 100.00000000000001, 99.99999999999999} {
		for _, reading := range []string{
			"more: {than: 100}", "less: {than: 100}", "more: {than: 100, by: 10}", "less: {than: 100, most: 5}", "number: {value: 119, neutral: 100}", "half: {of: 100}",
		} {
			if v := verdictOn(t, reading, ours); v.Outcome != NoEffect {
				t.Errorf("%s, ours %.17g: %q", reading, ours, v)
			}
		}
	}
}

// neutralOf is the value without effect of a reading of an effect, and the scale of
// its changes.
func neutralOf(r reading) (neutral, scale float64, ok bool) {
	switch r := r.(type) {
	case More:
		return r.Than, scaleOf(r.Than, r.Scale), true
	case Less:
		return r.Than, scaleOf(r.Than, r.Scale), true
	case Half:
		return r.Of, r.Of, true
	case Number:
		if r.Neutral != nil {
			return *r.Neutral, scaleOf(*r.Neutral, r.Scale), true
		}
	}
	return 0, 0, false
}

// TestChangesWithinTheBandAreNoEffect, for all claims of all studies: whatever change
// of at most the band from what has no effect is drawn.
func TestChangesWithinTheBandAreNoEffect(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for _, name := range Names() {
		list, err := allPublished(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			neutral, scale, ok := neutralOf(list[i].reading)
			if !ok {
				continue
			}
			for range 100 {
				tried++
				ours := neutral + (2*random.Float64()-1)*float64(DeadBand)*scale
				c := list[i]
				c.Place, c.Against = Place{"w", "s"}, nil
				if v := tableOf(ours, 1).Verdict(&c); v.Outcome != NoEffect {
					t.Fatalf("%s, figure %s, %s: %.17g is %q", name, c.Figure, c.Reading(), ours, v)
				}
			}
		}
	}
	if tried < 5000 {
		t.Errorf("only %d values were tried", tried)
	}
}

// TestVerdictsBeyondTheBandHaveASide: a change beyond the band is never "no effect", and
// its direction is that of the change.
func TestVerdictsBeyondTheBandHaveASide(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		change := (float64(DeadBand)*1.0001 + random.Float64()) * float64(1-2*random.IntN(2))
		want := map[bool]Outcome{true: SameDirection, false: OtherDirection}
		if v := verdictOn(t, "more: {than: 100}", 100*(1+change)); v.Outcome != want[change > 0] {
			t.Fatalf("more than 100, changed by %g: %q", change, v)
		}
		if v := verdictOn(t, "less: {than: 100}", 100*(1+change)); v.Outcome != want[change < 0] {
			t.Fatalf("less than 100, changed by %g: %q", change, v)
		}
	}
}

func TestReadingsWithoutSenseAreRefused(t *testing.T) {
	for _, reading := range []string{
		"number: {value: 100, neutral: 100}", "number: {value: 0}", "number: {neutral: 3}", "more: {than: 0}", "more: {than: 100, by: 10, most: 5}", "less: {than: 100, by: -1}",
		"little: {neutral: 100, loss: 0.1, gain: 5}", "little: {neutral: 0, loss: 5, gain: 5}", "about: {value: 0, within: 5}", "about: {value: 5, within: 0}",
		"between: {from: 50, to: 20}", "over: 0", "half: {of: 0}", "poor_portion: {most: 0}", "highest: {rows: 0}", "input: {value: 3}", "unable: {}",
		"more: {than: 100}, less: {than: 100}", "verdict: same", "overlay: x",
	} {
		if list, err := parseClaims([]byte(`- {figure: "1", rows: [w], series: [s], where: here, quote: "words", ` + reading + "}")); err == nil {
			t.Errorf("%s is read as %s", reading, list[0].Reading())
		}
	}
	if _, err := parseClaims([]byte(`- {figure: "1", rows: [w], series: [s], where: here, more: {than: 100}}`)); err == nil || !strings.Contains(err.Error(), "quotation") {
		t.Errorf("a claim without its words: %v", err)
	}
}
