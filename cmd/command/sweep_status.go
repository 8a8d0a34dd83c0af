// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
)

func sweepStatusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "say how far the sweeps in a folder of results are",
		ArgsUsage: "[FOLDER]",
		Description: `Looks at the folder, from this node or any other that sees it: points done, failed and
missing, what the processes at work do, their rate, and the time left. It changes nothing.

Examples:
  warptape sweep status
  warptape sweep status study --name l1 --json
  warptape sweep status study --serve localhost:8080`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the sweep (default: all in the folder)"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON"},
			serveFlag(),
		},
		Action: sweepStatusAction,
	}
}

func sweepStatusAction(c *cli.Context) error {
	folder := defaultResults
	if c.NArg() > 0 {
		folder = c.Args().First()
	}
	if c.NArg() > 1 {
		return commandline.Usagef("status: unexpected argument %q", c.Args().Get(1))
	}
	store, err := results.Open(folder)
	if err != nil {
		return err
	}
	names, err := sweepNames(store, c.String("name"))
	if err != nil {
		return err
	}
	if c.IsSet("serve") {
		return serveStatus(c, store, names)
	}
	list := make([]*sweep.Status, 0, len(names))
	for _, name := range names {
		w, err := sweep.NewWatcher(store, name)
		if err != nil {
			return err
		}
		s, err := w.Observe(c.Context)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	if c.Bool("json") {
		return writeJSON(c.App.Writer, list)
	}
	for i, s := range list {
		if i > 0 {
			fmt.Fprintln(c.App.Writer)
		}
		if err := s.Write(c.App.Writer); err != nil {
			return err
		}
	}
	return nil
}

// sweepNames are the one that is asked for, or all.
func sweepNames(store *results.Store, name string) ([]string, error) {
	if name != "" {
		return []string{name}, nil
	}
	names, err := store.Sweeps()
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: has no sweep; warptape sweep makes one", store.Root())
	}
	return names, err
}
