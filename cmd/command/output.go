// SPDX-License-Identifier: Apache-2.0

package command

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
)

// standardOutput is the name of a result file for standard output.
const standardOutput = "-"

// checkOutputs refuses result files that exist, before anything is computed, and more than
// one for standard output. toStandard says whether one goes there: nothing else does then.
func checkOutputs(c *cli.Context, flags ...string) (toStandard bool, err error) {
	var standard []string
	for _, name := range flags {
		switch path := c.String(name); path {
		case "":
		case standardOutput:
			standard = append(standard, "--"+name+" -")
		default:
			if err := resultfile.RefuseExisting(path, c.Bool("force")); err != nil {
				return false, err
			}
		}
	}
	if len(standard) > 1 {
		return false, commandline.Usagef("%s: standard output holds one of them; name files for the others", strings.Join(standard, " and "))
	}
	return len(standard) == 1, nil
}

// writeOutput writes the result file that a flag names; nothing without the flag.
func writeOutput(c *cli.Context, flag string, write func(io.Writer) error) error {
	switch path := c.String(flag); path {
	case "":
		return nil
	case standardOutput:
		return write(c.App.Writer)
	default:
		return resultfile.Write(path, c.Bool("force"), write)
	}
}
