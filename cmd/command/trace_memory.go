// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/addresses"
	"github.com/warptape/warptape/trace/wtape"
)

func exportMemoryCommand() *cli.Command {
	return &cli.Command{
		Name:      "memory",
		Usage:     "as a plain stream of addresses for cache and DRAM tools",
		ArgsUsage: "FILE.wtape",
		Description: `Formats:
  dinero      0 (read) or 1 (write) and the address: the "din" of the Dinero simulators
  ramulator   the address and R or W: the DRAM trace of Ramulator 1
  ramulator2  LD or ST and the address: the LoadStoreTrace of Ramulator 2
  csv         launch, block, warp, pc, line, operation, space, lanes, address, bytes

Order: launches, thread blocks by linear id, warps one after the other, instructions as
executed, segments from the lowest lane up. A trace knows no time: nothing of
different warps is interleaved. Atomics are a read and a write but in csv.

Examples:
  warptape trace export memory spmv.wtape --format ramulator --segment 64 -o spmv.trace
  warptape trace export memory spmv.wtape --format csv --lanes --launches 0 --blocks 0-3 -o -`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "`NAME`: dinero, ramulator, ramulator2 or csv", Value: "csv"},
			&cli.Uint64Flag{Name: "segment", Usage: "join lanes in aligned segments of so many `BYTES`, a power of two", Value: 32},
			&cli.BoolFlag{Name: "lanes", Usage: "write every lane by itself instead"},
			&cli.StringFlag{Name: "space", Usage: "state spaces with commas between, or all: `NAMES` of global, shared, local, const, param, texture", Value: "global"},
			&cli.StringFlag{Name: "launches", Usage: "`RANGE` of launches: 3, 3-5 or 3-", DefaultText: "all"},
			&cli.StringFlag{Name: "blocks", Usage: "`RANGE` of linear thread block ids in each launch", DefaultText: "all"},
		}, outputFlags("stream (- is standard output)")...),
		Action: withTrace(exportMemory),
	}
}

func exportMemory(c *cli.Context, r *wtape.Reader) (err error) {
	o := addresses.Options{SegmentBytes: c.Uint64("segment")}
	if o.Format, err = addresses.ParseFormat(c.String("format")); err != nil {
		return commandline.Usagef("--%v", err)
	}
	switch n := o.SegmentBytes; {
	case c.Bool("lanes") && c.IsSet("segment"):
		return commandline.Usagef("--lanes and --segment: choose one")
	case c.Bool("lanes"):
		o.SegmentBytes = 0
	case n == 0 || n&(n-1) != 0 || n > math.MaxUint32:
		return commandline.Usagef("--segment %d: want a power of two", n)
	}
	if o.Spaces, err = parseSpaces(c.String("space")); err != nil {
		return err
	}
	if o.Launches, err = parseRange(c, "launches"); err != nil {
		return err
	}
	if o.Blocks, err = parseRange(c, "blocks"); err != nil {
		return err
	}
	if c.String("output") == "-" {
		_, err := addresses.Export(r, c.App.Writer, o)
		return err
	}
	output := c.String("output")
	if output == "" {
		return commandline.Usagef("memory: --output FILE is missing")
	}
	n := uint64(0)
	if err := resultfile.Write(output, c.Bool("force"), func(w io.Writer) (err error) {
		n, err = addresses.Export(r, w, o)
		return err
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s: %s accesses\n", output, numbers.Grouped(n))
	return err
}

// parseSpaces reads names of state spaces.
func parseSpaces(text string) (map[trace.Space]bool, error) {
	spaces := map[trace.Space]bool{}
	names := map[string]trace.Space{}
	for _, s := range []trace.Space{trace.SpaceGlobal, trace.SpaceShared, trace.SpaceLocal, trace.SpaceConst, trace.SpaceParam, trace.SpaceTexture} {
		names[s.String()] = s
		spaces[s] = text == "all"
	}
	if text == "all" {
		return spaces, nil
	}
	for _, name := range strings.Split(text, ",") {
		s, ok := names[strings.TrimSpace(name)]
		if !ok {
			return nil, commandline.Usagef("--space %q: there are global, shared, local, const, param, texture and all", name)
		}
		spaces[s] = true
	}
	return spaces, nil
}
