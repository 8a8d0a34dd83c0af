package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/trace"
)

// outputFlags are those of a command that writes one file.
func outputFlags(what string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: what + " `FILE` to write"},
		&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
	}
}

// outputPath is the value of --output, which must be given and must not name a
// file that is there unless --force is set.
func outputPath(c *cli.Context) (string, error) {
	path := c.String("output")
	if path == "" {
		return "", usagef("%s: --output FILE is missing", c.Command.Name)
	}
	return path, refuseExisting(path, c.Bool("force"))
}

func traceRecoverCommand() *cli.Command {
	return &cli.Command{
		Name:      "recover",
		Usage:     "save what is whole in a trace that is cut off or damaged",
		ArgsUsage: "FILE.wtape",
		Description: `Writes a new trace of every whole chunk. Its header says what was lost.
A killed recording leaves a hidden file .NAME.N.partial, which can be recovered too.

Examples:
  warptape trace recover half.wtape -o rest.wtape
  warptape trace recover .bfs.wtape.0.partial -o bfs.wtape`,
		Flags: outputFlags("trace"),
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "FILE.wtape"); err != nil {
				return err
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			report, err := trace.Recover(c.Args().First(), output, trace.Options{})
			if err != nil {
				return err
			}
			state := "incomplete: replay and verify say so"
			if report.Complete {
				state = "complete: only the index was missing"
			}
			_, err = fmt.Fprintf(c.App.Writer, "%s: %d chunks with %s warp instructions saved, %d chunks lost; %s\n",
				output, report.Chunks, grouped(report.Totals.WarpInstructions), report.Lost, state)
			return err
		},
	}
}
