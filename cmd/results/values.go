package results

import (
	"math"
	"sync"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// Value is a figure of a point by its name, as metrics, tables and reports use it.
type Value struct{ Name, Unit, Meaning string }

// figures are those that are not metrics or counters of a replay.
var figures = []Value{
	{"cycles", "core cycles", "in which a kernel ran"},
	{"elapsed_cycles", "core cycles", "of the whole run, copies and the host's steps included"},
	{"time_ns", "ns", "in which a kernel ran"},
	{"cycles_plus_minus_percent", "%", "half of the 95 % interval of an estimate from a sample; 0 for whole traces"},
	{"energy_j", "J", "dynamic and static"},
	{"energy_dynamic_j", "J", "dynamic energy"},
	{"energy_static_j", "J", "static energy"},
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
	t := &s.Total
	total := p.Energy.Total.Total()
	v := map[string]float64{
		"cycles": float64(t.Cycles), "elapsed_cycles": float64(t.End), "time_ns": t.Nanoseconds, "cycles_plus_minus_percent": 0,
		"energy_j": total.TotalJ(), "energy_dynamic_j": total.DynamicJ, "energy_static_j": total.StaticJ, "area_mm2": total.AreaMM2,
	}
	if w := p.Energy.Total.AverageW(); !math.IsNaN(w) && !math.IsInf(w, 0) {
		v["power_w"] = w
	}
	if t.Uncertainty != nil {
		v["cycles_plus_minus_percent"] = t.Uncertainty.Percent
	}
	for name, m := range t.Metrics {
		if m != nil {
			v[name] = *m
		}
	}
	for name, n := range t.Counters {
		v[name] = float64(n)
	}
	for mechanism, counts := range t.Mechanisms {
		for name, n := range counts {
			v[mechanism+"."+name] = float64(n)
		}
	}
	return v, nil
}
