// SPDX-License-Identifier: Apache-2.0

package command

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/timing/replay"
)

// intervalFlags are those of the replay command that ask for interval statistics.
func intervalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Int64Flag{Name: "interval", Usage: "also count by intervals of this many core `CYCLES`, with --interval-csv"},
		&cli.StringFlag{Name: "interval-csv", Usage: "write a row per interval and architecture, with --energy its power, too, to `FILE`"},
	}
}

// checkInterval refuses one flag without the other, and an existing file.
func checkInterval(c *cli.Context) error {
	cycles, file := c.Int64("interval"), c.String("interval-csv")
	switch {
	case c.IsSet("interval") && cycles <= 0:
		return commandline.Usagef("--interval %d: must be positive", cycles)
	case cycles > 0 && file == "":
		return commandline.Usagef("--interval %d: needs a file, --interval-csv FILE", cycles)
	case cycles == 0 && file != "":
		return commandline.Usagef("--interval-csv %s: needs a length, --interval CYCLES", file)
	case file != "":
		return resultfile.RefuseExisting(file, c.Bool("force"))
	}
	return nil
}

// writeIntervals writes the interval statistics if they were asked for.
func writeIntervals(c *cli.Context, results []replay.Result, write resultWriter) error {
	file := c.String("interval-csv")
	if file == "" {
		return nil
	}
	return resultfile.Write(file, c.Bool("force"), func(w io.Writer) error { return write(w, results) })
}
