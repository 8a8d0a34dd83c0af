// Package energypages writes the documents on energy: the model, its validation, and
// what every workload takes.
package energypages

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/counters"
)

const energyIntroduction = `Energy is activity times energy per access. A replay counts activity; the model prices it afterwards and never changes a cycle:

    warptape replay sgemm.wtape --arch gtx480 --arch gtx480+big-l1 --energy
    warptape replay sgemm.wtape --arch gtx480 --json sgemm.json
    warptape energy sgemm.json --tech 22nm --coefficient dram.byte=60 --calibration circuit

Every joule belongs to one leaf of a tree of components (chip, sm, front end, fetch ...), as dynamic or as static energy. Views
group the leaves as the figures of the papers do. ` + "`--json` and `--csv`" + ` hold the leaves of every launch, too.

How far the results are from published ones: [energy-validation.md](energy-validation.md). What every workload takes:
[energy-tables.md](energy-tables.md).

## Technology

A machine has a node (22 to 65 nm), a temperature (300 to 400 K), a voltage relative to the node's nominal one (0.5 to 1.3) and
high-performance or low-operating-power devices in its memory structures: the section ` + "`technology`" + ` of its description. The rules
of scaling:

- Memory structures: CACTI 7 results at 65, 45, 32 and 22 nm; nodes between are interpolated.
- Other energies: from the node of the source, times feature size and the square of nominal voltage (1.1, 1.0, 0.9, 0.8 V at 65,
  45, 32, 22 nm), as GPUWattch's formulas scale. Logic area goes with the square of the feature size.
- Dynamic energy goes with the square of the voltage ratio, leakage power with its first power.
- Leakage goes with temperature T as T^2 exp(-q Vth / (n k T)), with Vth = 0.25 V and n = 1.5 (assumed), from 360 K.
- ` + "`clock_gating: perfect`" + `: what does not work draws leakage, and each SM a fitted constant. ` + "`none`" + `: clock trees draw power in every cycle
  besides, GPUWattch's idle power of an SM and DSENT's clock of a router port.
- DRAM has a supply of its own and does not depend on the chip's technology. A refresh opens and closes a row of each bank that it
  refreshes; a copy of the host reads or writes each byte once, on a die that shares the DRAM twice.

` + "`technology.given`" + ` replaces what the model says of a memory structure by values that a publication or a memory compiler gives:

    technology:
      given: l1.read_pj=120, shared_memory.area_mm2=0.02, sm.scoreboard.leakage_mw=2

Quantities are ` + "`read_pj`, `write_pj`, `search_pj`, `leakage_mw` and `area_mm2`" + `, of one instance at the machine's own node; with ` + "`--tech`" + ` they
are scaled as logic, and no calibration scales them. A structure that the machine does not have is refused with the list of those that it has.

## What mechanisms add

A mechanism's section of the architecture lists its hardware as ` + "`arch.Structure`" + `s: RAMs, caches, CAMs, logic and wires, with a place in
the tree, sizes, and the counters that use them. The model prices them as it does the baseline's; values of a publication win.

- A RAM wider than 128 bytes is several side by side. One below 128 bytes costs an access of 128 bytes and its part of the area.
- Each port beyond the first adds to energy, leakage and the edge of the array what CACTI's second port adds.
- A CAM costs in proportion to the bits that are searched; bits that are not are a RAM beside it, read on a hit (a TLB).
- A cache has the leaves tags and data. A part of a line costs its part of the data, and all of the tags.
- Logic costs an operation of the table below, with the area of an ALU; a wire costs bits times length, and leaks by width times length.

A ` + "`arch.PowerGate`" + ` switches a node of the tree off while a counter of cycles counts: its leakage falls to a residual, and a wake-up has
its energy. What was saved is in ` + "`gated_j`" + ` of the result; static and saved energy add up to what there was. Every counter of a
mechanism is charged to a structure, drives a gate, or is free with a reason (` + "`counters.RegisterFree`" + `).

What a mechanism adds is a share of its own in the views of the whole chip; in those of the memory hierarchy what is part of it
(` + "`MemoryHierarchy`" + `). TLBs are CAMs whose entries are searched in part; the memory accesses of a page walk are counted where they are made.

## Calibration

| ` + "`--calibration`" + ` | operations, scheduler | arrays, network |
| --- | --- | --- |
| ` + "`cacti`" + ` (default) | fitted to a GTX480 by GPUWattch | as CACTI and DSENT give them |
| ` + "`circuit`" + ` | published energies of circuits | as CACTI and DSENT give them |
| ` + "`gpuwattch`" + ` | fitted to a GTX480 by GPUWattch | scaled to GPUWattch's GTX480 |

Fitted energies contain the clocks, wires and control around an adder or an array: 30 pJ for an addition whose circuit takes 0.9. So
shares of different parts are only meaningful between parts of one kind: use ` + "`circuit`" + ` to compare parts with one another, ` + "`gpuwattch`" + ` to
compare with what a card draws and with papers that used GPUWattch, ` + "`cacti`" + ` to compare arrays of the memory hierarchy.

## Views

%VIEWS%
## Area

The area of a component is that of its arrays, its crossbar ports, or its lanes at the ALU area that the affine paper gives. What
has no counter has no area: for gtx480 the sum is a sixth of the die. Use it to compare structures, not to size a chip.

## Memory structures

Energy per read and write, leakage, area, access and cycle time of caches, RAM banks, CAMs and fully associative structures are
interpolated in logarithms (kriging with a power law as trend) between CACTI 7 results: 360 K, energy-delay-squared objective, no
ECC. What CACTI has computed is given as computed. A size that it has computed at other nodes follows its kin: the structures
most alike in shape and cost say by what factor the nodes differ, and the median of them counts. Beyond the smallest and largest capacity, width, line and associativity of the
class the fitted power law is followed up to a factor of four; anything else is refused.

CACTI gives tags and data of a cache together. The tags are taken to be a RAM as wide as the tags of all ways, the data what is
left. L1, constant and instruction caches read tags and all ways at once; L2 and last-level caches read tags first. Crossbars
inside banked structures are components of their own (crossbar.lane_pj).

The error of the model, fitted to nine tenths of the results, on those of the last tenth that lie inside the others' capacities
(one in ten by a hash of what the point is, those obtained with other settings never):

`

