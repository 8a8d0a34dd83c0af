// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/timing/timeline"
)

// timelineCommand draws timelines.
func timelineCommand() *cli.Command {
	return &cli.Command{
		Name:  "timeline",
		Usage: "look at timelines without a browser",
		Subcommands: []*cli.Command{{
			Name:      "render",
			Usage:     "draw a part of a timeline as a picture",
			ArgsUsage: "FILE.pftrace[.gz] OUT.svg",
			Description: `Draws the tracks of a file that replay --timeline has written as an SVG picture.
It is a drawing of Warptape's own; ui.perfetto.dev shows the file with zoom and search.

Examples:
  warptape timeline render sgemm.pftrace.gz sgemm.svg --from 2000 --to 4000 --group "SM 0"`,
			Flags: []cli.Flag{
				&cli.Int64Flag{Name: "from", Usage: "first core `CYCLE`"},
				&cli.Int64Flag{Name: "to", Usage: "`CYCLE` after the last (default: the end)"},
				&cli.StringSliceFlag{Name: "group", Usage: "`GROUP` of tracks to draw (repeatable; default: all)"},
				&cli.IntFlag{Name: "tracks", Usage: "draw at most so many tracks of a group and kind", Value: 16},
				&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing picture"},
			},
			Action: timelineRender,
		}},
	}
}

func timelineRender(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "FILE.pftrace", "OUT.svg"); err != nil {
		return err
	}
	in, out := c.Args().Get(0), c.Args().Get(1)
	if c.Int64("from") < 0 || c.IsSet("to") && c.Int64("to") <= c.Int64("from") {
		return commandline.Usagef("--from %d --to %d: give a stretch of cycles", c.Int64("from"), c.Int64("to"))
	}
	t, err := readTimeline(in, uint64(c.Int64("from")), uint64(c.Int64("to")))
	if err != nil {
		return err
	}
	picture := timeline.Picture{From: uint64(c.Int64("from")), To: uint64(c.Int64("to")), Groups: commandline.Listed(c, "group"), Tracks: c.Int("tracks")}
	return resultfile.Write(out, c.Bool("force"), func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if err := t.Draw(b, picture); err != nil {
			return err
		}
		return b.Flush()
	})
}

// readTimeline reads a part of a timeline file.
func readTimeline(path string, from, to uint64) (*timeline.Drawing, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	t, err := timeline.Read(in, from, to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}
