// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// A number of instructions that is known to 3 % has cycles that are off by as much, beside what they are off already: the legs and the
// hypotenuse of 3, 4 and 5. It was taken of four thread blocks, which have three degrees of freedom.
func TestAnUncountedLaunchIsOffByItsCount(t *testing.T) {
	for _, c := range []struct {
		relative, freedom float64
		blocks            uint64
		want, wantFreedom float64
	}{{0.03, 0, 4, 50, 3}, {0.03, 7, 4, 50, 7}, {0.03, 0, 1, 50, 1}, {0, 0, 4, 40, 0}} {
		e := Estimate{Cycles: 1000, Error: 40, Freedom: c.freedom}
		if e.Uncounted(c.relative, c.blocks); math.Abs(e.Error-c.want) > 1e-9 || e.Freedom != c.wantFreedom {
			t.Errorf("%+v: standard error %g with %g degrees of freedom", c, e.Error, e.Freedom)
		}
	}
}

// The machine holds four thread blocks. The fourth of a run that follows another is placed beside three of its own, and what is placed then
// finds four of them. A run of less than two fills is taken as it is.
func TestARunIsSettledWhenTheMachineHoldsItsThreadBlocks(t *testing.T) {
	o := &Observation{Resident: 4, Runs: []Run{{Stratum: 2, Blocks: 10}, {Stratum: 1, Blocks: 8}, {Stratum: 0, Blocks: 7}}}
	for dispatched, want := range map[uint64]struct {
		stratum int
		settled bool
	}{0: {2, true}, 9: {2, true}, 10: {1, false}, 13: {1, false}, 14: {1, true}, 17: {1, true}, 18: {0, true}, 24: {0, true}, 25: {0, true}} {
		if stratum, settled := o.running(dispatched); stratum != want.stratum || settled != want.settled {
			t.Errorf("after %d thread blocks: stratum %d, settled %v; want %+v", dispatched, stratum, settled, want)
		}
	}
}

// Stretches that are alike tell as much apart as in pairs: there are sixteen, and fifteen degrees of freedom.
func TestEqualStretchesKeepTheirDegreesOfFreedom(t *testing.T) {
	w := window{parts: make([]stretch, 16)}
	for i := range w.parts {
		w.parts[i] = stretch{cycles: 100, instructions: 50, blocks: 1}
	}
	if r, standardError, freedom := w.widestRatio(-1); r != 2 || standardError != 0 || freedom != 15 {
		t.Errorf("%g ± %g with %g degrees of freedom", r, standardError, freedom)
	}
}

// A launch takes 300 cycles to begin, in which no window is. Two channels of DRAM count each of its cycles, those that are not stored too.
func TestCountersOfTimeGoLikeTheCycles(t *testing.T) {
	o := waves(64, 16, 700, 40)
	for i := range o.Dispatches {
		o.Dispatches[i] += 300
	}
	for i := range o.Checkpoints {
		o.Checkpoints[i].Cycle += 300
		o.Checkpoints[i].Counters[counters.DRAMChannelCycles] = 2 * uint64(o.Checkpoints[i].Cycle)
	}
	o.Cycles += 300
	o.Launch.Counters[counters.DRAMChannelCycles] = 2 * uint64(o.Cycles)
	o.Blocks, o.Instructions = 1000, 1000*40
	if e := Launch(o); math.Abs(e.Counters[counters.DRAMChannelCycles]-2*e.Cycles) > 1e-6*e.Cycles {
		t.Errorf("%g cycles of two channels in %g cycles", e.Counters[counters.DRAMChannelCycles], e.Cycles)
	}
}

