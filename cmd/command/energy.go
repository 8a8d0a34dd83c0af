// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/terminal"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
)

// energyFlags are those of the replay command that ask for energy.
func energyFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.BoolFlag{Name: "energy", Usage: "also account energy, power and area by component (in --json and --csv, too)"},
	}, technologyFlags()...)
}

// technologyFlags say what energy is accounted with.
func technologyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "tech", Usage: "account energy in this `TECHNOLOGY`, e.g. 32nm, 32nm-lop (default: the machine's own)"},
		&cli.StringFlag{Name: "calibration", Usage: "dynamic energy of operations, arrays and network: circuit (all as computed); cacti (operations fitted to a GTX480); gpuwattch (all fitted to a GTX480); or accelwattch (all, and static power, fitted to a GV100) (default: the machine's technology.calibration)"},
		&cli.StringFlag{Name: "given", Usage: "in the place of the machine's technology.given: `STRUCTURE.QUANTITY=VALUE`, separated by commas"},
		&cli.StringFlag{Name: "clock-gating", Usage: "in the place of the machine's technology.clock_gating: perfect or none"},
		&cli.StringSliceFlag{Name: "coefficient", Usage: "another value for a coefficient of docs/energy.md, `KEY=VALUE` (repeatable)"},
	}
}

// newEnergyModel prices a machine in a technology, and else as the flags say.
func newEnergyModel(c *cli.Context, m *arch.Machine, tech string) (*energy.Model, error) {
	t, err := pricing.Technology(m, tech)
	if err != nil {
		return nil, err
	}
	m = m.Clone()
	if c.IsSet("given") {
		m.Technology.Given = c.String("given")
	}
	switch gating := c.String("clock-gating"); gating {
	case "":
	case "perfect", "none":
		m.Technology.ClockGating = gating
	default:
		return nil, commandline.Usagef("--clock-gating %s: there are perfect and none", gating)
	}
	return pricing.Model(m, t, c.String("calibration"), c.StringSlice("coefficient"))
}

// resultWriter writes results in some form.
type resultWriter = func(io.Writer, []replay.Result) error

// writers are the forms of results.
type writers struct {
	json, csv, table, intervals resultWriter
	// byLine gives the dynamic energy of a result by line; nil without --energy.
	byLine func(result int, r *replay.Result) *replay.LineValues
}

// resultWriters gives the writers that the flags ask for: with --energy those
// that account energy, too. Machines that cannot be priced are refused here,
// before anything is replayed.
func resultWriters(c *cli.Context, machines []*arch.Machine) (writers, error) {
	if !c.Bool("energy") {
		for _, flag := range []string{"tech", "calibration", "coefficient", "given", "clock-gating"} {
			if c.IsSet(flag) {
				return writers{}, commandline.Usagef("--%s: needs --energy", flag)
			}
		}
		return writers{json: replay.WriteJSON, csv: replay.WriteCSV, table: tableWriter(c), intervals: replay.WriteIntervalCSV}, nil
	}
	models := make([]*energy.Model, len(machines))
	for i, m := range machines {
		var err error
		if models[i], err = newEnergyModel(c, m, c.String("tech")); err != nil {
			return writers{}, err
		}
	}
	accounting := func(write func(io.Writer, []replay.Result, []pricing.Account) error) resultWriter {
		return func(w io.Writer, results []replay.Result) error {
			accounts, err := pricing.Accounts(models, results)
			if err != nil {
				return err
			}
			return write(w, results, accounts)
		}
	}
	return writers{
		json: accounting(writeEnergyJSON), csv: accounting(writeEnergyCSV), table: accounting(energyTableWriter(c)),
		intervals: func(w io.Writer, results []replay.Result) error { return writeEnergyIntervals(w, models, results) },
		byLine:    func(i int, r *replay.Result) *replay.LineValues { return energyByLine(models[i], r) },
	}, nil
}

// tableWriter writes all figures with --full, and else the headline.
func tableWriter(c *cli.Context) resultWriter {
	return func(w io.Writer, results []replay.Result) error {
		if c.Bool("full") {
			return replay.WriteTable(w, results)
		}
		if err := replay.WriteHeadline(w, results, terminal.Width(w)); err != nil || len(results) == 0 {
			return err
		}
		_, err := fmt.Fprintln(w, "all figures: --full, --json FILE or --csv FILE (- is standard output)")
		return err
	}
}

