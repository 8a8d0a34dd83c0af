// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/wtape"
)

func traceSliceCommand() *cli.Command {
	return &cli.Command{
		Name:      "slice",
		Usage:     "make a trace of some launches and thread blocks of another",
		ArgsUsage: "FILE.wtape",
		Description: `Host events and kernels stay. The header says what it is a slice of.

Examples:
  warptape trace slice bfs.wtape --launches 2-4 -o bfs-middle.wtape
  warptape trace slice sgemm.wtape --blocks 0-15 -o sgemm-corner.wtape`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "launches", Usage: "`RANGE` of launches: 3, 3-5 or 3-", DefaultText: "all"},
			&cli.StringFlag{Name: "blocks", Usage: "`RANGE` of linear thread block ids in each launch", DefaultText: "all"},
		}, outputFlags("trace")...),
		Action: withTrace(func(c *cli.Context, r *wtape.Reader) error {
			launches, err := parseRange(c, "launches")
			if err != nil {
				return err
			}
			blocks, err := parseRange(c, "blocks")
			if err != nil {
				return err
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			return transcription.Slice(r, output, launches, blocks, wtape.Options{})
		}),
	}
}

// parseRange reads a flag of the form 3, 3-5 or 3-; everything when it is not set.
func parseRange(c *cli.Context, flag string) (trace.Range, error) {
	if !c.IsSet(flag) {
		return trace.Everything, nil
	}
	text := c.String(flag)
	bad := commandline.Usagef("--%s %q: want 3, 3-5 or 3-", flag, text)
	first, last, interval := strings.Cut(text, "-")
	r := trace.Everything
	var err error
	if r.First, err = strconv.ParseUint(first, 10, 64); err != nil {
		return r, bad
	}
	switch {
	case !interval:
		r.Last = r.First
	case last != "":
		if r.Last, err = strconv.ParseUint(last, 10, 64); err != nil || r.Last < r.First {
			return r, bad
		}
	}
	return r, nil
}
