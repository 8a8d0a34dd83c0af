// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/timing/arch"
)

func archDiffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "print the values in which two architectures differ",
		ArgsUsage: "MACHINE[+OVERLAY...] MACHINE[+OVERLAY...]",
		Description: `Every value with its unit and where it comes from; - where it has no meaning.

Examples:
  warptape arch diff gtx480 mesh56
  warptape arch diff gtx480 gtx480+two-level
  warptape arch diff gtx480 my-machine.yaml`,
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "MACHINE", "MACHINE"); err != nil {
				return err
			}
			machines, err := machineset.Load(c.Args().Slice())
			if err != nil {
				return err
			}
			return arch.Diff(c.App.Writer, machines[0], machines[1])
		},
	}
}
