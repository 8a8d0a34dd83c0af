// SPDX-License-Identifier: Apache-2.0

// Package published holds figures that microbenchmarks measured on cards, each with its
// source. Tests of the machines of those names read them, and so does a document.
package published

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed microbenchmarks.csv
var microbenchmarks string

// Figure is what was measured on a card.
type Figure struct {
	Machine   string
	Benchmark string // a kind and what of it: "chain f32_fma"
	Unit      string
	Published float64
	// Least and Most are between what the model may say.
	Least, Most float64
	Source      string
	// Seen is "looked up" for a figure that was read in its source, "recalled" for others.
	Seen string
}

// Kind is the first word of the benchmark's name, Of the others.
func (f *Figure) Kind() string { kind, _, _ := strings.Cut(f.Benchmark, " "); return kind }

// Of says what of the kind the benchmark measures.
func (f *Figure) Of() string { _, of, _ := strings.Cut(f.Benchmark, " "); return of }

// Microbenchmarks lists the figures.
func Microbenchmarks() ([]Figure, error) {
	rows, err := csv.NewReader(strings.NewReader(microbenchmarks)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("microbenchmarks.csv: %w", err)
	}
	var list []Figure
	for i, row := range rows[1:] {
		f := Figure{Machine: row[0], Benchmark: row[1], Unit: row[2], Source: row[6], Seen: row[7]}
		for n, to := range []*float64{&f.Published, &f.Least, &f.Most} {
			if *to, err = strconv.ParseFloat(row[3+n], 64); err != nil {
				return nil, fmt.Errorf("microbenchmarks.csv:%d: %w", i+2, err)
			}
		}
		list = append(list, f)
	}
	return list, nil
}
