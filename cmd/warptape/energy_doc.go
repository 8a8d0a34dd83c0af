package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/counters"
)

const energyIntroduction = `Energy is activity times energy per access. A replay counts activity; the model prices it afterwards and never changes a cycle:

    warptape replay sgemm.wtape --arch gtx480 --arch gtx480+big-l1 --energy
    warptape replay sgemm.wtape --arch gtx480 --json sgemm.json
    warptape energy sgemm.json --tech 22nm --coefficient dram.byte=60

Every joule belongs to one leaf of a tree of components (chip, sm, front end, fetch ...), as dynamic or as static energy. Views
group the leaves as the figures of the papers do. ` + "`--json` and `--csv`" + ` hold the leaves of every launch, too.

How far the results are from published ones: [energy-validation.md](energy-validation.md).

## Technology

A machine has a node (22 to 65 nm), a temperature (300 to 400 K), a voltage relative to the node's nominal one (0.5 to 1.3) and
high-performance or low-operating-power devices in its memory structures: the section ` + "`technology`" + ` of its description. The rules
of scaling:

- Memory structures: CACTI 7 results at 65, 45, 32 and 22 nm; nodes between are interpolated.
- Other energies: from the node of the source, times feature size and the square of nominal voltage (1.1, 1.0, 0.9, 0.8 V at 65,
  45, 32, 22 nm), as GPUWattch's formulas scale. Logic area goes with the square of the feature size.
- Dynamic energy goes with the square of the voltage ratio, leakage power with its first power.
- Leakage goes with temperature T as T^2 exp(-q Vth / (n k T)), with Vth = 0.25 V and n = 1.5 (assumed), from 360 K.
- Clocks are gated perfectly: what does not work draws leakage, and each SM a fitted constant. Nothing is power-gated.
- DRAM has a supply of its own and does not depend on the chip's technology.

## Calibration

Arithmetic and the scheduler have energies that GPUWattch has fitted to a GTX480. Arrays and the network have what CACTI and DSENT
give, which leaves out the wires, control and clocks around them. With ` + "`--calibration gpuwattch`" + ` the dynamic energies of fetch,
register file, shared memory, L1, constant cache, network and L2 are multiplied by what lies between CACTI's figure for the card and
GPUWattch's effective energy. Use it to compare with the papers, which used GPUWattch; leave it out to compare arrays.

## Views

%VIEWS%
## Area

The area of a component is that of its arrays, its crossbar ports, or its lanes at the ALU area that the affine paper gives. What
has no counter has no area: for gtx480 the sum is a sixth of the die. Use it to compare structures, not to size a chip.

## Memory structures

Energy per read and write, leakage, area, access and cycle time of caches, RAM banks, CAMs and fully associative structures are
interpolated in logarithms (kriging with a power law as trend) between CACTI 7 results: 360 K, energy-delay-squared objective, no
ECC. What CACTI has computed is given as computed. Beyond the smallest and largest capacity, width, line and associativity of the
class the fitted power law is followed up to a factor of four; anything else is refused.

CACTI gives tags and data of a cache together. The tags are taken to be a RAM as wide as the tags of all ways, the data what is
left. L1, constant and instruction caches read tags and all ways at once; L2 and last-level caches read tags first. Crossbars
inside banked structures are terms of their own (crossbar.lane_pj).

The error of the model, fitted to nine tenths of the results, on those of the last tenth that lie inside the others' capacities:

| structure | quantity | points | mean error | nine in ten below | worst |
| --- | --- | ---: | ---: | ---: | ---: |
`

const energyErrorsNote = `
CACTI picks each array's organisation from few candidates, so that neighbours differ by jumps that no smooth function follows.
Cycle time and the area of caches show it most: their mean error is above 5 %. No time enters an account. High-performance
leakage is very high (38 mW for a 32 KB L1 against 2.4 mW of low-power devices).

## Coefficients

Energies are per lane unless the unit says otherwise. GPUWattch's effective energies were fitted to measurements of a card and
contain factors per operation; they stand for what a card draws, not for what an adder does. Rows in *italics* are assumed or
second-hand.

| coefficient | value | unit | node | source |
| --- | ---: | --- | ---: | --- |
`

// writeEnergyDoc writes docs/energy.md.
func writeEnergyDoc(b *bytes.Buffer) error {
	var list strings.Builder
	for _, v := range energy.Views() {
		fmt.Fprintf(&list, "- `%s`: %s\n", v.Name, v.Source)
	}
	b.WriteString("# Energy, power and area\n\n" + generatedNote + strings.Replace(energyIntroduction, "%VIEWS%", list.String(), 1))
	errors, err := sram.DefaultErrors()
	if err != nil {
		return err
	}
	for _, e := range errors {
		fmt.Fprintf(b, "| %s | %s | %d | %.1f %% | %.1f %% | %.1f %% |\n", e.Class, e.Metric, e.Points, 100*e.Mean, 100*e.NineInTen, 100*e.Worst)
	}
	b.WriteString(energyErrorsNote)
	for _, c := range energy.DefaultCoefficients().List() {
		node, source := "", c.Source
		if c.NodeNM > 0 {
			node = fmt.Sprintf("%g nm", c.NodeNM)
		}
		if c.Assumed {
			source = "*" + source + "*"
		}
		fmt.Fprintf(b, "| `%s` | %g | %s | %s | %s |\n", c.Key, c.Value, c.Unit, node, source)
	}
	runs, err := energyRuns()
	if err != nil {
		return err
	}
	if err := writeSensitivity(b, runs); err != nil {
		return err
	}
	return writePrices(b, &runs[0])
}

// writeSensitivity varies the assumed coefficients on one run.
func writeSensitivity(b *bytes.Buffer, runs []energyRun) error {
	run := &runs[1]
	total := &run.results[0].Total
	m := run.results[0].Architecture
	list, err := energy.Sensitivities(m, energy.TechnologyOf(m), (*counters.Set)(&total.Counters), total.Nanoseconds*1e-9)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n## What the assumptions weigh\n\nChange of the total energy of %s (%s) on %s when an assumed coefficient is half, and one and a half times, its value:\n\n", run.workload, energySize, m.Name)
	b.WriteString("| coefficient | half | one and a half |\n| --- | ---: | ---: |\n")
	for _, s := range list {
		fmt.Fprintf(b, "| `%s` | %s %% | %s %% |\n", s.Coefficient.Key, signed(s.Less), signed(s.More))
	}
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

// writePrices lists what gtx480's components charge, and what is free.
func writePrices(b *bytes.Buffer, run *energyRun) error {
	m := run.results[0].Architecture
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n## Prices of %s\n\nWhat an event of a counter costs in each component (%g nm), its static power and area:\n\n", m.Name, model.Technology.NodeNM)
	b.WriteString("| component | picojoules per event | static [W] | area [mm2] |\n| --- | --- | ---: | ---: |\n")
	for _, c := range model.Components {
		var charges []string
		for _, ch := range c.Charges {
			charges = append(charges, fmt.Sprintf("`%s` %.3g", counters.Declared(ch.Counter).Name, ch.PJ))
		}
		fmt.Fprintf(b, "| %s | %s | %.3g | %.3g |\n", c.Path, strings.Join(charges, ", "), c.StaticW, c.AreaMM2)
	}
	b.WriteString("\n## Counters without a price\n\n| counter | reason |\n| --- | --- |\n")
	for id := range counters.ID(counters.Count) {
		if reason, free := energy.Free(id); free {
			fmt.Fprintf(b, "| `%s` | %s |\n", counters.Declared(id).Name, reason)
		}
	}
	return nil
}
