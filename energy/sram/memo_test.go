// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"sync"
	"testing"
)

// TestAnEstimateIsTheSameAgain, by whichever goroutine, and after a memo began anew.
func TestAnEstimateIsTheSameAgain(t *testing.T) {
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	query := func(i int) Query {
		return Query{Class: Cache, Bytes: 1024 << (i % 8), Ways: 4, LineBytes: 128, OutBytes: 32, NodeNM: 40}
	}
	var want [8]Estimate
	for i := range want {
		if want[i], err = m.Estimate(query(i)); err != nil {
			t.Fatal(err)
		}
		if i > 0 && want[i] == want[i-1] {
			t.Errorf("%+v and half of it have one estimate", query(i))
		}
	}
	m.memo.known = nil
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 64 {
				if e, err := m.Estimate(query(g + i)); err != nil || e != want[(g+i)%8] {
					t.Errorf("%+v, %v", e, err)
				}
			}
		})
	}
	all.Wait()
	// The memo has a bound.
	var small memo
	for i := range mostKnown + 1 {
		small.put(Query{Bytes: i + 1}, Estimate{ReadPJ: float64(i)})
	}
	if len(small.known) != 1 {
		t.Errorf("%d estimates are kept", len(small.known))
	}
}
