// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/ptx"
)

func ptxCommand() *cli.Command {
	return &cli.Command{
		Name:  "ptx",
		Usage: "check PTX files, show what is in them",
		Subcommands: []*cli.Command{{
			Name:      "check",
			Usage:     "say whether PTX files load, and what their kernels need",
			ArgsUsage: "FILE.ptx...",
			Description: `Parses, checks, contaminates and loads every kernel, exactly as a recording
does; what would be refused then is refused here, with line and column. What a
file uses that its own .version or .target does not have is a warning, or with
--strict an error.

Examples:
  warptape ptx check kernel.ptx
  warptape ptx check --strict *.ptx`,
			Flags:  []cli.Flag{strictFlag()},
			Action: checkPTX,
		}, ptxInfoCommand(), ptxCFGCommand(), ptxLowerCommand(), ptxLaunchCommand(), ptxContaminateCommand()},
	}
}

func checkPTX(c *cli.Context) error {
	if !c.Args().Present() {
		return commandline.Usagef("ptx check: missing argument FILE.ptx")
	}
	t := tabwriter.NewWriter(c.App.Writer, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "file\tkernel\tinstructions\tblocks\tregisters\tpredicates\tshared bytes\tlocal bytes\t")
	var failed []error
	for _, file := range c.Args().Slice() {
		kernels, warnings, err := loadKernels(c.Context, file)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if len(warnings) > 0 && c.Bool("strict") {
			failed = append(failed, errors.New(joinWarnings(warnings)))
			continue
		}
		printWarnings(c.App.ErrWriter, warnings)
		for _, k := range kernels {
			s := k.Static
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", file, s.Name, len(s.Instructions), len(s.Blocks),
				s.RegistersPerThread, s.PredicatesPerThread, s.SharedBytes, s.LocalBytes)
		}
	}
	if len(failed) < c.NArg() { // those that load are told even so
		failed = append(failed, t.Flush())
	}
	return errors.Join(failed...)
}

// strictFlag makes warnings about PTX errors.
func strictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "refuse PTX that uses what its own .version or .target does not have"}
}

// printWarnings writes what modules use besides their version and target.
func printWarnings(w io.Writer, list []ptx.Warning) {
	for i := range list {
		fmt.Fprintf(w, "warning: %s\n", list[i].String())
	}
}

func joinWarnings(list []ptx.Warning) string {
	lines := make([]string, len(list))
	for i := range list {
		lines[i] = list[i].String()
	}
	return strings.Join(lines, "\n")
}

// loadKernels takes a file through everything that a recording does before it
// runs, and gives the warnings about it. It touches nothing but memory, so that it
// can be left alone when ctx ends.
func loadKernels(ctx context.Context, file string) ([]*contaminator.Kernel, []ptx.Warning, error) {
	type loaded struct {
		kernels  []*contaminator.Kernel
		warnings []ptx.Warning
		err      error
	}
	done := make(chan loaded, 1)
	go func() {
		kernels, warnings, err := analyseKernels(file)
		done <- loaded{kernels, warnings, err}
	}()
	select {
	case l := <-done:
		return l.kernels, l.warnings, l.err
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

func analyseKernels(file string) ([]*contaminator.Kernel, []ptx.Warning, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		return nil, nil, err
	}
	if _, err := emulator.NewDevice(emulator.Options{}).LoadModule(m); err != nil {
		return nil, nil, err
	}
	var kernels []*contaminator.Kernel
	for _, k := range m.Kernels {
		ck, err := contaminator.Contaminate(k)
		if err != nil {
			return nil, nil, err
		}
		kernels = append(kernels, ck)
	}
	if len(kernels) == 0 {
		return nil, nil, ptx.Strict(m) // says so, with a line
	}
	return kernels, m.Warnings, nil
}
