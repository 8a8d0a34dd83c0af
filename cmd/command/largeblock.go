// SPDX-License-Identifier: Apache-2.0

package command

import (
	"math"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/wtape"
)

const (
	largestBlock = "largest-block"
	largeBlocks  = "large-blocks"
)

// largestBlockFlag bounds the thread blocks that a recording stores.
func largestBlockFlag(beyond string) cli.Flag {
	return &cli.StringFlag{Name: largestBlock, Usage: "memory that one thread block may take in a replay, `SIZE` up to 2GiB: a larger one " + beyond, Value: "1GiB"}
}

func largestBlockOf(c *cli.Context) (int64, error) {
	if c.String(largestBlock) == "" { // a command without the flag
		return 0, nil
	}
	n, err := memorySize(c.String(largestBlock))
	if err != nil {
		return 0, commandline.Usagef("--%s: %v", largestBlock, err)
	}
	if n > wtape.LargestBlock {
		return 0, commandline.Usagef("--%s %s: at most 2GiB, which is what readers of a trace accept", largestBlock, c.String(largestBlock))
	}
	return int64(n), nil
}

// largeBlocksFlag bounds the memory of large thread blocks in a replay.
func largeBlocksFlag() cli.Flag {
	return &cli.StringFlag{Name: largeBlocks, Usage: "memory that large thread blocks may take while they run, `SIZE`", Value: "8GiB"}
}

func largeBlocksOf(c *cli.Context) (int64, error) {
	if c.String(largeBlocks) == "" {
		return 0, nil
	}
	n, err := memorySize(c.String(largeBlocks))
	if err != nil {
		return 0, commandline.Usagef("--%s: %v", largeBlocks, err)
	}
	return int64(min(n, math.MaxInt64)), nil
}
