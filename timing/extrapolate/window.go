// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
)

// stretch is what happened between two checkpoints.
type stretch struct {
	cycles, instructions float64
	stratum              int
	blocks               uint64 // that were placed
}

// window is the part of a replay in which the machine was full.
type window struct {
	from, to gpu.Checkpoint
	parts    []stretch
	// settled says that the last cache had been full for two fills when it began.
	settled bool
}

// leastFills is the number of fills of the machine that are stored of a launch from
// which on something can be measured: the first finds an empty machine.
const leastFills = 2

// suits reports whether enough of the launch is stored to see the machine full.
func (o *Observation) suits() bool {
	return o.StoredBlocks >= min(leastFills*uint64(o.Resident), o.Blocks)
}

// window finds the stretch with a full machine. It begins at the first checkpoint after
// the first fill (and, when there is enough, the second). It ends at the last
// checkpoint, where the machine begins to drain.
func (o *Observation) window() (window, bool) {
	var w window
	if o.Overlapped || !o.suits() { // of an overlapped launch the counters are also another's
		return w, false
	}
	skip := uint64(o.Resident)
	if o.StoredBlocks >= 3*skip {
		skip *= 2
	}
	last := len(o.Checkpoints) - 1
	first := 0
	for first < last && o.Checkpoints[first].Dispatched < skip {
		first++
	}
	if first >= last {
		return w, false
	}
	first, w.settled = o.warm(first, last)
	last = o.whole(first, last)
	w.from, w.to = o.Checkpoints[first], o.Checkpoints[last]
	for i := first; i < last; i++ {
		a, b := &o.Checkpoints[i], &o.Checkpoints[i+1]
		stratum, settled := o.running(a.Dispatched)
		n := b.Counters[counters.IssuedWarp] - a.Counters[counters.IssuedWarp]
		if settled {
			w.parts = append(w.parts, stretch{float64(b.Cycle - a.Cycle), float64(n), stratum, b.Dispatched - a.Dispatched})
		}
	}
	w.batch(uint64(o.Resident))
	return w, w.instructions(-1) > 0
}

// warm moves the window's first checkpoint to where as much has missed in the last
// cache as it holds, and the machine has filled twice since. DRAM has more to do from
// there on, and queues settle as they do when a launch begins. If that is too late to
// measure, the last third has to do, which has not settled.
func (o *Observation) warm(first, last int) (from int, settled bool) {
	latest := first + (last-first)*2/3
	full := 0
	for full <= latest && o.missed(&o.Checkpoints[full].Counters) < o.CacheSectors {
		full++
	}
	switch {
	case full == 0: // it was full, or there is none
		return first, true
	case full <= latest:
		from = max(first, o.settled(full, latest))
		return from, o.Checkpoints[from].Dispatched >= o.settling(full)
	case o.gathers(&o.Checkpoints[first], &o.Checkpoints[last]) > 0:
		return latest, false
	}
	return first, false
}

// settled is the first checkpoint two fills after the given one, or the latest.
func (o *Observation) settled(from, latest int) int {
	until := o.settling(from)
	for from < latest && o.Checkpoints[from].Dispatched < until {
		from++
	}
	return from
}

// settling is how many thread blocks have been placed when queues have settled after
// the given checkpoint.
func (o *Observation) settling(from int) uint64 {
	return o.Checkpoints[from].Dispatched + 2*uint64(o.Resident)
}

// missed is how many sectors the last cache before DRAM has taken in.
func (o *Observation) missed(c *counters.Set) uint64 {
	if o.LLC {
		return c[counters.LLCReadMiss] + c[counters.LLCWriteMiss] + c[counters.LLCWriteSectorMiss]
	}
	return c[counters.L2ReadMiss] + c[counters.L2WriteMiss] + c[counters.L2WriteSectorMiss]
}

// dirtied is a bound on the sectors that have become dirty in the last cache: each was
// written, and each was taken in.
func (o *Observation) dirtied(c *counters.Set) uint64 {
	if o.LLC {
		return min(c[counters.LLCWrite], o.missed(c))
	}
	return min(c[counters.L2Write]+c[counters.L2Atomic], o.missed(c))
}

