// SPDX-License-Identifier: Apache-2.0

// Package speed measures how fast replays are: a page of ratios of programs that take
// turns, and the instructions that three programs execute, which a change may not raise.
package speed

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// Command is "warptape-dev speed".
func Command() *cli.Command {
	return &cli.Command{
		Name:  "speed",
		Usage: "print a page of rates and ratios of replays, of programs that take turns",
		Description: `Builds warptape, records some workloads, and runs whole processes in turns. Ratios are
the medians of those of single turns, so that a busy machine changes them little.
Another program, such as one built from the last release, can take turns with it.

Examples:
  warptape-dev speed
  warptape-dev speed --against ~/warptape-0.1.0/warptape
  warptape-dev speed --save new.txt && benchstat old.txt new.txt`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "program", Usage: "the `WARPTAPE` to measure (default: one built from the source tree)"},
			&cli.StringFlag{Name: "against", Usage: "another `WARPTAPE` that takes turns with it"},
			&cli.StringFlag{Name: "size", Usage: "`SIZE` of the workloads", Value: "small"},
			&cli.IntFlag{Name: "turns", Usage: "`TURNS` of each program", Value: 5},
			&cli.IntFlag{Name: "machines", Usage: "`MACHINES` that one process replays on, for the cost of several", Value: 16},
			&cli.StringSliceFlag{Name: "only", Usage: "only these `WORKLOAD`s"},
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.StringFlag{Name: "save", Usage: "also write the rates to `FILE`, as benchstat reads them"},
		},
		Action: func(c *cli.Context) error {
			if c.Int("turns") < 1 || c.Int("machines") < 2 {
				return commandline.Usagef("speed: at least one turn and two machines")
			}
			return withProgram(c.String("program"), func(program, folder string) error {
				p := &page{
					out: c.App.Writer, program: program, against: c.String("against"), folder: folder,
					root: c.String("root"), size: c.String("size"), turns: c.Int("turns"), machines: c.Int("machines"),
				}
				return p.write(c.Context, c.StringSlice("only"), c.String("save"))
			})
		},
	}
}

// InstructionsCommand is "warptape-dev instructions".
func InstructionsCommand() *cli.Command {
	return &cli.Command{
		Name:  "instructions",
		Usage: "count the instructions of three replays, and fail where they are 5 % more than the committed ones",
		Description: `Counts with valgrind's callgrind, or with perf where that is not installed. Counts do
not depend on how busy the machine is.

Examples:
  warptape-dev instructions            compare
  warptape-dev instructions --write    what is counted becomes what later changes are compared with`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "program", Usage: "the `WARPTAPE` to measure (default: one built from the source tree)"},
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.BoolFlag{Name: "write", Usage: "write the counts in the place of the committed ones"},
		},
		Action: func(c *cli.Context) error {
			counter := findCounter(c.Context)
			if counter == nil {
				_, err := fmt.Fprintln(c.App.Writer, "neither valgrind nor perf counts instructions here: nothing was compared")
				return err
			}
			return withProgram(c.String("program"), func(program, folder string) error {
				counts, err := countAll(c.Context, counter, program, folder)
				if err != nil {
					return err
				}
				path := filepath.Join(c.String("root"), baselinePath)
				if c.Bool("write") {
					return writeBaseline(path, counts)
				}
				return compare(c.App.Writer, path, counts)
			})
		},
	}
}

// withProgram builds warptape, unless a program is given, in a folder that is removed
// afterwards.
func withProgram(program string, use func(program, folder string) error) error {
	folder, err := os.MkdirTemp("", "warptape-speed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if program == "" {
		if program, err = build(folder); err != nil {
			return err
		}
	}
	return use(program, folder)
}
