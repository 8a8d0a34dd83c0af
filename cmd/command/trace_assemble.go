// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/text"
	"github.com/warptape/warptape/trace/wtape"
)

func traceAssembleCommand() *cli.Command {
	return &cli.Command{
		Name:      "assemble",
		Usage:     "make a trace of the text that dump --full prints",
		ArgsUsage: "FILE.txt",
		Description: `The text form is described in docs/trace-format.md. A dumped and assembled trace
has the digest of the original.

Examples:
  warptape trace dump saxpy.wtape --full > saxpy.txt
  warptape trace assemble saxpy.txt -o edited.wtape`,
		Flags: outputFlags("trace"),
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.txt"); err != nil {
				return err
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			return text.AssembleFile(c.Args().First(), output, wtape.Options{})
		},
	}
}
