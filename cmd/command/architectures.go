// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/arch"
)

// archFlag names architectures; what says what for.
func archFlag(what string) cli.Flag {
	return &cli.StringSliceFlag{Name: "arch", Aliases: []string{"a"}, Usage: "`ARCH` " + what + ", MACHINE[+OVERLAY[(NAME=VALUE,...)]...] (repeatable)"}
}

// setFlag changes single values of all architectures of a command.
func setFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "set", Usage: "set a value of every architecture after its overlays, `KEY=VALUE` with a key of warptape arch show (repeatable)"}
}

// architectures are the specifications that the flags arch and set come to.
func architectures(c *cli.Context) []string {
	specs := commandline.Listed(c, "arch")
	for i := range specs {
		specs[i] = arch.WithSettings(specs[i], c.StringSlice("set"))
	}
	return specs
}
