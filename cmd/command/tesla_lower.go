// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/lower"
	"github.com/warptape/warptape/trace"
)

func lowerCommand() *cli.Command {
	return &cli.Command{
		Name:      "lower",
		Usage:     "make a program of a kernel in PTX that fits",
		ArgsUsage: "KERNEL.ptx",
		Description: `Lowers a kernel of 32-bit integers that works in shared memory, and prints the
program or writes it to a file. What does not fit is refused with its line.

Examples:
  warptape tesla lower reduction.ptx --grid 4 --block 64 --param 256 -o reduction.tesla`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kernel", Usage: "`NAME` of the kernel (default: the only one)"},
			&cli.StringFlag{Name: "grid", Usage: "`SIZE` of the grid, in thread blocks in x", Value: "1"},
			&cli.StringFlag{Name: "block", Usage: "`SIZES` of a thread block: X, X,Y or X,Y,Z", Value: "32"},
			&cli.StringSliceFlag{Name: "param", Usage: "`VALUE` of a parameter, in their order (repeatable)"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "program `FILE` to write"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
		},
		Action: lowerAction,
	}
}

func lowerAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, c.Command.ArgsUsage); err != nil {
		return err
	}
	launch, err := launchOf(c)
	if err != nil {
		return err
	}
	name := c.Args().First()
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	module, err := ptx.Parse(name, text)
	if err != nil {
		return err
	}
	kernel, err := kernelIn(module, name, c.String("kernel"))
	if err != nil {
		return err
	}
	program, err := lower.Kernel(kernel, launch)
	if err != nil {
		return err
	}
	k, err := language.Assemble(name, program)
	if err != nil {
		return err
	}
	if err := k.Check(language.Reference); err != nil {
		return err
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, program)
		return err
	}
	if c.String("output") == "" {
		return write(c.App.Writer)
	}
	return resultfile.Write(c.String("output"), c.Bool("force"), write)
}

// kernelIn is the kernel of that name; without one, the only one.
func kernelIn(m *ptx.Module, file, name string) (*ptx.Kernel, error) {
	var names []string
	for _, k := range m.Kernels {
		names = append(names, k.Name)
	}
	i := slices.Index(names, name)
	switch {
	case i >= 0:
		return m.Kernels[i], nil
	case name == "" && len(names) == 1:
		return m.Kernels[0], nil
	}
	return nil, fmt.Errorf("%s: name one of the kernels with --kernel: %s", file, strings.Join(names, ", "))
}

// launchOf reads what the kernel is launched with.
func launchOf(c *cli.Context) (l lower.Launch, err error) {
	if l.Grid, err = sizes(c, "grid"); err != nil {
		return l, err
	}
	if l.Block, err = sizes(c, "block"); err != nil {
		return l, err
	}
	for _, text := range c.StringSlice("param") {
		v, err := strconv.ParseInt(text, 0, 64)
		if err != nil || v < -1<<31 || v >= 1<<32 {
			return l, commandline.Usagef("--param %s: no integer of 32 bits", text)
		}
		l.Parameters = append(l.Parameters, uint32(v))
	}
	return l, nil
}

// sizes reads one to three sizes; the others are one.
func sizes(c *cli.Context, flag string) (trace.Dim3, error) {
	list := [3]uint32{1, 1, 1}
	fields := strings.Split(c.String(flag), ",")
	for i, f := range fields {
		v, err := strconv.ParseUint(f, 10, 32)
		if err != nil || v < 1 || v > 1024 || len(fields) > len(list) {
			return trace.Dim3{}, commandline.Usagef("--%s %s: one to three sizes from 1 to 1024, with commas between", flag, c.String(flag))
		}
		list[i] = uint32(v)
	}
	return trace.Dim3{X: list[0], Y: list[1], Z: list[2]}, nil
}
