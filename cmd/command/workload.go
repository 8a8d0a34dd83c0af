// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

func workloadCommand() *cli.Command {
	return &cli.Command{
		Name:  "workload",
		Usage: "list the workload catalogue",
		Subcommands: []*cli.Command{workloadListCommand(), {
			Name:      "show",
			Usage:     "show what a workload computes, and its sizes with their parameters",
			ArgsUsage: "WORKLOAD",
			Description: `Examples:
  warptape workload show bfs`,
			Action: func(c *cli.Context) error {
				if err := commandline.ExactArgs(c, "WORKLOAD"); err != nil {
					return err
				}
				return showWorkload(c.App.Writer, c.Args().First())
			},
		}},
	}
}

func workloadListCommand() *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "list the workloads and what they do",
		Description: `One line for each workload at its default size, with counts of a whole run.

Examples:
  warptape workload list
  warptape workload list --sizes
  warptape workload list --json`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "sizes", Usage: "list every size"},
			&cli.BoolFlag{Name: "json", Usage: "print everything, with exact counts, as JSON"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			if c.Bool("json") {
				return listWorkloadsJSON(c.App.Writer)
			}
			return listWorkloads(c.App.Writer, c.Bool("sizes"))
		},
	}
}

func catalogueProgram(name string) (*host.Program, traces.Workload, error) {
	wl, err := traces.Find(name)
	if err != nil {
		return nil, wl, commandline.Usagef("%v", err)
	}
	p, err := host.Load(wl.Files, wl.Program)
	return p, wl, err
}

func showWorkload(w io.Writer, name string) error {
	p, wl, err := catalogueProgram(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n\n", p.Doc())
	about := p.About()
	for _, line := range [][2]string{{"suite", about.Suite}, {"tables", strings.Join(about.Tables, ", ")}, {"folder", "traces/" + wl.Name}} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s: %s\n", line[0], line[1])
		}
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "size\tparameters")
	for _, s := range p.Sizes() {
		fmt.Fprintf(t, "%s\t%s\n", s.Name, parameterList(s))
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
