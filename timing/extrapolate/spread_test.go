// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
)

// randomWaves is the replay of a launch's stored waves of 16 thread blocks with 40 warp
// instructions each; a wave takes the cycles that it is given.
func randomWaves(cycles []float64) *Observation {
	o := &Observation{Launch: &gpu.Launch{}, Resident: 16, StoredBlocks: 16 * uint64(len(cycles)), StoredInstructions: 640 * uint64(len(cycles))}
	at := clock.Cycle(0)
	for i, wave := range cycles {
		c := gpu.Checkpoint{Dispatched: uint64(16 * i), Cycle: at}
		c.Counters[counters.IssuedWarp] = uint64(640 * i)
		o.Checkpoints = append(o.Checkpoints, c)
		for range 16 {
			o.Dispatches = append(o.Dispatches, at)
		}
		at += clock.Cycle(wave)
	}
	o.Cycles = at
	o.Launch.Counters[counters.IssuedWarp] = o.StoredInstructions
	last := gpu.Checkpoint{Dispatched: o.StoredBlocks, Cycle: at, Counters: o.Launch.Counters}
	o.Checkpoints = append(o.Checkpoints, last)
	return o
}

// Waves take a random time that the same thread blocks do not take again. So neither what
// is missing nor what is stored runs in the whole launch as it did in the sample. An
// interval of 95 % holds the whole launch's time 95 times in a hundred, whatever part is
// stored.
func TestSpreadHoldsLaunchesOfRandomWavesAsOftenAsItSays(t *testing.T) {
	const trials = 1000
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) (list []float64) {
		for range n {
			list = append(list, math.Round(10000+1500*random.NormFloat64()))
		}
		return list
	}
	for _, whole := range []int{20, 36, 180} {
		held := 0
		for range trials {
			o := randomWaves(draw(18))
			o.Blocks, o.Instructions = 16*uint64(whole), 640*uint64(whole)
			truth := 0.0
			for _, cycles := range draw(whole) {
				truth += cycles
			}
			if e := Launch(o); math.Abs(e.Cycles-truth) <= e.Spread() {
				held++
			}
		}
		if part := float64(held) / trials; part < 0.93 || part > 0.98 {
			t.Errorf("18 waves of %d: %.1f %% of the intervals hold", whole, 100*part)
		}
	}
}

// Waves that are long or short for two at a time, as convoys of thread blocks make them,
// are half as many measurements as they are waves. One batch a wave would have the
// interval hold 81 times in a hundred.
func TestSpreadHoldsLaunchesWhoseWavesAreCorrelated(t *testing.T) {
	const trials = 1000
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) (list []float64) {
		for len(list) < n {
			cycles := math.Round(10000 + 1500*random.NormFloat64())
			list = append(list, cycles, cycles)
		}
		return list
	}
	held := 0
	for range trials {
		o := randomWaves(draw(18))
		o.Blocks, o.Instructions = 16*180, 640*180
		truth := 0.0
		for _, cycles := range draw(180) {
			truth += cycles
		}
		if e := Launch(o); math.Abs(e.Cycles-truth) <= e.Spread() {
			held++
		}
	}
	if part := float64(held) / trials; part < 0.93 || part > 0.99 {
		t.Errorf("%.1f %% of the intervals hold", 100*part)
	}
}
