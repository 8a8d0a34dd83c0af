// SPDX-License-Identifier: Apache-2.0

package energypages

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/silicon"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/counters"
)

//go:embed validation.md.tmpl
var validationPage string

// validationRow is a share that a paper gives.
type validationRow struct {
	quantity  string
	machine   int // of energyMachines
	published string
	source    string
	value     func(*energy.Report) float64
}

var validationRows = []validationRow{
	{"first-level data cache of on-chip memory, dynamic [%]", 1, "69", "GPSim thesis Fig. 5.1", shareOf("on-chip-memory", "first-level data cache")},
	{"scratchpad of on-chip memory, dynamic [%]", 1, "25", "GPSim thesis Fig. 5.1", shareOf("on-chip-memory", "scratchpad")},
	{"front end of the GPU, dynamic [%]", 0, "18", "cited in Buddy SM section 1", func(r *energy.Report) float64 {
		return shareOf("front-end", "fetch")(r) + shareOf("front-end", "decode, issue, stack")(r)
	}},
	{"front end of the GPU, dynamic [%]", 3, "18", "cited in Buddy SM section 1", func(r *energy.Report) float64 {
		return shareOf("front-end", "fetch")(r) + shareOf("front-end", "decode, issue, stack")(r)
	}},
	{"fetch of the GPU, dynamic [%]", 0, "12", "cited in Buddy SM section 1", shareOf("front-end", "fetch")},
	{"fetch of the GPU, dynamic [%]", 3, "12", "cited in Buddy SM section 1", shareOf("front-end", "fetch")},
	{"network of the GPU [%]", 2, "27", "near-data computing paper section 3", shareOf("data-movement", "network")},
	{"average power [W], DRAM included", 0, "up to 250", "board specification", (*energy.Report).AverageW},
}

// shareOf gives the percentage of a group in a view.
func shareOf(view, group string) func(*energy.Report) float64 {
	return func(r *energy.Report) float64 {
		for _, v := range energy.Views() {
			if v.Name != view {
				continue
			}
			for _, s := range v.Shares(r) {
				if s.Name == group {
					return s.Percent
				}
			}
		}
		panic("BUG: no group " + group + " in view " + view)
	}
}

// WriteValidation writes docs/energy-validation.md.
func WriteValidation(b *bytes.Buffer) error {
	runs, err := energyRuns()
	if err != nil {
		return err
	}
	claims, err := energy.Claims()
	if err != nil {
		return err
	}
	var workloads []string
	for i := range runs {
		workloads = append(workloads, runs[i].workload)
	}
	found, err := silicon.Last()
	if err != nil {
		return err
	}
	power, err := powerRows()
	if err != nil {
		return err
	}
	areas, err := areaRows()
	if err != nil {
		return err
	}
	total := runs[0].accounts[pricing.Calibrations[0]][0].Total()
	return page.Write(b, validationPage, map[string]any{
		"Workloads": workloads, "Shares": shareRows(runs), "Machine": energyMachines[0], "Used": slotsUsed(runs),
		"AreaMM2": total.AreaMM2, "Claims": claimRows(claims), "Parts": claimParts(claims),
		"Kernels": found.Kernels, "Power": power, "Dies": areas, "Cards": cards,
	})
}

// shareRows has a row for each share and calibration.
func shareRows(runs []energyRun) string {
	var b strings.Builder
	for _, row := range validationRows {
		for _, calibration := range compared {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | ", row.quantity, energyMachines[row.machine], row.published, row.source, calibration)
			writeRuns(&b, runs, func(r *energyRun) float64 {
				return row.value(&r.accounts[calibration][row.machine])
			})
		}
	}
	return b.String()
}

// writeRuns ends a row with a value per run and their mean.
func writeRuns(b *strings.Builder, runs []energyRun, of func(*energyRun) float64) {
	sum := 0.0
	for i := range runs {
		v := of(&runs[i])
		sum += v
		fmt.Fprintf(b, "%.0f | ", v)
	}
	fmt.Fprintf(b, "%.0f |\n", sum/float64(len(runs)))
}

// slotsUsed says how busy the first machine was in each run.
func slotsUsed(runs []energyRun) []string {
	var list []string
	for i := range runs {
		set := (*counters.Set)(&runs[i].results[0].Total.Counters)
		list = append(list, fmt.Sprintf("%s %.0f %%", runs[i].workload, 100*float64(set[counters.SlotIssued])/float64(set[counters.IssueSlots])))
	}
	return list
}

func claimRows(claims []energy.Claim) string {
	var b strings.Builder
	for _, c := range claims {
		ratio := fmt.Sprintf("%.2f", c.Computed/c.Published)
		if c.Input != "" {
			ratio = "input, not result: " + c.Input
		}
		fmt.Fprintf(&b, "| %s | %s | %g %s | %.4g %s | %s |\n", c.Name, c.Source, c.Published, c.Unit, c.Computed, c.Unit, ratio)
	}
	return b.String()
}

// claimParts lists the structures that the claims are made of.
func claimParts(claims []energy.Claim) string {
	var b strings.Builder
	for _, c := range claims {
		for _, p := range c.Parts {
			unit := c.Unit
			if unit == "%" {
				unit = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %g | %.3g %s |\n", c.Name, p.Name, p.Count, p.Value, unit)
		}
	}
	return b.String()
}
