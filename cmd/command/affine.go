// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func affineCommand() *cli.Command {
	return &cli.Command{
		Name:      "affine",
		Usage:     "show which instructions of a kernel an affine warp would take over, and why not the others",
		ArgsUsage: "FILE.wtape|FILE.ptx",
		Description: `Prints, beside each instruction, the affine and the non-affine stream into which
the compiler of decoupled affine computation splits the kernel (overlay dac), and a
reason for every memory access and predicate that it did not decouple.

With --measure the affine streams of a trace are executed: every address and
predicate that they expand is compared with the recorded one, and a table says how
much of the run they cover.

Examples:
  warptape affine saxpy.wtape
  warptape affine kernel.ptx --kernel transpose
  warptape affine sgemm.wtape --measure
  warptape affine needle.wtape --stack-depth 2`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kernel", Usage: "only the kernel of that `NAME`"},
			&cli.BoolFlag{Name: "measure", Usage: "execute and check the affine streams of a trace, and print what they cover"},
			&cli.IntFlag{Name: "stack-depth", Value: affine.PaperStackDepth, Usage: "entries of the affine SIMT stack, and divergent condition registers: `N` from 1 to 64"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.wtape or FILE.ptx"); err != nil {
				return err
			}
			if d := c.Int("stack-depth"); d < 1 || d > 64 {
				return commandline.Usagef("affine: --stack-depth %d: from 1 to 64", d)
			}
			file := c.Args().First()
			if filepath.Ext(file) == ".ptx" {
				if c.Bool("measure") {
					return commandline.Usagef("affine: --measure needs a trace: record one with 'warptape record'")
				}
				return printAffinePTX(c, file)
			}
			return withTrace(printAffineTrace)(c)
		},
	}
}

func printAffinePTX(c *cli.Context, file string) error {
	loaded, _, err := loadKernels(c.Context, file)
	if err != nil {
		return err
	}
	kernels := make([]trace.Kernel, len(loaded))
	for i, k := range loaded {
		kernels[i] = *k.Static
	}
	return printPlans(c, file, kernels)
}

func printAffineTrace(c *cli.Context, r *wtape.Reader) error {
	if c.Bool("measure") {
		return printAffineCoverage(c, r)
	}
	return printPlans(c, r.Name(), r.Kernels())
}

func affineOptions(c *cli.Context) affine.Options {
	return affine.Options{StackDepth: c.Int("stack-depth")}
}

// printPlans prints the streams of the kernels of the name asked for, or of all.
func printPlans(c *cli.Context, file string, kernels []trace.Kernel) error {
	out, name := c.App.Writer, c.String("kernel")
	found := false
	for i := range kernels {
		if name != "" && kernels[i].Name != name {
			continue
		}
		plan := affine.CompileWith(&kernels[i], affineOptions(c))
		if plan.Reason == affine.NoOperandKinds {
			return fmt.Errorf("%s: kernel %s: %s; record the program with warptape record", file, kernels[i].Name, plan.Reason)
		}
		if found {
			fmt.Fprintln(out)
		}
		found = true
		if err := plan.Print(out); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s has no kernel %q; 'warptape trace info' lists them", file, name)
	}
	return nil
}

// printAffineCoverage prints what the affine streams of a trace cover.
func printAffineCoverage(c *cli.Context, r *wtape.Reader) error {
	name := c.String("kernel")
	list, err := affine.Measure(r, affineOptions(c))
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name(), err)
	}
	t := tabwriter.NewWriter(c.App.Writer, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kernel\taffine instructions\tremoved\twarp instructions\tremoved\tby the affine warp\tloads\taffine loads\twrapped\t")
	var total affine.Coverage
	for i := range list {
		if name == "" || r.Kernels()[i].Name == name {
			coverageRow(t, r.Kernels()[i].Name, &list[i])
			total.Add(&list[i])
		}
	}
	if len(list) > 1 && name == "" {
		coverageRow(t, "all", &total)
	}
	return t.Flush()
}

func coverageRow(out io.Writer, name string, c *affine.Coverage) {
	fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%s\t%s\t%d\t%s\t%d\t\n", name,
		numbers.Share(c.StaticAffine, c.Static), numbers.Share(c.StaticRemoved, c.Static), c.WarpInstructions,
		numbers.Share(c.Removed, c.WarpInstructions), numbers.Share(c.Affine, c.WarpInstructions), c.Loads, numbers.Share(c.AffineLoads, c.Loads), c.Wrapped)
}
