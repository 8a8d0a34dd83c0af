// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
)

// streams is the replay of thread blocks that read a line of four sectors each and write
// one. The last cache writes nothing back until it is full. A machine that holds 16 takes
// 100 cycles a fill before and 200 afterwards, when DRAM moves twice as much.
func streams(stored int, sectors uint64, llc bool) *Observation {
	o := &Observation{Launch: &gpu.Launch{}, Resident: 16, StoredBlocks: uint64(stored), StoredInstructions: uint64(stored) * 40, CacheSectors: sectors, LLC: llc, SectorCommands: 1}
	miss, line, sector, write := counters.L2ReadMiss, counters.L2WriteMiss, counters.L2WriteSectorMiss, counters.L2Write
	if llc {
		miss, line, sector, write = counters.LLCReadMiss, counters.LLCWriteMiss, counters.LLCWriteSectorMiss, counters.LLCWrite
	}
	var at clock.Cycle
	var c counters.Set
	for i := 0; i <= stored; i += 8 {
		o.Checkpoints = append(o.Checkpoints, gpu.Checkpoint{Dispatched: uint64(i), Cycle: at, Counters: c})
		full := c[miss]+c[write] >= sectors
		cycles := clock.Cycle(50)
		c[counters.IssuedWarp] += 8 * 40
		c[miss], c[write], c[counters.DRAMRead] = c[miss]+8*4, c[write]+8*4, c[counters.DRAMRead]+8*4
		c[line], c[sector] = c[line]+8, c[sector]+8*3
		if full {
			cycles = 100
			c[counters.DRAMWrite] += 8 * 4
		}
		c[counters.DRAMBusCycles] += uint64(cycles) * 8 / 10
		c[counters.DRAMChannelCycles] += uint64(cycles)
		at += cycles
		for range 8 {
			o.Dispatches = append(o.Dispatches, at)
		}
	}
	o.Dispatches = o.Dispatches[:stored]
	end := &o.Checkpoints[len(o.Checkpoints)-1]
	o.Cycles, o.Launch.Counters = end.Cycle, end.Counters
	return o
}

// Until the last cache is full DRAM has half of the work. What is measured before tells
// nothing about the rest.
func TestWindowBeginsWhereTheLastCacheIsFull(t *testing.T) {
	for _, llc := range []bool{false, true} {
		o := streams(800, 3200, llc) // full after 400 thread blocks
		o.Blocks, o.Instructions = 8000, 8000*40
		e := Launch(o)
		if want := float64(o.Cycles) + 7200.0/16*200; math.Abs(e.Cycles-want) > 1e-6*want || e.Exposed[Gathering] != 0 {
			t.Errorf("last-level cache %t: %g cycles, want %g, %g of them without writes", llc, e.Cycles, want, e.Exposed[Gathering])
		}
		if w, _ := o.window(); w.from.Dispatched != 400+2*16 {
			t.Errorf("last-level cache %t: the window begins at thread block %d, want two fills after the 400th", llc, w.from.Dispatched)
		}
	}
}

// When the cache becomes full DRAM gets more to do. The fills after that are slower and
// slower until queues have settled.
func TestWindowBeginsWhenQueuesHaveSettledAfterTheCacheIsFull(t *testing.T) {
	o := streams(800, 3200, false)
	for i := range o.Checkpoints {
		c := &o.Checkpoints[i]
		switch {
		case c.Dispatched > 416:
			c.Cycle -= 100
		case c.Dispatched > 400:
			c.Cycle -= 80
		}
	}
	for i := range o.Dispatches {
		if i >= 416 {
			o.Dispatches[i] -= 100
		}
	}
	o.Cycles -= 100
	o.Blocks, o.Instructions = 8000, 8000*40
	if e, want := Launch(o), float64(o.Cycles)+7200.0/16*200; math.Abs(e.Cycles-want) > 1e-6*want || e.Exposed[Drift] > 1e-6*want {
		t.Errorf("%g cycles with drift %g, want %g", e.Cycles, e.Exposed[Drift], want)
	}
}

