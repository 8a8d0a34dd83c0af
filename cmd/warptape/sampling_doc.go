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
	var main, parts []samplingRow
	var refused []string
	for _, r := range rows {
		switch {
		case r.Refused != "":
			refused = append(refused, fmt.Sprintf("%s is not replayed: %s.", r.Workload, r.Refused))
		case strings.HasPrefix(r.Policy, "sms="):
			parts = append(parts, r)
		default:
			main = append(main, r)
		}
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
	b.WriteString("\n## Slices of the machine\n\nThe workloads of which the policy above stores more than half, by `" + slicePolicy + "`: two of the machine's 16 SMs. Slices suit programs\n" +
		"that are bound by what is inside an SM. Where thread blocks of different SMs meet, at the same addresses or in the L2, they are far\noff, and the interval does not know.\n")
	writeSamplingTable(b, parts)
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

func writeSamplingSummary(b *bytes.Buffer, rows []samplingRow) {
	var absolute, worst, full, part float64
	var instructions, stored, bigFull, bigPart float64
	var covered, small int
	for i := range rows {
		r := &rows[i]
		e := math.Abs(r.error())
		absolute += e
		worst = max(worst, e)
		full, part = full+r.FullSeconds, part+r.Seconds
		instructions += float64(r.WarpInstructions)
		stored += float64(r.WarpInstructions) * r.StoredPercent / 100
		if r.covered() {
			covered++
		}
		if r.StoredPercent >= mostlyStored {
			small++
			continue
		}
		bigFull, bigPart = bigFull+r.FullSeconds, bigPart+r.Seconds
	}
	n := float64(max(len(rows), 1))
	fmt.Fprintf(b, "Of %d workloads measured: mean error of the cycles %.2f %%, worst %.2f %%; the interval holds the truth in %d (%.0f %%).\n",
		len(rows), absolute/n, worst, covered, 100*float64(covered)/n)
	fmt.Fprintf(b, "%.1f %% of all warp instructions are stored; the replay takes %.0f s instead of %.0f s, %.1f times less.\n",
		100*stored/instructions, part, full, full/part)
	fmt.Fprintf(b, "%d workloads are stored by more than half, because their launches have few thread blocks or differ from each other; without them it\ntakes %.0f s instead of %.0f s, %.1f times less.\n",
		small, bigPart, bigFull, bigFull/bigPart)
}

func writeSamplingTable(b *bytes.Buffer, rows []samplingRow) {
	b.WriteString("\n| workload | warp instructions | stored % | full cycles | sampled cycles | error % | ± % | inside | full s | sampled s |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n")
	for i := range rows {
		r := &rows[i]
		inside := "yes"
		if !r.covered() {
			inside = "**no**"
		}
		fmt.Fprintf(b, "| %s | %s | %.1f | %s | %s | %+.2f | %.1f | %s | %.2f | %.2f |\n", r.Workload, grouped(r.WarpInstructions), r.StoredPercent,
			grouped(uint64(r.FullCycles)), grouped(uint64(r.Cycles)), r.error(), r.Percent, inside, r.FullSeconds, r.Seconds)
	}
}
