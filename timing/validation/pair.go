// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// Pair is a launch with the cycles that it takes here.
type Pair struct {
	*Launch
	Ours float64
}

// NewPair finds a launch in a replay of its run. A launch that has executed other
// instructions than in the reference is an error: it is not the same program.
func NewPair(l *Launch, r *replay.Result) (Pair, error) {
	i := slices.IndexFunc(r.Launches, func(s replay.Section) bool { return s.Launch == l.Index })
	if i < 0 {
		return Pair{}, fmt.Errorf("%s %s has no launch %d", l.Workload, l.Parameters, l.Index)
	}
	s := &r.Launches[i]
	if issued := s.Counters[counters.IssuedWarp]; s.Kernel != l.Kernel || issued != l.WarpInstructions {
		return Pair{}, fmt.Errorf("%s %s: launch %d is %s with %d warp instructions here, and %s with %d in the reference",
			l.Workload, l.Parameters, l.Index, s.Kernel, issued, l.Kernel, l.WarpInstructions)
	}
	return Pair{Launch: l, Ours: float64(s.Cycles)}, nil
}

// Kernel is all launches of one kernel in one run.
type Kernel struct {
	Workload, Parameters, Name string
	Launches                   int
	Reference, Ours            float64 // cycles
}

// Off is the signed difference from the reference in percent.
func (k *Kernel) Off() float64 { return 100 * (k.Ours/k.Reference - 1) }

// Kernels adds up launches by kernel and run, in their order.
func Kernels(pairs []Pair) []Kernel {
	var list []Kernel
	for _, p := range pairs {
		i := slices.IndexFunc(list, func(k Kernel) bool {
			return k.Workload == p.Workload && k.Parameters == p.Parameters && k.Name == p.Kernel
		})
		if i < 0 {
			i = len(list)
			list = append(list, Kernel{Workload: p.Workload, Parameters: p.Parameters, Name: p.Kernel})
		}
		list[i].Launches++
		list[i].Reference += p.Cycles
		list[i].Ours += p.Ours
	}
	return list
}

// Agreement sums a comparison up.
type Agreement struct {
	Mean, Signed, Worst float64 // percent: of the magnitudes, with their signs, and the largest magnitude
	Correlation         float64 // Pearson's, of the logarithms of the cycles
}

// Agree compares kernels.
func Agree(kernels []Kernel) Agreement {
	var a Agreement
	var x, y []float64
	for i := range kernels {
		off := kernels[i].Off()
		a.Mean += math.Abs(off) / float64(len(kernels))
		a.Signed += off / float64(len(kernels))
		a.Worst = max(a.Worst, math.Abs(off))
		x, y = append(x, math.Log(kernels[i].Reference)), append(y, math.Log(kernels[i].Ours))
	}
	a.Correlation = correlation(x, y)
	return a
}

// correlation is Pearson's coefficient, NaN of a series without spread.
func correlation(x, y []float64) float64 {
	mean := func(list []float64) float64 {
		sum := 0.0
		for _, v := range list {
			sum += v
		}
		return sum / float64(len(list))
	}
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xy += float64(dx * dy)
		xx += float64(dx * dx)
		yy += float64(dy * dy)
	}
	return xy / math.Sqrt(float64(xx*yy))
}
