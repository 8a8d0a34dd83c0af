// SPDX-License-Identifier: Apache-2.0

package energypages

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/traces"
)

// energyTableMachines are those of docs/energy-tables.md.
var energyTableMachines = []string{"gtx480", "gpsim-tiny"}

const (
	energyTablesFile = "cmd/development/energypages/tables.json"
	// energyTableView gives the columns.
	energyTableView = "front-end"
)

//go:embed tables.json
var energyTablesJSON []byte

// energyTableRow is one workload, at energySize, on one machine.
type energyTableRow struct {
	Workload string `json:"workload"`
	Digest   string `json:"digest"` // of the workload's files
	Machine  string `json:"machine"`
	// Refused says why the machine cannot run the workload; all else is zero then.
	Refused      string             `json:"refused,omitempty"`
	Microseconds float64            `json:"microseconds"`
	DynamicUJ    float64            `json:"dynamic_uj"`
	StaticUJ     float64            `json:"static_uj"`
	PJPerInsn    float64            `json:"pj_per_thread_instruction"`
	Watts        float64            `json:"watts"`
	Shares       map[string]float64 `json:"dynamic_percent"` // by group of energyTableView
}

// TablesCommand prices the workloads.
func TablesCommand() *cli.Command {
	return &cli.Command{
		Name:      "energy-tables",
		ArgsUsage: "[WORKLOAD]...",
		Usage:     "price all workloads, or those named anew, on " + energyTableMachines[0] + " and " + energyTableMachines[1] + " and write " + energyTablesFile,
		Flags:     []cli.Flag{&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."}},
		Action: func(c *cli.Context) error {
			rows, err := measureEnergyTables(c.App.Writer, c.Args().Slice())
			if err != nil {
				return err
			}
			return resultfile.WriteJSON(filepath.Join(c.String("root"), energyTablesFile), true, rows)
		},
	}
}

// measureEnergyTables prices the workloads of these names, and keeps the rows of others; all without names.
func measureEnergyTables(progress io.Writer, names []string) ([]energyTableRow, error) {
	machines, err := machineset.Load(energyTableMachines)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := traces.Find(name); err != nil {
			return nil, err
		}
	}
	var kept, rows []energyTableRow
	if err := json.Unmarshal(energyTablesJSON, &kept); err != nil {
		return nil, fmt.Errorf("%s: %w", energyTablesFile, err)
	}
	for _, w := range traces.List() {
		if len(names) > 0 && !slices.Contains(names, w.Name) {
			for i := range kept {
				if kept[i].Workload == w.Name {
					rows = append(rows, kept[i])
				}
			}
			continue
		}
		of, err := energyTableRows(w, machines)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		rows = append(rows, of...)
		fmt.Fprintln(progress, w.Name)
	}
	return rows, nil
}

// energyTableRows records a workload and gives its row for each machine.
func energyTableRows(w traces.Workload, machines []*arch.Machine) ([]energyTableRow, error) {
	folder, err := os.MkdirTemp("", "warptape-energy-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	digest, err := w.Digest()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "w.wtape")
	if err := recordForEnergy(w.Name, path); err != nil {
		return nil, err
	}
	var rows []energyTableRow
	for i, m := range machines {
		row := energyTableRow{Workload: w.Name, Digest: digest, Machine: energyTableMachines[i]}
		if row.Refused, err = refusal(path, energyTableMachines[i]); err != nil {
			return nil, err
		}
		if row.Refused == "" {
			run, err := runForEnergy(w.Name, path, []*arch.Machine{m})
			if err != nil {
				return nil, err
			}
			row.price(&run.accounts[pricing.Calibrations[0]][0])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (row *energyTableRow) price(r *energy.Report) {
	total := r.Total()
	row.Microseconds = digits(r.Seconds * 1e6)
	row.DynamicUJ, row.StaticUJ = digits(total.DynamicJ*1e6), digits(total.StaticJ*1e6)
	row.PJPerInsn, row.Watts = digits(r.PJPerInstruction()), digits(r.AverageW())
	row.Shares = map[string]float64{}
	for _, s := range energyView(energyTableView).Shares(r) {
		row.Shares[s.Name] = digits(s.Percent)
	}
}

// digits rounds to three significant digits; what is not a number is nothing.
func digits(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return rounded
}

func energyView(name string) *energy.View {
	for i, v := range energy.Views() {
		if v.Name == name {
			return &energy.Views()[i]
		}
	}
	panic("BUG: no view " + name)
}

//go:embed tables.md.tmpl
var tablesPage string

type machineRows struct{ Name, Rows string }

// WriteTables writes docs/energy-tables.md.
func WriteTables(b *bytes.Buffer) error {
	var rows []energyTableRow
	if err := json.Unmarshal(energyTablesJSON, &rows); err != nil {
		return fmt.Errorf("%s: %w", energyTablesFile, err)
	}
	groups := energyView(energyTableView).Groups
	var machines []machineRows
	for _, machine := range energyTableMachines {
		var of bytes.Buffer
		for i := range rows {
			if rows[i].Machine == machine {
				rows[i].write(&of, groups)
			}
		}
		machines = append(machines, machineRows{machine, of.String()})
	}
	return page.Write(b, tablesPage, map[string]any{
		"Size": energySize, "Calibration": pricing.Calibrations[0], "View": energyTableView, "Groups": groups, "Machines": machines,
	})
}

func (row *energyTableRow) write(b *bytes.Buffer, groups []energy.Group) {
	if row.Refused != "" {
		fmt.Fprintf(b, "| %s | - | - | - | - | - |", row.Workload)
		for range groups {
			b.WriteString(" - |")
		}
		b.WriteString("\n")
		return
	}
	fmt.Fprintf(b, "| %s |", row.Workload)
	for _, x := range []float64{row.Microseconds, row.DynamicUJ, row.StaticUJ, row.Watts, row.PJPerInsn} {
		fmt.Fprintf(b, " %s |", strconv.FormatFloat(x, 'f', -1, 64))
	}
	for _, g := range groups {
		if s := row.Shares[g.Name]; s != 0 {
			fmt.Fprintf(b, " %.1f |", s)
			continue
		}
		b.WriteString(" - |")
	}
	b.WriteString("\n")
}
