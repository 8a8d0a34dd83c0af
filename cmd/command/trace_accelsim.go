// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/trace/accelsim"
	"github.com/warptape/warptape/trace/wtape"
)

func traceExportCommand() *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write a trace in the format of another simulator",
		Subcommands: []*cli.Command{{
			Name:      "accelsim",
			Usage:     "as kernelslist.g and one .traceg file per launch",
			ArgsUsage: "FILE.wtape",
			Description: `Opcodes are SASS-like stand-ins for PTX instructions, one to one. Of the host's
events the format holds copies to the device only.

Examples:
  warptape trace export accelsim saxpy.wtape -o saxpy-accelsim
  warptape trace export accelsim saxpy.wtape -o saxpy-accelsim --compress xz`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "new `FOLDER` for the files"},
				&cli.StringFlag{Name: "compress", Usage: "`PROGRAM`: none, xz, gz or zst", Value: "none"},
				&cli.IntFlag{Name: "tracer-version", Usage: "form of the files: `VERSION` 3, 4, 5 or 6", Value: 5},
				&cli.BoolFlag{Name: "lineinfo", Usage: "put the PTX line before every instruction"},
			},
			Action: withTrace(exportAccelsim),
		}, exportChampsimCommand(), exportMemoryCommand()},
	}
}

func exportAccelsim(c *cli.Context, r *wtape.Reader) error {
	if c.String("output") == "" {
		return commandline.Usagef("accelsim: --output FOLDER is missing")
	}
	suffix := strings.TrimSuffix("."+c.String("compress"), ".none")
	if !slices.Contains(accelsim.Compressions, suffix) {
		return commandline.Usagef("--compress %q: there are none, xz, gz and zst", c.String("compress"))
	}
	version := c.Int("tracer-version")
	if version < 3 || version > 6 || c.Bool("lineinfo") && version < 4 {
		return commandline.Usagef("--tracer-version %d: there are 3 to 6, --lineinfo from 4 on", version)
	}
	return accelsim.Export(r, c.String("output"), accelsim.ExportOptions{Compression: suffix, LineInfo: c.Bool("lineinfo"), Version: version})
}

func traceImportCommand() *cli.Command {
	return &cli.Command{
		Name:  "import",
		Usage: "make a trace of the trace files of another simulator",
		Subcommands: []*cli.Command{{
			Name:      "accelsim",
			Usage:     "of kernelslist.g files with what they list (tracer versions 3 to 6; plain, .xz, .gz, .zst)",
			ArgsUsage: "kernelslist.g...",
			Description: `Several lists become one trace, one after the other.

Examples:
  warptape trace import accelsim traces/kernelslist.g -o app.wtape`,
			Flags: outputFlags("trace"),
			Action: func(c *cli.Context) error {
				if c.NArg() == 0 {
					return commandline.Usagef("accelsim: missing argument kernelslist.g")
				}
				output, err := outputPath(c)
				if err != nil {
					return err
				}
				return accelsim.Import(c.Args().Slice(), output, "warptape "+release.Version(), wtape.Options{})
			},
		}, importChampsimCommand(), importLackeyCommand()},
	}
}