// Where nothing is written the last cache gathers nothing, and the whole window stands for the launch, also while the cache has room.
func TestAWindowWithoutWritesIsTakenWhole(t *testing.T) {
	o := waves(160, 16, 700, 40)
	o.CacheSectors, o.Blocks, o.Instructions = 1<<20, 1000, 1000*40
	w, ok := o.window()
	if !ok || w.from.Dispatched != 32 || w.settled {
		t.Errorf("the window begins behind %d thread blocks (%v), settled %v; want behind two fills, not settled", w.from.Dispatched, ok, w.settled)
	}
}

// From three stored fills on the first two are left out, and otherwise the first.
func TestWindowsBeginBehindOneFillOrTwo(t *testing.T) {
	for stored, want := range map[int]uint64{32: 16, 40: 16, 47: 16, 48: 32, 96: 32} {
		o := waves(stored, 16, 700, 40)
		o.Blocks, o.Instructions = 1000, 1000*40
		if w, ok := o.window(); !ok || w.from.Dispatched != want {
			t.Errorf("%d stored: the window begins behind %d thread blocks (%v), want %d", stored, w.from.Dispatched, ok, want)
		}
	}
}

// A launch that ran beside others has no window. What is missing takes as long as what is stored, and all of it may be off.
func TestAnOverlappedLaunchIsExposedInProportion(t *testing.T) {
	o := waves(96, 16, 700, 40)
	o.Overlapped = true
	o.Blocks, o.Instructions = 960, 960*40
	if e := Launch(o); math.Abs(e.Cycles-42000) > 1e-6 || e.Exposed != (Exposure{Partial: e.Cycles - 4200}) {
		t.Errorf("%g cycles, %v exposed; want 42000, and 37800 as a part of others", e.Cycles, e.Exposed)
	}
}

// A launch of three times the cycles is off by three times as many.
func TestErrorsScaleWithTheCycles(t *testing.T) {
	e := Estimate{Cycles: 100, Error: 4, Freedom: 5, Exposed: Exposure{Drift: 6}}
	if out := e.Represented(3); out.Error != 12 || out.Freedom != 5 || out.Exposed[Drift] != 18 {
		t.Errorf("standard error %g, %g degrees of freedom, %g cycles in drift", out.Error, out.Freedom, out.Exposed[Drift])
	}
}

// A counter of a mechanism lies behind the lanes of all classes and is none of them.
func TestThreadsLeaveCountersOfMechanisms(t *testing.T) {
	var e Estimate
	e.Counters[counters.IssuedThread], e.Counters[counters.Count-1], e.Counters[counters.Count] = 100, 30, 40
	if e.Threads(200); e.Counters[counters.Count-1] != 60 || e.Counters[counters.Count] != 40 {
		t.Errorf("%g lanes of the last class, want 60; a mechanism's counter is %g, want 40", e.Counters[counters.Count-1], e.Counters[counters.Count])
	}
}

// A machine may have a last-level cache and no L2. A half of it has a half of that cache.
func TestASliceWithoutL2HasItsShareOfTheLastCache(t *testing.T) {
	m := soc(t)
	m.L2.Slice.Bytes, m.LLC.Bytes, m.LLC.Ways = 0, 64<<10, 16
	s, err := Slice(m, Part{SMs: 1, All: 2 * m.L2.Partitions, Blocks: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if s.L2.Slice.Bytes != 0 || s.LLC.Bytes != 32<<10 || s.LLC.Ways != 8 {
		t.Errorf("the L2 has %d bytes, the last cache %d in %d ways", s.L2.Slice.Bytes, s.LLC.Bytes, s.LLC.Ways)
	}
}

func soc(t *testing.T) *arch.Machine {
	t.Helper()
	m, err := arch.Load("gpsim-soc")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// One part that fills no machine has no neighbour to join.
func TestASingleRestStays(t *testing.T) {
	w := window{parts: []stretch{{cycles: 10, instructions: 1, blocks: 5}}}
	w.to.Dispatched = 5
	if w.batch(8); len(w.parts) != 1 || w.parts[0].blocks != 5 {
		t.Errorf("parts are %v", w.parts)
	}
}
