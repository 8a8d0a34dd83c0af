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
	// it is full, what will be written to DRAM gathers in it.
	CacheSectors uint64
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
	// shows, Bias a bound on what it does not show: see docs/sampling.md.
	Error, Bias float64
	// Freedom is the number of degrees of freedom of Error.
	Freedom  float64
	Counters [counters.Capacity]float64
}

// Exact is the estimate of a launch that was replayed whole.
func Exact(l *gpu.Launch) Estimate {
	e := Estimate{Cycles: float64(l.Cycles)}
	for i, n := range l.Counters {
		e.Counters[i] = float64(n)
	}
	return e
}

// stretch is what happened between two checkpoints.
type stretch struct {
	cycles, instructions float64
	stratum              int
}

// window is the part of a replay in which the machine was full.
type window struct {
	from, to gpu.Checkpoint
	parts    []stretch
}

// Launch estimates the whole launch.
func Launch(o *Observation) Estimate {
	e := Exact(o.Launch)
	if o.StoredBlocks >= o.Blocks {
		return e
	}
	w, full := o.window()
	stored := float64(o.Launch.Counters[counters.IssuedWarp])
	missing := max(0, float64(o.Instructions)-float64(o.StoredInstructions)) * o.issued()
	linear := 0.0
	if full {
		linear, e.Error, e.Freedom = o.missingCycles(&w, missing)
	} else if stored > 0 {
		linear = missing * float64(o.Cycles) / stored
	}
	more := max(0, linear+o.steps(&w, full))
	e.Cycles += more
	e.Bias = o.bias(&w, full, linear)
	o.addCounters(&e, &w, full, missing, more)
	return e
}

// issued is how many warp instructions are issued for one that is recorded.
func (o *Observation) issued() float64 {
	if o.StoredInstructions == 0 {
		return 1
	}
	return float64(o.Launch.Counters[counters.IssuedWarp]) / float64(o.StoredInstructions)
}

// window finds the stretch with a full machine: from the first checkpoint after
// the first fill (and, when there is enough, the second) to the last checkpoint,
// where the machine begins to drain.
func (o *Observation) window() (window, bool) {
	var w window
	skip := uint64(o.Resident)
	if o.StoredBlocks >= 3*skip {
		skip *= 2
	}
	last := len(o.Checkpoints) - 1
	if o.Overlapped { // the counters are also another launch's
		return w, false
	}
	first := 0
	for first < last && o.Checkpoints[first].Dispatched < skip {
		first++
	}
	if first >= last {
		return w, false
	}
	for warm := first; warm <= first+(last-first)*2/3; warm++ {
		if c := &o.Checkpoints[warm].Counters; c[counters.L2ReadMiss]+c[counters.L2WriteMiss] >= o.CacheSectors {
			first = warm
			break
		}
	}
	last = o.whole(first, last)
	w.from, w.to = o.Checkpoints[first], o.Checkpoints[last]
	for i := first; i < last; i++ {
		a, b := &o.Checkpoints[i], &o.Checkpoints[i+1]
		stratum, settled := o.running(a.Dispatched)
		n := b.Counters[counters.IssuedWarp] - a.Counters[counters.IssuedWarp]
		if settled && n > 0 {
			w.parts = append(w.parts, stretch{float64(b.Cycle - a.Cycle), float64(n), stratum})
		}
	}
	return w, len(w.parts) > 0
}

// whole moves the window's last checkpoint back to where the window is of whole
// waves, if it is longer than one: thread blocks that begin together then begin it
// and end it alike.
func (o *Observation) whole(first, last int) int {
	for end := last; end > first; end-- {
		if (o.Checkpoints[end].Dispatched-o.Checkpoints[first].Dispatched)%uint64(o.Resident) == 0 {
			return end
		}
	}
	return last
}

// running gives the stratum of the thread block that is placed after so many, and
// whether the machine holds only thread blocks of its run. The first run needs no
// such time beyond the window's.
func (o *Observation) running(dispatched uint64) (stratum int, settled bool) {
	begin := uint64(0)
	for i := range o.Runs {
		r := &o.Runs[i]
		if dispatched < begin+r.Blocks {
			// A run too short to settle counts from its beginning.
			return r.Stratum, i == 0 || r.Blocks < 2*uint64(o.Resident) || dispatched >= begin+uint64(o.Resident)
		}
		begin += r.Blocks
	}
	return 0, true
}

// steps corrects for thread blocks that end together, wave by wave: the whole
// launch ends at another place within a wave than its sample. In the sample a
// thread block was placed at dispatches[j]; in the whole launch the last one is
// placed some whole waves after the one of the sample at the same place in its
// wave. Where thread blocks end one by one this is nearly zero.
func (o *Observation) steps(w *window, full bool) float64 {
	n, resident := len(o.Dispatches), uint64(o.Resident)
	if !full || n < 2*o.Resident {
		return 0
	}
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
// stratum has none of its own. The standard error is the ratio estimator's.
func (o *Observation) missingCycles(w *window, missing float64) (cycles, standardError, freedom float64) {
	weights := o.missingShares()
	variance := 0.0
	for h, share := range weights {
		own := -1
		for i := range w.parts {
			if w.parts[i].stratum == h {
				own = h
			}
		}
		r, e, n := w.ratio(own)
		cycles += float64(missing * share * r)
		variance += float64(missing * share * e * missing * share * e)
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

// ratio gives cycles per instruction in the parts of a stratum (-1: in all parts),
// its standard error, and the degrees of freedom of that.
func (w *window) ratio(stratum int) (r, standardError, freedom float64) {
	var cycles, instructions, n float64
	for _, p := range w.parts {
		if stratum < 0 || p.stratum == stratum {
			cycles, instructions, n = cycles+p.cycles, instructions+p.instructions, n+1
		}
	}
	r = cycles / instructions
	if n < 2 {
		return r, 0, 0
	}
	squares := 0.0
	for _, p := range w.parts {
		if stratum < 0 || p.stratum == stratum {
			d := p.cycles - float64(r*p.instructions)
			squares += float64(d * d)
		}
	}
	return r, math.Sqrt(squares/(n-1)/n) / (instructions / n), n - 1
}

// addCounters extrapolates the counters: those of time like the cycles, the
// others like the instructions.
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
	instructions := float64(steady[counters.IssuedWarp])
	if instructions == 0 || cycles == 0 {
		return
	}
	for i := range e.Counters {
		if steady[i] == 0 {
			continue
		}
		factor := missing / instructions
		if ofTime(counters.ID(i)) {
			factor = more / cycles
		}
		e.Counters[i] += float64(float64(steady[i]) * factor)
	}
	e.Counters[counters.BlocksDispatched] = float64(o.Blocks)
	e.Counters[counters.BlocksRetired] = float64(o.Blocks)
	if o.Launch.Counters[counters.IssuedWarp] > 0 {
		e.balance()
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
