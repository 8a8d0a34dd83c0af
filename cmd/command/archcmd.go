// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/arch"
)

func archCommand() *cli.Command {
	return &cli.Command{
		Name:  "arch",
		Usage: "list, show, compare and check architectures",
		Subcommands: []*cli.Command{
			{
				Name:  "list",
				Usage: "list the built-in machines and overlays",
				Description: `Examples:
  warptape arch list
  warptape arch list --json`,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
				Action: func(c *cli.Context) error {
					if err := commandline.ExactArgs(c); err != nil {
						return err
					}
					if c.Bool("json") {
						return listArchitecturesJSON(c.App.Writer)
					}
					return listArchitectures(c.App.Writer)
				},
			},
			{
				Name:      "show",
				Usage:     "print every value of an architecture with unit, default and source, or the parameters of an overlay",
				ArgsUsage: "MACHINE[+OVERLAY[(NAME=VALUE,...)]...] | OVERLAY",
				Description: `Examples:
  warptape arch show gtx480
  warptape arch show gtx480+lrr
  warptape arch show big-l1
  warptape arch show "gtx480+big-l1(factor=2)"
  warptape arch show my-machine.yaml
  warptape arch show gtx480 --json`,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON: values and units, without sources"}},
				Action: func(c *cli.Context) error {
					if err := commandline.ExactArgs(c, "MACHINE"); err != nil {
						return err
					}
					if c.Bool("json") {
						return showArchitectureJSON(c.App.Writer, c.Args().First())
					}
					return showArchitecture(c.App.Writer, c.Args().First())
				},
			},
			archDiffCommand(),
			archCheckCommand(),
			archSchemaCommand(),
		},
	}
}

// showArchitecture writes what a specification comes to; the name of an overlay
// alone gives its parameters.
func showArchitecture(w io.Writer, spec string) error {
	entries, err := arch.List()
	if err != nil {
		return err
	}
	for i := range entries {
		if entries[i].Overlay && entries[i].Name == spec {
			return entries[i].Show(w)
		}
	}
	m, err := arch.Load(spec)
	if err != nil {
		return err
	}
	return m.Show(w)
}

// listParameters writes the parameters of an overlay below its description.
func listParameters(w io.Writer, e *arch.Entry) {
	if len(e.Parameters) > 0 {
		fmt.Fprintf(w, "\t  (%s)\n", strings.Join(e.Defaults(), ", "))
	}
}

func listArchitectures(w io.Writer) error {
	entries, err := arch.List()
	if err != nil {
		return err
	}
	for _, overlays := range []bool{false, true} {
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		if overlays {
			fmt.Fprintln(t, "\noverlay\tput on a machine with +, such as gtx480+lrr; (parameters with their defaults), such as gtx480+buddy(members=8)")
		} else {
			fmt.Fprintln(t, "machine\t")
		}
		for _, e := range entries {
			if e.Overlay == overlays {
				fmt.Fprintf(t, "%s\t%s\n", e.Name, e.Description)
				listParameters(t, &e)
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
