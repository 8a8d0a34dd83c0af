// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
)

// WriteJSON writes an array with an object per row: members in the order of the columns,
// null where there is no value.
func (t *Table) WriteJSON(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriter(w)
	names := make([][]byte, len(t.Columns))
	for i := range t.Columns {
		var err error
		if names[i], err = json.Marshal(t.Columns[i].Name); err != nil {
			return err
		}
	}
	separator := "[\n "
	for row, err := range t.Rows(ctx) {
		if err != nil {
			return err
		}
		out.WriteString(separator)
		separator = ",\n "
		for i, cell := range row {
			out.WriteByte("{,"[min(i, 1)])
			out.Write(names[i])
			out.WriteByte(':')
			value, err := cell.json(t.Columns[i].Kind)
			if err != nil {
				return err
			}
			out.Write(value)
		}
		out.WriteByte('}')
	}
	if separator == "[\n " {
		out.WriteByte('[')
	}
	out.WriteString("\n]\n")
	return out.Flush() // a bufio.Writer keeps its first error for Flush
}

func (c Cell) json(k Kind) ([]byte, error) {
	switch {
	case !c.Present:
		return []byte("null"), nil
	case k == Text:
		return json.Marshal(c.Text)
	}
	return []byte(c.String()), nil
}