// A sample that never fills the cache misses what DRAM would write, also where writes
// find what was read before.
func TestIntervalHoldsTheWritesThatFindTheirLine(t *testing.T) {
	o := streams(384, 3200, false)
	for i := range o.Checkpoints {
		c := &o.Checkpoints[i].Counters
		c[counters.L2ReadMiss] += c[counters.L2WriteMiss] + c[counters.L2WriteSectorMiss]
		c[counters.L2WriteHit] = c[counters.L2Write]
		c[counters.L2WriteMiss], c[counters.L2WriteSectorMiss] = 0, 0
	}
	o.Launch.Counters = o.Checkpoints[len(o.Checkpoints)-1].Counters
	o.Blocks, o.Instructions = 8000, 8000*40
	e := Launch(o)
	want := 400.0/16*100 + 7600.0/16*200
	if off := math.Abs(e.Cycles - want); off < 0.3*want || off > e.HalfWidth() {
		t.Errorf("%g cycles, %g are true, ± %g", e.Cycles, want, e.HalfWidth())
	}
}

// A sample that never fills the cache is known to miss what DRAM would write.
func TestIntervalHoldsTheWritesThatACacheGathers(t *testing.T) {
	for _, llc := range []bool{false, true} {
		o := streams(384, 3200, llc)
		o.Blocks, o.Instructions = 8000, 8000*40
		e := Launch(o)
		want := 400.0/16*100 + 7600.0/16*200
		if off := math.Abs(e.Cycles - want); off < 0.3*want || off > e.HalfWidth() {
			t.Errorf("last-level cache %t: %g cycles, %g are true, ± %g", llc, e.Cycles, want, e.HalfWidth())
		}
	}
}

// A cache that becomes full just before the sample ends writes back less than comes: what
// left it in the window is a tenth here. The interval holds the rest; once the machine has
// filled twice it is not asked for.
func TestIntervalHoldsTheWritesOfACacheThatHasJustBecomeFull(t *testing.T) {
	for _, c := range []struct {
		stored int
		held   bool
	}{{432, true}, {1600, false}} {
		o := streams(c.stored, 3200, false)
		spared := clock.Cycle(0)
		for i := range o.Checkpoints {
			p := &o.Checkpoints[i]
			if p.Dispatched > 400 {
				p.Counters[counters.DRAMWrite] = (p.Dispatched - 400) * 4 / 10
				spared = clock.Cycle((p.Dispatched - 400) / 8 * 45)
				p.Cycle -= spared
			}
		}
		o.Cycles -= spared
		o.Blocks, o.Instructions = 8000, 8000*40
		e := Launch(o)
		want := 400.0/16*100 + 7600.0/16*200
		if off := math.Abs(e.Cycles - want); c.held && (off < 0.3*want || off > e.HalfWidth()) {
			t.Errorf("%d stored: %g cycles, %g are true, ± %g", c.stored, e.Cycles, want, e.HalfWidth())
		}
		if held := e.Exposed[Gathering] > 0; held != c.held {
			t.Errorf("%d stored: %g cycles without writes", c.stored, e.Exposed[Gathering])
		}
	}
}

// Warps that stand still together for longer than a fill takes: a window of one fill is of
// a stop, or between two. The interval holds the mean of both.
func TestIntervalOfABriefWindowHoldsConvoys(t *testing.T) {
	for _, stored := range []int{48, 64, 80, 96} {
		for _, slow := range []int{1, 2, 3} { // every slow-th fill takes three times as long
			o := waves(stored, 16, 100, 40)
			more := func(dispatched uint64) clock.Cycle { return clock.Cycle(int(dispatched)/16/slow) * 200 }
			for i := range o.Checkpoints {
				o.Checkpoints[i].Cycle += more(o.Checkpoints[i].Dispatched)
			}
			for i := range o.Dispatches {
				o.Dispatches[i] += more(uint64(i))
			}
			o.Cycles += more(uint64(stored))
			o.Blocks, o.Instructions = 16000, 16000*40
			e := Launch(o)
			if want := 1000*100 + 1000/float64(slow)*200; math.Abs(e.Cycles-want) > e.HalfWidth() {
				t.Errorf("%d stored, every %d. fill slow: %g ± %g cycles, %g are true", stored, slow, e.Cycles, e.HalfWidth(), want)
			}
		}
	}
}