// energyTableWriter is tableWriter with the energy of the totals below.
func energyTableWriter(c *cli.Context) func(io.Writer, []replay.Result, []pricing.Account) error {
	return func(w io.Writer, results []replay.Result, accounts []pricing.Account) error {
		if err := tableWriter(c)(w, results); err != nil {
			return err
		}
		return writeEnergyTable(w, results, accounts)
	}
}

// writeEnergyTable writes the energy of the totals.
func writeEnergyTable(w io.Writer, results []replay.Result, accounts []pricing.Account) error {
	reports := make([]energy.Report, len(accounts))
	for i := range accounts {
		reports[i] = accounts[i].Total
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	for i := range results {
		s := results[i].Sampled
		if s == nil || i > 0 && results[0].Sampled != nil && s.Policy == results[0].Sampled.Policy {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s; the relative interval of energies is taken to be that of cycles: %s\n", s.Describe(), results[i].Total.Uncertainty); err != nil {
			return err
		}
	}
	if err := energy.WriteTable(w, reports); err != nil {
		return err
	}
	for i := range results {
		if ns := results[i].Total.LaunchGapNanoseconds(); ns > 0 {
			if _, err := fmt.Fprintf(w, "%s: %.4g uJ besides, static, in the %.2f us in which no kernel ran and one was on its way\n", results[i].Machine, accounts[i].LaunchGapJ*1e6, ns/1000); err != nil {
				return err
			}
		}
	}
	for i := range results {
		if err := writeEnergyParts(w, &results[i], &accounts[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeEnergyJSON is replay.WriteJSON with an "energy" object per machine.
func writeEnergyJSON(w io.Writer, results []replay.Result, accounts []pricing.Account) error {
	type withEnergy struct {
		replay.Result
		Energy pricing.Account `json:"energy"`
		// Percent is half of the 95 % interval of the total energy; nil unless it
		// is an estimate from a sample.
		Percent *float64 `json:"energy_plus_minus_percent,omitempty"`
	}
	list := make([]withEnergy, len(results))
	for i := range results {
		list[i] = withEnergy{Result: results[i], Energy: accounts[i]}
		if u := results[i].Total.Uncertainty; u != nil {
			list[i].Percent = &u.Percent
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(list)
}

// writeEnergyCSV is replay.WriteCSV with columns for the dynamic and static
// joules of every component behind the others; a machine that lacks a component
// has empty fields there.
func writeEnergyCSV(w io.Writer, results []replay.Result, accounts []pricing.Account) error {
	var plain bytes.Buffer
	if err := replay.WriteCSV(&plain, results); err != nil {
		return err
	}
	rows, err := csv.NewReader(&plain).ReadAll()
	if err != nil {
		return err
	}
	var reports []*energy.Report // in the order of rows
	for i := range accounts {
		for j := range accounts[i].Launches {
			reports = append(reports, &accounts[i].Launches[j])
		}
		reports = append(reports, &accounts[i].Total)
	}
	paths := leafPaths(reports)
	out := csv.NewWriter(w)
	out.UseCRLF = true
	for i, row := range rows {
		if i == 0 {
			for _, p := range paths {
				name := "energy_" + strings.NewReplacer("/", "_", " ", "_").Replace(p)
				row = append(row, name+"_dynamic_j", name+"_static_j")
			}
		} else {
			row = append(row, energyFields(reports[i-1], paths)...)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func energyFields(r *energy.Report, paths []string) []string {
	fields := make([]string, 0, 2*len(paths))
	for _, p := range paths {
		dynamic, static := "", ""
		for _, l := range r.Leaves {
			if l.Path == p {
				dynamic, static = strconv.FormatFloat(l.DynamicJ, 'g', -1, 64), strconv.FormatFloat(l.StaticJ, 'g', -1, 64)
			}
		}
		fields = append(fields, dynamic, static)
	}
	return fields
}

// leafPaths lists the components of all reports in the order of their first
// appearance.
func leafPaths(reports []*energy.Report) []string {
	var paths []string
	seen := map[string]bool{}
	for _, r := range reports {
		for _, l := range r.Leaves {
			if !seen[l.Path] {
				seen[l.Path] = true
				paths = append(paths, l.Path)
			}
		}
	}
	return paths
}
