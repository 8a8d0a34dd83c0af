// SPDX-License-Identifier: Apache-2.0

package reproduce

import "github.com/warptape/warptape/energy"

// run is measurements that together are one run of a workload: of the whole, or of
// its launches, each on its own configuration.
type run []*Measurement

// chosen gives a run of a workload.
type chosen func(d *Data, workload string) (run, error)

// on is the run on one architecture.
func on(spec string) chosen {
	return func(d *Data, workload string) (run, error) {
		m, err := d.Run(workload, spec)
		return run{m}, err
	}
}

// tinyMetric is a figure of a run: joules, joule seconds, instructions a cycle.
type tinyMetric func(d *Data, r run) (float64, error)

// levels of the on-chip memory hierarchy as the thesis counts it (sections 5.3.3
// and 5.4): without the network and the last-level cache.
var levels = struct{ dl1g, scratchpad, l2, constant, tinyCache []string }{
	dl1g:       []string{"chip/sm/coalescer", "chip/sm/L1"},
	scratchpad: []string{"chip/sm/shared memory"},
	l2:         []string{"chip/L2"},
	constant:   []string{"chip/sm/constant cache"},
	tinyCache:  []string{"chip/sm/tinycache"},
}

// dynamicOf is the dynamic energy of parts of the chip, in joules.
func dynamicOf(r *energy.Report, nodes ...[]string) float64 {
	sum := 0.0
	for _, level := range nodes {
		for _, node := range level {
			sum += r.Node(node).DynamicJ
		}
	}
	return sum
}

// counting gives the dynamic energy of DL1G, scratchpad, L2, constant cache and tinyCaches in
// joules, by a way of counting accesses.
type counting func(m *Measurement, r *energy.Report) [5]float64

// perAccess counts what the arrays do: an access of the DL1G for lanes that share a segment.
func perAccess(_ *Measurement, r *energy.Report) [5]float64 {
	return [5]float64{dynamicOf(r, levels.dl1g), dynamicOf(r, levels.scratchpad), dynamicOf(r, levels.l2), dynamicOf(r, levels.constant), dynamicOf(r, levels.tinyCache)}
}

// perLane counts an access for each request of a lane to DL1G and scratchpad, as the thesis's
// simulator does, which coalesces in the MSHRs behind the DL1G (section 3.4).
func perLane(m *Measurement, r *energy.Report) [5]float64 {
	parts := perAccess(m, r)
	if accesses := m.Count("l1_reads") + m.Count("l1_writes"); accesses > 0 {
		parts[0] *= m.Count("global_lanes") / accesses
	}
	if accesses := m.Count("shared_accesses"); accesses > 0 {
		parts[1] *= (m.Count("shared_lane_reads") + m.Count("shared_lane_writes")) / accesses
	}
	return parts
}

// tinyEnergyOf is the dynamic energy of the on-chip memory hierarchy in joules.
func tinyEnergyOf(by counting) tinyMetric {
	return func(d *Data, r run) (float64, error) {
		sum := 0.0
		for _, m := range r {
			report, err := d.Energy(m)
			if err != nil {
				return 0, err
			}
			for _, joules := range by(m, report) {
				sum += joules
			}
		}
		return sum, nil
	}
}

// tinyEnergy is it by accesses.
func tinyEnergy(d *Data, r run) (float64, error) { return tinyEnergyOf(perAccess)(d, r) }

func tinyEnergyDelay(d *Data, r run) (float64, error) {
	e, err := tinyEnergy(d, r)
	delay := 0.0
	for _, m := range r {
		delay += m.Nanoseconds
	}
	return e * delay, err
}

func tinyIPC(d *Data, r run) (float64, error) {
	instructions, err := counts("issued_thread_instructions")(d, r)
	cycles := uint64(0)
	for _, m := range r {
		cycles += m.Cycles
	}
	return instructions / float64(cycles), err
}

// counts is a metric that adds counters up.
func counts(names ...string) tinyMetric {
	return func(_ *Data, r run) (float64, error) {
		sum := 0.0
		for _, m := range r {
			for _, name := range names {
				sum += m.Count(name)
			}
		}
		return sum, nil
	}
}

// relative is a metric of a run in percent of that of another.
func relative(d *Data, workload string, of, to chosen, metric tinyMetric) (float64, error) {
	var values [2]float64
	for i, c := range []chosen{of, to} {
		r, err := c(d, workload)
		if err != nil {
			return 0, err
		}
		if values[i], err = metric(d, r); err != nil {
			return 0, err
		}
	}
	return Percent(values[0], values[1]), nil
}

// relatives are metrics of runs in percent of notC: those of the first metric, then
// those of the second.
func relatives(d *Data, workload string, runs []chosen, metrics ...tinyMetric) ([]float64, error) {
	var values []float64
	for _, metric := range metrics {
		for _, of := range runs {
			v, err := relative(d, workload, of, on(tinyOff), metric)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	return values, nil
}
