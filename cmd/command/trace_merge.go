// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/wtape"
)

func traceMergeCommand() *cli.Command {
	return &cli.Command{
		Name:      "merge",
		Usage:     "make one trace of several, one program after the other",
		ArgsUsage: "FILE.wtape...",
		Description: `Device addresses stay as they are, so programs that used the same addresses share
what caches hold of them. Between two programs the host waits for all streams.

Examples:
  warptape trace merge saxpy.wtape bfs.wtape -o both.wtape`,
		Flags: outputFlags("trace"),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return commandline.Usagef("merge: missing argument FILE.wtape")
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			var traces []*wtape.Reader
			for _, path := range c.Args().Slice() {
				r, err := openTrace(path)
				if err != nil {
					return err
				}
				defer r.Close()
				traces = append(traces, r)
			}
			return transcription.Merge(traces, output, wtape.Options{})
		},
	}
}
