// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/contaminator/graph"
	"github.com/warptape/warptape/frontend/ptx"
)

func ptxCFGCommand() *cli.Command {
	return &cli.Command{
		Name:      "cfg",
		Usage:     "draw a kernel's control-flow graph with its post-dominators",
		ArgsUsage: "FILE.ptx",
		Description: `Every box is a basic block as the trace has it, with its immediate post-dominator.
Solid edges are branches, dashed ones fall through; a dotted red one leads from a
branch at which a warp can diverge to each join at which its lanes meet again. SVG needs no
other program; DOT is for Graphviz.

Examples:
  warptape ptx cfg kernel.ptx --svg -o kernel.svg
  warptape ptx cfg kernel.ptx --kernel bfs_level --dot | dot -Tpdf -o bfs.pdf`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kernel", Usage: "`NAME` of the kernel, of a file with several"},
			&cli.BoolFlag{Name: "dot", Usage: "write DOT (the default)"},
			&cli.BoolFlag{Name: "svg", Usage: "write SVG"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write (default: standard output)"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.ptx"); err != nil {
				return err
			}
			if c.Bool("dot") && c.Bool("svg") {
				return commandline.Usagef("ptx cfg: --dot and --svg: choose one")
			}
			kernels, _, err := loadKernels(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			k, err := chooseKernel(kernels, c.String("kernel"), c.Args().First())
			if err != nil {
				return err
			}
			draw := graph.DOT
			if c.Bool("svg") {
				draw = graph.SVG
			}
			var text strings.Builder
			if err := draw(&text, k); err != nil {
				return err
			}
			if path := c.String("output"); path != "" {
				return os.WriteFile(path, []byte(text.String()), 0o644)
			}
			_, err = io.WriteString(c.App.Writer, text.String())
			return err
		},
	}
}

// chooseKernel finds a kernel by name; a file with one kernel needs no name.
func chooseKernel(kernels []*contaminator.Kernel, name, file string) (*contaminator.Kernel, error) {
	var all []*ptx.Kernel
	for _, k := range kernels {
		if k.PTX.Name == name || name == "" && len(kernels) == 1 {
			return k, nil
		}
		all = append(all, k.PTX)
	}
	if name == "" {
		return nil, severalKernels(file, all)
	}
	return nil, fmt.Errorf("%s has no kernel %q; there are %s", file, name, kernelNames(all))
}

// severalKernels asks for one of a file's kernels.
func severalKernels(file string, kernels []*ptx.Kernel) error {
	return commandline.Usagef("%s has several kernels; choose one with --kernel: %s", file, kernelNames(kernels))
}

func kernelNames(kernels []*ptx.Kernel) string {
	var names []string
	for _, k := range kernels {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}
