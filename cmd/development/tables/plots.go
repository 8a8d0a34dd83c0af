// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"

	"github.com/warptape/warptape/cmd/reproduce"
)

//go:embed plots.html.tmpl
var plotsText string

var plotsPage = template.Must(template.New("plots").Parse(plotsText))

// PlotsPath is the page with the plots of a study, below docs.
func PlotsPath(s *reproduce.Study) string { return "reproduction/" + s.Name + ".html" }

// plottedSize is a chapter of the page: the figures at one size of the workloads.
type plottedSize struct {
	Size, Older string
	Figures     []plotted
}

// plotted is a figure: its plot, and what the paper says of it.
type plotted struct {
	*reproduce.Table
	Drawing template.HTML
	Claims  []plottedClaim
}

// plottedClaim is a row of the table under a plot.
type plottedClaim struct {
	*reproduce.Claim
	Ours, Verdict string
}

// WritePlots writes one HTML page with a plot of every figure of a study, from the committed
// results. The page stands alone: plots are inside, and it loads nothing.
func WritePlots(b *bytes.Buffer, s *reproduce.Study) error {
	all, err := reproduce.CommittedResults()
	if err != nil {
		return err
	}
	var sizes []plottedSize
	for _, r := range all {
		if r.Study != s.Name {
			continue
		}
		if err := r.Stale(); err != nil {
			return err
		}
		figures, err := plottedFigures(reproduce.NewData(s, r))
		if err != nil {
			return err
		}
		sizes = append(sizes, plottedSize{Size: r.Size, Older: r.Older, Figures: figures})
	}
	return plotsPage.Execute(b, map[string]any{"Study": s, "Sizes": sizes})
}

func plottedFigures(d *reproduce.Data) ([]plotted, error) {
	tables, err := d.Tables()
	if err != nil {
		return nil, err
	}
	var list []plotted
	for i := range tables {
		t := &tables[i]
		var drawing bytes.Buffer
		if err := t.WriteSVG(&drawing); err != nil {
			return nil, err
		}
		p := plotted{Table: t, Drawing: template.HTML(drawing.String())} // the chart escapes its texts
		for k := range t.Published {
			c := &t.Published[k]
			ours := "-"
			if v := t.Ours(c); !math.IsNaN(v) {
				ours = fmt.Sprintf("%.3g", v)
			}
			p.Claims = append(p.Claims, plottedClaim{Claim: c, Ours: ours, Verdict: t.Verdict(c).String()})
		}
		list = append(list, p)
	}
	return list, nil
}
