// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/diff"
)

var errTracesDiffer = errors.New("the traces differ")

func traceDiffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "find the first difference of two traces",
		ArgsUsage: "A.wtape B.wtape",
		Description: `Compares what happened, not provenance or compression: kernels, host events, then
launch, thread block, warp, visit. Ends with exit code 1 when there is a difference.

Examples:
  warptape trace diff old.wtape new.wtape`,
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "A.wtape", "B.wtape"); err != nil {
				return err
			}
			a, err := openTrace(c.Args().Get(0))
			if err != nil {
				return err
			}
			defer a.Close()
			b, err := openTrace(c.Args().Get(1))
			if err != nil {
				return err
			}
			defer b.Close()
			difference, err := diff.Traces(a, b)
			if err != nil {
				return err
			}
			if difference == "" {
				_, err := fmt.Fprintln(c.App.Writer, "no difference")
				return err
			}
			if _, err := fmt.Fprintln(c.App.Writer, difference); err != nil {
				return err
			}
			return errTracesDiffer
		},
	}
}
