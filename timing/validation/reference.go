// SPDX-License-Identifier: Apache-2.0

package validation

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed gpgpusim.csv
var referenceCSV string

// Machine is the built-in machine that the rows are replayed on.
const Machine = "gtx480-ref"

// Program is the host program of the rows, from the root of the source tree; a
// row's name is its size.
const Program = "timing/validation/reference.star"

// Row is one kernel of the comparison.
type Row struct {
	Name string
	// Registers per thread as the reference was told.
	Registers        int
	WarpInstructions uint64
	Reference        Figures
	// Rate of the reference, in warp instructions per second of processor time.
	Rate float64
}

// Figures are what is compared.
type Figures struct {
	Cycles float64 // core cycles
	// Misses per access, reads and writes together.
	L1MissRate, L2MissRate float64
	// Commands, over all channels.
	Activates, Reads, Writes float64
	// BusUse is the share of the cycles in which a channel's data bus moves data.
	BusUse float64
}

// Rows gives the rows of the reference in their order.
func Rows() ([]Row, error) {
	r := csv.NewReader(strings.NewReader(referenceCSV))
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("BUG: gpgpusim.csv: %w", err)
	}
	var rows []Row
	for _, record := range records[1:] {
		row, err := newRow(record)
		if err != nil {
			return nil, fmt.Errorf("BUG: gpgpusim.csv: %s: %w", record[0], err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func newRow(record []string) (Row, error) {
	values := make([]float64, len(record))
	for i := 1; i < len(record); i++ {
		var err error
		if values[i], err = strconv.ParseFloat(record[i], 64); err != nil {
			return Row{}, err
		}
	}
	return Row{
		Name: record[0], Registers: int(values[1]), WarpInstructions: uint64(values[3]),
		Reference: Figures{
			Cycles: values[2], L1MissRate: values[4], L2MissRate: values[5],
			Activates: values[6], Reads: values[7], Writes: values[8], BusUse: values[9],
		},
		Rate: 1000 * values[10],
	}, nil
}
