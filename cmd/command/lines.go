// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/timing/replay"
)

// linesFlag asks the replay command for a table of PTX lines.
func linesFlag() cli.Flag {
	return &cli.IntFlag{Name: "lines", Usage: "also print the `N` PTX lines that take most issue slots, with --energy their energy, too"}
}

// wantsLines says whether counters by line are needed: only energy is made of them.
func wantsLines(c *cli.Context) bool { return c.String("report") != "" || wantsLineEnergy(c) }

// wantsLineEnergy says whether the table of lines or the profile has energy.
func wantsLineEnergy(c *cli.Context) bool {
	return c.Bool("energy") && (c.String("pprof") != "" || c.Int("lines") > 0)
}

// lineEnergies gives the energy by line of every result, nil where there is none.
func lineEnergies(c *cli.Context, write *writers, results []replay.Result) []*replay.LineValues {
	list := make([]*replay.LineValues, len(results))
	if wantsLineEnergy(c) {
		for i := range results {
			list[i] = write.byLine(i, &results[i])
		}
	}
	return list
}

// writeLines prints the table of lines of every result.
func writeLines(c *cli.Context, results []replay.Result, energies []*replay.LineValues) error {
	n := c.Int("lines")
	if n <= 0 {
		return nil
	}
	for i := range results {
		if _, err := fmt.Fprintln(c.App.Writer); err != nil {
			return err
		}
		if err := replay.WriteLines(c.App.Writer, &results[i], n, energies[i]); err != nil {
			return err
		}
	}
	return nil
}
