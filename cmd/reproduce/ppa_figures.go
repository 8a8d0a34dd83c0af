// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"

	teslakernels "github.com/warptape/warptape/traces/tesla"
)

// ppaMetric is a figure of a kernel on a machine.
type ppaMetric func(d *Data, m *Measurement) (float64, error)

func ppaCycles(_ *Data, m *Measurement) (float64, error) { return float64(m.Cycles), nil }

// ppaDynamic is the part of the energy that goes with what a kernel uses.
func ppaDynamic(d *Data, m *Measurement) (float64, error) {
	r, err := d.Energy(m)
	if err != nil {
		return 0, err
	}
	total := r.Total()
	return Percent(total.DynamicJ, total.TotalJ()), nil
}

func ppaMicrojoules(d *Data, m *Measurement) (float64, error) {
	r, err := d.Energy(m)
	if err != nil {
		return 0, err
	}
	total := r.Total()
	return 1e6 * total.TotalJ(), nil
}

// ppaOn is a metric of a kernel.
func ppaOn(d *Data, metric ppaMetric, kernel string, budget, processors int) (float64, error) {
	if !ppaRuns(kernel, processors) {
		return math.NaN(), nil
	}
	m, err := d.Run(kernel, ppaSpec(budget, processors))
	if err != nil {
		return 0, err
	}
	return metric(d, m)
}

// ppaPerKernel shows a metric of every kernel, and the geometric mean of the larger.
func ppaPerKernel(budget int, metric ppaMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for i := range d.Study.Workloads {
			label := d.Study.Workloads[i].Label
			r := Row{Label: label}
			for _, n := range ppaProcessors {
				v, err := ppaOn(d, metric, label, budget, n)
				if err != nil {
					return nil, err
				}
				r.Values = append(r.Values, v)
			}
			rows = append(rows, r)
		}
		mean := Row{Label: "mean of the larger", Of: teslakernels.Larger()}
		for _, n := range ppaProcessors {
			v, err := ppaMean(d, metric, budget, n)
			if err != nil {
				return nil, err
			}
			mean.Values = append(mean.Values, v)
		}
		return append(rows, mean), nil
	}
}

// ppaMean is the geometric mean of the larger kernels.
func ppaMean(d *Data, metric ppaMetric, budget, processors int) (float64, error) {
	sum := 0.0
	kernels := teslakernels.Larger()
	for _, name := range kernels {
		v, err := ppaOn(d, metric, name, budget, processors)
		if err != nil {
			return 0, err
		}
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(kernels))), nil
}

// ppaRelative shows the means in percent of the multiprocessors of Table 5.1.
func ppaRelative(metric ppaMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, n := range ppaProcessors {
			r := Row{Label: ppaLabel(n)}
			for _, budget := range ppaBudgets {
				v, err := ppaMean(d, metric, budget, n)
				if err != nil {
					return nil, err
				}
				base, err := ppaMean(d, metric, budget, ppaReference)
				if err != nil {
					return nil, err
				}
				r.Values = append(r.Values, Percent(v, base))
			}
			rows = append(rows, r)
		}
		return rows, nil
	}
}

// ppaPareto has a row for each machine, with its means.
func ppaPareto(d *Data) ([]Row, error) {
	var rows []Row
	for _, budget := range ppaBudgets {
		for _, n := range ppaProcessors {
			cycles, err := ppaMean(d, ppaCycles, budget, n)
			if err != nil {
				return nil, err
			}
			energy, err := ppaMean(d, ppaMicrojoules, budget, n)
			if err != nil {
				return nil, err
			}
			rows = append(rows, Row{Label: fmt.Sprintf("%d x %d SPs", ppaFit(budget, n), n), Values: []float64{cycles, energy, 0}})
		}
	}
	for i := range rows {
		if onFront(rows, &rows[i]) {
			rows[i].Values[2] = 1
		}
	}
	return rows, nil
}
