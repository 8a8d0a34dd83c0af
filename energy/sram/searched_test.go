// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace/samefloat"
	"github.com/warptape/warptape/trace/tracetest"
)

// The grid has four digits of times and six of the rest.
const digits = 0.0005

// Caches and RAMs that no model was fitted to are organised as CACTI organises them, in all six
// quantities and at all nodes.
func TestOrganisedArraysAreAsCACTIHasThem(t *testing.T) {
	points, err := Grid()
	if err != nil {
		t.Fatal(err)
	}
	_, held := Split(points)
	tested := 0
	for i, p := range held {
		q := p.Query.normal()
		if q.Class != Cache && q.Class != RAM || i%6 != 0 && !tracetest.Whole() {
			continue
		}
		tested++
		for k := range Metric(MetricCount) {
			if !q.Class.Has(k) {
				continue
			}
			if got := samefloat.Exp2(organisedLog(q, k)); !(math.Abs(got/p.Estimate.Of(k)-1) < digits) {
				t.Errorf("%+v: %s is %g, CACTI gave %g", q, k, got, p.Estimate.Of(k))
			}
		}
	}
	if tested < 20 {
		t.Errorf("%d points were tested", tested)
	}
}

// What CACTI 7 (github.com/HewlettPackard/cacti, 1ffd8df, with the settings of the grid) says of arrays
// that the machines have and the grid has not.
func TestBesideTheGridCACTIAgrees(t *testing.T) {
	text, err := os.ReadFile("testdata/off-grid.csv")
	if err != nil {
		t.Fatal(err)
	}
	points, err := parseGrid(string(text))
	if err != nil {
		t.Fatal(err)
	}
	known, err := Grid()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range points {
		q := p.Query.normal()
		if slices.ContainsFunc(known, func(k Point) bool { return k.Query.normal() == q }) {
			t.Errorf("%+v is in the grid", q)
		}
		if i%3 != 0 && !tracetest.Whole() {
			continue
		}
		e := estimate(t, q)
		for k := range Metric(MetricCount) {
			if off := math.Abs(e.Of(k)/p.Estimate.Of(k) - 1); q.Class.Has(k) && !(off < digits) {
				t.Errorf("%+v: %s is %g, CACTI gave %g", q, k, e.Of(k), p.Estimate.Of(k))
			}
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
