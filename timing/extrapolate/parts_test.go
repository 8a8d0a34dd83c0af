// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
)

// DRAM of constant latency has its bandwidth for the whole machine. A slice has its share of it.
func TestSliceHasItsShareOfBandwidth(t *testing.T) {
	m, err := arch.Load("gpsim-soc")
	if err != nil {
		t.Fatal(err)
	}
	if m.DRAM.Model != "simple" {
		t.Fatalf("the DRAM of %s is %s", m.Name, m.DRAM.Model)
	}
	for _, all := range []int{1, 2, 4} {
		s, err := Slice(m, PartOf(m, 1, all))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.DRAM.GigabytesPerSecond*float64(all), m.DRAM.GigabytesPerSecond; math.Abs(got-want) > 1e-9*want {
			t.Errorf("1/%d has %g GB/s of %g", all, s.DRAM.GigabytesPerSecond, want)
		}
	}
}

// A slice has an eighth of the last cache. It is full after as many thread blocks of the slice as an eighth takes.
func TestTheCacheOfASliceIsFullAsEarly(t *testing.T) {
	o := streams(800, 3200, false) // full after 400 thread blocks
	o.CacheSectors, o.Resident = 8*3200, 8*16
	o.SliceBlocks, o.Blocks, o.Instructions = 8000, 8*8000, 8*8000*40
	e := OfSlice(o, Part{SMs: 2, All: 16, Blocks: 0.125})
	alone := streams(800, 3200, false)
	alone.Blocks, alone.Instructions = 8000, 8000*40
	want := Launch(alone)
	want.Exposed[Sliced], want.Exposed[SlicedDRAM] = e.Exposed[Sliced], e.Exposed[SlicedDRAM]
	if e.Cycles != want.Cycles || e.Exposed != want.Exposed {
		t.Errorf("%g cycles, %v exposed, want %g, %v", e.Cycles, e.Exposed, want.Cycles, want.Exposed)
	}
}

// All thread blocks are placed and retire, however many instructions those have that are not stored.
func TestAllThreadBlocksOfALaunchRetire(t *testing.T) {
	o := waves(96, 16, 700, 40)
	o.Blocks, o.Instructions = 1000, 1300*40
	e := Launch(o)
	if e.Counters[counters.BlocksDispatched] != 1000 || e.Counters[counters.BlocksRetired] != 1000 {
		t.Errorf("%g thread blocks placed and %g retired, want 1000", e.Counters[counters.BlocksDispatched], e.Counters[counters.BlocksRetired])
	}
}

// Of 15 samples on a machine for 16, 1000 thread blocks take 67 times as long at most, 66 more than the samples do. That is 62.5
// fills of the machine, each of half the time at least, without the one that has been seen. A tenth of all is for thread blocks that take longer.
func TestBoundsOfFewFills(t *testing.T) {
	o := waves(15, 16, 700, 40)
	o.Cycles, o.Blocks, o.Instructions = 700, 1000, 1000*40
	e := Launch(o)
	most, least := 700*(67-1.0), 700*(62.5/2-1)
	if want := (most-least)/2 + (700+most)/10; math.Abs(e.Exposed[FewFills]-want) > 1e-6*want || math.Abs(e.Cycles-700-(most+least)/2) > 1e-6*most {
		t.Errorf("%g ± %g cycles, want %g ± %g", e.Cycles, e.Exposed[FewFills], 700+(most+least)/2, want)
	}
}

// Reads are three quarters of what DRAM moves. It moves data in a fifth of its cycles and can in a half of them. No warp waits.
func TestReadsOfACacheWithRoom(t *testing.T) {
	o := &Observation{Launch: &gpu.Launch{}, CacheSectors: 1000}
	var to gpu.Checkpoint
	to.Counters[counters.DRAMRead], to.Counters[counters.DRAMWrite] = 30, 10
	to.Counters[counters.DRAMBusCycles], to.Counters[counters.DRAMChannelCycles] = 20, 100
	if got, want := o.warms(&gpu.Checkpoint{}, &to), 0.75*0.2/0.5; math.Abs(got-want) > 1e-9 {
		t.Errorf("reads take %g of the time, want %g", got, want)
	}
}

// A window of whole waves ends at the last checkpoint that is a multiple of the resident thread blocks behind its first.
func TestAWindowEndsWithAWholeWave(t *testing.T) {
	o := &Observation{Launch: &gpu.Launch{}, Resident: 24}
	for i := range 9 {
		o.Checkpoints = append(o.Checkpoints, gpu.Checkpoint{Dispatched: uint64(8 * i)})
	}
	for _, c := range []struct{ first, last, want int }{{1, 8, 7}, {0, 8, 6}, {2, 8, 8}, {2, 7, 5}, {7, 8, 8}} {
		if got := o.whole(c.first, c.last); got != c.want {
			t.Errorf("of checkpoints %d to %d the window ends at %d, want %d", c.first, c.last, got, c.want)
		}
	}
}

// Two stretches of 1 and 1.4 cycles an instruction have a mean of 1.2, whose standard error is that of two numbers: half of their distance.
func TestTwoStretchesHaveAStandardError(t *testing.T) {
	r, standardError, freedom := ratio([]stretch{{100, 100, 0, 1}, {140, 100, 0, 1}})
	if math.Abs(r-1.2) > 1e-9 || math.Abs(standardError-0.2) > 1e-9 || freedom != 1 {
		t.Errorf("%g ± %g with %g degrees of freedom", r, standardError, freedom)
	}
	if _, standardError, freedom := ratio([]stretch{{100, 100, 0, 1}}); standardError != 0 || freedom != 0 {
		t.Errorf("one stretch: ± %g with %g degrees of freedom", standardError, freedom)
	}
}

// A launch that stands for another of three times the instructions exposes all of that one's cycles.
func TestARepresentedLaunchIsExposed(t *testing.T) {
	e := Estimate{Cycles: 100}
	e.Counters[counters.L2Read] = 7
	if out := e.Represented(3); out.Cycles != 300 || out.Exposed[Represented] != 300 || out.Counters[counters.L2Read] != 21 {
		t.Errorf("%g cycles, %g exposed, %g reads", out.Cycles, out.Exposed[Represented], out.Counters[counters.L2Read])
	}
}
