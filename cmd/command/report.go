// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/correlate"
	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/report"
	"github.com/warptape/warptape/cmd/results"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "make a page of charts and tables of a sweep's results",
		ArgsUsage: "RESULTS",
		Description: `Writes one HTML file that holds its data and asks no network for anything: overview,
causes of issue slots, roofline, parameters, trade-offs, energy, kernels, lines of source,
timelines, links, what is missing, and how to repeat it. docs/reports.md shows it.

Examples:
  warptape report results -o report.html
  warptape report results --sweep l1 -o l1.html --details all
  warptape report results --measured gtx480.csv     # with a page of the correlation, see warptape correlate`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the page to `FILE`", Value: "report.html"},
			&cli.StringFlag{Name: "sweep", Usage: "`NAME` of the sweep in the folder; it may be left out where there is one"},
			&cli.StringFlag{Name: "details", Usage: "show lines, timelines and links of the `POINTS` that others are compared with (reference), of all, or of none", Value: string(report.ReferenceDetails)},
			&cli.StringFlag{Name: "measured", Usage: "also compare the results with the measurements of this CSV `FILE`, as warptape correlate does"},
			&cli.StringSliceFlag{Name: "rename", Usage: "give a column of that file the name that results have, `THEIRS=OURS` (repeatable)"},
			&cli.StringSliceFlag{Name: "ignore", Usage: "leave this `COLUMN` of that file out (repeatable)"},
			&cli.StringFlag{Name: "repeats", Usage: "join several measurements of the same: " + strings.Join(correlate.RepeatChoices, ", ")},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
		},
		Action: reportAction,
	}
}

func reportAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "RESULTS"); err != nil {
		return err
	}
	details, err := report.ParseDetails(c.String("details"))
	if err != nil {
		return commandline.Usagef("--details %v", err)
	}
	output := c.String("output")
	if err := resultfile.RefuseExisting(output, c.Bool("force")); err != nil {
		return err
	}
	store, err := results.Open(c.Args().First())
	if err != nil {
		return err
	}
	name, err := sweepName(c, store)
	if err != nil {
		return err
	}
	further, err := correlation(c, store, name)
	if err != nil {
		return err
	}
	document, err := report.OfSweep(store, name, report.Options{Version: release.Version(), Details: details, Further: further})
	if err != nil {
		return err
	}
	if err := writeReport(output, c.Bool("force"), document); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s: report of sweep %s; open it in a browser\n", output, name)
	return err
}

// correlation is the section of --measured; nil without it.
func correlation(c *cli.Context, store *results.Store, sweep string) ([]*report.Section, error) {
	file := c.String("measured")
	if file == "" {
		for _, flag := range []string{"rename", "ignore", "repeats"} {
			if c.IsSet(flag) {
				return nil, commandline.Usagef("--%s goes with --measured", flag)
			}
		}
		return nil, nil
	}
	o, err := reading(c)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	compared, err := correlate.Compare(c.Context, store, []string{sweep}, file, text, o)
	if err != nil {
		return nil, err
	}
	return []*report.Section{compared.Section()}, nil
}

// sweepName is --sweep, or the only one of the folder.
func sweepName(c *cli.Context, store *results.Store) (string, error) {
	if c.IsSet("sweep") {
		return c.String("sweep"), nil
	}
	names, err := store.Sweeps()
	if err != nil {
		return "", err
	}
	switch len(names) {
	case 0:
		return "", fmt.Errorf("%s: has no sweep; warptape sweep makes one", store.Root())
	case 1:
		return names[0], nil
	}
	return "", commandline.Usagef("%s: has several sweeps; choose one with --sweep: %s", store.Root(), strings.Join(names, ", "))
}

// writeReport writes a page, complete or not at all.
func writeReport(path string, force bool, d *report.Document) error {
	return resultfile.Write(path, force, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if err := report.Write(b, d); err != nil {
			return err
		}
		return b.Flush()
	})
}
