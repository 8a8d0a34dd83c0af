// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"encoding/csv"
	"io"
)

// WriteCSV writes the table after RFC 4180: a header row, CRLF line ends, empty fields
// where there is no value. Numbers are decimal, without grouping and exponents.
func (t *Table) WriteCSV(ctx context.Context, w io.Writer) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	record := make([]string, len(t.Columns))
	for i := range t.Columns {
		record[i] = t.Columns[i].Name
	}
	if err := c.Write(record); err != nil {
		return err
	}
	for row, err := range t.Rows(ctx) {
		if err != nil {
			return err
		}
		for i, cell := range row {
			record[i] = cell.String()
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
