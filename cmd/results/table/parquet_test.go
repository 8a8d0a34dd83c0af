// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func parquetFile(t *testing.T, table *Table) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := table.WriteParquet(t.Context(), &b, "test"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestParquetHasWhatCSVHas, in the same order, with its types and with nulls.
func TestParquetHasWhatCSVHas(t *testing.T) {
	s := copied(t)
	for _, o := range []Options{{}, {Launches: true}} {
		table := made(t, s, o)
		text := parquetFile(t, table)
		if !bytes.Equal(text, parquetFile(t, table)) {
			t.Error("another run gives other bytes")
		}
		f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		var described []Column
		about, _ := f.Lookup(ColumnsMetadata)
		if err := json.Unmarshal([]byte(about), &described); err != nil || len(described) != len(table.Columns) {
			t.Errorf("%d columns are described, %v", len(described), err)
		}
		for i, field := range f.Schema().Fields() {
			if c := table.Columns[i]; field.Name() != c.Name || described[i].Name != c.Name || described[i].Unit != c.Unit || !field.Optional() {
				t.Errorf("column %d is %s, want %s", i, field.Name(), c.Name)
			}
		}
		got := make([]parquet.Row, f.NumRows())
		if _, err := parquet.NewReader(f).ReadRows(got); err != nil && err.Error() != "EOF" {
			t.Fatal(err)
		}
		want := rows(t, table)
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i, row := range got {
			for j, v := range row {
				cell := ""
				switch c := table.Columns[j]; {
				case v.IsNull():
				case c.Kind == Text:
					cell = v.String()
				case c.Kind == Count:
					cell = strconv.FormatInt(v.Int64(), 10)
				default:
					cell = number(v.Double()).String()
				}
				if name := table.Columns[j].Name; cell != want[i][name] {
					t.Errorf("row %d, %s: %q, want %q", i, name, cell, want[i][name])
				}
			}
		}
	}
}

// TestDuckDBReadsTheParquetFile as it reads the CSV file. DuckDB is the package
// @duckdb/node-api; NODE_PATH names the folder that has it.
func TestDuckDBReadsTheParquetFile(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: no other program reads the Parquet file")
	}
	if err := exec.Command(node, "-e", "require('@duckdb/node-api')").Run(); err != nil {
		t.Skip("the package @duckdb/node-api is not installed, or NODE_PATH does not name its folder: no other program reads the Parquet file")
	}
	s := copied(t)
	for _, o := range []Options{{}, {Launches: true}} {
		table := made(t, s, o)
		file := filepath.Join(t.TempDir(), "table.parquet")
		if err := os.WriteFile(file, parquetFile(t, table), 0o666); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(node, filepath.Join("testdata", "duckdb.cjs"), file)
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Columns, Types []string
			Rows           [][]any
			Done           int
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for i, c := range table.Columns {
			if want := map[Kind]string{Text: "VARCHAR", Number: "DOUBLE", Count: "BIGINT"}[c.Kind]; got.Columns[i] != c.Name || got.Types[i] != want {
				t.Errorf("column %d is %s %s, want %s %s", i, got.Columns[i], got.Types[i], c.Name, want)
			}
		}
		want := rows(t, table)
		if len(got.Rows) != len(want) {
			t.Fatalf("%d rows, want %d", len(got.Rows), len(want))
		}
		done := 0
		for i, row := range got.Rows {
			if want[i]["state"] == Done {
				done++
			}
			for j, v := range row {
				cell := ""
				switch v := v.(type) {
				case string:
					cell = v
				case float64:
					cell = number(v).String()
				}
				if name := got.Columns[j]; cell != want[i][name] {
					t.Errorf("row %d, %s: %q, want %q", i, name, cell, want[i][name])
				}
			}
		}
		if got.Done != done || done == 0 {
			t.Errorf("DuckDB counts %d points that are done, want %d", got.Done, done)
		}
	}
}

// TestTablesAreNotEmpty, so that comparing them shows something.
func TestTablesAreNotEmpty(t *testing.T) {
	var b bytes.Buffer
	if err := made(t, copied(t), Options{}).WriteCSV(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(all) < 12 || len(all[0]) < 100 {
		t.Errorf("%d rows, %v", len(all), err)
	}
}
