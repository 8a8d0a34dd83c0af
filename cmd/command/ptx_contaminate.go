// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
)

func ptxContaminateCommand() *cli.Command {
	return &cli.Command{
		Name:      "contaminate",
		Usage:     "rewrite PTX so that it writes its own trace, on any CUDA device",
		ArgsUsage: "FILE.ptx",
		Description: `The text stays the kernel's own, with lines in between that log which basic blocks
each thread executes, the guards of its instructions and the addresses that it accesses
(docs/contamination.md). A kernel runs straight through, or one basic block a launch.
What cannot be contaminated is refused with line, instruction and reason.

Examples:
  warptape ptx contaminate kernel.ptx -o contaminated.ptx
  warptape ptx contaminate kernel.ptx --mode segments -o contaminated.ptx`,
		Flags: []cli.Flag{
			modeFlag("mode"),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write; - is standard output", Value: standardOutput},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.ptx"); err != nil {
				return err
			}
			mode, err := modeOf(c, "mode")
			if err != nil {
				return err
			}
			if _, err := checkOutputs(c, "output"); err != nil {
				return err
			}
			kernels, _, err := loadKernels(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			r, err := contamination.Rewrite(kernels, contamination.Options{Mode: mode})
			if err != nil {
				return err
			}
			return writeOutput(c, "output", func(w io.Writer) error {
				_, err := w.Write(r.Text)
				return err
			})
		},
	}
}

func modeFlag(name string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: "how contaminated kernels run: straight (from start to end) or segments (one basic block a launch)", Value: contamination.Straight.String()}
}

func modeOf(c *cli.Context, name string) (contamination.Mode, error) {
	for _, m := range []contamination.Mode{contamination.Straight, contamination.Segments} {
		if c.String(name) == m.String() {
			return m, nil
		}
	}
	return 0, commandline.Usagef("--%s %q: there are %s and %s", name, c.String(name), contamination.Straight, contamination.Segments)
}

// describeRun says what a device did.
func describeRun(w io.Writer, name string, n nativecoexecutor.Counts) {
	fmt.Fprintf(w, "  on %s: %d launches of contaminated kernels, %d of them again with larger logs; %d bytes of logs\n", name, n.Waves+n.Repeated, n.Repeated, n.LogBytes)
	if n.Segmented > 0 {
		fmt.Fprintf(w, "  %d launches by segments, since their kernels cannot run straight through\n", n.Segmented)
	}
	if n.Divided > 0 {
		fmt.Fprintf(w, "  %d thread blocks went on by segments, since their logs had no room (--gpu-log)\n", n.Divided)
	}
}
