// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"sync"

	"github.com/warptape/warptape/energy/internal/krige"
	"github.com/warptape/warptape/energy/sram"
)

// start is where every search begins: a length of four octaves, or switches that
// share little.
var start = sram.Lengths{4, 4, 4, 2, 4, 4, 4, 4, 4}

// search chooses the lengths of all classes and metrics on the training points. It
// judges each by the error with which every point is estimated from the others. Then it
// chooses whether kin do so better.
func search(training []sram.Point) (*sram.Fit, error) {
	var table sram.Fit
	for c := range table.Lengths {
		for k := range table.Lengths[c] {
			table.Lengths[c][k] = start
		}
	}
	model, err := sram.NewModel(training, &table)
	if err != nil {
		return nil, err
	}
	var done sync.WaitGroup
	for _, c := range sram.Classes() {
		for k := range sram.MetricCount {
			if f := model.Field(c, sram.Metric(k)); f != nil {
				done.Go(func() { table.Lengths[c][k] = descend(f, start) })
			}
		}
	}
	done.Wait()
	if model, err = sram.NewModel(training, &table); err != nil {
		return nil, err
	}
	for _, c := range sram.Classes() {
		for k := range sram.MetricCount {
			if c.Has(sram.Metric(k)) {
				kin, field := model.LeaveOneOut(c, sram.Metric(k))
				table.Kin[c][k] = kin < field
			}
		}
	}
	return &table, nil
}

// descend improves one length at a time by factors until none does any more.
func descend(f *krige.Field, l sram.Lengths) sram.Lengths {
	best := spread(f, l)
	for _, factor := range []float64{4, 2, math.Sqrt2} {
		for improved := true; improved; {
			improved = false
			for d := range l {
				for _, step := range []float64{factor, 1 / factor} {
					try := l
					try[d] = math.Round(try[d]*step*1000) / 1000
					if try[d] < 0.05 || try[d] > 300 {
						continue
					}
					if e := spread(f, try); e < best*0.999 {
						best, l, improved = e, try, true
					}
				}
			}
		}
	}
	return l
}

// spread is the mean plus the root mean square of the errors, in octaves.
func spread(f *krige.Field, l sram.Lengths) float64 {
	g := f.WithLengths(l[:])
	var sum, squares float64
	for i := range g.Points() {
		e := math.Abs(g.Without(i) - g.ValueAt(i))
		sum += e
		squares += float64(e * e)
	}
	n := float64(g.Points())
	return sum/n + math.Sqrt(squares/n)
}
