// SPDX-License-Identifier: Apache-2.0

package combinations

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

const combinationsFile = "cmd/development/combinations/combinations.json"

//go:embed combinations.json
var combinationsJSON []byte

// combinationRow is what a machine with some mechanisms takes for one trace.
type combinationRow struct {
	Machine      string  `json:"machine"`
	Parts        string  `json:"parts"` // overlays, "" for none
	Trace        string  `json:"trace"`
	Digest       string  `json:"digest"` // of the trace
	Microseconds float64 `json:"microseconds"`
	MicroJoules  float64 `json:"microjoules"`
	AreaMM2      float64 `json:"area_mm2"`
}

// Command replays recorded traces on pairs of mechanisms.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "combinations",
		Usage: "replay recorded traces on pairs of mechanisms and write " + combinationsFile,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.BoolFlag{Name: "again", Usage: "measure also what the file has; without, a run that was stopped goes on"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			m := combinationMeasurement{root: c.String("root"), progress: c.App.Writer}
			if !c.Bool("again") {
				if err := json.Unmarshal(combinationsJSON, &m.known); err != nil {
					return fmt.Errorf("%s: %w", combinationsFile, err)
				}
			}
			return m.measure(c.Context)
		},
	}
}

// combinationMeasurement replays the traces; known rows stay as they are.
type combinationMeasurement struct {
	root        string
	progress    io.Writer
	known, rows []combinationRow
}

func (m *combinationMeasurement) measure(ctx context.Context) error {
	sets, err := combinationPairs()
	if err != nil {
		return err
	}
	for _, name := range combinationTraces {
		if err := m.measureTrace(ctx, name, sets); err != nil {
			return errors.Join(err, m.write(append(m.rows, m.known...)))
		}
	}
	return m.write(m.rows)
}

func (m *combinationMeasurement) write(rows []combinationRow) error {
	return resultfile.WriteJSON(filepath.Join(m.root, combinationsFile), true, rows)
}

func (m *combinationMeasurement) measureTrace(ctx context.Context, name string, sets map[string][][]*combinationPart) error {
	r, err := wtape.Open(filepath.Join(m.root, "traces", "recorded", name+".wtape"))
	if err != nil {
		return err
	}
	defer r.Close()
	for _, machine := range combinationMachines {
		for _, parts := range sets[machine] {
			row := combinationRow{Machine: machine, Parts: partNames(parts), Trace: name, Digest: r.Digest()}
			if i := slices.IndexFunc(m.known, row.same); i >= 0 {
				m.rows = append(m.rows, m.known[i])
				continue
			}
			if err := row.measure(ctx, r, parts); err != nil {
				return err
			}
			m.rows = append(m.rows, row)
			fmt.Fprintln(m.progress, row.Trace, row.Machine, row.Parts)
		}
	}
	return nil
}

// same reports whether a row is of the same machine and trace.
func (row *combinationRow) same(other combinationRow) bool {
	return row.Machine == other.Machine && row.Parts == other.Parts && row.Trace == other.Trace && row.Digest == other.Digest
}

// measure replays a trace on the row's machine with parts.
func (row *combinationRow) measure(ctx context.Context, r *wtape.Reader, parts []*combinationPart) error {
	m, err := combined(row.Machine, parts...)
	if err != nil {
		return err
	}
	results, err := replay.Run(ctx, r, []*arch.Machine{m}, replay.Options{Workers: 1})
	if err != nil {
		return err
	}
	total := &results[0].Total
	model, err := pricing.Model(m, energy.TechnologyOf(m), pricing.Calibrations[0], nil)
	if err != nil {
		return err
	}
	account, err := model.Account((*counters.Set)(&total.Counters), total.Nanoseconds*1e-9)
	if err != nil {
		return err
	}
	sum := account.Total()
	row.Microseconds, row.MicroJoules, row.AreaMM2 = precise(total.Nanoseconds/1e3), precise(sum.TotalJ()*1e6), precise(sum.AreaMM2)
	return nil
}

// precise rounds to six significant digits.
func precise(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}
