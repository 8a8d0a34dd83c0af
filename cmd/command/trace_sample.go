// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

func traceSampleCommand() *cli.Command {
	return &cli.Command{
		Name:      "sample",
		Usage:     "store a sample of a trace's thread blocks, with what they stand for",
		ArgsUsage: "FILE.wtape",
		Description: `Totals stay those of the whole run. A replay of the sample extrapolates to the whole
run and gives a confidence interval.

Examples:
  warptape trace sample sgemm.wtape --sample auto -o sgemm-sample.wtape
  warptape trace sample sgemm.wtape --sample auto,for=gtx480 -o sgemm-sample.wtape
  warptape trace sample bfs.wtape --sample stratified,launches -o bfs-sample.wtape`,
		Flags: append([]cli.Flag{samplepolicy.Flag()}, outputFlags("trace")...),
		Action: withTrace(func(c *cli.Context, r *wtape.Reader) error {
			policy, err := samplepolicy.Parse(c)
			if err != nil {
				return err
			}
			if policy == nil {
				return commandline.Usagef("sample: --sample POLICY is missing, as in --sample auto")
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			return sample.Trace(r, output, *policy, wtape.Options{})
		}),
	}
}
