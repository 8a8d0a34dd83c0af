// SPDX-License-Identifier: Apache-2.0

package sram

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// gridCSV holds CACTI 7 results (Balasubramonian et al., ACM TACO 14(2), 2017),
// one array organisation per row: 360 K, energy-delay-squared objective, no ECC.
//
//go:embed grid.csv
var gridCSV string

// Point is one CACTI result.
type Point struct {
	Query    Query
	Estimate Estimate
	// Caution is empty, or says how the row was obtained.
	Caution string
}

// Grid gives the CACTI results that the model interpolates, in file order.
func Grid() ([]Point, error) {
	points, err := grid()
	return slices.Clone(points), err
}

var grid = sync.OnceValues(func() ([]Point, error) { return parseGrid(gridCSV) })

// parseGrid reads a table with the columns gridColumns.
func parseGrid(text string) ([]Point, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("BUG: grid.csv: %w", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], gridColumns) {
		return nil, fmt.Errorf("BUG: grid.csv: the header is not %s", strings.Join(gridColumns, ","))
	}
	points := make([]Point, 0, len(rows)-1)
	for i, row := range rows[1:] {
		p, err := parsePoint(row)
		if err != nil {
			return nil, fmt.Errorf("BUG: grid.csv:%d: %w", i+2, err)
		}
		points = append(points, p)
	}
	return points, nil
}

var gridColumns = []string{"class", "bytes", "ways", "line_bytes", "out_bytes", "ports", "banks", "access", "device", "node_nm",
	"read_pj", "write_pj", "search_pj", "leakage_mw", "area_mm2", "access_ns", "cycle_ns", "caution"}

// firstNumber is the first of the columns that are not counts or words.
const firstNumber = 9

func parsePoint(row []string) (Point, error) {
	var p Point
	q, e := &p.Query, &p.Estimate
	class := slices.Index(classNames[:], row[0])
	if class < 0 {
		return p, fmt.Errorf("unknown class %q", row[0])
	}
	q.Class = Class(class)
	for _, c := range []struct {
		column int
		to     *int
	}{{1, &q.Bytes}, {2, &q.Ways}, {3, &q.LineBytes}, {4, &q.OutBytes}, {6, &q.Banks}} {
		n, err := strconv.Atoi(row[c.column])
		if err != nil {
			return p, fmt.Errorf("%s: %w", gridColumns[c.column], err)
		}
		*c.to = n
	}
	for i, to := range []*float64{&q.NodeNM, &e.ReadPJ, &e.WritePJ, &e.SearchPJ, &e.LeakageMW, &e.AreaMM2, &e.AccessNS, &e.CycleNS} {
		column := firstNumber + i
		v, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			return p, fmt.Errorf("%s: %w", gridColumns[column], err)
		}
		*to = v
	}
	q.ReadWritePorts = row[5] == "1R1W"
	q.Sequential = row[7] == "sequential"
	q.LowPower = row[8] == "itrs-lop"
	p.Caution = row[17]
	return p, nil
}
