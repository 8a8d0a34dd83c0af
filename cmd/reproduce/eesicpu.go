// SPDX-License-Identifier: Apache-2.0

package reproduce

import cputraces "github.com/warptape/warptape/traces/cpu"

// The multicore of Table 6.2, and one whose coherence and page walks take no time.
const (
	eesiMIMD  = "mimd"
	eesiIdeal = "mimd+set(cpu.probe_cycles=0,cpu.tlb_entries=4096,cpu.walk_cycles=0)"
)

// eesiThreads are the CPU programs of Table 6.3.
func eesiThreads() (list []Workload) {
	for _, name := range cputraces.Threaded() {
		list = append(list, Workload{Label: name, CPU: name, Apart: true})
	}
	return list
}

// eesiCPU shows a metric of EESI in percent of that of each multicore.
func eesiCPU(metric tinyMetric, multicores ...string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.per(cputraces.Threaded(), func(workload string) ([]float64, error) {
			var values []float64
			for _, spec := range multicores {
				v, err := relative(d, workload, on(eesiT), on(spec), metric)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			return values, nil
		})
	}
}

// uncalibrated are rows with all arrays priced by CACTI. The calibration is to a card's GPU:
// caches of lanes would be priced by it, and those of cores not.
func uncalibrated(rows func(*Data) ([]Row, error)) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		plain := *d.Study
		plain.Calibrated = false
		return rows(newData(&plain, d.results, d.coefficients))
	}
}

// onChipOfThreads is the dynamic energy of all but DRAM (section 6.4.1) for an instruction
// of a CPU program.
func onChipOfThreads(d *Data, r run) (float64, error) {
	sum, instructions := 0.0, 0.0
	for _, m := range r {
		report, err := d.Energy(m)
		if err != nil {
			return 0, err
		}
		sum += report.Node("chip").DynamicJ - report.Node("chip/DRAM").DynamicJ
		instructions += m.Count("cpu_instructions")
	}
	return sum / instructions, nil
}
