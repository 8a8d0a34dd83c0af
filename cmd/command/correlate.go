// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/correlate"
	"github.com/warptape/warptape/cmd/internal/commandline"
)

// usualUnmatched rows of each side are listed without --full.
const usualUnmatched = 10

func correlateCommand() *cli.Command {
	return &cli.Command{
		Name:      "correlate",
		Usage:     "compare results with measurements of hardware or of another simulator",
		ArgsUsage: "[DIR]",
		Description: `Matches the rows of a CSV file with the results of a folder by the columns that both have:
trace or workload, kernel, launch, machine, parameters. The other columns are figures by
the names that results have, in any unit: cycles, time_us, energy_mj, "time [ms]". For
each figure and architecture it gives the mean absolute error, the correlations of Pearson
and Spearman with confidence intervals, and the rows that are off most. Rows of either
side without a match are listed. docs/correlation.md has the details.

Examples:
  warptape correlate study --measured gtx480.csv
  warptape correlate study --measured ncu.csv --rename "Kernel Name=kernel" --rename "gpu__time_duration.sum=time_ns" --ignore ID
  warptape correlate study --measured gtx480.csv --scatter fit.svg --json fit.json`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "measured", Aliases: []string{"m"}, Usage: "CSV `FILE` of measurements, with a header"},
			&cli.StringSliceFlag{Name: "sweep", Usage: "only the `SWEEP` of this name (repeatable; default: all results)"},
			&cli.StringSliceFlag{Name: "rename", Usage: "give a column of the file the name that results have, `THEIRS=OURS` (repeatable)"},
			&cli.StringSliceFlag{Name: "ignore", Usage: "leave this `COLUMN` of the file out (repeatable)"},
			&cli.StringFlag{Name: "repeats", Usage: "join several measurements of the same: " + strings.Join(correlate.RepeatChoices, ", ") + " (default: refuse them)"},
			&cli.IntFlag{Name: "worst", Usage: "`ROWS` with the largest errors that are shown for each figure", Value: 5},
			&cli.BoolFlag{Name: "full", Usage: fmt.Sprintf("list all rows without a match (default: %d of each side)", usualUnmatched)},
			&cli.StringFlag{Name: "json", Usage: "write everything to `FILE`, or - for standard output"},
			&cli.StringFlag{Name: "csv", Usage: "write a row per pair and per row without a match to `FILE`, or -"},
			&cli.StringFlag{Name: "scatter", Usage: "draw measured and simulated values to `FILE`.svg, or -"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace existing result files"},
		},
		Action: correlateAction,
	}
}

func correlateAction(c *cli.Context) error {
	if err := folderAlone(c); err != nil {
		return err
	}
	file := c.String("measured")
	if file == "" {
		return commandline.Usagef("correlate: name a CSV file with --measured")
	}
	if c.Int("worst") < 0 {
		return commandline.Usagef("--worst %d: must not be negative", c.Int("worst"))
	}
	o, err := reading(c)
	if err != nil {
		return err
	}
	if path := c.String("scatter"); path != "" && path != standardOutput && filepath.Ext(path) != ".svg" {
		return commandline.Usagef("--scatter %s: pictures are SVG; name a file.svg", path)
	}
	quiet, err := checkOutputs(c, "json", "csv", "scatter")
	if err != nil {
		return err
	}
	report, err := correlated(c, file, o)
	if err != nil {
		return err
	}
	for _, out := range []struct {
		flag  string
		write func(io.Writer) error
	}{{"json", report.WriteJSON}, {"csv", report.WriteCSV}, {"scatter", report.WriteScatter}} {
		if err := writeOutput(c, out.flag, out.write); err != nil {
			return err
		}
	}
	if quiet {
		return nil
	}
	shown := correlate.Shown{Worst: c.Int("worst"), Unmatched: usualUnmatched}
	if c.Bool("full") {
		shown.Unmatched = -1
	}
	return report.WriteText(c.App.Writer, shown)
}

func correlated(c *cli.Context, file string, o correlate.Reading) (*correlate.Report, error) {
	s, err := openResults(c)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return correlate.Compare(c.Context, s, commandline.Listed(c, "sweep"), file, text, o)
}

// reading is what the flags say about the columns of the file.
func reading(c *cli.Context) (correlate.Reading, error) {
	o := correlate.Reading{Rename: map[string]string{}, Ignore: c.StringSlice("ignore"), Repeats: c.String("repeats")}
	for _, text := range c.StringSlice("rename") {
		// Names of other programs may have an equals sign, ours have none.
		i := strings.LastIndex(text, "=")
		if i <= 0 || i == len(text)-1 {
			return o, commandline.Usagef("--rename %q: write THEIRS=OURS", text)
		}
		o.Rename[strings.TrimSpace(text[:i])] = strings.TrimSpace(text[i+1:])
	}
	if o.Repeats != "" && !slices.Contains(correlate.RepeatChoices, o.Repeats) {
		return o, commandline.Usagef("--repeats %s: there are %s", o.Repeats, strings.Join(correlate.RepeatChoices, ", "))
	}
	return o, nil
}
