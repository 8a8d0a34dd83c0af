// SPDX-License-Identifier: Apache-2.0

package reproduce

import "math"

// speed is the performance of a run, its work being the same on all systems.
func speed(d *Data, r run) (float64, error) {
	v, err := delay(d, r)
	return 1 / v, err
}

// delay is the time of a run's kernels in nanoseconds.
func delay(_ *Data, r run) (float64, error) {
	sum := 0.0
	for _, m := range r {
		sum += m.Nanoseconds
	}
	return sum, nil
}

// onChip is the dynamic energy of all but DRAM (section 6.4.1) for a thread's instruction.
func onChip(d *Data, r run) (float64, error) {
	sum, instructions := 0.0, 0.0
	for _, m := range r {
		report, err := d.Energy(m)
		if err != nil {
			return 0, err
		}
		sum += report.Node("chip").DynamicJ - report.Node("chip/DRAM").DynamicJ
		instructions += m.Count("issued_thread_instructions")
	}
	return sum / instructions, nil
}

// eesiRelative shows a metric of systems in percent of that of GPU-PD/ALL.
func eesiRelative(metric tinyMetric, specs ...string) func(*Data) ([]Row, error) {
	return eesiAgainst(metric, eesiPD, specs...)
}

// eesiAgainst shows a metric of systems in percent of that of another.
func eesiAgainst(metric tinyMetric, other string, specs ...string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) { return eesiOf(d, d.ownRows(), metric, other, specs...) }
}

// eesiOf is eesiAgainst for some of the workloads.
func eesiOf(d *Data, labels []string, metric tinyMetric, other string, specs ...string) ([]Row, error) {
	return d.per(labels, func(workload string) ([]float64, error) {
		var values []float64
		for _, spec := range specs {
			v, err := relative(d, workload, on(spec), on(other), metric)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

// eesiByWaiting compares a base that does not switch with one that does, both with
// latencies as they are and both without.
func eesiByWaiting(d *Data) ([]Row, error) {
	return d.per(eesiWaiting, func(workload string) ([]float64, error) {
		var values []float64
		for _, latencies := range []string{"", eesiForwarded} {
			v, err := relative(d, workload, on(eesiNON+latencies), on(eesiPD+latencies), speed)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

// eesiByChange compares each pair of eesiChanged.
func eesiByChange(d *Data) ([]Row, error) {
	return d.per(eesiMissing, func(workload string) ([]float64, error) {
		var values []float64
		for _, c := range eesiChanged {
			v, err := relative(d, workload, on(c.lanes), on(c.base), speed)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

// eesiPoliciesByTrigger shows the mean performance of each policy.
func eesiPoliciesByTrigger(d *Data) ([]Row, error) {
	var rows []Row
	for _, p := range eesiPolicyTriggers {
		per, err := eesiOf(d, eesiFew, speed, eesiPD, underTriggers(p.spec)...)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{Label: p.label, Values: per[len(per)-1].Values})
	}
	return rows, nil
}

// eesiMeansOf shows the means of each system: of performance, the inverse of that of
// times, and what all programs together take.
func eesiMeansOf(d *Data) ([]Row, error) {
	var rows []Row
	for _, c := range eesiMeant {
		row := Row{Label: c.label}
		for _, metric := range []tinyMetric{speed, delay} {
			per, err := eesiRelative(metric, c.spec)(d)
			if err != nil {
				return nil, err
			}
			row.Values = append(row.Values, per[len(per)-1].Values[0])
		}
		row.Values[1] = Percent(100, row.Values[1])
		all, err := eesiAllTime(d, c.spec)
		if err != nil {
			return nil, err
		}
		base, err := eesiAllTime(d, eesiPD)
		if err != nil {
			return nil, err
		}
		row.Values = append(row.Values, Percent(base, all))
		rows = append(rows, row)
	}
	return rows, nil
}

// eesiAllTime is the time of all programs on a system, in nanoseconds.
func eesiAllTime(d *Data, spec string) (float64, error) {
	sum := 0.0
	for _, label := range d.ownRows() {
		r, err := on(spec)(d, label)
		if err != nil {
			return 0, err
		}
		v, err := delay(d, r)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

// eesiArea shows the areas of section 6.5.5 by the energy model: decoders, alone and with
// tiny instruction caches of both sizes, over a lane's registers and over a core. The
// registers are a fifth of a core: 15 % of the registers are 3 % of a core.
func eesiArea(d *Data) ([]Row, error) {
	areas, err := laneAreas(d)
	if err != nil {
		return nil, err
	}
	return []Row{
		areaRow("decoder", areas.decoders),
		areaRow("decoder and tinyICache, 1 KB", areas.decoders+areas.caches[0]),
		areaRow("decoder and tinyICache, 512 B", areas.decoders+areas.caches[1]),
	}, nil
}

// eesiCacheArea shows those of the tiny instruction caches, which the memory model computes.
func eesiCacheArea(d *Data) ([]Row, error) {
	areas, err := laneAreas(d)
	if err != nil {
		return nil, err
	}
	return []Row{areaRow("tinyICache, 1 KB", areas.caches[0]), areaRow("tinyICache, 512 B", areas.caches[1])}, nil
}

func areaRow(label string, share float64) Row {
	return Row{Label: label, Values: []float64{share, share / 5}}
}

// shares are areas in percent of a lane's registers: of its decoder, and of its tiny
// instruction cache of 1 KB and of 512 B.
type shares struct {
	decoders float64
	caches   [2]float64
}

func laneAreas(d *Data) (shares, error) {
	var areas shares
	for i, spec := range []string{eesiT, eesiHalf} {
		m, err := d.Run(d.Study.Workloads[0].Label, spec)
		if err != nil {
			return areas, err
		}
		report, err := d.Energy(m)
		if err != nil {
			return areas, err
		}
		registers := report.Node("chip/sm/register file").AreaMM2
		areas.caches[i] = Percent(report.Node("chip/sm/front end/tinyICache").AreaMM2, registers)
		areas.decoders = Percent(report.Node("chip/sm/front end/lane decoders").AreaMM2, registers)
	}
	return areas, nil
}

func eesiSystems(metric tinyMetric) func(*Data) ([]Row, error) {
	return eesiRelative(metric, specList(systems)...)
}

// eesiPolicies compares the policies of lanes.
func eesiPolicies(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, spec := range []string{eesiM, eesiAll} {
			v, err := relative(d, workload, on(spec), on(eesiT), delay)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

// eesiWithout shows what tiny instruction caches bring.
func eesiWithout(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		var values []float64
		for _, metric := range []tinyMetric{delay, onChip} {
			for _, spec := range []string{eesiT, eesiNo} {
				v, err := relative(d, workload, on(spec), on(eesiPD), metric)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
		}
		return values, nil
	})
}

// eesiMeans shows means over some workloads for each configuration.
func eesiMeans(labels []string, list []configuration, metrics ...tinyMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, c := range list {
			row := Row{Label: c.label}
			for _, metric := range metrics {
				per, err := eesiOf(d, labels, metric, eesiPD, c.spec)
				if err != nil {
					return nil, err
				}
				row.Values = append(row.Values, per[len(per)-1].Values[0])
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
}

func eesiHeadline(d *Data) (float64, error) {
	rows, err := eesiRelative(speed, eesiT)(d)
	if err != nil {
		return math.NaN(), err
	}
	return rows[len(rows)-1].Values[0], nil
}
