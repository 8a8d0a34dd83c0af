package energypages

import (
	"bytes"
	"fmt"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/counters"
)

const validationIntroduction = `Published figures beside those of this model. Nothing is fitted to them. The runs are the catalogue's, not those of the papers, and
of small size.

## Shares of energy

Published shares are means over a paper's benchmarks. Each quantity has a row for each calibration ([energy.md](energy.md)).

| quantity | machine | published | source | calibration | `

const validationNotes = `
What the remaining differences come from:

- *First-level cache and scratchpad*: within a few percent on the thesis' machine. The scratchpad share depends on how many of the
  workloads use it: two of these four do.
- *Front end*: the mean is that of the workload mix. saxpy and reduction move some twelve bytes of DRAM per thread at 125 pJ each, beside
  which nothing else counts. sgemm and hotspot compute; there, operations as circuits and the paper's own 32 pJ for the fetch of an
  instruction (overlay ` + "`published-icache`" + `) come close to the published 12 % and 18 %. CACTI 7 gives a seventh of these 32 pJ for the same
  cache. With operations fitted to a card (` + "`cacti`" + `) an addition costs 30 times its circuit, and the front end drowns in arithmetic.
- *Network*: the near-data paper put the injection rates of nine memory-bound workloads into DSENT, for a node and a die that it does not
  name; 22 nm and a die of 23 mm are assumed here. With DSENT's circuits the links and routers cost a few percent; GPUWattch's fitted
  flit of 1.9 nJ, 305 times its model's router, comes nearer.
- *Power*: up to 250 W is the board's limit, with fans and regulators. The model has no memory controllers, pads, regulators, display or video
  units; its components cover a part of the die, and only that part leaks (below). Small runs do not fill the issue slots.

`

const singleStructures = `
## Single structures

The papers' structures as data (energy/claims.yaml), through the same model. Ratios of areas, in which a version of CACTI cancels,
come out within a factor of two. Energies and areas of small arrays do not: the affine paper used CACTI 5.3, the Buddy SM paper 6.0, and
the affine paper's area is 36 um2 a byte, ten times a plain array of CACTI 7 and five times one of two ports. The near-data paper's
1 % leaves no room for a warp-wide unit at each cache as large as the affine paper's ALUs; half as wide ones would fit.

| quantity | source | published | computed | ratio |
| --- | --- | ---: | ---: | ---: |
`

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
	b.WriteString("# Energy: measured against published\n\n" + page.Note + validationIntroduction)
	rule := "| --- | --- | ---: | --- | --- | "
	for _, r := range runs {
		fmt.Fprintf(b, "%s | ", r.workload)
		rule += "---: | "
	}
	fmt.Fprintf(b, "mean |\n%s---: |\n", rule)
	for _, row := range validationRows {
		for _, calibration := range pricing.Calibrations {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | ", row.quantity, energyMachines[row.machine], row.published, row.source, calibration)
			writeRuns(b, runs, func(r *energyRun) float64 {
				return row.value(&r.accounts[calibration][row.machine])
			})
		}
	}
	b.WriteString(validationNotes)
	writeUse(b, runs)
	b.WriteString(singleStructures)
	claims, err := energy.Claims()
	if err != nil {
		return err
	}
	for _, c := range claims {
		ratio := fmt.Sprintf("%.2f", c.Computed/c.Published)
		if c.Input != "" {
			ratio = "input, not result: " + c.Input
		}
		fmt.Fprintf(b, "| %s | %s | %g %s | %.4g %s | %s |\n", c.Name, c.Source, c.Published, c.Unit, c.Computed, c.Unit, ratio)
	}
	return writeClaimParts(b, claims)
}

// writeRuns ends a row with a value per run and their mean.
func writeRuns(b *bytes.Buffer, runs []energyRun, of func(*energyRun) float64) {
	sum := 0.0
	for i := range runs {
		v := of(&runs[i])
		sum += v
		fmt.Fprintf(b, "%.0f | ", v)
	}
	fmt.Fprintf(b, "%.0f |\n", sum/float64(len(runs)))
}

// writeUse says how busy the first machine was, and how much of its die the
// components cover.
func writeUse(b *bytes.Buffer, runs []energyRun) {
	name := energyMachines[0]
	b.WriteString("Issue slots of " + name + " in which an instruction issued:")
	for i := range runs {
		set := (*counters.Set)(&runs[i].results[0].Total.Counters)
		separator := ","
		if i == len(runs)-1 {
			separator = "."
		}
		fmt.Fprintf(b, " %s %.0f %%%s", runs[i].workload, 100*float64(set[counters.SlotIssued])/float64(set[counters.IssueSlots]), separator)
	}
	total := runs[0].accounts[pricing.Calibrations[0]][0].Total()
	const dieMM2 = 520.0 // of a GTX480, affine paper section 4.8
	fmt.Fprintf(b, "\nIts components have %.0f mm2 of the die's %g (affine paper section 4.8).\n", total.AreaMM2, dieMM2)
}

// writeClaimParts lists the structures that the claims are made of.
func writeClaimParts(b *bytes.Buffer, claims []energy.Claim) error {
	b.WriteString("\nThe structures, with the place that gives their sizes:\n\n| quantity | structure | instances | adds |\n| --- | --- | ---: | ---: |\n")
	for _, c := range claims {
		for _, p := range c.Parts {
			unit := c.Unit
			if unit == "%" {
				unit = ""
			}
			fmt.Fprintf(b, "| %s | %s | %g | %.3g %s |\n", c.Name, p.Name, p.Count, p.Value, unit)
		}
	}
	return nil
}