const energySizesNote = `
The aim is 5 % on average, which every quantity meets, and 15 % at most, which some points miss. Most of those lie beside a change of
organisation: at a neighbouring node the same array has another area in feature sizes, while equal organisations agree within a
percent; no result beside it tells on which side it lies. At the others their kin change, or CACTI has no other node. CACTI picks each array's organisation from few candidates, and its own results jump where the pick changes:
of 8 and 16 KiB in 8 ways of 64 B at 32 nm, the larger cycles 3.4 times as fast on 2.6 times the area. How often its results
fall by more than 15 % with capacity, or rise by more than 15 % above proportion, between neighbours that differ in nothing else:

| structure | quantity | pairs | fall | rise above proportion |
| --- | --- | ---: | ---: | ---: |
`

const energyUnseenNote = `
An estimate that rises with capacity is wrong by half the fall at one of the two. The same errors when all nodes of a size are held out
together, so that there is no kin and the model interpolates between sizes:

`

const energyErrorsNote = `
No time enters an account. High-performance leakage is very high (38 mW for a 32 KB L1 against 2.4 mW of low-power devices).

## Coefficients

Energies are per lane unless the unit says otherwise. GPUWattch's effective energies were fitted to measurements of a card and
contain factors per operation; they stand for what a card draws, not for what an adder does. Rows in *italics* are assumed or
second-hand.

| coefficient | value | unit | node | source |
| --- | ---: | --- | ---: | --- |
`

// WriteModel writes docs/energy.md.
func WriteModel(b *bytes.Buffer) error {
	var list strings.Builder
	for _, v := range energy.Views() {
		fmt.Fprintf(&list, "- `%s`: %s\n", v.Name, v.Source)
	}
	b.WriteString("# Energy, power and area\n\n" + page.Note + strings.Replace(energyIntroduction, "%VIEWS%", list.String(), 1))
	if err := writeMemoryErrors(b); err != nil {
		return err
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

// writeMemoryErrors states how close the memory model is to CACTI.
func writeMemoryErrors(b *bytes.Buffer) error {
	results, sizes, err := sram.DefaultErrors()
	if err != nil {
		return err
	}
	points, err := sram.Grid()
	if err != nil {
		return err
	}
	writeErrors(b, results)
	b.WriteString(energySizesNote)
	for _, j := range sram.Jumps(points) {
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d |\n", j.Class, j.Metric, j.Pairs, j.Falls, j.Leaps)
	}
	b.WriteString(energyUnseenNote)
	writeErrors(b, sizes)
	return nil
}

func writeErrors(b *bytes.Buffer, errors []sram.Error) {
	b.WriteString("| structure | quantity | points | mean error | nine in ten below | above 15 % | beside a change | worst |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, e := range errors {
		if e.Points > 0 {
			fmt.Fprintf(b, "| %s | %s | %d | %.1f %% | %.1f %% | %d | %d | %.1f %% |\n", e.Class, e.Metric, e.Points, 100*e.Mean, 100*e.NineInTen, e.Beyond, e.Changing, 100*e.Worst)
		}
	}
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
