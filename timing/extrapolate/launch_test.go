// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
)

// waves is the replay of n thread blocks on a machine that holds resident. Each
// wave takes so many cycles, every thread block has so many instructions, and the
// counter of L2 reads counts three a thread block.
func waves(n, resident int, cycles, instructions uint64) *Observation {
	o := &Observation{Launch: &gpu.Launch{}, Resident: resident, StoredBlocks: uint64(n), StoredInstructions: uint64(n) * instructions}
	at := func(i int) clock.Cycle { return clock.Cycle(i/resident) * clock.Cycle(cycles) }
	checkpoint := func(i int) {
		done := uint64(i / resident * resident)
		c := gpu.Checkpoint{Dispatched: uint64(i), Cycle: at(i)}
		c.Counters[counters.IssuedWarp] = done * instructions
		c.Counters[counters.L2Read] = done * 3
		o.Checkpoints = append(o.Checkpoints, c)
	}
	for i := range n {
		o.Dispatches = append(o.Dispatches, at(i))
		if i%(resident/2) == 0 {
			checkpoint(i)
		}
	}
	checkpoint(n) // where it would place another one
	o.Cycles = at(n-1) + clock.Cycle(cycles)
	o.Launch.Counters[counters.IssuedWarp] = uint64(n) * instructions
	o.Launch.Counters[counters.L2Read] = uint64(n) * 3
	return o
}

// The first wave finds cold caches. What follows it does not, and three waves are
// enough to measure only that.
func TestFirstWaveIsNotMeasuredWhereThreeAreStored(t *testing.T) {
	for _, stored := range []int{48, 55, 64, 71, 96} {
		o := waves(stored, 16, 700, 40)
		for i := 16; i < stored; i++ {
			o.Dispatches[i] += 300
		}
		for i := range o.Checkpoints {
			if c := &o.Checkpoints[i]; c.Dispatched >= 16 {
				c.Cycle += 300
			}
		}
		o.Cycles += 300
		o.Blocks, o.Instructions = 1000, 1000*40
		if e, want := Launch(o), 300+63*700.0; math.Abs(e.Cycles-want) > 1e-6*want {
			t.Errorf("%d stored: %g cycles, want %g", stored, e.Cycles, want)
		}
	}
}

// Of three waves one is measured, of four two: 60 and 59 of 63 waves are missing, at
// 700 cycles each. A single wave does not show how much others differ.
func TestIntervalIsWiderWhereOneWaveIsMeasured(t *testing.T) {
	for stored, want := range map[int]float64{48: OneWave.Coefficient()*60*700 + 700*Step.Coefficient(), 64: Steady.Coefficient()*59*700 + 700*Step.Coefficient()} {
		o := waves(stored, 16, 700, 40)
		o.Blocks, o.Instructions = 63*16, 63*16*40
		if e := Launch(o); math.Abs(e.HalfWidth()-want) > 1e-6*want {
			t.Errorf("%d stored: ± %g cycles, want %g", stored, e.HalfWidth(), want)
		}
	}
}

func TestWavesAreExtrapolatedExactly(t *testing.T) {
	for _, stored := range []int{48, 50, 64, 71, 160} {
		for _, blocks := range []int{160, 161, 175, 176, 1000, 12345} {
			o := waves(stored, 16, 700, 40)
			o.Blocks, o.Instructions = uint64(blocks), uint64(blocks)*40
			e := Launch(o)
			if want := float64((blocks + 15) / 16 * 700); math.Abs(e.Cycles-want) > 1e-6*want {
				t.Errorf("%d of %d thread blocks: %g cycles, want %g", stored, blocks, e.Cycles, want)
			}
			if want := float64(blocks * 3); math.Abs(e.Counters[counters.L2Read]-want) > 1e-6*want {
				t.Errorf("%d of %d thread blocks: %g L2 reads, want %g", stored, blocks, e.Counters[counters.L2Read], want)
			}
			if stored < blocks && e.Error > 1e-6*e.Cycles {
				t.Errorf("%d of %d thread blocks: standard error %g of equal parts", stored, blocks, e.Error)
			}
		}
	}
}

