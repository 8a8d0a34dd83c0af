// SPDX-License-Identifier: Apache-2.0

package reproduce

import "strings"

// Figures of the other reading of words that the Buddy SM paper leaves open. The first reading
// stays the study's; neither was chosen by its result.

// simulatorCaches has the sizes that the configuration of GPGPU-Sim 3.2.1 gives its caches. Table III
// writes their numbers of sets as KB: 32 sets of L1 are "32KB", 4 of the instruction cache "4KB",
// 64 of L2 "64KB". Its caches have 16, 2 and 128 KiB if that was a slip of the table.
const simulatorCaches = "gpgpusim-caches"

// overlaid is a specification whose machine has an overlay before all others.
func overlaid(spec, overlay string) string {
	machine, overlays, _ := strings.Cut(spec, "+")
	if overlays == "" {
		return machine + "+" + overlay
	}
	return machine + "+" + overlay + "+" + overlays
}

// buddyOtherCaches are rows with the caches of the simulator's configuration, whose sets Table III may
// give.
func buddyOtherCaches(rows func(*Data) ([]Row, error)) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		other := newData(d.Study, d.results, d.coefficients)
		other.overlay = simulatorCaches
		r, err := rows(other)
		d.older = d.older || other.older
		return r, err
	}
}

// mcpatFetchUnit are the parts of the front end that belong to the instruction fetch unit of McPAT,
// on which GPUWattch is built. The last one is the front end's share of the pipeline's registers.
var mcpatFetchUnit = []string{"fetch", "instruction buffer", "decode", "pipeline"}

// buddyFetchUnit is the part of McPAT's instruction fetch unit in the baseline's dynamic energy.
func buddyFetchUnit(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, buddyOff)
		if err != nil {
			return nil, err
		}
		report, err := d.Energy(m)
		if err != nil {
			return nil, err
		}
		unit := 0.0
		for _, part := range mcpatFetchUnit {
			unit += report.Node("chip/sm/front end/" + part).DynamicJ
		}
		return []float64{Percent(unit, report.Node("chip").DynamicJ)}, nil
	})
}

// buddyFetchUnits shows it with the share of the pipeline's registers that is in force, and with
// all of them.
func buddyFetchUnits(d *Data) ([]Row, error) {
	rows, err := buddyFetchUnit(d)
	if err != nil {
		return nil, err
	}
	whole, err := buddyWholePipeline(buddyFetchUnit)(d)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Values = append(rows[i].Values, whole[i].Values...)
	}
	return rows, nil
}

// buddyRequestLatency is the mean time from the miss queue of an SM to the answer's arrival, of
// loads, stores and fetches. What the L1 has is not among them. The "average memory fetch latency" of
// section 6.4 is a statistic of GPGPU-Sim. It counts what leaves an SM and is answered, stores
// too (version 3.2.1, simt_core_cluster::icnt_cycle in shader.cc). It leaves
// instructions out, which are among ours. The two domains' clocks are those of Table III.
func buddyRequestLatency(m *Measurement) float64 {
	network := 0.0
	for _, way := range []string{"request", "reply"} {
		for _, part := range []string{"injection", "traversal", "ejection"} {
			network += m.Count(way + "_" + part + "_cycles")
		}
	}
	const networkPerCore = 2 // 1.4 GHz and 700 MHz; L2's is that of the cores
	return (float64(network/networkPerCore) + m.Count("request_queue_cycles") + m.Count("l2_service_cycles") + m.Count("reply_queue_cycles")) / m.Count("reply_packets")
}

// buddyNet shows what the whole chip saves, in percent of the baseline's front-end energy. Section
// 6.6 has "energy due to the prolonged execution time" among the overheads of the front end's
// savings, in which "the whole GPU consumes power".
func buddyNet(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		part, err := buddySpent(d, workload, buddyOff, "chip/sm/front end")
		if err != nil {
			return nil, err
		}
		base, err := buddySpent(d, workload, buddyOff, "chip")
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, spec := range []string{buddy2, buddy4} {
			spent, err := buddySpent(d, workload, spec, "chip")
			if err != nil {
				return nil, err
			}
			values = append(values, Percent(base-spent, part))
		}
		return values, nil
	})
}
