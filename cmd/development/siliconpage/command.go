// SPDX-License-Identifier: Apache-2.0

// Package siliconpage compares machines with measured cards, for docs/silicon.md.
package siliconpage

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/silicon"
)

// Command measures what docs/silicon.md says.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "silicon",
		Usage: "replay what was measured on real cards, and write docs/silicon.md with its pictures",
		Description: `What has been replayed stands in ` + silicon.DataFile + ` and is not replayed
again; the command may be stopped and goes on. --all begins anew.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.BoolFlag{Name: "all", Usage: "replay everything again"},
			&cli.StringSliceFlag{Name: "again", Usage: "replay this `MODEL` again: recorded, vendor, selected, scheduled or lowered (repeatable)"},
			&cli.StringSliceFlag{Name: "model", Usage: "replay in this `MODEL` only (repeatable)"},
			&cli.StringSliceFlag{Name: "only", Usage: "only this `MACHINE` (repeatable)"},
			&cli.IntFlag{Name: "every", Usage: "take each so-many-th variant only", Value: 1},
			&cli.IntFlag{Name: "workers", Usage: "variants at a time", Value: 2},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			for _, name := range slices.Concat(c.StringSlice("again"), c.StringSlice("model")) {
				if !slices.ContainsFunc(silicon.Models, func(m silicon.Model) bool { return m.Name == name }) {
					return commandline.Usagef("silicon: there is no model %q: recorded, vendor, selected, scheduled or lowered", name)
				}
			}
			found := new(silicon.Found)
			if !c.Bool("all") {
				text, err := os.ReadFile(filepath.Join(c.String("root"), silicon.DataFile))
				if err != nil {
					return err
				}
				if found, err = silicon.Parse(text); err != nil {
					return err
				}
			}
			comparison := silicon.Comparison{
				Found: found, Only: c.StringSlice("only"), Every: c.Int("every"), Workers: c.Int("workers"), Again: c.StringSlice("again"), Models: c.StringSlice("model"),
				Save: func(f *silicon.Found) error { return save(c.String("root"), f) },
				Told: func(text string) { fmt.Fprintln(c.App.Writer, text) },
			}
			if err := comparison.Run(c.Context); err != nil {
				return err
			}
			return writeAll(c.String("root"), found)
		},
	}
}

func save(root string, f *silicon.Found) error {
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	return resultfile.Write(filepath.Join(root, silicon.DataFile), true, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
