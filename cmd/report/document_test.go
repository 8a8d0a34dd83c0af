// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
)

// hostile is text that would do something if it became markup.
const hostile = `</script></title><img src=x onerror="document.title='owned'"><!--<script>`

// hostileDocument has such text in every place that takes text.
func hostileDocument() *Document {
	data := NewDataset(hostile)
	words, numbers, other := data.Words(hostile, hostile, hostile), data.Numbers("n", hostile, hostile), data.Numbers("m", hostile, "J")
	words.Add(hostile)
	words.Add("\u2028'\"`${1}")
	for _, c := range []*Column{numbers, other} {
		c.AddNumber(1)
		c.AddNumber(math.NaN())
	}
	return &Document{Title: hostile, Summary: hostile, Version: hostile, Sections: []*Section{{
		ID: "all", Title: hostile, Text: []string{hostile}, Parts: []Part{
			{Facts: []Fact{{hostile, hostile, hostile}}},
			{Table: &Table{Title: hostile, Dataset: data, Columns: []string{hostile, "n"}, Code: []string{hostile}, Stack: []string{"m"}, StackTitle: hostile}},
			{Chart: &Chart{Kind: Bars, Title: hostile, Dataset: data, Series: []string{"n", "m"}, Label: []string{hostile}}},
			{Chart: &Chart{Kind: Scatter, Title: hostile, Dataset: data, X: Role{"n"}, Y: Role{"m"}, Colour: Role{hostile}, Label: []string{hostile}}},
			{Picture: &Picture{hostile, hostile, `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title='owned'</script></svg>`}},
			{Listing: &Listing{hostile, hostile}}, {Notes: []string{hostile}},
		},
	}}}
}

// TestTextIsNeverMarkup: not a byte of it can end an element or begin one.
func TestTextIsNeverMarkup(t *testing.T) {
	page := string(pageOf(t, hostileDocument()))
	for _, part := range []string{"<img", "onerror=\"document", "</script></title>"} {
		if strings.Contains(page, part) {
			t.Errorf("the page has %q", part)
		}
	}
	if n := strings.Count(strings.ToLower(page), "</script"); n != 2 {
		t.Errorf("%d scripts end, of the data and the program", n)
	}
}

// TestThePageAsksForNothing: what it may load is nothing, and it names no address to load.
func TestThePageAsksForNothing(t *testing.T) {
	page := string(pageOf(t, hostileDocument()))
	if !strings.Contains(page, "default-src &#39;none&#39;; script-src &#39;sha256-") {
		t.Error("the page has no policy")
	}
	for _, part := range []string{"<link", "src=\"http", "@import"} {
		if strings.Contains(page, part) {
			t.Errorf("the page has %q", part)
		}
	}
	for _, l := range []string{"Copyright 2010-2023 Mike Bostock", "Copyright 2020-2025 Observable, Inc."} {
		if !strings.Contains(page, l) {
			t.Errorf("the page lacks a licence: %s", l)
		}
	}
}

// TestMistakesOfSectionsAreFound before a page is written.
func TestMistakesOfSectionsAreFound(t *testing.T) {
	data := NewDataset("rows")
	data.Words("w", "").Add("x")
	ragged := NewDataset("rows")
	ragged.Words("w", "").Add("x")
	ragged.Numbers("n", "", "")
	for want, sections := range map[string][]*Section{
		`no column "gone"`:          {{ID: "a", Parts: []Part{{Table: &Table{Dataset: data, Columns: []string{"gone"}}}}}},
		`column n has 0 rows`:       {{ID: "a", Parts: []Part{{Chart: &Chart{Dataset: ragged}}}}},
		`section "a"`:               {{ID: "a"}, {ID: "a"}},
		`section "A b"`:             {{ID: "A b"}},
		`there is no column "axis"`: {{ID: "a", Parts: []Part{{Chart: &Chart{Dataset: data, X: Role{"axis"}}}}}},
	} {
		err := Write(io.Discard, &Document{Sections: sections})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestNumbersInPages: whole ones exactly, others with six digits, and none that is no
// number.
func TestNumbersInPages(t *testing.T) {
	c := NewDataset("rows").Numbers("n", "", "")
	for _, v := range []float64{0, 1 << 52, -3, 1.0 / 3, 1e-300, 1e300, math.NaN(), math.Inf(1)} {
		c.AddNumber(v)
	}
	text, err := c.MarshalJSON()
	if want := []byte(`"numbers":[0,4503599627370496,-3,0.333333,1e-300,1e+300,null,null]`); err != nil || !bytes.Contains(text, want) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestDatasetsAreSharedByParts.
func TestDatasetsAreSharedByParts(t *testing.T) {
	data := NewDataset("rows")
	data.Words("word-of-the-dataset", "").Add("x")
	part := Part{Table: &Table{Dataset: data, Columns: []string{"word-of-the-dataset"}}}
	d := &Document{Sections: []*Section{{ID: "a", Parts: []Part{part, {Table: &Table{Dataset: data}}}}}}
	text, err := encode(d)
	if err != nil || strings.Count(string(text), `"rows":"rows"`) != 1 {
		t.Errorf("%s, %v", text, err)
	}
}
