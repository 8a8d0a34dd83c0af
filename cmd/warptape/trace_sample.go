package main

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
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
  warptape trace sample bfs.wtape --sample stratified,launches -o bfs-sample.wtape`,
		Flags: append([]cli.Flag{sampleFlag()}, outputFlags("trace")...),
		Action: withTrace(func(c *cli.Context, r *trace.Reader) error {
			policy, err := parsePolicy(c)
			if err != nil {
				return err
			}
			if policy == nil {
				return usagef("sample: --sample POLICY is missing, as in --sample auto")
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			return sample.Trace(r, output, *policy, trace.Options{})
		}),
	}
}

func sampleFlag() cli.Flag {
	return &cli.StringFlag{Name: "sample", Usage: "store only some thread blocks: `POLICY` auto[=F] (chooses for the program), fraction=F, count=N, stratified[=K] or sms=K/N, and after commas launches[=F], run=N, min=N, waves=N, work=N, seed=N"}
}

// parsePolicy reads --sample; nil without it.
func parsePolicy(c *cli.Context) (*sample.Policy, error) {
	if !c.IsSet("sample") {
		return nil, nil
	}
	p, err := sample.Parse(c.String("sample"))
	if err != nil {
		return nil, usagef("--sample: %v", err)
	}
	return &p, nil
}
