// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"errors"
	"fmt"
	"math"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
)

// Data is what figures are computed from: the measurements of a study, and their
// energy under the coefficients in force.
type Data struct {
	Study        *Study
	results      *Results
	coefficients *energy.Coefficients
	models       map[string]*energy.Model // by architecture
	reports      map[priced]*energy.Report
	picks        map[string]run // by workload
	overlay      string         // one that each machine has in front of its own; empty: none
	older        bool           // a measurement of another machine of the same name has been given
}

// errNotMeasured is that of a run which the results do not have.
var errNotMeasured = errors.New("has not been measured")

// priced is a measurement as priced on a machine.
type priced struct {
	*Measurement
	spec string
}

// NewData prepares the measurements of a study for its figures.
func NewData(s *Study, r *Results) *Data { return newData(s, r, energy.DefaultCoefficients()) }

func newData(s *Study, r *Results, c *energy.Coefficients) *Data {
	return &Data{Study: s, results: r, coefficients: c, models: map[string]*energy.Model{}, reports: map[priced]*energy.Report{}, picks: map[string]run{}}
}

// Run gives the measurement of a workload (by label) on an architecture.
func (d *Data) Run(workload, spec string) (*Measurement, error) {
	if d.overlay != "" {
		spec = overlaid(spec, d.overlay)
	}
	for i := range d.results.Measurements {
		if m := &d.results.Measurements[i]; m.Workload == workload && m.Architecture == spec {
			return m, d.note(m)
		}
	}
	return nil, fmt.Errorf("%s at size %s: %s %w on %s", d.results.Study, d.results.Size, workload, errNotMeasured, spec)
}

// note notes whether a measurement of older results is of another machine than there is now.
func (d *Data) note(m *Measurement) error {
	if d.results.Older == "" {
		return nil
	}
	digest, err := machineDigest(m.Architecture)
	if err != nil {
		return err
	}
	d.older = d.older || digest != m.ArchitectureDigest
	return nil
}

// Energy prices a measurement. Its Node sums the parts of the chip.
func (d *Data) Energy(m *Measurement) (*energy.Report, error) {
	return d.EnergyAs(m, m.Architecture)
}

// EnergyAs prices a measurement as the machine of another specification, which
// does the same and is priced otherwise.
func (d *Data) EnergyAs(m *Measurement, spec string) (*energy.Report, error) {
	at := priced{m, spec}
	if r := d.reports[at]; r != nil {
		return r, nil
	}
	model, err := d.model(spec)
	if err != nil {
		return nil, err
	}
	set, err := m.set()
	if err != nil {
		return nil, err
	}
	r, err := model.Account(set, m.Nanoseconds*1e-9)
	if err != nil {
		return nil, err
	}
	d.reports[at] = &r
	return &r, nil
}

func (d *Data) model(spec string) (*energy.Model, error) {
	if m := d.models[spec]; m != nil {
		return m, nil
	}
	machine, err := arch.Load(spec)
	if err != nil {
		return nil, err
	}
	m, err := energy.NewModel(machine, energy.TechnologyOf(machine), d.coefficients)
	if err == nil && d.Study.Calibrated {
		m, err = m.Calibrated(d.Study.Uncalibrated...)
	}
	if err != nil {
		return nil, err
	}
	d.models[spec] = m
	return m, nil
}

// PerWorkload makes a row for each workload of the study, and a last one, "mean",
// of their arithmetic means. value gives a workload's values, one per series.
func (d *Data) PerWorkload(value func(workload string) ([]float64, error)) ([]Row, error) {
	return d.per(d.ownRows(), value)
}

// ownRows are the labels of the workloads that every figure shows.
func (d *Data) ownRows() (labels []string) {
	for i := range d.Study.Workloads {
		if w := &d.Study.Workloads[i]; w.ownRow() {
			labels = append(labels, w.Label)
		}
	}
	return labels
}

// per is PerWorkload for some of the workloads.
func (d *Data) per(labels []string, value func(workload string) ([]float64, error)) ([]Row, error) {
	var rows []Row
	for _, label := range labels {
		values, err := value(label)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{Label: label, Values: values})
	}
	return append(rows, meanOf("mean", rows, Mean(rows))), nil
}

// meanOf is a row of means over others. One over no rows is a mean all the same.
func meanOf(label string, rows []Row, values []float64) Row {
	of := []string{"none"}
	if len(rows) > 0 {
		of = nil
	}
	for i := range rows {
		of = append(of, rows[i].Label)
	}
	return Row{Label: label, Values: values, Of: of}
}

// Mean is the arithmetic mean of each column, over the rows that have a value.
func Mean(rows []Row) []float64 {
	if len(rows) == 0 {
		return nil
	}
	means := make([]float64, len(rows[0].Values))
	for k := range means {
		sum, n := 0.0, 0
		for _, r := range rows {
			if !math.IsNaN(r.Values[k]) {
				sum += r.Values[k]
				n++
			}
		}
		means[k] = sum / float64(n)
	}
	return means
}

// Percent is 100 a/b, NaN where there is nothing to divide by.
func Percent(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return 100 * a / b
}
