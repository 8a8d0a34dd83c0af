// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"fmt"
	"sync"

	"github.com/warptape/warptape/energy/internal/krige"
	"github.com/warptape/warptape/trace/samefloat"
)

// Lengths are the correlation lengths of one class and metric, one per
// dimension, in the units of features: how far a deviation from the power law
// carries. The command energy/internal/fit chooses them.
type Lengths [DimensionCount]float64

// Fit is what the command energy/internal/fit chooses, by class and metric.
type Fit struct {
	Lengths [classCount][MetricCount]Lengths
	// Kin says that structures with results at other nodes follow their kin, and
	// are not interpolated: of the training points, each left out in turn, that
	// estimates more closely.
	Kin [classCount][MetricCount]bool
}

// DimensionCount is the number of dimensions of a query.
const DimensionCount = 9

// DimensionNames names them: logarithms to base 2, then switches of 0 or 1.
var DimensionNames = [DimensionCount]string{"log2 bytes", "log2 ways", "log2 line", "log2 out", "log2 node", "log2 banks", "1R1W", "sequential", "low power"}

// features are the coordinates of a normal query.
func features(q Query) []float64 {
	log := func(n int) float64 { return samefloat.Log2(float64(n)) }
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return []float64{log(q.Bytes), log(q.Ways), log(q.LineBytes), log(q.OutBytes), samefloat.Log2(q.NodeNM), log(q.Banks),
		flag(q.ReadWritePorts), flag(q.Sequential), flag(q.LowPower)}
}

// Model estimates structures.
type Model struct {
	fields [classCount][MetricCount]*krige.Field
	kin    [classCount]*relatives
	useKin [classCount][MetricCount]bool
	// queries of the points of the fields, in order
	queries [classCount][]Query
	bounds  [classCount]bounds
	memo    memo
}

// NewModel makes a model of the points. Points with a query that an earlier one
// has are ignored.
func NewModel(points []Point, fit *Fit) (*Model, error) {
	m := &Model{useKin: fit.Kin}
	var at [classCount][][]float64
	var values [classCount][MetricCount][]float64
	seen := map[Query]bool{}
	for i := range points {
		q := points[i].Query.normal()
		if seen[q] {
			continue
		}
		seen[q] = true
		at[q.Class] = append(at[q.Class], features(q))
		m.queries[q.Class] = append(m.queries[q.Class], q)
		m.bounds[q.Class].include(q)
		for k := range MetricCount {
			values[q.Class][k] = append(values[q.Class][k], samefloat.Log2(points[i].Estimate.Of(Metric(k))))
		}
	}
	for _, c := range Classes() {
		m.kin[c] = newRelatives(ofClass(c, points))
		for k := range MetricCount {
			if !c.Has(Metric(k)) {
				continue
			}
			f, err := krige.New(at[c], values[c][k], fit.Lengths[c][k][:])
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", c, Metric(k), err)
			}
			m.fields[c][k] = f
		}
	}
	return m, nil
}

// Field is the field of a class and metric, logarithms to base 2; nil when the
// class does not have the metric.
func (m *Model) Field(c Class, k Metric) *krige.Field { return m.fields[c][k] }

// Estimate estimates a structure. What CACTI has computed is given as computed. Caches
// and RAMs are organised as CACTI does (package organisation); between the nodes of
// its tables a power law is followed. Of the others, a
// structure that it has computed at other nodes follows its kin (see kin.go);
// the rest are interpolated between its results in logarithms. Up to a factor of
// four beyond the smallest and largest capacity, width, line and associativity of
// the class, a structure follows the power law fitted to the class. Anything
// else, and any node outside MinNodeNM..MaxNodeNM, is refused.
func (m *Model) Estimate(q Query) (Estimate, error) {
	var e Estimate
	if err := m.check(q); err != nil {
		return e, err
	}
	n := q.normal()
	if known, ok := m.memo.get(n); ok {
		return known, nil
	}
	for k := range Metric(MetricCount) {
		if q.Class.Has(k) {
			*e.at(k) = samefloat.Exp2(m.log(n, k))
		}
	}
	m.memo.put(n, e)
	return e, nil
}

// log estimates the logarithm to base 2 of a metric of a normal query.
func (m *Model) log(q Query, k Metric) float64 {
	if v, ok := m.searchedLog(q, k); ok {
		return v
	}
	return m.interpolated(q, k)
}

// interpolated estimates from results of other structures.
func (m *Model) interpolated(q Query, k Metric) float64 {
	if m.useKin[q.Class][k] {
		if v, ok := m.kin[q.Class].between(q, k); ok {
			return v
		}
	}
	return m.fields[q.Class][k].At(features(q))
}

// Default is the model of all grid points.
var Default = sync.OnceValues(func() (*Model, error) {
	points, err := grid()
	if err != nil {
		return nil, err
	}
	return NewModel(points, &fitted)
})
