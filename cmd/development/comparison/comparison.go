// SPDX-License-Identifier: Apache-2.0

// Package comparison replays the kernels of a reference simulator, for docs/validation.md.
package comparison

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/validation"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Command compares the timing model with the reference simulator.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "validate",
		Usage: "compare the timing model with a reference simulator and write docs/validation.md",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.StringFlag{Name: "results", Usage: "keep the replays in this `FOLDER` of results, for warptape correlate"},
			&cli.StringFlag{Name: "measured", Usage: "write the reference's figures to this CSV `FILE`, for warptape correlate"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			report, kept, err := compare(c.Context, c.String("root"), c.String("results"))
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { _, err := w.Write(report); return err }
			if err := resultfile.Write(filepath.Join(c.String("root"), "docs", "validation.md"), true, write); err != nil {
				return err
			}
			if path := c.String("measured"); path != "" {
				if err := resultfile.Write(path, true, func(w io.Writer) error { _, err := kept.measured.WriteTo(w); return err }); err != nil {
					return err
				}
			}
			return write(c.App.Writer)
		},
	}
}

// compare replays all rows and writes docs/validation.md. The results go to a folder that
// is removed if none is named.
func compare(ctx context.Context, root, folder string) ([]byte, *collection, error) {
	if folder == "" {
		temporary, err := os.MkdirTemp("", "warptape-validate-")
		if err != nil {
			return nil, nil, err
		}
		defer os.RemoveAll(temporary)
		folder = temporary
	}
	rows, err := validation.Rows()
	if err != nil {
		return nil, nil, err
	}
	kept, err := newCollection(folder)
	if err != nil {
		return nil, nil, err
	}
	var ours []validation.Figures
	for i := range rows {
		f, err := validateRow(ctx, root, &rows[i], kept)
		if err != nil {
			return nil, nil, err
		}
		ours = append(ours, f)
	}
	correlation, err := kept.compare(ctx, "gpgpusim.csv")
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	if err := validation.WriteReport(&b, rows, ours); err != nil {
		return nil, nil, err
	}
	if err := writeCorrelation(&b, correlation); err != nil {
		return nil, nil, err
	}
	for _, m := range validation.Machines {
		pairs, err := compareCatalogue(ctx, m.Name)
		if err != nil {
			return nil, nil, err
		}
		validation.WriteCatalogue(&b, m.Name, m.Configuration, pairs)
	}
	return b.Bytes(), kept, nil
}

// validateRow records a row's kernel in memory and replays it. The result is kept, too,
// unless kept is nil.
func validateRow(ctx context.Context, root string, row *validation.Row, kept *collection) (validation.Figures, error) {
	recorded, err := recordRow(ctx, root, row)
	if err != nil {
		return validation.Figures{}, err
	}
	return replayRow(ctx, recorded, row, kept)
}

// recordRow gives the trace of a row's kernel.
func recordRow(ctx context.Context, root string, row *validation.Row) ([]byte, error) {
	program, err := host.Load(os.DirFS(root), validation.Program)
	if err != nil {
		return nil, err
	}
	var recorded bytes.Buffer
	w, err := wtape.NewWriter(&recorded, row.Name, trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := program.Run(ctx, host.Options{Size: row.Name, Seed: 1, Sink: w, Out: io.Discard}); err != nil {
		return nil, err
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return recorded.Bytes(), nil
}

// replayRow replays a row's trace on one core, with the registers that the
// reference was told.
func replayRow(ctx context.Context, recorded []byte, row *validation.Row, kept *collection) (validation.Figures, error) {
	r, err := wtape.NewReader(bytes.NewReader(recorded), int64(len(recorded)))
	if err != nil {
		return validation.Figures{}, err
	}
	m, err := arch.Load(validation.Machine)
	if err != nil {
		return validation.Figures{}, err
	}
	m.SM.RegistersPerThread = row.Registers
	results, err := replay.Run(ctx, r, []*arch.Machine{m}, replay.Options{Version: release.Version(), Workers: 1})
	if err != nil {
		return validation.Figures{}, err
	}
	if kept != nil {
		if err := kept.add(row, r, m, &results[0]); err != nil {
			return validation.Figures{}, err
		}
	}
	return validation.Measure(&results[0].Total), nil
}
