// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/internal/chart"
)

// Summary is what a page says of a space.
type Summary struct {
	Card, Workload, Picture string
	Models                  []ModelSummary
	// Stages are the models' statistics over the rows that every model predicts.
	Stages   []ModelSummary
	Furthest []Off
	// Agreements compare what is executed. Parts are the model with all stages over the even
	// and the odd rows.
	Agreements []Agreement
	Parts      []PartSummary
	Reasons    []Refusal
	Drawn      bool
	pairs      map[string][]Pair
}

// ModelSummary is a model's statistics.
type ModelSummary struct {
	Name string
	Statistics
}

// PartSummary is the model with all stages over a part of the rows.
type PartSummary struct {
	About string
	Statistics
}

// parts are the rows by what they were used for.
var parts = []struct {
	about string
	keep  func(n int, r *Row) bool
}{
	{"even rows, seen while rules were mended", func(n int, _ *Row) bool { return n%2 == 0 }},
	{"odd rows, seen for the programs' loops alone", func(n int, _ *Row) bool { return n%2 == 1 }},
	{"rows in which the vendor's compiler spills nothing", func(_ int, r *Row) bool { return r.LocalBytes == 0 }},
}

// Off is a row that is far off.
type Off struct {
	Variant        string
	Measured, Ours float64
	Off            float64 // percent
	Known          string
}

// Refusal is a reason why rows are refused.
type Refusal struct {
	Text, First string
	Count       int
}

// furthest is the number of rows that a page lists.
const furthest = 5

// Summary is what was found, by space.
func (f *Found) Summary() ([]Summary, error) {
	spaces, err := Spaces()
	if err != nil {
		return nil, err
	}
	var list []Summary
	for i := range spaces {
		s := &spaces[i]
		out := Summary{Card: s.Card, Workload: s.Workload, Picture: fmt.Sprintf("silicon-%s-%s.svg", s.Card, s.Workload), pairs: map[string][]Pair{}}
		for _, m := range Models {
			out.Models = append(out.Models, ModelSummary{m.Name, f.statistics(s, m.Name)})
			out.Stages = append(out.Stages, ModelSummary{m.Name, f.whole().statistics(s, m.Name)})
			out.pairs[m.Name] = f.pairs(s, m.Name)
			out.Drawn = out.Drawn || len(out.pairs[m.Name]) > 0
		}
		for _, p := range parts {
			out.Parts = append(out.Parts, PartSummary{p.about, f.part(s, p.keep).statistics(s, lowered)})
		}
		out.Agreements = f.Agreements(s, -1)
		out.Furthest = off(out.pairs[lowered])
		out.Reasons = f.refusals(s, Models[0].Name)
		list = append(list, out)
	}
	return list, nil
}

// off are the rows that are furthest off after one factor.
func off(pairs []Pair) []Off {
	list := slices.Clone(pairs)
	far := func(p *Pair) float64 { return math.Abs(math.Log(p.Ours / p.Measured)) }
	slices.SortStableFunc(list, func(a, b Pair) int {
		switch x, y := far(&a), far(&b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var out []Off
	for _, p := range list[:min(furthest, len(list))] {
		out = append(out, Off{variantText(p.Row.Set), p.Measured, p.Ours, 100 * (p.Ours/p.Measured - 1), known(&p)})
	}
	return out
}

// known says what the measurement and the replay tell of a row.
func known(p *Pair) string {
	var says []string
	if n := p.Row.LocalBytes; n > 0 {
		says = append(says, fmt.Sprintf("the vendor's compiler spills %d bytes a thread, which ours does not", n))
	}
	says = append(says, fmt.Sprintf("%d registers a thread on the card, %d thread blocks an SM here, limited by %s", p.Row.Registers, p.In.Occupancy, strings.ReplaceAll(p.In.Limit, "_", " ")))
	if p.In.Percent >= 10 {
		says = append(says, fmt.Sprintf("the sample leaves ± %.0f %%", p.In.Percent))
	}
	return strings.Join(says, ". ")
}

func variantText(set map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		parts = append(parts, name+"="+set[name])
	}
	return strings.Join(parts, " ")
}

func (f *Found) refusals(s *Space, model string) []Refusal {
	var list []Refusal
	of := f.of(s.Card, s.Workload)
	if of == nil {
		return nil
	}
	for _, r := range of.Rows {
		in := r.Models[model]
		if in.Refused == "" {
			continue
		}
		kind := kindOf(in.Refused)
		at := slices.IndexFunc(list, func(k Refusal) bool { return kindOf(k.Text) == kind })
		if at < 0 {
			at = len(list)
			list = append(list, Refusal{Text: in.Refused, First: variantText(s.Rows[r.Row].Set)})
		}
		list[at].Count++
	}
	return list
}

// kindOf is a refusal without its numbers.
func kindOf(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, text)
}

// WriteScatter draws measured times and ours as SVG, with the line on which both are the same.
func (s *Summary) WriteScatter(w io.Writer) error {
	p := chart.Plane{Title: s.Workload + " on " + s.Card, X: "measured [us]", Y: "simulated [us]", Log: true, Same: true}
	for _, m := range Models {
		series := chart.PointSeries{Name: m.Name}
		for _, pair := range s.pairs[m.Name] {
			series.Points = append(series.Points, chart.Point{X: pair.Measured, Y: pair.Ours})
		}
		p.Points = append(p.Points, series)
	}
	return chart.WritePlanes(w, &p)
}
