// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"strings"

	cputraces "github.com/warptape/warptape/traces/cpu"
)

// fuseCauses are figures in which the counters are priced otherwise, one thing at a
// time, to find why energies miss the published ones.
func fuseCauses(systems []string) []Figure {
	return []Figure{
		{ID: "4.3-messages", Title: "coherence, if each invalidation, upgrade and downgrade costs an access of the last-level cache", Unit: "% of the memory hierarchy with it", Series: []string{"coherence"}, Architectures: systems[:1], Rows: fuseMessages},
		{ID: "4.5-unfetched", Title: "dynamic energy of the memory hierarchy, if a copy does not fetch the lines that it writes", Unit: "% of copySoC likewise", Series: []string{"FuseTLB"}, Architectures: systems[1:3], Rows: fuseUnfetched},
		{ID: "4.15-weighted", Title: "CPU programs alone: weighted speed-up (equation 4.1) by entries of the shared TLB", Unit: "% of 512", Series: labelsOf(stlbSizes), Architectures: []string{}, Rows: fuseWeighted},
	}
}

// fuseWeighted weighs programs alike, and not by their instructions per cycle as their sum does.
func fuseWeighted(d *Data) ([]Row, error) {
	var rows []Row
	for _, set := range cputraces.Sets() {
		base, err := d.Run(set.Name, fuseTLB)
		if err != nil {
			return nil, err
		}
		row := Row{Label: fmt.Sprintf("%s (%s)", set.Name, strings.Join(set.Programs, ", "))}
		for _, size := range stlbSizes {
			m, err := d.Run(set.Name, size.spec)
			if err != nil {
				return nil, err
			}
			sum := 0.0
			for i := range m.Programs {
				sum += Percent(m.Programs[i].ipc(), base.Programs[i].ipc())
			}
			row.Values = append(row.Values, sum/float64(len(m.Programs)))
		}
		rows = append(rows, row)
	}
	return append(rows, meanOf("mean", rows, Mean(rows))), nil
}

// ipc is instructions per cycle.
func (p *ProgramRun) ipc() float64 { return float64(p.Instructions) / float64(p.Cycles) }

// llcAccess is the dynamic energy of a mean access of the last-level cache in joules.
func llcAccess(d *Data, m *Measurement) (float64, error) {
	report, err := d.Energy(m)
	if err != nil {
		return 0, err
	}
	return report.Node("chip/LLC").DynamicJ / (m.Count("llc_reads") + m.Count("llc_writes")), nil
}

// coherenceMessages are those that change the state of a line in an SM's L1.
func coherenceMessages(m *Measurement) float64 {
	return m.Count("soc_upgrades") + m.Count("soc_invalidations") + m.Count("soc_downgrades")
}

// fuseMessages charges messages in the place of the directory and the tags that they
// look up (section 4.6.1 names no directory among what is counted).
func fuseMessages(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, typSoC)
		if err != nil {
			return nil, err
		}
		all, err := hierarchy(d, m)
		if err != nil {
			return nil, err
		}
		report, err := d.Energy(m)
		if err != nil {
			return nil, err
		}
		access, err := llcAccess(d, m)
		if err != nil {
			return nil, err
		}
		messages := float64(coherenceMessages(m) * access)
		return []float64{Percent(messages, all-report.Node("chip/coherence").DynamicJ+messages)}, nil
	})
}

// fuseUnfetched leaves out the reads that bring the target's lines into a core's cache:
// a copy reads each line of its source and each of its target, which are as many.
func fuseUnfetched(d *Data) ([]Row, error) {
	unfetched := func(d *Data, m *Measurement) (float64, error) {
		all, err := hierarchy(d, m)
		if err != nil {
			return 0, err
		}
		access, err := llcAccess(d, m)
		if err != nil {
			return 0, err
		}
		fetches := m.Count("soc_llc_copy_reads") / 2
		return all - float64(fetches*access), nil
	}
	return d.PerWorkload(func(workload string) ([]float64, error) {
		v, err := overCopySoC(d, workload, fuseTLB, unfetched)
		return []float64{v}, err
	})
}
