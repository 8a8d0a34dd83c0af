// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"math"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// The grid has four digits of times and six of the rest.
const digits = 0.0005

// Caches and RAMs that no model was fitted to are organised as CACTI organises them, in all six
// quantities and at all nodes.
func TestOrganisedArraysAreAsCACTIHasThem(t *testing.T) {
	list, err := OrganisedErrors()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Points < 30 || !(e.Worst < digits) {
			t.Errorf("%s, %s: %d points, the worst is off by %g at %+v", e.Class, e.Metric, e.Points, e.Worst, e.WorstPoint)
		}
	}
}

// Every cache and RAM of the grid is organised as there, those with a caution by the rows that
// the search falls back to.
func TestTheWholeGridIsOrganised(t *testing.T) {
	tracetest.Nightly(t)
	points, err := Grid()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		q := p.Query.normal()
		if q.Class != Cache && q.Class != RAM {
			continue
		}
		e, ok := organisations.at(q)
		if !ok {
			t.Errorf("%+v has no organisation", q)
			continue
		}
		for k := range Metric(MetricCount) {
			if off := math.Abs(e.Of(k)/p.Estimate.Of(k) - 1); q.Class.Has(k) && !(off < digits) {
				t.Errorf("%+v (%s): %s is %g, CACTI gave %g", q, p.Caution, k, e.Of(k), p.Estimate.Of(k))
			}
		}
	}
}

// What the search cannot organise is interpolated, and lies between its neighbours that it can.
func TestWaysBesidePowersOfTwoAreInterpolated(t *testing.T) {
	q := Query{Class: Cache, Bytes: 48 << 10, Ways: 6, LineBytes: 128, OutBytes: 128, NodeNM: 32}
	if _, ok := organisations.at(q.normal()); ok {
		t.Fatal("six ways are organised")
	}
	at := func(ways int) Estimate { q.Ways = ways; return estimate(t, q) }
	if a, b, c := at(4), at(6), at(8); !(b.ReadPJ > a.ReadPJ && b.ReadPJ < c.ReadPJ) {
		t.Errorf("a read takes %g, %g and %g pJ with four, six and eight ways", a.ReadPJ, b.ReadPJ, c.ReadPJ)
	}
}
