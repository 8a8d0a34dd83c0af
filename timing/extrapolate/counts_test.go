// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// Counters are counts: those of several launches add up, whether their errors are one
// or independent.
func TestCountersOfLaunchesAddUp(t *testing.T) {
	for name, add := range map[string]func(e, o *Estimate){"the same error": (*Estimate).Sum, "independent errors": (*Estimate).Combine} {
		var a, b Estimate
		for i := range a.Counters {
			a.Counters[i], b.Counters[i] = float64(i), 1000
		}
		add(&a, &b)
		for i, got := range a.Counters {
			if want := float64(i) + 1000; got != want {
				t.Fatalf("%s: counter %d is %g, want %g", name, i, got, want)
			}
		}
	}
}

// A slice's launch has all thread blocks of the whole one.
func TestTheThreadBlocksOfASliceAreAllOfTheLaunch(t *testing.T) {
	o := waves(20, 2, 700, 40)
	o.Resident = 16
	// One more than the slice's part: it is no multiple.
	o.Blocks, o.SliceBlocks, o.Instructions = 1601, 200, 1600*40
	e := OfSlice(o, Part{SMs: 2, All: 16, Blocks: 0.125})
	if e.Counters[counters.BlocksDispatched] != 1601 || e.Counters[counters.BlocksRetired] != 1601 {
		t.Errorf("%g thread blocks placed and %g retired, want 1601", e.Counters[counters.BlocksDispatched], e.Counters[counters.BlocksRetired])
	}
	if got := e.Counters[counters.IssuedWarp]; math.Abs(got-1600*40) > 1e-6 {
		t.Errorf("%g warp instructions, want %d", got, 1600*40)
	}
}

// A window of two waves has more of one phase of its thread blocks than of another: here
// twice as many lanes that compute, and half as many that load, as a wave has. The sample
// has its thread blocks whole, and so has the estimate.
func TestWorkIsThatOfWholeThreadBlocks(t *testing.T) {
	o := waves(96, 16, 700, 40)
	o.Blocks, o.Instructions = 1000, 1000*40
	work := map[counters.ID]struct{ block, window uint64 }{
		counters.LaneOps(trace.ClassF32Fma): {900, 1800}, counters.LaneOps(trace.ClassLoad): {300, 150},
		counters.IssuedThread: {1200, 1950}, counters.RegisterLaneRead: {3000, 3100}, counters.UnitLDST: {10, 5},
		counters.SharedAccess: {8, 4}, counters.SharedConflictCycles: {16, 8}, counters.GlobalLane: {64, 32},
	}
	for id, n := range work {
		o.Launch.Counters[id] = 96 * n.block
		for i := range o.Checkpoints {
			o.Checkpoints[i].Counters[id] = o.Checkpoints[i].Dispatched * n.window
		}
	}
	e := Launch(o)
	for id, n := range work {
		if got, want := e.Counters[id], float64(1000*n.block); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s is %g, want %g", counters.Declared(id).Name, got, want)
		}
	}
}

// The lanes of all classes add up to the thread instructions, whose number is known.
func TestLanesOfClassesAddUpToTheThreadInstructions(t *testing.T) {
	var e Estimate
	e.Counters[counters.IssuedThread], e.Counters[counters.LaneOps(trace.ClassLoad)], e.Counters[counters.LaneOps(trace.ClassF32Fma)] = 1000, 250, 750
	e.Counters[counters.SpecialOps(trace.SpecialSine)], e.Counters[counters.GlobalLane] = 10, 40
	e.Threads(1200)
	for id, want := range map[counters.ID]float64{
		counters.IssuedThread: 1200, counters.LaneOps(trace.ClassLoad): 300, counters.LaneOps(trace.ClassF32Fma): 900,
		counters.SpecialOps(trace.SpecialSine): 12, counters.GlobalLane: 40,
	} {
		if got := e.Counters[id]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, want %g", counters.Declared(id).Name, got, want)
		}
	}
}

