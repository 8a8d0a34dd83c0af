// SPDX-License-Identifier: Apache-2.0

// Package mutations asks whether a package's own tests see errors in it. It makes one
// small change of a source at a time: an operator, a bound, a condition, a statement left
// out. A change with which all tests pass survives. Either no test looks there, or the
// change gives a program that does the same.
package mutations

import (
	"os"
	"regexp"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// Command is "warptape-dev mutate".
func Command() *cli.Command {
	return &cli.Command{
		Name:      "mutate",
		Usage:     "change sources at random and list the changes that a package's own tests do not see",
		ArgsUsage: "PACKAGE...",
		Description: `Sources stay as they are: go test reads the changed ones in their place. A survivor is
a line for a person to judge, as some changes give a program that does the same.

Examples:
  warptape-dev mutate ./trace/projection
  warptape-dev mutate --mutants 50 --seed 7 ./timing/network ./timing/core
  warptape-dev mutate --at 'calendar.go:(4|5).:' ./timing/network
  warptape-dev mutate --tests ./frontend/emulator ./frontend/emulator/interpreter`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "mutants", Usage: "`CHANGES` that are drawn of each package", Value: 20},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of the draw", Value: 1},
			&cli.StringFlag{Name: "at", Usage: "only changes whose FILE:LINE: matches `REGEXP`", Value: "."},
			&cli.StringSliceFlag{Name: "tests", Usage: "tests of another `PACKAGE` as well, where those of a part lie with the whole"},
			&cli.StringFlag{Name: "run", Usage: "only tests that match `REGEXP`", Value: "."},
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 || c.Int("mutants") < 1 {
				return commandline.Usagef("mutate: name one package at least, and one change at least")
			}
			at, err := regexp.Compile(c.String("at"))
			if err != nil {
				return commandline.Usagef("mutate: --at: %v", err)
			}
			folder, err := os.MkdirTemp("", "mutations")
			if err != nil {
				return err
			}
			defer os.RemoveAll(folder)
			r := &run{
				out: c.App.Writer, folder: folder, root: c.String("root"), names: c.String("run"), at: at,
				tests:   c.StringSlice("tests"),
				mutants: c.Int("mutants"), seed: c.Uint64("seed"),
			}
			for _, name := range c.Args().Slice() {
				if err := r.measure(c.Context, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
