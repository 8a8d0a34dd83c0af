// SPDX-License-Identifier: Apache-2.0

// Package extrapolate estimates what the replay of a whole run would give from the
// replay of a sample of its thread blocks.
//
// The stored thread blocks of a launch run on the full machine, one after the
// other as if they were all, so that contention is that of a full machine. A
// launch then begins with a machine that fills and ends with one that drains;
// both are as in the whole launch and count once. Between them the machine is
// full: a thread block is placed whenever one ends. What the whole launch has more
// of is such a stretch. Its cycles and its counts per warp instruction are
// measured there and multiplied with the warp instructions that are not stored,
// whose number is exact. A mechanism that issues fewer of them, or others, is
// taken to do so in the whole launch as in the sample.
package extrapolate

import (
	"math"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace/samefloat"
)

// Observation is the replay of the stored thread blocks of a launch, and what they
// stand for.
type Observation struct {
	*gpu.Launch
	Resident     int    // thread blocks that the machine holds at a time
	StoredBlocks uint64 // that were replayed
	Blocks       uint64 // of the whole launch
	SliceBlocks  uint64 // those of them that fall to the slice, of OfSlice
	Instructions uint64 // warp instructions of the whole launch, as recorded
	// StoredInstructions are those of the stored thread blocks, as recorded: what a
	// mechanism issues in their place is among the counters.
	StoredInstructions uint64
	// CacheSectors is the number of sectors of the last cache before DRAM: until
	// it is full, what will be written to DRAM gathers in it. LLC says that there is
	// one behind the L2.
	CacheSectors uint64
	LLC          bool
	// SectorCommands is the number of DRAM commands that write a sector of that cache.
	SectorCommands float64
	// AtomicCycles is how long an atomic keeps others from its line, in core cycles.
	AtomicCycles float64
	// Runs are the stored thread blocks in the order of their dispatch, Strata what
	// they stand for.
	Runs   []Run
	Strata []Stratum
}

// Run is a number of thread blocks of one stratum that follow each other.
type Run struct {
	Stratum int // in Observation.Strata
	Blocks  uint64
}

// Stratum is a set of thread blocks of a launch that are taken to be alike.
type Stratum struct {
	Blocks       uint64 // stored or not
	Instructions uint64 // warp instructions of all of them
}

// Estimate is what is expected of a whole launch, or of several.
type Estimate struct {
	Cycles float64
	// Error is the standard error of Cycles that the spread of the measurements
	// shows.
	Error float64
	// Exposed are the cycles that may be off for what the spread does not show.
	Exposed Exposure
	// Freedom is the number of degrees of freedom of Error.
	Freedom float64
	// Unwritten is how much longer a launch may take that this one stands for, as a part of its
	// cycles: DRAM writes what this one has left in the last cache.
	Unwritten float64
	Counters  [counters.Capacity]float64
}

// Exact is the estimate of a launch that was replayed whole.
func Exact(l *gpu.Launch) Estimate {
	e := Estimate{Cycles: float64(l.Cycles)}
	for i, n := range l.Counters {
		e.Counters[i] = float64(n)
	}
	return e
}

// Launch estimates the whole launch.
func Launch(o *Observation) Estimate {
	e := Exact(o.Launch)
	e.Unwritten = o.gathers(&gpu.Checkpoint{}, &gpu.Checkpoint{Counters: o.Launch.Counters})
	if o.StoredBlocks >= o.Blocks {
		return e
	}
	w, full := o.window()
	missing := max(0, float64(o.Instructions)-float64(o.StoredInstructions)) * o.issued()
	more := 0.0
	switch {
	case full:
		var linear float64
		linear, e.Error, e.Freedom = o.missingCycles(&w, missing)
		more = max(0, linear+o.steps(&w))
		o.expose(&e, &w, linear)
	case o.suits():
		more = o.proportional()
		e.Exposed[Partial] = more
	default:
		more = o.bounded(&e)
	}
	e.Cycles += more
	o.addCounters(&e, &w, full, missing, more)
	return e
}

