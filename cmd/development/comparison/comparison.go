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
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			rows, err := validation.Rows()
			if err != nil {
				return err
			}
			var ours []validation.Figures
			for i := range rows {
				f, err := validateRow(c.Context, c.String("root"), &rows[i])
				if err != nil {
					return err
				}
				ours = append(ours, f)
			}
			var b bytes.Buffer
			if err := validation.WriteReport(&b, rows, ours); err != nil {
				return err
			}
			for _, m := range validation.Machines {
				pairs, err := compareCatalogue(c.Context, m.Name)
				if err != nil {
					return err
				}
				validation.WriteCatalogue(&b, m.Name, m.Configuration, pairs)
			}
			write := func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }
			if err := resultfile.Write(filepath.Join(c.String("root"), "docs", "validation.md"), true, write); err != nil {
				return err
			}
			return write(c.App.Writer)
		},
	}
}

// validateRow records a row's kernel in memory and replays it.
func validateRow(ctx context.Context, root string, row *validation.Row) (validation.Figures, error) {
	recorded, err := recordRow(ctx, root, row)
	if err != nil {
		return validation.Figures{}, err
	}
	return replayRow(ctx, recorded, row)
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
func replayRow(ctx context.Context, recorded []byte, row *validation.Row) (validation.Figures, error) {
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
	return validation.Measure(&results[0].Total), nil
}
