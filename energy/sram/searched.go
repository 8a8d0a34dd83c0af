// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"slices"
	"sync"

	"github.com/warptape/warptape/energy/sram/organisation"
	"github.com/warptape/warptape/trace/samefloat"
)

// searched keeps what CACTI's search of organisations gives at the nodes of its tables: caches
// and RAMs with powers of two for ways and banks. Other structures are interpolated.
type searched struct {
	known sync.Map // of Query, to Estimate and whether there is one
}

// searchNodes are the nodes of the tables, ascending.
var searchNodes = [...]float64{22, 32, 45, 65}

// fewestRows are the fewest rows of a subarray: CACTI's, and those that the grid has
// where CACTI's allow no organisation.
var fewestRows = [...]int{16, 2, 1}

// organisations are the results of searches, which no model has a part in.
var organisations searched

type found struct {
	estimate Estimate
	ok       bool
}

// at gives the estimate of a normal query at a node of the tables.
func (s *searched) at(q Query) (Estimate, bool) {
	if f, ok := s.known.Load(q); ok {
		return f.(found).estimate, f.(found).ok
	}
	var f found
	f.estimate, f.ok = organise(q)
	s.known.Store(q, f)
	return f.estimate, f.ok
}

func organise(q Query) (Estimate, bool) {
	if q.Class != Cache && q.Class != RAM || !slices.Contains(searchNodes[:], q.NodeNM) {
		return Estimate{}, false
	}
	a := organisation.Array{
		Bytes: q.Bytes, Ways: q.Ways, LineBytes: q.LineBytes, OutBytes: q.OutBytes, Banks: q.Banks, Tagged: q.Class == Cache, Sequential: q.Sequential,
		ReadWritePorts: q.ReadWritePorts, LowPower: q.LowPower, NodeNM: int(q.NodeNM),
	}
	for _, a.Rows = range fewestRows {
		if r, err := organisation.Search(a); err == nil {
			return Estimate{ReadPJ: r.ReadPJ, WritePJ: r.WritePJ, LeakageMW: r.LeakageMW, AreaMM2: r.AreaMM2, AccessNS: r.AccessNS, CycleNS: r.CycleNS}, true
		}
	}
	return Estimate{}, false
}

// searchedLog gives the logarithm to base 2 of a metric; between nodes the power law of the two around it.
// What the model has a result of is given as it is.
func (m *Model) searchedLog(q Query, k Metric) (float64, bool) {
	n, exact := slices.BinarySearch(searchNodes[:], q.NodeNM)
	if exact {
		return m.resultOrSearch(q, k)
	}
	if n == 0 || n == len(searchNodes) {
		return 0, false
	}
	x := samefloat.Log2(q.NodeNM/searchNodes[n-1]) / samefloat.Log2(searchNodes[n]/searchNodes[n-1])
	low, high := q, q
	low.NodeNM, high.NodeNM = searchNodes[n-1], searchNodes[n]
	a, ok := m.resultOrSearch(low, k)
	if !ok {
		return 0, false
	}
	b, ok := m.resultOrSearch(high, k)
	return float64(a*(1-x)) + float64(b*x), ok
}

func (m *Model) resultOrSearch(q Query, k Metric) (float64, bool) {
	if v, ok := m.kin[q.Class].result(q, k); ok {
		return v, true
	}
	e, ok := organisations.at(q)
	return samefloat.Log2(e.Of(k)), ok
}
