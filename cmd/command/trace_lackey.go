// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/trace/lackey"
)

func importLackeyCommand() *cli.Command {
	return &cli.Command{
		Name:      "lackey",
		Usage:     "of a program's instructions as valgrind's lackey prints them",
		ArgsUsage: "CAPTURE",
		Description: `The capture becomes a CPU thread. Registers and branches come from the disassembly
of the program, which is linked statically at fixed addresses (x86-64):

  gcc -O2 -static -no-pie -o prog prog.c
  valgrind --tool=lackey --trace-mem=yes --log-file=prog.txt ./prog
  objdump -d prog > prog.dis

Examples:
  warptape trace import lackey prog.txt --disassembly prog.dis -o prog.wtape
  warptape trace import lackey prog.txt --disassembly prog.dis --function kernel --max 1000000 -o prog.wtape

A program with threads is linked with traces/cpu/capture, and imported with --threads.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "disassembly", Usage: "`FILE` of objdump -d of the program", Required: true},
			&cli.StringFlag{Name: "function", Usage: "only the first call of the function `NAME`", DefaultText: "the whole program"},
			&cli.BoolFlag{Name: "threads", Usage: "the program's threads become CPU threads of one process; it is linked with traces/cpu/capture"},
			&cli.Uint64Flag{Name: "skip", Usage: "leave out the first `NUMBER` of instructions"},
			&cli.Uint64Flag{Name: "max", Usage: "end after `NUMBER` of instructions", DefaultText: "all"},
			&cli.IntFlag{Name: "page-bytes", Usage: "`BYTES` of a page of the machine on which it ran", Value: 4096},
		}, outputFlags("trace")...),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return commandline.Usagef("lackey: want one CAPTURE, got %d", c.NArg())
			}
			if n := c.Int("page-bytes"); n < 1 || n&(n-1) != 0 {
				return commandline.Usagef("lackey: --page-bytes %d: must be a power of two", n)
			}
			if c.Bool("threads") && (c.IsSet("function") || c.IsSet("skip") || c.IsSet("max")) {
				return commandline.Usagef("lackey: --threads keeps all that the threads do: leave out --function, --skip and --max")
			}
			output, err := outputPath(c)
			if err != nil {
				return err
			}
			captures := []lackey.Capture{{
				Path: c.Args().First(), Disassembly: c.String("disassembly"), Function: c.String("function"),
				Threads: c.Bool("threads"), Skip: c.Uint64("skip"), Max: c.Uint64("max"),
			}}
			return lackey.Import(captures, output, lackey.Options{Tool: "warptape " + release.Version(), PageBytes: c.Int("page-bytes")})
		},
	}
}
