// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/arch"
)

func archSchemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of machine and overlay files, for editors",
		Description: `Editors complete and check architecture files with it. For the YAML language
server (VS Code and others) begin a file with
  # yaml-language-server: $schema=./architecture.schema.json

Examples:
  warptape arch schema > architecture.schema.json`,
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			_, err := c.App.Writer.Write(arch.CommittedJSONSchema)
			return err
		},
	}
}