// What a cache takes in are its misses, of reads, and of writes that lack their line or
// their sector; the last cache is the LLC where there is one.
func TestTheLastCacheTakesInWhatMisses(t *testing.T) {
	var c counters.Set
	c[counters.L2ReadMiss], c[counters.L2WriteMiss], c[counters.LLCReadMiss], c[counters.LLCWriteMiss] = 1, 20, 300, 4000
	c[counters.L2WriteSectorMiss], c[counters.LLCWriteSectorMiss] = 50_000, 600_000
	if got := (&Observation{}).missed(&c); got != 50_021 {
		t.Errorf("the L2 has taken in %d sectors", got)
	}
	if got := (&Observation{LLC: true}).missed(&c); got != 604_300 {
		t.Errorf("the LLC has taken in %d sectors", got)
	}
}

// Of 100 sectors written 40 have reached DRAM, which has done 100 commands: a full cache
// would have had it do 60 more, 60 %. A DRAM that moves data in half of its cycles has no
// time for any of them. One that does so in 40 % has time for a part, one in 25 % for
// all.
func TestGatheredWritesAreThoseThatDRAMHasNotSeen(t *testing.T) {
	checkpoint := func(change func(c *counters.Set)) *gpu.Checkpoint {
		p := new(gpu.Checkpoint)
		p.Counters[counters.L2Write], p.Counters[counters.L2WriteMiss] = 100, 100
		p.Counters[counters.DRAMWrite], p.Counters[counters.DRAMRead] = 40, 60
		p.Counters[counters.DRAMBusCycles], p.Counters[counters.DRAMChannelCycles] = 500, 1000
		if change != nil {
			change(&p.Counters)
		}
		return p
	}
	for _, c := range []struct {
		what     string
		from, to *gpu.Checkpoint
		sectors  uint64
		commands float64
		want     float64
	}{
		{"busy", new(gpu.Checkpoint), checkpoint(nil), 1 << 20, 1, 0.6},
		{"two commands a sector", new(gpu.Checkpoint), checkpoint(nil), 1 << 20, 2, 1.6},
		{"written again", new(gpu.Checkpoint), checkpoint(func(c *counters.Set) { c[counters.L2Write] = 900 }), 1 << 20, 1, 0.6},
		{"less busy", new(gpu.Checkpoint), checkpoint(func(c *counters.Set) { c[counters.DRAMBusCycles] = 400 }), 1 << 20, 1, 0.4*1.6/0.5 - 1},
		{"idle", new(gpu.Checkpoint), checkpoint(func(c *counters.Set) { c[counters.DRAMBusCycles] = 250 }), 1 << 20, 1, 0},
		{"all written", new(gpu.Checkpoint), checkpoint(func(c *counters.Set) { c[counters.DRAMWrite] = 100 }), 1 << 20, 1, 0},
		{"more written than missed here", new(gpu.Checkpoint), checkpoint(func(c *counters.Set) { c[counters.DRAMWrite] = 150 }), 1 << 20, 1, 0},
		{"nothing done", new(gpu.Checkpoint), checkpoint(func(c *counters.Set) { c[counters.DRAMWrite], c[counters.DRAMRead] = 0, 0 }), 1 << 20, 1, 0},
		{"full in between", new(gpu.Checkpoint), checkpoint(nil), 100, 1, 0.6},
		{"full before", checkpoint(nil), checkpoint(func(c *counters.Set) {
			for _, id := range []counters.ID{counters.L2Write, counters.L2WriteMiss} {
				c[id] += 100
			}
			c[counters.DRAMWrite] += 100
			c[counters.DRAMBusCycles], c[counters.DRAMChannelCycles] = 1000, 2000
		}), 100, 1, 0},
	} {
		o := Observation{CacheSectors: c.sectors, SectorCommands: c.commands}
		if got := o.gathers(c.from, c.to); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g more, want %g", c.what, got, c.want)
		}
	}
}

