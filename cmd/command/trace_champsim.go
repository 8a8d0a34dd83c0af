// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/trace/champsim"
	"github.com/warptape/warptape/trace/wtape"
)

var cloudSuiteFlag = &cli.BoolFlag{Name: "cloudsuite", Usage: "records of 96 bytes, as in CloudSuite's traces, instead of 64"}

func importChampsimCommand() *cli.Command {
	return &cli.Command{
		Name:      "champsim",
		Usage:     "of ChampSim's CPU traces (plain, .xz, .gz, .zst, .bz2)",
		ArgsUsage: "FILE...",
		Description: `Each file becomes a CPU thread of the trace, numbered from 0.

Examples:
  warptape trace import champsim 600.perlbench.champsimtrace.xz -o perlbench.wtape`,
		Flags: append([]cli.Flag{cloudSuiteFlag}, outputFlags("trace")...),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return commandline.Usagef("champsim: missing argument FILE")
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			return champsim.Import(c.Args().Slice(), output, "warptape "+release.Version(), champsimLayout(c), wtape.Options{})
		},
	}
}

func exportChampsimCommand() *cli.Command {
	return &cli.Command{
		Name:      "champsim",
		Usage:     "a CPU thread as ChampSim's records",
		ArgsUsage: "FILE.wtape",
		Description: `Compressed when the name of the output ends in .xz, .gz or .zst.

Examples:
  warptape trace export champsim perlbench.wtape -o perlbench.champsimtrace.xz`,
		Flags: append([]cli.Flag{
			cloudSuiteFlag,
			&cli.IntFlag{Name: "thread", Usage: "`NUMBER` of the CPU thread"},
		}, outputFlags("records")...),
		Action: withTrace(func(c *cli.Context, r *wtape.Reader) error {
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			suffix := filepath.Ext(output)
			if !slices.Contains(champsim.Compressions, suffix) {
				suffix = ""
			}
			n := uint64(0)
			if err := resultfile.Write(output, c.Bool("force"), func(w io.Writer) (err error) {
				n, err = champsim.ExportCompressed(r, c.Int("thread"), w, champsimLayout(c), suffix)
				return err
			}); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "%s: %s records\n", output, numbers.Grouped(n))
			return err
		}),
	}
}

func champsimLayout(c *cli.Context) champsim.Layout {
	if c.Bool("cloudsuite") {
		return champsim.CloudSuite
	}
	return champsim.Standard
}
