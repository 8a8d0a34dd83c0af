// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/terminal"
	"github.com/warptape/warptape/cmd/results"
)

func resultsCommand() *cli.Command {
	return &cli.Command{
		Name:  "results",
		Usage: "look into folders of results, export them as tables, and tidy them up",
		Subcommands: []*cli.Command{
			resultsListCommand(), resultsShowCommand(), resultsExportCommand(), resultsGCCommand(), resultsCheckCommand(), resultsSchemaCommand(),
		},
	}
}

// openResults opens the folder that the first argument names; without arguments that
// which sweeps use by default.
func openResults(c *cli.Context) (*results.Store, error) {
	if c.NArg() == 0 {
		return results.Open(defaultResults)
	}
	return results.Open(c.Args().First())
}

// folderAlone refuses arguments behind the folder.
func folderAlone(c *cli.Context) error {
	if c.NArg() > 1 {
		return commandline.ExactArgs(c, "DIR")
	}
	return nil
}

// listedSweep is a sweep as results list shows it.
type listedSweep struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Traces  int    `json:"traces"`
	results.Counts
}

// listedResults is what results list --json writes.
type listedResults struct {
	Folder string        `json:"folder"`
	Sweeps []listedSweep `json:"sweeps"`
	// Points are all results in the folder, WithoutSweep those that no sweep has.
	Points       int `json:"points"`
	WithoutSweep int `json:"points_without_sweep"`
}

func resultsListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the sweeps of a folder of results, and how far they are",
		ArgsUsage: "[DIR]",
		Description: `Examples:
  warptape results list
  warptape results list study --json`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
		Action: func(c *cli.Context) error {
			if err := folderAlone(c); err != nil {
				return err
			}
			s, err := openResults(c)
			if err != nil {
				return err
			}
			list, err := listResults(s)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c.App.Writer, list)
			}
			return list.write(c.App.Writer)
		},
	}
}

func listResults(s *results.Store) (*listedResults, error) {
	list := &listedResults{Folder: s.Root(), Sweeps: []listedSweep{}}
	names, err := s.Sweeps()
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, name := range names {
		m, err := s.Manifest(name)
		if err != nil {
			return nil, err
		}
		counts, err := s.Count(m)
		if err != nil {
			return nil, err
		}
		list.Sweeps = append(list.Sweeps, listedSweep{Name: name, Version: m.Version, Traces: len(m.Traces), Counts: counts})
		for i := range m.Points {
			named[m.Points[i].Key] = true
		}
	}
	for key, err := range s.Keys() {
		if err != nil {
			return nil, err
		}
		list.Points++
		if !named[key] {
			list.WithoutSweep++
		}
	}
	return list, nil
}

func (l *listedResults) write(w io.Writer) error {
	if len(l.Sweeps) > 0 {
		g := terminal.Grid{Columns: []terminal.GridColumn{
			{Name: "sweep", Left: true}, {Name: "points"}, {Name: "done"}, {Name: "missing"}, {Name: "failed"}, {Name: "refused"}, {Name: "impossible"}, {Name: "traces"}, {Name: "version"},
		}}
		for i := range l.Sweeps {
			s := &l.Sweeps[i]
			row := []string{s.Name}
			for _, n := range []int{s.Points, s.Done, s.Missing, s.Failed, s.Refused, s.Impossible, s.Traces} {
				row = append(row, strconv.Itoa(n))
			}
			g.Rows = append(g.Rows, append(row, s.Version))
		}
		if err := g.Write(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "in %s: %d results, %d of them of no sweep\n", l.Folder, l.Points, l.WithoutSweep)
	return err
}

func resultsSchemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of stored results, and of replay --json",
		Description: `Examples:
  warptape results schema > results.schema.json`,
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			_, err := c.App.Writer.Write(resultSchema)
			return err
		},
	}
}
