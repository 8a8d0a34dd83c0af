// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/arch"
)

func archCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "check architecture files",
		ArgsUsage: "FILE.yaml...",
		Description: `Reports every complaint about every file, with line and column.

Examples:
  warptape arch check my-machine.yaml
  warptape arch check my-machine.yaml my-overlay.yaml`,
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return commandline.Usagef("arch check: missing argument FILE.yaml")
			}
			var bad []error
			for _, path := range c.Args().Slice() {
				if err := arch.Check(path); err != nil {
					bad = append(bad, allProblems(err))
					continue
				}
				fmt.Fprintf(c.App.Writer, "%s: good\n", path)
			}
			return errors.Join(bad...)
		},
	}
}

// allProblems is an error of the loader with everything that it has found.
func allProblems(err error) error {
	var e *arch.Error
	if errors.As(err, &e) {
		return errors.New(e.All())
	}
	return err
}