// gathers is how much more DRAM would have had to do between two checkpoints with the
// cache that gathers writes full: as much would have left it as came. It is a part of
// what DRAM did, as far as DRAM had no time for that.
func (o *Observation) gathers(from, to *gpu.Checkpoint) float64 {
	c := to.Counters
	c.Sub(&from.Counters)
	more := float64(float64(o.dirtied(&c))*max(1, o.SectorCommands)) - float64(c[counters.DRAMWrite])
	done := c[counters.DRAMRead] + c[counters.DRAMWrite]
	if more <= 0 || done == 0 {
		return 0
	}
	more /= float64(done)
	busy := float64(c[counters.DRAMBusCycles]) / float64(max(1, c[counters.DRAMChannelCycles]))
	return min(more, max(0, float64(busy*(1+more))/busyDRAM-1))
}

// warms is a bound on the part of the cycles between two checkpoints that went to reads
// of DRAM, while the last cache had room. Later thread blocks may find there what these
// had to load. It is the time that warps waited for them at most, or that DRAM was busy.
func (o *Observation) warms(from, to *gpu.Checkpoint) float64 {
	c := to.Counters
	if o.missed(&c) >= o.CacheSectors {
		return 0
	}
	c.Sub(&from.Counters)
	moved := float64(c[counters.DRAMRead]) / float64(max(1, c[counters.DRAMRead]+c[counters.DRAMWrite]))
	return max(o.waited(&c), float64(moved*busy(&c)))
}

// waited bounds the part of the time in which warps waited for reads of DRAM.
func (o *Observation) waited(c *counters.Set) float64 {
	misses := c[counters.L2ReadMiss]
	if o.LLC {
		misses = c[counters.LLCReadMiss]
	}
	return min(1, missCycles*float64(misses)/float64(max(1, c[counters.ResidentWarpCycles])))
}

// busy bounds the part of the time in which DRAM could hardly do more.
func busy(c *counters.Set) float64 {
	return min(1, float64(c[counters.DRAMBusCycles])/float64(max(1, c[counters.DRAMChannelCycles]))/busyDRAM)
}

// missCycles is about what a read of DRAM takes that waits for no other.
const missCycles = 400

// busyDRAM is the part of its cycles in which a busy DRAM moves data: the others go to
// rows, turnarounds and refresh.
const busyDRAM = 0.5

// whole moves the window's last checkpoint back to where the window is of whole waves,
// if it is longer than one. Thread blocks that begin together then begin it and end it
// alike.
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

// blocks is the number of thread blocks placed in the window.
func (w *window) blocks() float64 { return float64(w.to.Dispatched - w.from.Dispatched) }

// mostBatches bounds the number of batches that the spread is taken of: long ones are
// nearly independent of each other.
const mostBatches = 16

// batch joins neighbours of one stratum to parts of whole fills, of several where
// there are many: half fills are long and short in turn.
func (w *window) batch(resident uint64) {
	fills := max(1, math.Ceil(w.blocks()/float64(resident)/mostBatches))
	want := uint64(fills) * resident
	joined := w.parts[:0]
	for _, p := range w.parts {
		last := len(joined) - 1
		if last >= 0 && joined[last].stratum == p.stratum && joined[last].blocks+p.blocks <= want {
			joined[last].add(&p)
			continue
		}
		joined = append(joined, p)
	}
	if n := len(joined); n > 1 && joined[n-1].blocks < want && joined[n-1].stratum == joined[n-2].stratum {
		joined[n-2].add(&joined[n-1])
		joined = joined[:n-1]
	}
	w.parts = joined
}

func (s *stretch) add(o *stretch) {
	s.cycles += o.cycles
	s.instructions += o.instructions
	s.blocks += o.blocks
}

// drift is the difference of the cycles per instruction of the window's halves, as a
// part of those of all of it: the missing part may go on like that.
func (w *window) drift() float64 {
	if len(w.parts) < 2 {
		return 0
	}
	half := len(w.parts) / 2
	a, b := rate(w.parts[:half]), rate(w.parts[len(w.parts)-half:])
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, 1) { // nothing issued in one of them
		return 1
	}
	return (a - b) / rate(w.parts)
}

// rate is the cycles per instruction of stretches.
func rate(parts []stretch) float64 {
	var cycles, instructions float64
	for _, p := range parts {
		cycles, instructions = cycles+p.cycles, instructions+p.instructions
	}
	return cycles / instructions
}
