// SPDX-License-Identifier: Apache-2.0

package comparison

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/warptape/warptape/cmd/correlate"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/validation"
	"github.com/warptape/warptape/trace/wtape"
)

// sweepName is that of the rows in a folder of results.
const sweepName = "validation"

// collection is the comparison as a sweep with measurements, as warptape correlate reads
// them.
type collection struct {
	store    *results.Store
	manifest *results.Manifest
	measured bytes.Buffer
}

func newCollection(folder string) (*collection, error) {
	store, err := results.Create(folder)
	if err != nil {
		return nil, err
	}
	model, err := release.Model()
	if err != nil {
		return nil, err
	}
	c := &collection{store: store, manifest: &results.Manifest{
		Schema: results.SchemaVersion, Name: sweepName, Version: release.Version(), Model: model,
		Traces: []results.PlannedTrace{}, Axes: []results.Axis{}, Metrics: []results.Metric{}, Points: []results.PlannedPoint{},
	}}
	c.measured.WriteString("trace,cycles,dram_reads,dram_writes,dram_activates\n")
	return c, nil
}

// add keeps the result of a row, and what the reference says of it.
func (c *collection) add(row *validation.Row, r *wtape.Reader, m *arch.Machine, result *replay.Result) error {
	id := results.Identity{TraceDigest: r.Digest(), ArchitectureDigest: m.Digest(), Model: c.manifest.Model}
	p, err := results.NewPoint(id, results.Summarize(r), m, result)
	if err != nil {
		return err
	}
	if err := c.store.Put(p); err != nil {
		return err
	}
	c.manifest.Points = append(c.manifest.Points, results.PlannedPoint{
		Key: p.Key, Trace: len(c.manifest.Traces), Architecture: validation.Machine, Machine: validation.Machine, Overlays: "none", Values: []string{}, Reference: -1,
	})
	c.manifest.Traces = append(c.manifest.Traces, results.PlannedTrace{
		Label: row.Name, Digest: p.TraceDigest, Source: "workload:" + row.Name, Path: results.Traces + "/" + row.Name + ".wtape", Summary: p.Trace,
	})
	f := &row.Reference
	c.measured.WriteString(row.Name)
	for _, v := range []float64{f.Cycles, f.Reads, f.Writes, f.Activates} {
		c.measured.WriteString("," + strconv.FormatFloat(v, 'f', -1, 64))
	}
	c.measured.WriteString("\n")
	return nil
}

// compare stores the sweep and correlates it with the reference.
func (c *collection) compare(ctx context.Context, file string) (*correlate.Report, error) {
	if err := c.store.PutManifest(c.manifest); err != nil {
		return nil, err
	}
	return correlate.Compare(ctx, c.store, []string{sweepName}, file, c.measured.Bytes(), correlate.Reading{})
}

// writeCorrelation adds the correlations to docs/validation.md.
func writeCorrelation(w io.Writer, r *correlate.Report) error {
	var b bytes.Buffer
	b.WriteString("\nThe same rows as `warptape correlate` sees them ([correlation.md](correlation.md)), with 95 % confidence intervals of four rows:\n\n")
	b.WriteString("| figure | mean absolute error, % | bias, % | Pearson | Spearman |\n| --- | ---: | ---: | ---: | ---: |\n")
	for i := range r.Models[0].Figures {
		f := &r.Models[0].Figures[i]
		fmt.Fprintf(&b, "| %s | %s | %+.1f | %s | %s |\n", f.Name, f.AbsoluteError.Text(1, 1), float64(f.Bias), f.Pearson.Text(3, 3), f.Spearman.Text(3, 3))
	}
	_, err := w.Write(b.Bytes())
	return err
}
