package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

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
does; what would be refused then is refused here, with line and column.

Examples:
  warptape ptx check kernel.ptx`,
			Action: checkPTX,
		}, ptxInfoCommand(), ptxCFGCommand()},
	}
}

func checkPTX(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("ptx check: missing argument FILE.ptx")
	}
	t := tabwriter.NewWriter(c.App.Writer, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "file\tkernel\tinstructions\tblocks\tregisters\tpredicates\tshared bytes\tlocal bytes\t")
	var failed []error
	for _, file := range c.Args().Slice() {
		kernels, err := loadKernels(c.Context, file)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for _, k := range kernels {
			s := k.Static
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", file, s.Name, len(s.Instructions), len(s.Blocks),
				s.RegistersPerThread, s.PredicatesPerThread, s.SharedBytes, s.LocalBytes)
		}
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return t.Flush()
}

// loadKernels takes a file through everything that a recording does before it
// runs. It touches nothing but memory, so that it can be left alone when ctx ends.
func loadKernels(ctx context.Context, file string) ([]*contaminator.Kernel, error) {
	type loaded struct {
		kernels []*contaminator.Kernel
		err     error
	}
	done := make(chan loaded, 1)
	go func() {
		kernels, err := analyseKernels(file)
		done <- loaded{kernels, err}
	}()
	select {
	case l := <-done:
		return l.kernels, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func analyseKernels(file string) ([]*contaminator.Kernel, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if _, err := emulator.NewDevice(emulator.Options{}).LoadModule(m); err != nil {
		return nil, err
	}
	var kernels []*contaminator.Kernel
	for _, k := range m.Kernels {
		ck, err := contaminator.Contaminate(k)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, ck)
	}
	if len(kernels) == 0 {
		return nil, fmt.Errorf("%s: no .entry function with a body", file)
	}
	return kernels, nil
}