// A mechanism that issues 10 of 40 recorded instructions takes no longer for it.
func TestWavesOfAMechanismThatRemovesInstructionsAreExtrapolatedExactly(t *testing.T) {
	for _, stored := range []int{48, 71, 160} {
		o := waves(stored, 16, 700, 10)
		o.Blocks, o.Instructions, o.StoredInstructions = 1000, 1000*40, uint64(stored)*40
		e := Launch(o)
		for what, c := range map[string]struct{ got, want float64 }{
			"cycles": {e.Cycles, 63 * 700}, "L2 reads": {e.Counters[counters.L2Read], 3000}, "instructions": {e.Counters[counters.IssuedWarp], 10000},
		} {
			if math.Abs(c.got-c.want) > 1e-6*c.want {
				t.Errorf("%d stored: %g %s, want %g", stored, c.got, what, c.want)
			}
		}
	}
	o := waves(20, 2, 700, 10)
	o.Resident = 16
	o.Blocks, o.SliceBlocks, o.Instructions, o.StoredInstructions = 1600, 200, 1600*40, 20*40
	if e := OfSlice(o, Part{SMs: 2, All: 16, Blocks: 0.125}); math.Abs(e.Cycles-70000) > 0.07 || math.Abs(e.Counters[counters.IssuedWarp]-16000) > 0.016 {
		t.Errorf("of a slice: %g cycles and %g instructions, want 70000 and 16000", e.Cycles, e.Counters[counters.IssuedWarp])
	}
}

// A stratum that is four times as slow counts with its missing instructions.
func TestStrataWeighWithTheirMissingInstructions(t *testing.T) {
	w := window{parts: []stretch{{100, 100, 0, 1}, {100, 100, 0, 1}, {400, 100, 1, 1}, {400, 100, 1, 1}}}
	o := &Observation{
		Runs:   []Run{{0, 10}, {1, 10}},
		Strata: []Stratum{{Blocks: 100, Instructions: 9000}, {Blocks: 20, Instructions: 2000}},
	}
	// 8100 instructions of the first are missing and 1000 of the second.
	cycles, spread, _ := o.missingCycles(&w, 9100)
	if math.Abs(cycles-(8100+4*1000)) > 1e-6 || spread != 0 {
		t.Errorf("%g cycles with standard error %g, want 12100 and 0", cycles, spread)
	}
}

// The standard error of a mean of four measurements, restated: all parts have the
// same instructions, so that the ratio is the mean.
func TestSpreadIsTheStandardErrorOfTheMean(t *testing.T) {
	w := window{parts: []stretch{{90, 100, 0, 1}, {110, 100, 0, 1}, {95, 100, 0, 1}, {105, 100, 0, 1}}}
	r, e, freedom := ratio(w.parts)
	want := math.Sqrt((100.0+100+25+25)/3/4) / 100
	if r != 1 || math.Abs(e-want) > 1e-12 || freedom != 3 {
		t.Errorf("ratio %g, standard error %g (want %g), %g degrees of freedom", r, e, want, freedom)
	}
}

// Student's quantiles in tables. From ten degrees of freedom on they are off by the next two terms of the expansion (Abramowitz and Stegun, 26.7.5).
func TestQuantilesAreStudents(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.706, 2: 4.303, 5: 2.571, 6: 2.447, 9: 2.262, 10: 2.228139, 12: 2.178813, 15: 2.131450, 20: 2.085963, 30: 2.042272, 120: 1.979930} {
		left, off := 0.0, 0.0005
		if freedom >= 10 {
			const z = 1.959964
			z3, z5, z7, z9 := math.Pow(z, 3), math.Pow(z, 5), math.Pow(z, 7), math.Pow(z, 9)
			left = (3*z7+19*z5+17*z3-15*z)/384/math.Pow(freedom, 3) + (79*z9+776*z7+1482*z5-1920*z3-945*z)/92160/math.Pow(freedom, 4)
			off = 0.00002
		}
		if got := quantile(freedom) + left; math.Abs(got-want) > off {
			t.Errorf("%g degrees of freedom: %g, the table says %g", freedom, got, want)
		}
	}
	if quantile(0) != quantile(1) || quantile(0.5) != quantile(1) {
		t.Error("less than one degree of freedom has less than the interval of one")
	}
}

func TestIndependentErrorsAddInQuadratureAndBiasesAddUp(t *testing.T) {
	a := Estimate{Cycles: 100, Error: 3, Exposed: Exposure{Uneven: 1}, Freedom: 10}
	a.Combine(&Estimate{Cycles: 50, Error: 4, Exposed: Exposure{Uneven: 2}, Freedom: 10})
	if a.Cycles != 150 || a.Error != 5 || a.Bias() != 3 {
		t.Errorf("%+v", a)
	}
	want := 625 / (81.0/10 + 256.0/10) // Welch and Satterthwaite
	if math.Abs(a.Freedom-want) > 1e-9 {
		t.Errorf("%g degrees of freedom, want %g", a.Freedom, want)
	}
}

func BenchmarkLaunch(b *testing.B) { // one estimate from a thousand checkpoints
	o := waves(8000, 16, 700, 40)
	o.Blocks, o.Instructions = 80000, 80000*40
	for b.Loop() {
		Launch(o)
	}
}
