package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

func workloadCommand() *cli.Command {
	return &cli.Command{
		Name:  "workload",
		Usage: "list the workload catalogue",
		Subcommands: []*cli.Command{{
			Name:  "list",
			Usage: "list the workloads with their sizes and parameters",
			Description: `Examples:
  warptape workload list`,
			Action: func(c *cli.Context) error {
				if err := exactArgs(c); err != nil {
					return err
				}
				return listWorkloads(c.App.Writer)
			},
		}},
	}
}

func listWorkloads(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "workload\tsize\tparameters\t")
	for _, wl := range traces.List() {
		p, err := host.Load(wl.Files, wl.Program)
		if err != nil {
			return err
		}
		name := wl.Name
		for _, s := range p.Sizes() {
			fmt.Fprintf(t, "%s\t%s\t%s\t\n", name, s.Name, parameterList(s))
			name = ""
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, wl := range traces.List() {
		fmt.Fprintf(t, "%s\t%s\n", wl.Name, wl.Description)
	}
	return t.Flush()
}

func parameterList(s host.Size) string {
	var pairs []string
	for _, p := range s.Parameters {
		pairs = append(pairs, p.Name+"="+p.Value())
	}
	return strings.Join(pairs, " ")
}
