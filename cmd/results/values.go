// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"sync"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// Value is a figure of a point by its name, as metrics, tables and reports use it.
type Value struct{ Name, Unit, Meaning string }

// figures are those that are not metrics or counters of a replay.
var figures = []Value{
	{"cycles", "core cycles", "in which a kernel ran"},
	{"elapsed_cycles", "core cycles", "of the whole run, copies and the host's steps included"},
	{"launch_gap_cycles", "core cycles", "of the whole run, in which no kernel ran and at least one was on its way (gpu.launch_gap_us)"},
	{"time_ns", "ns", "in which a kernel ran"},
	{"cycles_plus_minus_percent", "%", "half of the 95 % interval of an estimate from a sample; 0 for whole traces"},
	{"energy_j", "J", "dynamic and static"},
	{"energy_dynamic_j", "J", "dynamic energy"},
	{"energy_static_j", "J", "static energy"},
	{"launch_gap_j", "J", "static energy of launch_gap_cycles, which energy_j has not"},
	{"power_w", "W", "mean power while a kernel ran"},
	{"area_mm2", "mm²", "area of the parts that the energy model knows"},
}

// Values lists the figures that points of this version have, counters of mechanisms as
// MECHANISM.COUNTER.
var Values = sync.OnceValue(func() []Value {
	list := append([]Value(nil), figures...)
	for _, d := range replay.Declarations() {
		list = append(list, Value{d.Name, d.Unit, d.Title})
	}
	for id := range counters.ID(counters.Count) {
		d := counters.Declared(id)
		list = append(list, Value{d.Name, string(d.Unit), d.Meaning})
	}
	for _, g := range counters.Groups() {
		for _, d := range g.Rows {
			list = append(list, Value{g.Name + "." + d.Name, string(d.Unit), d.Meaning})
		}
	}
	return list
})

// Figures gives the values of a point by name. Metrics that have no value, as a rate of
// what did not happen, are not in the map, nor are counters of mechanisms that are off.
func (p *Point) Figures() (map[string]float64, error) {
	s, err := p.Read()
	if err != nil {
		return nil, err
	}
	return p.TotalFigures(s), nil
}

// TotalFigures are those of Figures from statistics that were read already.
func (p *Point) TotalFigures(s *Statistics) map[string]float64 {
	v := sectionFigures(&s.Total, &p.Energy.Total)
	v["elapsed_cycles"], v["launch_gap_cycles"], v["launch_gap_j"] = float64(s.Total.End), float64(s.Total.LaunchGap), p.Energy.LaunchGapJ
	return v
}

// LaunchFigures gives the figures of the i-th launch of the statistics. Only a run has elapsed_cycles and the
// figures of launches on their way.
func (p *Point) LaunchFigures(s *Statistics, i int) map[string]float64 {
	var account *energy.Report
	if i < len(p.Energy.Launches) {
		account = &p.Energy.Launches[i]
	}
	return sectionFigures(&s.Launches[i], account)
}

// sectionFigures are those of a launch or of all; without an account they lack energy.
func sectionFigures(s *Section, account *energy.Report) map[string]float64 {
	v := map[string]float64{"cycles": float64(s.Cycles), "time_ns": s.Nanoseconds, "cycles_plus_minus_percent": 0}
	if account != nil {
		total := account.Total()
		v["energy_j"], v["energy_dynamic_j"], v["energy_static_j"], v["area_mm2"] = total.TotalJ(), total.DynamicJ, total.StaticJ, total.AreaMM2
		if w := account.AverageW(); !math.IsNaN(w) && !math.IsInf(w, 0) {
			v["power_w"] = w
		}
	}
	if s.Uncertainty != nil {
		v["cycles_plus_minus_percent"] = s.Uncertainty.Percent
	}
	for name, m := range s.Metrics {
		if m != nil {
			v[name] = *m
		}
	}
	for name, n := range s.Counters {
		v[name] = float64(n)
	}
	for mechanism, counts := range s.Mechanisms {
		for name, n := range counts {
			v[mechanism+"."+name] = float64(n)
		}
	}
	return v
}
