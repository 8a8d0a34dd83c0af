// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	"encoding/xml"
	"html"
	"io"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/reproduce"
	"github.com/warptape/warptape/trace/tracetest"
)

// The page of a study has a drawing of each figure at each size, whole ones, and every claim's
// words as text.
func TestPlotsHaveEveryFigureAndClaim(t *testing.T) {
	all, err := reproduce.CommittedResults()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range tracetest.Draw(t, reproduce.Studies(), 1) {
		var b bytes.Buffer
		if err := WritePlots(&b, s); err != nil {
			t.Fatal(err)
		}
		page, figures := b.String(), 0
		for _, r := range all {
			if r.Study != s.Name {
				continue
			}
			tables, err := reproduce.NewData(s, r).Tables()
			if err != nil {
				t.Fatal(err)
			}
			figures += len(tables)
			for i := range tables {
				for k := range tables[i].Published {
					if quote := tables[i].Published[k].Quote; !strings.Contains(html.UnescapeString(page), "“"+quote+"”") {
						t.Errorf("%s: no words %q", s.Name, quote)
					}
				}
			}
		}
		drawings := 0
		for rest := page; ; drawings++ {
			at := strings.Index(rest, "<svg")
			if at < 0 {
				break
			}
			end := strings.Index(rest, "</svg>") + len("</svg>")
			if err := wellFormed(rest[at:end]); err != nil {
				t.Errorf("%s: drawing %d: %v", s.Name, drawings, err)
			}
			rest = rest[end:]
		}
		if drawings != figures || drawings == 0 {
			t.Errorf("%s: %d drawings of %d figures", s.Name, drawings, figures)
		}
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
