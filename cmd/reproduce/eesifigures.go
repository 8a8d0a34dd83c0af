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
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			var values []float64
			for _, spec := range specs {
				v, err := relative(d, workload, on(spec), on(eesiPD), metric)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			return values, nil
		})
	}
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

// eesiMeans shows means over the workloads for each configuration.
func eesiMeans(list []configuration, metrics ...tinyMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, c := range list {
			row := Row{Label: c.label}
			for _, metric := range metrics {
				per, err := eesiRelative(metric, c.spec)(d)
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
