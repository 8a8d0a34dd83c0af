// SPDX-License-Identifier: Apache-2.0

package combinations

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/pricing"
)

//go:embed page.md.tmpl
var pageTemplate string

// pairRow is a line of the table of pairs: "yes", the number of a reason, or nothing for
// mechanisms of one kind.
type pairRow struct {
	Name  string
	Cells []string
}

type numberedReason struct {
	Number  int
	Clauses []string
}

type machineEffects struct{ Machine, Rows string }

// WritePage writes docs/combinations.md.
func WritePage(b *bytes.Buffer) error {
	var names []string
	for i := range combinationParts {
		names = append(names, combinationParts[i].name())
	}
	pairs, reasons, err := pairTable()
	if err != nil {
		return err
	}
	effects, err := pairEffects()
	if err != nil {
		return err
	}
	return page.Write(b, pageTemplate, map[string]any{
		"Names": names, "Pairs": pairs, "Reasons": reasons, "Effects": effects,
		"Calibration": pricing.Calibrations[0], "Traces": strings.Join(combinationTraces, ", "),
	})
}

// pairTable says which pairs run, and why the others do not.
func pairTable() ([]pairRow, []numberedReason, error) {
	var rows []pairRow
	var reasons []numberedReason
	number := map[string]int{}
	for i := range combinationParts {
		row := pairRow{Name: combinationParts[i].name()}
		for k := range combinationParts {
			first, second := &combinationParts[min(i, k)], &combinationParts[max(i, k)]
			if first.replaces(second) {
				row.Cells = append(row.Cells, "")
				continue
			}
			reason, err := pairRefusal(first, second)
			if err != nil {
				return nil, nil, err
			}
			if reason == "" {
				row.Cells = append(row.Cells, "yes")
				continue
			}
			if number[reason] == 0 {
				number[reason] = len(reasons) + 1
				reasons = append(reasons, numberedReason{number[reason], strings.Split(reason, "; ")})
			}
			row.Cells = append(row.Cells, fmt.Sprint(number[reason]))
		}
		rows = append(rows, row)
	}
	return rows, reasons, nil
}

// ratios are those of a machine with parts to the machine without.
type ratios struct{ time, energy, area float64 }

// pairEffects says what pairs bring, by machine.
func pairEffects() ([]machineEffects, error) {
	var rows []combinationRow
	if err := json.Unmarshal(combinationsJSON, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", combinationsFile, err)
	}
	sets, err := combinationPairs()
	if err != nil {
		return nil, err
	}
	var all []machineEffects
	for _, machine := range combinationMachines {
		if len(sets[machine]) == 0 {
			continue
		}
		var b strings.Builder
		for _, parts := range sets[machine] {
			if len(parts) < 2 {
				continue
			}
			x, errX := ratiosOf(rows, machine, partNames(parts[:1]))
			y, errY := ratiosOf(rows, machine, partNames(parts[1:]))
			both, errBoth := ratiosOf(rows, machine, partNames(parts))
			if err := errors.Join(errX, errY, errBoth); err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "| %s | %.3f, %.3f | %.3f | %.3f | %.3f, %.3f | %.3f | %.3f | %.3f, %.3f | %.3f |\n", partNames(parts),
				x.time, y.time, x.time*y.time, both.time, x.energy, y.energy, x.energy*y.energy, both.energy, x.area, y.area, both.area)
		}
		all = append(all, machineEffects{machine, b.String()})
	}
	return all, nil
}

// ratiosOf gives the ratios of a machine with parts, geometric means over the traces.
func ratiosOf(rows []combinationRow, machine, parts string) (ratios, error) {
	of := func(parts, trace string) *combinationRow {
		for i := range rows {
			if r := &rows[i]; r.Machine == machine && r.Parts == parts && r.Trace == trace {
				return r
			}
		}
		return nil
	}
	out := ratios{1, 1, 1}
	each := 1 / float64(len(combinationTraces))
	for _, trace := range combinationTraces {
		base, with := of("", trace), of(parts, trace)
		if base == nil || with == nil {
			return out, fmt.Errorf("%s has no %s on %s+%s: run 'make combination-tables'", combinationsFile, trace, machine, parts)
		}
		out.time *= math.Pow(with.Microseconds/base.Microseconds, each)
		out.energy *= math.Pow(with.MicroJoules/base.MicroJoules, each)
		out.area *= math.Pow(with.AreaMM2/base.AreaMM2, each)
	}
	return out, nil
}
