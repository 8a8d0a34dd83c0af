// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"testing"

	"github.com/warptape/warptape/energy/internal/krige"
	"github.com/warptape/warptape/energy/sram"
)

// TestSearchFindsTheDimensionThatMatters: values jump along the first dimension
// and are the same along the second, so that points must be estimated from those
// that differ in the second.
func TestSearchFindsTheDimensionThatMatters(t *testing.T) {
	jumps := []float64{0, 3, 1, 5, 2, 0, 4, 1}
	var points [][]float64
	var values []float64
	for x, jump := range jumps {
		for y := range 6 {
			p := make([]float64, sram.DimensionCount)
			p[0], p[1] = float64(x), float64(y)
			points, values = append(points, p), append(values, jump)
		}
	}
	f, err := krige.New(points, values, start[:])
	if err != nil {
		t.Fatal(err)
	}
	l := descend(f, start)
	if before, after := spread(f, start), spread(f, l); after >= before/2 {
		t.Errorf("the search leaves an error of %g, it began with %g", after, before)
	}
	if l[1] <= l[0] {
		t.Errorf("lengths %v: the second dimension carries less than the first", l)
	}
}

func TestWrittenTableIsGo(t *testing.T) {
	var table sram.Fit
	table.Lengths[0][0][0] = math.Pi
	table.Kin[1][2] = true
	source, err := write(&table)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := write(&table); string(again) != string(source) {
		t.Error("the same table is written differently")
	}
}
