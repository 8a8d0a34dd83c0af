package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptape/warptape/traces"
)

//go:embed sampling.json
var samplingJSON []byte

//go:embed sampling_intro.md
var samplingIntro string

// readSamplingRows reads the committed measurement. Rows of workloads that have
// changed since are an error.
func readSamplingRows() ([]samplingRow, error) {
	var rows []samplingRow
	if err := json.Unmarshal(samplingJSON, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", samplingFile, err)
	}
	for i := range rows {
		w, err := traces.Find(rows[i].Workload)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", samplingFile, err)
		}
		digest, err := w.Digest()
		if err != nil {
			return nil, err
		}
		if digest != rows[i].Digest {
			return nil, fmt.Errorf("%s: %s has changed: run 'make sampling' and commit the result", samplingFile, w.Name)
		}
	}
	return rows, nil
}

// writeSamplingDoc writes docs/sampling.md.
func writeSamplingDoc(b *bytes.Buffer) error {
	rows, err := readSamplingRows()
	if err != nil {
		return err
	}
	var main []samplingRow
	var refused []string
	for _, r := range rows {
		if r.Refused != "" {
			refused = append(refused, fmt.Sprintf("%s is not replayed: %s.", r.Workload, r.Refused))
			continue
		}
		main = append(main, r)
	}
	b.WriteString("# Sampling\n\n" + generatedNote + samplingIntro)
	writeSamplingSummary(b, main)
	if missing := unmeasured(rows); len(missing) > 0 {
		fmt.Fprintf(b, "\nNot in this measurement: %s.\n", strings.Join(missing, ", "))
	}
	if len(refused) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(refused, "\n"))
	}
	writeSamplingTable(b, main)
	return nil
}

// unmeasured lists the workloads of the catalogue without a row.
func unmeasured(rows []samplingRow) []string {
	var names []string
	for _, w := range traces.List() {
		if !slices.ContainsFunc(rows, func(r samplingRow) bool { return r.Workload == w.Name }) {
			names = append(names, w.Name)
		}
	}
	return names
}

// samplingSums adds up rows.
type samplingSums struct {
	rows, covered                            int
	cycles, worst, energy, worstEnergy       float64 // absolute errors in percent
	fullSeconds, seconds, instructions, kept float64
}

func (s *samplingSums) add(r *samplingRow) {
	s.rows++
	e, j := math.Abs(r.error()), math.Abs(r.energyError())
	s.cycles, s.worst = s.cycles+e, max(s.worst, e)
	s.energy, s.worstEnergy = s.energy+j, max(s.worstEnergy, j)
	s.fullSeconds, s.seconds = s.fullSeconds+r.FullSeconds, s.seconds+r.Seconds
	s.instructions += float64(r.WarpInstructions)
	s.kept += float64(r.WarpInstructions) * r.StoredPercent / 100
	if r.covered() {
		s.covered++
	}
}

func writeSamplingSummary(b *bytes.Buffer, rows []samplingRow) {
	var all, most samplingSums
	var names []string
	for i := range rows {
		all.add(&rows[i])
		if rows[i].StoredPercent >= mostlyStored {
			most.add(&rows[i])
			names = append(names, rows[i].Workload)
		}
	}
	n := float64(max(all.rows, 1))
	fmt.Fprintf(b, "Of %d workloads measured: mean error of the cycles %.2f %%, worst %.2f %%; the interval holds the truth in %d (%.0f %%).\n",
		all.rows, all.cycles/n, all.worst, all.covered, 100*float64(all.covered)/n)
	fmt.Fprintf(b, "Mean error of the energy %.2f %%, worst %.2f %%.\n", all.energy/n, all.worstEnergy)
	fmt.Fprintf(b, "%.1f %% of all warp instructions are stored; the replay takes %.0f s instead of %.0f s, %.1f times less.\n",
		100*all.kept/all.instructions, all.seconds, all.fullSeconds, all.fullSeconds/all.seconds)
	if len(names) > 0 {
		fmt.Fprintf(b, "\nStored by more than %d %%, with %.0f s of those seconds: %s. Short programs are stored whole; the others\nhave few thread blocks per launch, and do on a slice of the machine what they do not do on all of it.\n",
			mostlyStored, most.seconds, strings.Join(names, ", "))
	}
}

func writeSamplingTable(b *bytes.Buffer, rows []samplingRow) {
	b.WriteString("\n| workload | warp instructions | stored | % | full cycles | sampled cycles | error % | ± % | inside | energy error % | full s | sampled s |\n| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |\n")
	for i := range rows {
		r := &rows[i]
		inside := "yes"
		if !r.covered() {
			inside = "**no**"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %.1f | %s | %s | %+.2f | %.1f | %s | %+.2f | %.2f | %.2f |\n", r.Workload, grouped(r.WarpInstructions), r.way(), r.StoredPercent,
			grouped(uint64(r.FullCycles)), grouped(uint64(r.Cycles)), r.error(), r.Percent, inside, r.energyError(), r.FullSeconds, r.Seconds)
	}
}
