package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

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
  warptape arch list`,
				Action: func(c *cli.Context) error {
					if err := exactArgs(c); err != nil {
						return err
					}
					return listArchitectures(c.App.Writer)
				},
			},
			{
				Name:      "show",
				Usage:     "print every value of an architecture with unit, default and source",
				ArgsUsage: "MACHINE[+OVERLAY...]",
				Description: `Examples:
  warptape arch show gtx480
  warptape arch show gtx480+lrr
  warptape arch show my-machine.yaml`,
				Action: func(c *cli.Context) error {
					if err := exactArgs(c, "MACHINE"); err != nil {
						return err
					}
					m, err := arch.Load(c.Args().First())
					if err != nil {
						return err
					}
					return m.Show(c.App.Writer)
				},
			},
			archDiffCommand(),
			archCheckCommand(),
			archSchemaCommand(),
		},
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
			fmt.Fprintln(t, "\noverlay\tput on a machine with +, such as gtx480+lrr")
		} else {
			fmt.Fprintln(t, "machine\t")
		}
		for _, e := range entries {
			if e.Overlay == overlays {
				fmt.Fprintf(t, "%s\t%s\n", e.Name, e.Description)
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