// A stratum that was not seen goes on as all that was; one that was, as itself.
func TestAnUnseenStratumIsTakenForTheOthers(t *testing.T) {
	o := &Observation{Runs: []Run{{0, 10}}, Strata: []Stratum{{Blocks: 20, Instructions: 2000}, {Blocks: 30, Instructions: 3000}}}
	w := &window{parts: []stretch{{cycles: 500, instructions: 100, stratum: 0, blocks: 5}, {cycles: 500, instructions: 100, stratum: 0, blocks: 5}}}
	if cycles, _, _ := o.missingCycles(w, 4000); cycles != 4000*5 {
		t.Errorf("4000 instructions of 5 cycles each are missing: %g cycles", cycles)
	}
	// 1000 of the first stratum and 3000 of the second are missing.
	w.parts[1] = stretch{cycles: 900, instructions: 100, stratum: 1, blocks: 5}
	if cycles, _, _ := o.missingCycles(w, 4000); cycles != 1000*5+3000*9 {
		t.Errorf("with the second of 9 cycles each: %g cycles", cycles)
	}
}

// Nothing issues in some stretches: a stratum that has no others is taken for those that
// have, and the estimate stays a number.
func TestStretchesInWhichNothingIssuesGiveNumbers(t *testing.T) {
	o := &Observation{Runs: []Run{{0, 10}, {1, 10}}, Strata: []Stratum{{Blocks: 20, Instructions: 2000}, {Blocks: 20, Instructions: 2000}}}
	w := &window{parts: []stretch{{cycles: 500, instructions: 100, stratum: 0, blocks: 5}, {cycles: 100, stratum: 1, blocks: 5}}}
	if cycles, e, _ := o.missingCycles(w, 2000); cycles != 1000*5+1000*6 || math.IsNaN(e) || math.IsInf(e, 0) {
		t.Errorf("%g cycles, standard error %g", cycles, e)
	}
	if got := w.drift(); got != 1 {
		t.Errorf("drift %g, want all", got)
	}
}

// A rest that fills no machine joins the part before it, but never another stratum's.
func TestARestJoinsItsOwnStratum(t *testing.T) {
	for _, c := range []struct {
		strata []int
		want   int
	}{{[]int{0, 0, 0}, 2}, {[]int{0, 0, 1}, 3}, {[]int{0, 0}, 2}} {
		var w window
		w.to.Dispatched = 18
		for i, stratum := range c.strata {
			w.parts = append(w.parts, stretch{cycles: 10, instructions: 1, stratum: stratum, blocks: []uint64{8, 8, 2}[i]})
		}
		w.batch(8)
		if len(w.parts) != c.want {
			t.Errorf("strata %v: %d parts, want %d", c.strata, len(w.parts), c.want)
		}
		var cycles float64
		for _, p := range w.parts {
			cycles += p.cycles
		}
		if want := 10 * float64(len(c.strata)); cycles != want {
			t.Errorf("strata %v: %g cycles of %g", c.strata, cycles, want)
		}
	}
}

// The stalls fill the slots in which nothing issues, in the shares that were measured.
func TestStallsFillTheSlotsWithoutInstructions(t *testing.T) {
	e := new(Estimate)
	e.Counters[counters.IssuedWarp], e.Counters[counters.IssueSlots] = 300, 1000
	e.Counters[counters.CauseMemory.Counter()], e.Counters[counters.CauseCompute.Counter()], e.Counters[counters.CauseIdle.Counter()] = 30, 10, 60
	e.balance()
	for cause, want := range map[counters.Cause]float64{counters.CauseIssued: 300, counters.CauseMemory: 210, counters.CauseCompute: 70, counters.CauseIdle: 420, counters.CauseFetch: 0} {
		if got := e.Counters[cause.Counter()]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %g slots, want %g", cause, got, want)
		}
	}
}

// A sample of less than a wave has no window. Its counters stand for those of all thread
// blocks, which are alike: forty instructions and three reads of the L2 each.
func TestCountersOfAPartOfAWaveAreThoseOfAllThreadBlocks(t *testing.T) {
	o := waves(8, 16, 700, 40)
	o.Blocks, o.Instructions = 100, 100*40
	if _, full := o.window(); full {
		t.Fatal("half a wave has a window")
	}
	e := Launch(o)
	for id, want := range map[counters.ID]float64{counters.IssuedWarp: 100 * 40, counters.L2Read: 100 * 3} {
		if got := e.Counters[id]; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %g, want %g", counters.Declared(id).Name, got, want)
		}
	}
}
