// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	_ "embed"

	"github.com/warptape/warptape/cmd/development/microbenchmarks"
	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/timing/published"
)

//go:embed microbenchmarks.md.tmpl
var microbenchmarksPage string

// replayed is a published figure with what a replay of the workload measures.
type replayed struct {
	published.Figure
	Ours float64
}

// WriteMicrobenchmarks writes docs/microbenchmarks.md.
func WriteMicrobenchmarks(b *bytes.Buffer) error {
	model, err := published.MeasuredBy("model")
	if err != nil {
		return err
	}
	program, err := published.MeasuredBy("program")
	if err != nil {
		return err
	}
	measured, err := microbenchmarks.Last()
	if err != nil {
		return err
	}
	var rows []replayed
	missed := 0
	for _, f := range program {
		rows = append(rows, replayed{f, measured[f.Machine][f.Benchmark]})
		if f.Missed != "" {
			missed++
		}
	}
	return page.Write(b, microbenchmarksPage, map[string]any{
		"Model": model, "Program": rows, "Missed": missed, "Machines": microbenchmarks.Machines, "Measured": measured,
		"Benchmarks": microbenchmarks.Names(measured),
	})
}
