// SPDX-License-Identifier: Apache-2.0

// Package published holds figures that microbenchmarks measured on cards, each with its
// source. Tests of the machines of those names read them, and so does a document.
package published

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed microbenchmarks.csv
var microbenchmarks string

// Figure is what was measured on a card.
type Figure struct {
	Machine string
	// By is what measures the machine: "model", whose tests drive it with the accesses or
	// instructions, or "program", the workload of the catalogue that is replayed.
	By        string
	Benchmark string // a kind and what of it: "chain f32_fma"
	Unit      string
	Published float64
	// Least and Most are between what the model may say.
	Least, Most float64
	Source      string
	// Seen is "looked up" for a figure that was read in its source, "inferred" for one that
	// measurements of other things tell, and "recalled" for others.
	Seen string
	// Missed is why the machine is not between Least and Most; empty where it is.
	Missed string
}

// Kind is the first word of the benchmark's name, Of the others.
func (f *Figure) Kind() string { kind, _, _ := strings.Cut(f.Benchmark, " "); return kind }

// Of says what of the kind the benchmark measures.
func (f *Figure) Of() string { _, of, _ := strings.Cut(f.Benchmark, " "); return of }

// MeasuredBy lists the figures that a model or a program measures.
func MeasuredBy(by string) ([]Figure, error) {
	all, err := Microbenchmarks()
	return slices.DeleteFunc(all, func(f Figure) bool { return f.By != by }), err
}

// Microbenchmarks lists the figures.
func Microbenchmarks() ([]Figure, error) {
	rows, err := csv.NewReader(strings.NewReader(microbenchmarks)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("microbenchmarks.csv: %w", err)
	}
	var list []Figure
	for i, row := range rows[1:] {
		f := Figure{Machine: row[0], By: row[1], Benchmark: row[2], Unit: row[3], Source: row[7], Seen: row[8], Missed: row[9]}
		for n, to := range []*float64{&f.Published, &f.Least, &f.Most} {
			if *to, err = strconv.ParseFloat(row[4+n], 64); err != nil {
				return nil, fmt.Errorf("microbenchmarks.csv:%d: %w", i+2, err)
			}
		}
		list = append(list, f)
	}
	return list, nil
}
