// SPDX-License-Identifier: Apache-2.0

// Package energypages writes the documents on energy: the model, its validation, and
// what every workload takes.
package energypages

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/counters"
)

//go:embed model.md.tmpl
var modelPage string

// WriteModel writes docs/energy.md.
func WriteModel(b *bytes.Buffer) error {
	data := map[string]any{"Views": energy.Views(), "Size": energySize, "Coefficients": coefficientRows(), "Dies": dieRows(), "Processes": processRows()}
	if err := memoryErrors(data); err != nil {
		return err
	}
	runs, err := energyRuns()
	if err != nil {
		return err
	}
	if err := sensitivityRows(data, &runs[1]); err != nil {
		return err
	}
	if err := priceRows(data, &runs[0]); err != nil {
		return err
	}
	return page.Write(b, modelPage, data)
}

func dieRows() string {
	var b strings.Builder
	for _, d := range energy.Dies() {
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %d | %d | %g | %s |\n", d.Name, d.Process, d.SMs, d.L2KiB, d.Controllers, d.Products, d.DRAMPJ, d.Source)
	}
	return b.String()
}

func processRows() string {
	var b strings.Builder
	for _, p := range energy.Processes() {
		fmt.Fprintf(&b, "| %s | %g | %.2f | %.2f | %s |\n", p.Name, p.CellUM2, p.Logic, p.Power, p.Source)
	}
	return b.String()
}

func coefficientRows() string {
	var b strings.Builder
	for _, c := range energy.DefaultCoefficients().List() {
		node, source := "", c.Source
		if c.NodeNM > 0 {
			node = fmt.Sprintf("%g nm", c.NodeNM)
		}
		if c.Assumed {
			source = "*" + source + "*"
		}
		fmt.Fprintf(&b, "| `%s` | %g | %s | %s | %s |\n", c.Key, c.Value, c.Unit, node, source)
	}
	return b.String()
}

// memoryErrors states how close the memory model is to CACTI.
func memoryErrors(data map[string]any) error {
	results, sizes, err := sram.DefaultErrors()
	if err != nil {
		return err
	}
	organised, err := sram.OrganisedErrors()
	if err != nil {
		return err
	}
	points, err := sram.Grid()
	if err != nil {
		return err
	}
	data["Organised"], data["Errors"], data["UnseenErrors"], data["Jumps"] = organisedRows(organised), errorRows(results), errorRows(sizes), sram.Jumps(points)
	return nil
}

func organisedRows(errors []sram.Error) string {
	var b strings.Builder
	for _, e := range errors {
		fmt.Fprintf(&b, "| %s | %s | %d | %.3f %% | %.3f %% |\n", e.Class, e.Metric, e.Points, 100*e.Mean, 100*e.Worst)
	}
	return b.String()
}

func errorRows(errors []sram.Error) string {
	var b strings.Builder
	for _, e := range errors {
		if e.Points > 0 {
			fmt.Fprintf(&b, "| %s | %s | %d | %.1f %% | %.1f %% | %d | %d | %.1f %% |\n", e.Class, e.Metric, e.Points, 100*e.Mean, 100*e.NineInTen, e.Beyond, e.Changing, 100*e.Worst)
		}
	}
	return b.String()
}

// sensitivityRows varies the assumed coefficients on one run.
func sensitivityRows(data map[string]any, run *energyRun) error {
	total := &run.results[0].Total
	m := run.results[0].Architecture
	list, err := energy.Sensitivities(m, energy.TechnologyOf(m), (*counters.Set)(&total.Counters), total.Nanoseconds*1e-9)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "| `%s` | %s %% | %s %% |\n", s.Coefficient.Key, signed(s.Less), signed(s.More))
	}
	data["Workload"], data["Machine"], data["Sensitivities"] = run.workload, m.Name, b.String()
	return nil
}

// signed prints a percentage to a tenth, without a negative zero.
func signed(v float64) string {
	s := fmt.Sprintf("%+.1f", v)
	if s == "-0.0" {
		return "+0.0"
	}
	return s
}

// priceRows lists what the components of the run's first machine charge, and what is free.
func priceRows(data map[string]any, run *energyRun) error {
	m := run.results[0].Architecture
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		return err
	}
	var prices, free strings.Builder
	for _, c := range model.Components {
		var charges []string
		for _, ch := range c.Charges {
			text := fmt.Sprintf("`%s` %.3g", counters.Declared(ch.Counter).Name, ch.PJ)
			if len(ch.But) > 0 {
				text += " (but those that follow)"
			}
			charges = append(charges, text)
		}
		fmt.Fprintf(&prices, "| %s | %s | %.3g | %.3g |\n", c.Path, strings.Join(charges, ", "), c.StaticW, c.AreaMM2)
	}
	for id := range counters.ID(counters.Count) {
		if reason, is := energy.Free(id); is {
			fmt.Fprintf(&free, "| `%s` | %s |\n", counters.Declared(id).Name, reason)
		}
	}
	data["Priced"], data["NodeNM"], data["Prices"], data["Free"] = m.Name, model.Technology.NodeNM, prices.String(), free.String()
	return nil
}