// Uncounted adds the error of a launch whose number of instructions is itself an estimate,
// with the given relative standard error, from so many thread blocks.
func (e *Estimate) Uncounted(relative float64, blocks uint64) {
	if relative > 0 {
		e.Error = samefloat.Hypot(e.Error, relative*e.Cycles)
		if e.Freedom == 0 {
			e.Freedom = max(1, float64(blocks)-1)
		}
	}
}

// proportional is what the missing instructions take if they take as long as those
// that are stored.
func (o *Observation) proportional() float64 {
	return float64(o.Cycles) * max(0, ratioOf(o.Instructions, o.StoredInstructions)-1)
}

// bounded is between what the missing part takes at most, one sample after the other,
// and at least. That is nothing while the machine has room. After that every fill takes
// half as long as a sample that fills it, since the first fill also begins the launch
// and finds cold caches. Of a machine that was never full nothing more is known.
func (o *Observation) bounded(e *Estimate) float64 {
	samples := math.Ceil(ratioOf(o.Blocks, o.StoredBlocks))
	most := max(o.proportional(), float64(o.Cycles)*(samples-1))
	fills := float64(o.Blocks) / float64(max(o.StoredBlocks, uint64(o.Resident)))
	least := min(most, float64(float64(o.Cycles)*max(0, float64(fills/2)-1)))
	e.Exposed[FewFills] = float64((most-least)/2) + float64(fewFillsMargin*(float64(o.Cycles)+most))
	return (most + least) / 2
}

// fewFillsMargin is for thread blocks that are not stored and take longer.
const fewFillsMargin = 0.1

func ratioOf(a, b uint64) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// issued is how many warp instructions are issued for one that is recorded.
func (o *Observation) issued() float64 {
	if o.StoredInstructions == 0 {
		return 1
	}
	return float64(o.Launch.Counters[counters.IssuedWarp]) / float64(o.StoredInstructions)
}

// steps corrects for thread blocks that end together, wave by wave: the whole
// launch ends at another place within a wave than its sample. In the sample a
// thread block was placed at dispatches[j]. In the whole launch the last one is
// placed some whole waves after the one of the sample at the same place in its
// wave. Where thread blocks end one by one this is nearly zero.
func (o *Observation) steps(w *window) float64 {
	n, resident := len(o.Dispatches), uint64(o.Resident)
	perBlock := float64(w.to.Cycle-w.from.Cycle) / float64(w.to.Dispatched-w.from.Dispatched)
	waves := (o.Blocks - o.StoredBlocks + resident - 1) / resident
	at := int64(o.Blocks) - 1 - int64(waves*resident)
	if at < int64(resident) || at >= int64(n) {
		return 0
	}
	last := o.Dispatches[n-1]
	stepped := float64(float64(waves*resident)*perBlock) - float64(last-o.Dispatches[at])
	return stepped - float64(float64(o.Blocks-o.StoredBlocks)*perBlock)
}

// missingCycles estimates the cycles of the missing instructions: stratum by
// stratum, cycles per instruction as measured there, or in all parts where a
// stratum has none of its own. The standard error is that of a prediction. It has
// that of the ratio for the missing part and for the measured one, which does not
// take the same time again among other thread blocks. It also has the spread of the
// whole launch's own parts.
func (o *Observation) missingCycles(w *window, missing float64) (cycles, standardError, freedom float64) {
	weights := o.missingShares()
	variance := 0.0
	for h, share := range weights {
		own := -1
		if w.instructions(h) > 0 {
			own = h
		}
		r, e, n := w.widestRatio(own)
		cycles += float64(missing * share * r)
		measured := w.instructions(own)
		whole := float64(missing * share)
		if own >= 0 { // else others have measured it
			whole += measured
		}
		variance += float64(e * e * whole * (whole + measured))
		freedom += n
	}
	return cycles, math.Sqrt(variance), freedom
}

// missingShares divides the missing instructions among the strata.
func (o *Observation) missingShares() []float64 {
	if len(o.Strata) < 2 {
		return []float64{1}
	}
	stored := make([]float64, len(o.Strata))
	for i := range o.Runs {
		stored[o.Runs[i].Stratum] += float64(o.Runs[i].Blocks)
	}
	shares, sum := make([]float64, len(o.Strata)), 0.0
	for h := range o.Strata {
		s := &o.Strata[h]
		shares[h] = float64(float64(s.Instructions) * (1 - stored[h]/float64(s.Blocks)))
		sum += shares[h]
	}
	for h := range shares {
		if sum > 0 {
			shares[h] /= sum
		}
	}
	return shares
}

