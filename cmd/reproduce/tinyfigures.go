// SPDX-License-Identifier: Apache-2.0

package reproduce

import "math"

var (
	baseThenPick = []chosen{on(tinyBase), tinyPick}
	bypasses     = []chosen{on(tinyBase), on(tinyBypassShared), on(tinyBypassGlobal)}
)

// tinyRatios shows a metric of tCbase and tCpick.
func tinyRatios(metric tinyMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			return relatives(d, workload, baseThenPick, metric)
		})
	}
}

func tinyBypass(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		return relatives(d, workload, bypasses, tinyEnergyDelay, tinyEnergy)
	})
}

func tinyLevels(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, of := range baseThenPick {
			v, err := relatives(d, workload, []chosen{of}, counts("l1_reads", "l1_writes"), counts("shared_accesses"), counts("l2_reads", "l2_writes"))
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
		return values, nil
	})
}

// references of lanes, which are the same on every architecture: those that the
// baseline counts.
var (
	globalReferences = counts("global_lanes")
	allReferences    = counts("global_lanes", "shared_lane_reads", "shared_lane_writes")
)

// tinyGlobal is which part of the references go to global memory.
func tinyGlobal(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, tinyOff)
		if err != nil {
			return nil, err
		}
		global, err := globalReferences(d, run{m})
		if err != nil {
			return nil, err
		}
		all, err := allReferences(d, run{m})
		return []float64{Percent(global, all)}, err
	})
}

// tinyBreakdownOf is the energy of notC by level, by a way of counting accesses.
func tinyBreakdownOf(by counting) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			m, err := d.Run(workload, tinyOff)
			if err != nil {
				return nil, err
			}
			report, err := d.Energy(m)
			if err != nil {
				return nil, err
			}
			parts := by(m, report)
			all := 0.0
			for _, joules := range parts {
				all += joules
			}
			var values []float64
			for _, joules := range parts[:4] {
				values = append(values, Percent(joules, all))
			}
			return values, nil
		})
	}
}

// tinyLaneRequests are the requests of lanes that DL1G and scratchpad see.
func tinyLaneRequests(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		return relatives(d, workload, []chosen{on(tinyBase)}, counts("global_lanes"), counts("shared_lane_reads", "shared_lane_writes"))
	})
}

// dramLineBytes is what a DRAM access moves: a line of the last-level cache.
const dramLineBytes = 128

func tinyMissRate(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		off, err := d.Run(workload, tinyOff)
		if err != nil {
			return nil, err
		}
		lanes, err := allReferences(d, run{off})
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, of := range append([]chosen{on(tinyOff)}, baseThenPick...) {
			r, err := of(d, workload)
			if err != nil {
				return nil, err
			}
			moved, err := counts("dram_read_bytes", "dram_write_bytes")(d, r)
			if err != nil {
				return nil, err
			}
			values = append(values, Percent(moved/dramLineBytes, lanes))
		}
		return values, nil
	})
}

// tinyMeans shows means over the workloads for each configuration.
func tinyMeans(list []configuration, metrics ...tinyMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, c := range list {
			per, err := d.PerWorkload(func(workload string) ([]float64, error) {
				return relatives(d, workload, []chosen{on(c.spec)}, metrics...)
			})
			if err != nil {
				return nil, err
			}
			rows = append(rows, Row{Label: c.label, Values: per[len(per)-1].Values})
		}
		return rows, nil
	}
}

func tinyHits(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, spec := range []string{tinyBase, tinyLarge, tinyAtMost} {
			m, err := d.Run(workload, spec)
			if err != nil {
				return nil, err
			}
			values = append(values, Percent(m.Count("tinycache_read_hits"), m.Count("tinycache_reads")))
		}
		return values, nil
	})
}

// tinyByTrigger compares tCbase with notC under each of the triggers of warp switching.
func tinyByTrigger(triggers []configuration) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, c := range triggers {
			per, err := d.PerWorkload(func(workload string) ([]float64, error) {
				var values []float64
				for _, metric := range []tinyMetric{tinyEnergy, tinyEnergyDelay, tinyIPC} {
					v, err := relative(d, workload, on(c.spec+"+tinycache"), on(c.spec), metric)
					if err != nil {
						return nil, err
					}
					values = append(values, v)
				}
				return values, nil
			})
			if err != nil {
				return nil, err
			}
			rows = append(rows, Row{Label: c.label, Values: per[len(per)-1].Values})
		}
		return rows, nil
	}
}

// tinyByWorkload compares a metric of tCbase with notC's on each of several machines.
func tinyByWorkload(machines []configuration, metric tinyMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			var values []float64
			for _, c := range machines {
				v, err := relative(d, workload, on(c.spec+"+tinycache"), on(c.spec), metric)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			return values, nil
		})
	}
}

// tinyConstantRows are the workloads with constants and parameters through the DL1G.
func tinyConstantRows(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, metric := range []tinyMetric{tinyEnergy, counts("l1_reads", "l1_writes"), tinyIPC} {
			v, err := relative(d, workload, on(tinyConstants+"+tinycache"), on(tinyConstants), metric)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

func tinyHeadline(d *Data) (float64, error) {
	rows, err := tinyRatios(tinyEnergy)(d)
	if err != nil {
		return math.NaN(), err
	}
	return rows[len(rows)-1].Values[0], nil
}
