// SPDX-License-Identifier: Apache-2.0

package sram

import "testing"

// Nothing that CACTI warned of is held out, and no size is on both sides when sizes are.
func TestHeldOutSizesAreNewAndWithoutCaution(t *testing.T) {
	points, err := Grid()
	if err != nil {
		t.Fatal(err)
	}
	training, held := splitSizes(points)
	seen := map[Query]bool{}
	for _, p := range training {
		seen[withoutNode(p.Query.normal())] = true
	}
	for _, p := range held {
		if p.Caution != "" || seen[withoutNode(p.Query.normal())] {
			t.Errorf("%+v is held out: caution %q, of a size seen %v", p.Query, p.Caution, seen[withoutNode(p.Query.normal())])
		}
	}
	if len(held) < len(points)/20 {
		t.Errorf("%d of %d points are held out", len(held), len(points))
	}
}

// The worst error is that of the worst point, and no less than the others.
func TestTheWorstErrorIsThatOfItsPoint(t *testing.T) {
	results, _, err := DefaultErrors()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range results {
		if e.Worst < e.NineInTen || e.NineInTen <= 0 || e.Mean > e.Worst || e.Worst > 0 && e.WorstPoint.Bytes == 0 || (e.Worst > aim) != (e.Beyond > 0) {
			t.Errorf("%s, %s: mean %g, nine in ten %g, worst %g at %+v, %d beyond %g", e.Class, e.Metric, e.Mean, e.NineInTen, e.Worst, e.WorstPoint, e.Beyond, aim)
		}
		if e.WorstPoint.Class != e.Class {
			t.Errorf("%s, %s: the worst point is a %s", e.Class, e.Metric, e.WorstPoint.Class)
		}
	}
}

// What is larger, or smaller, than all results of its class is estimated from beyond them.
func TestInsideEndsWithTheResults(t *testing.T) {
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	points, err := Grid()
	if err != nil {
		t.Fatal(err)
	}
	low, high := map[Class]Query{}, map[Class]Query{}
	for _, p := range points {
		c := p.Query.Class
		if q, ok := low[c]; !ok || p.Query.Bytes < q.Bytes {
			low[c] = p.Query
		}
		if p.Query.Bytes > high[c].Bytes {
			high[c] = p.Query
		}
	}
	for c, q := range high {
		if !m.Inside(q) || !m.Inside(low[c]) {
			t.Errorf("%s: the results of %d and %d bytes are not inside", c, low[c].Bytes, q.Bytes)
		}
		q.Bytes *= 2
		small := low[c]
		small.Bytes /= 2
		if m.Inside(q) || m.Inside(small) {
			t.Errorf("%s: %d or %d bytes are inside", c, small.Bytes, q.Bytes)
		}
	}
}
