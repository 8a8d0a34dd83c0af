// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"encoding/json"
	"io"

	"github.com/parquet-go/parquet-go"
)

// ordered is a group whose fields stand in the order of the columns; that of the library
// sorts them by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements parquet.Node.
func (o ordered) Fields() []parquet.Field { return o.fields }

// schema makes a nullable column of each: texts are UTF-8 strings, counts 64-bit integers,
// other numbers doubles.
func (t *Table) schema() *parquet.Schema {
	group := parquet.Group{}
	for i := range t.Columns {
		node := parquet.Leaf(parquet.DoubleType)
		switch t.Columns[i].Kind {
		case Text:
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		case Count:
			node = parquet.Int(64)
		}
		group[t.Columns[i].Name] = parquet.Compressed(parquet.Optional(node), &parquet.Zstd)
	}
	byName := map[string]parquet.Field{}
	for _, f := range group.Fields() {
		byName[f.Name()] = f
	}
	o := ordered{Group: group}
	for i := range t.Columns {
		o.fields = append(o.fields, byName[t.Columns[i].Name])
	}
	return parquet.NewSchema("results", o)
}

// ColumnsMetadata is the key of the file's metadata that has the columns' units and
// meanings as JSON.
const ColumnsMetadata = "warptape.columns"

// rowGroup is how many rows a Parquet file keeps together: some 20 MB in memory.
const rowGroup = 1 << 13

// WriteParquet writes the table as a Parquet file. The version is that of the program.
func (t *Table) WriteParquet(ctx context.Context, w io.Writer, version string) error {
	described, err := json.Marshal(t.Columns)
	if err != nil {
		return err
	}
	out := parquet.NewGenericWriter[any](w, t.schema(), parquet.CreatedBy("warptape", version, ""),
		parquet.KeyValueMetadata(ColumnsMetadata, string(described)), parquet.MaxRowsPerRowGroup(rowGroup))
	for row, err := range t.Rows(ctx) {
		if err != nil {
			return err
		}
		if _, err := out.WriteRows([]parquet.Row{t.parquetRow(row)}); err != nil {
			return err
		}
	}
	return out.Close()
}

func (t *Table) parquetRow(row []Cell) parquet.Row {
	values := make(parquet.Row, len(row))
	for i, cell := range row {
		switch k := t.Columns[i].Kind; {
		case !cell.Present:
			values[i] = parquet.NullValue().Level(0, 0, i)
		case k == Text:
			values[i] = parquet.ValueOf(cell.Text).Level(0, 1, i)
		case k == Count:
			values[i] = parquet.ValueOf(int64(cell.Number)).Level(0, 1, i)
		default:
			values[i] = parquet.ValueOf(cell.Number).Level(0, 1, i)
		}
	}
	return values
}