// Fills that are alike have no convoys, however few they are.
func TestABriefWindowOfEqualFillsIsNotBrief(t *testing.T) {
	for _, stored := range []int{48, 64, 80, 200} {
		o := waves(stored, 16, 700, 40)
		o.Blocks, o.Instructions = 1000, 1000*40
		if e := Launch(o); e.Exposed[Brief] > 1e-9*e.Cycles {
			t.Errorf("%d stored: %g cycles", stored, e.Exposed[Brief])
		}
	}
}

func TestReadsThatFillACacheAreKnownToEndOnce(t *testing.T) {
	o := streams(384, 3200, false)
	for i := range o.Checkpoints {
		c := &o.Checkpoints[i].Counters
		c[counters.L2Write], c[counters.L2WriteMiss], c[counters.L2WriteSectorMiss] = 0, 0, 0
		c[counters.ResidentWarpCycles] = 800 * c[counters.L2ReadMiss] // half of the time waits for them
		c[counters.DRAMBusCycles] = 0
	}
	o.Blocks, o.Instructions = 8000, 8000*40
	e := Launch(o)
	if missing := float64(7616) / 16 * 100; math.Abs(e.Exposed[Warming]-missing/2) > 0.02*missing {
		t.Errorf("%g of %g cycles wait for reads, want half", e.Exposed[Warming], missing)
	}
	o.CacheSectors = 0 // no cache: they never end
	if e := Launch(o); e.Exposed[Warming] != 0 {
		t.Errorf("%g cycles wait for a cache that is not there", e.Exposed[Warming])
	}
}

// Half fills that are long and short in turn are fills that are alike.
func TestSpreadIsOfWholeFills(t *testing.T) {
	o := waves(4000, 16, 700, 40)
	for i := range o.Checkpoints {
		if o.Checkpoints[i].Dispatched%16 != 0 {
			o.Checkpoints[i].Counters[counters.IssuedWarp] += 8 * 40
		}
	}
	o.Blocks, o.Instructions = 20000, 20000*40
	if e := Launch(o); e.Error > 1e-6*e.Cycles || e.Exposed[Drift] > 1e-6*e.Cycles {
		t.Errorf("standard error %g and drift %g of fills that are alike", e.Error, e.Exposed[Drift])
	}
	w, _ := o.window()
	if len(w.parts) > mostBatches {
		t.Errorf("%d parts, want at most %d", len(w.parts), mostBatches)
	}
	if one := (&window{parts: w.parts[:1]}).drift(); one != 0 {
		t.Errorf("one part drifts by %g", one)
	}
	up := window{parts: []stretch{{90, 100, 0, 1}, {90, 100, 0, 1}, {110, 100, 0, 1}, {110, 100, 0, 1}}}
	if got := up.drift(); math.Abs(got-0.2) > 1e-9 {
		t.Errorf("drift %g, want 0.2", got)
	}
}

// Less than two fills show bounds only: one sample after the other takes the longest,
// and the truth of equal waves lies between.
func TestFewFillsGiveBounds(t *testing.T) {
	for _, stored := range []int{4, 15, 16, 31} {
		for _, blocks := range []int{32, 100, 1000} {
			o := waves(stored, 16, 700, 40)
			if stored < 16 {
				o.Cycles = 700
			}
			o.Blocks, o.Instructions = uint64(blocks), uint64(blocks)*40
			e := Launch(o)
			truth := float64((blocks+15)/16) * 700
			if e.Exposed[FewFills] == 0 || math.Abs(e.Cycles-truth) > e.HalfWidth() {
				t.Errorf("%d of %d: %g ± %g cycles, %g are true", stored, blocks, e.Cycles, e.HalfWidth(), truth)
			}
		}
	}
	o := waves(32, 16, 700, 40)
	o.Blocks, o.Instructions = 1000, 1000*40
	if e := Launch(o); e.Exposed[FewFills] != 0 {
		t.Errorf("two fills: %v", e.Exposed)
	}
}
