// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/trace/recovery"
	"github.com/warptape/warptape/trace/wtape"
)

// outputFlags are those of a command that writes one file.
func outputFlags(what string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: what + " `FILE` to write"},
		&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
	}
}

// outputPath is the value of --output, which must be given and must not name a
// file that is there unless --force is set.
func outputPath(c *cli.Context) (string, error) {
	path := c.String("output")
	if path == "" {
		return "", commandline.Usagef("%s: --output FILE is missing", c.Command.Name)
	}
	return path, resultfile.RefuseExisting(path, c.Bool("force"))
}

func traceRecoverCommand() *cli.Command {
	return &cli.Command{
		Name:      "recover",
		Usage:     "save what is whole in a trace that is cut off or damaged",
		ArgsUsage: "FILE.wtape",
		Description: `Writes a new trace of everything that is whole. Frames are where the index puts
them; without an index they are found by their mark and checksums. The report lists what
is lost; the new trace's header says it, too. A killed recording leaves a hidden file .NAME.N.partial, which can be recovered too.

Examples:
  warptape trace recover half.wtape -o rest.wtape
  warptape trace recover .bfs.wtape.0.partial -o bfs.wtape`,
		Flags: outputFlags("trace"),
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.wtape"); err != nil {
				return err
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			input := c.Args().First()
			if _, err := os.Lstat(input); errors.Is(err, fs.ErrNotExist) && leftOf(input) != nil {
				return leftOf(input)
			}
			report, err := recovery.Recover(input, output, wtape.Options{})
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(c.App.Writer, recoveredText(output, &report))
			return err
		},
	}
}

// listedLosses are printed, of more the number.
const listedLosses = 20

// recoveredText says what was saved and what was lost.
func recoveredText(output string, r *recovery.Report) string {
	var b strings.Builder
	lost := fmt.Sprintf("%d chunks with %s thread blocks lost", r.LostChunks, numbers.Grouped(r.LostBlocks))
	switch {
	case r.AtLeast && r.LostChunks == 0 && r.LostBlocks == 0:
		lost = "how many are lost is not known"
	case r.AtLeast:
		lost = "at least " + lost
	}
	fmt.Fprintf(&b, "%s: %d chunks with %s warp instructions saved, %s, %s bytes skipped\n",
		output, r.Chunks, numbers.Grouped(r.Totals.WarpInstructions), lost, numbers.Grouped(uint64(r.SkippedBytes)))
	for i := range r.Losses {
		if i == listedLosses {
			fmt.Fprintf(&b, "lost: %d more\n", len(r.Losses)-i)
			break
		}
		l := &r.Losses[i]
		fmt.Fprintf(&b, "lost: %s, %s bytes at offset %d: %s\n", l, numbers.Grouped(uint64(l.Bytes)), l.Offset, l.Cause)
	}
	if r.Repaired > 0 {
		fmt.Fprintf(&b, "repaired: %d frame headers\n", r.Repaired)
	}
	if r.Complete {
		b.WriteString("complete: it has the digest of the recording\n")
	} else {
		b.WriteString("incomplete: replay and verify say so\n")
	}
	return b.String()
}