// addCounters extrapolates the counters: those of time like the cycles, those of work
// like the instructions of the whole sample, the others like those of the window.
func (o *Observation) addCounters(e *Estimate, w *window, full bool, missing, more float64) {
	var steady counters.Set
	cycles := float64(o.Cycles)
	if full {
		steady = w.to.Counters
		steady.Sub(&w.from.Counters)
		cycles = float64(w.to.Cycle - w.from.Cycle)
	} else {
		steady = o.Launch.Counters
	}
	instructions, whole := float64(steady[counters.IssuedWarp]), float64(o.Launch.Counters[counters.IssuedWarp])
	if instructions == 0 || cycles == 0 {
		return
	}
	for i := range e.Counters {
		id := counters.ID(i)
		switch {
		case ofWork(id):
			e.Counters[i] += float64(float64(o.Launch.Counters[i]) * (missing / whole))
		case ofTime(id):
			e.Counters[i] += float64(float64(steady[i]) * (more / cycles))
		default:
			e.Counters[i] += float64(float64(steady[i]) * (missing / instructions))
		}
	}
	e.Counters[counters.BlocksDispatched] = float64(o.Blocks)
	e.Counters[counters.BlocksRetired] = float64(o.Blocks)
	if o.Launch.Counters[counters.IssuedWarp] > 0 {
		e.balance()
	}
}

// ofWork reports whether a counter counts what thread blocks do by themselves, whatever
// they find in caches and queues. A window of few waves has more of one phase of its
// thread blocks than of another; the sample has each whole.
func ofWork(id counters.ID) bool {
	switch id {
	case counters.IssuedThread, counters.GlobalLane,
		counters.RegisterRead, counters.RegisterWrite, counters.RegisterLaneRead, counters.RegisterLaneWrite,
		counters.UnitSP, counters.UnitInt, counters.UnitDP, counters.UnitSFU, counters.UnitTensor, counters.UnitLDST, counters.UnitControl,
		counters.SharedAccess, counters.SharedConflictCycles, counters.SharedWideCycles, counters.SharedBusyCycles, counters.SharedLaneRead, counters.SharedLaneWrite:
		return true
	}
	return ofLanes(id)
}

// ofLanes reports whether a counter is one of the lanes of classes of operations.
func ofLanes(id counters.ID) bool { return id >= counters.LaneOps(0) && int(id) < counters.Count }

// Threads says how many thread instructions there are. The lanes of all classes of
// operations, which add up to them, are taken in the proportion in which they are.
func (e *Estimate) Threads(n float64) {
	ratio := 1.0
	if was := e.Counters[counters.IssuedThread]; was > 0 {
		ratio = n / was
	}
	e.Counters[counters.IssuedThread] = n
	for id := counters.LaneOps(0); ofLanes(id); id++ {
		e.Counters[id] *= ratio
	}
}

// ofTime reports whether a counter counts cycles of something that is always
// there, rather than things that instructions make happen.
func ofTime(id counters.ID) bool {
	switch id {
	case counters.DRAMChannelCycles, counters.ActiveSMCycles, counters.ResidentWarpCycles:
		return true
	case counters.SlotIssued:
		return false
	}
	return counters.Declared(id).Unit == counters.Slots
}

// balance lets the stalls fill the issue slots that no instruction issues in.
func (e *Estimate) balance() {
	c := &e.Counters
	c[counters.SlotIssued] = c[counters.IssuedWarp]
	var stalls float64
	for cause := range counters.Cause(counters.CauseCount) {
		if cause != counters.CauseIssued {
			stalls += c[cause.Counter()]
		}
	}
	if stalls == 0 {
		return
	}
	factor := max(0, c[counters.IssueSlots]-c[counters.SlotIssued]) / stalls
	for cause := range counters.Cause(counters.CauseCount) {
		if cause != counters.CauseIssued {
			c[cause.Counter()] *= factor
		}
	}
}
