// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/results/table"
)

// tableFlags choose what is in a table of results.
func tableFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "sweep", Usage: "only the `SWEEP` of this name (repeatable; default: all, and results without a sweep)"},
		&cli.BoolFlag{Name: "launches", Usage: "a row per launch in the place of one per point"},
		&cli.StringSliceFlag{Name: "columns", Usage: "only these `COLUMNS`, in this order, with commas between"},
	}
}

func tableOptions(c *cli.Context) table.Options {
	return table.Options{Sweeps: commandline.Listed(c, "sweep"), Launches: c.Bool("launches"), Columns: commandline.Listed(c, "columns")}
}

// forms are those that a table can be written in.
var forms = []string{"csv", "parquet", "json"}

func resultsExportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write a folder of results as one long table: CSV, Parquet or JSON",
		ArgsUsage: "[DIR]",
		Description: `A row per point, and a column per parameter, metric and figure: docs/sweeps.md describes
the columns, docs/statistics.md the figures. Points without a result are rows, too, and
say why. DuckDB and pandas open the Parquet file.

Examples:
  warptape results export study -o study.parquet
  warptape results export study --sweep l1 --columns trace,l1.bytes,cycles,speedup > l1.csv
  warptape results export study --launches -o launches.csv`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE`, or - for standard output", Value: standardOutput},
			&cli.StringFlag{Name: "format", Usage: "csv, parquet or json (default: what the file's name ends in, or csv)"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
		}, tableFlags()...),
		Action: exportAction,
	}
}

func exportAction(c *cli.Context) error {
	if err := folderAlone(c); err != nil {
		return err
	}
	form, err := exportForm(c)
	if err != nil {
		return err
	}
	if _, err := checkOutputs(c, "output"); err != nil {
		return err
	}
	t, err := openTable(c, tableOptions(c))
	if err != nil {
		return err
	}
	return writeOutput(c, "output", func(w io.Writer) error {
		switch form {
		case "parquet":
			return t.WriteParquet(c.Context, w, release.Version())
		case "json":
			return t.WriteJSON(c.Context, w)
		}
		return t.WriteCSV(c.Context, w)
	})
}

// openTable finds the columns of the results that the command names.
func openTable(c *cli.Context, o table.Options) (*table.Table, error) {
	s, err := openResults(c)
	if err != nil {
		return nil, err
	}
	t, err := table.New(c.Context, s, o)
	var unknown *table.UnknownColumnError
	if errors.As(err, &unknown) {
		return nil, commandline.Usagef("--columns: %v", err)
	}
	return t, err
}

// exportForm is what --format says, or else the ending of the file's name.
func exportForm(c *cli.Context) (string, error) {
	form, asked := strings.TrimPrefix(filepath.Ext(c.String("output")), "."), "--output "+c.String("output")
	if f := c.String("format"); f != "" {
		form, asked = f, "--format "+f
	} else if c.String("output") == standardOutput {
		return forms[0], nil
	}
	for _, f := range forms {
		if f == form {
			return f, nil
		}
	}
	return "", commandline.Usagef("%s: there are the formats %s; choose one with --format", asked, strings.Join(forms, ", "))
}
