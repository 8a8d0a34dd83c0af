// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/frontend/tesla/image"
	"github.com/warptape/warptape/frontend/tesla/language"
)

func teslaCommand() *cli.Command {
	return &cli.Command{
		Name:  "tesla",
		Usage: "programs and kernel images of the configurable Tesla-like GPGPU",
		Subcommands: []*cli.Command{{
			Name:      "assemble",
			Usage:     "make the kernel image of a program",
			ArgsUsage: "PROGRAM.tesla",
			Description: `Checks the program for the machine of the reference runs and prints the words
of 36 bits that the machine loads, or writes them to a file. Nothing is written
when something is wrong.

Examples:
  warptape tesla assemble vecadd.tesla -o vecadd.mem`,
			Flags:  translationFlags("image"),
			Action: translate(func(k *language.Kernel) string { return image.Format(image.Of(k)) }),
		}, {
			Name:      "disassemble",
			Usage:     "make a program of a kernel image",
			ArgsUsage: "IMAGE.mem",
			Description: `Prints the program, with labels where branches lead; assembling it gives the
image again, word by word.

Examples:
  warptape tesla disassemble vecadd.mem`,
			Flags:  translationFlags("program"),
			Action: translate((*language.Kernel).Disassemble),
		}, lowerCommand()},
	}
}

// translationFlags are those of a command that makes what.
func translationFlags(what string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: what + " `FILE` to write"},
		&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
		&cli.IntFlag{Name: "warp-width", Usage: "`THREADS` of a warp of the machine (WARP_WIDTH), by which WARP has a number", Value: language.WarpWidth},
	}
}

// translate reads a kernel, checks it, and writes it in another form.
func translate(form func(*language.Kernel) string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := commandline.ExactArgs(c, c.Command.ArgsUsage); err != nil {
			return err
		}
		k, _, err := loadTesla(c.Args().First())
		if err != nil {
			return err
		}
		limits := language.Reference
		if limits.WarpWidth = c.Int("warp-width"); limits.WarpWidth < 1 || limits.WarpWidth > language.MaxWarpWidth || limits.WarpWidth&(limits.WarpWidth-1) != 0 {
			return commandline.Usagef("--warp-width %d: a power of two from 1 to %d", limits.WarpWidth, language.MaxWarpWidth)
		}
		k = k.For(limits.WarpWidth)
		if err := k.Check(limits); err != nil {
			return err
		}
		write := func(w io.Writer) error {
			_, err := fmt.Fprint(w, form(k))
			return err
		}
		if c.String("output") == "" {
			return write(c.App.Writer)
		}
		return resultfile.Write(c.String("output"), c.Bool("force"), write)
	}
}
