// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace/samefloat"
)

// expose notes what of the extrapolated cycles of a launch cannot be seen in the parts
// of its window, and the wave in which it ends.
func (o *Observation) expose(e *Estimate, w *window, linear float64) {
	steady := Steady
	if w.blocks() < 2*float64(o.Resident) {
		steady = OneWave
	}
	e.Exposed[steady] = linear
	e.Exposed[Drift] = w.drift() * linear
	e.Exposed[Brief] = o.brief(w, linear)
	if !w.settled {
		e.Exposed[Gathering] = o.gathers(&w.from, &w.to) * linear
	}
	e.Exposed[Warming] = o.warms(&w.from, &w.to) * linear
	wave := float64(w.to.Cycle-w.from.Cycle) / w.blocks() * float64(o.Resident)
	e.Exposed[Step] = min(wave, linear)
}

// leastParts is the number of a window's parts from which on their spread shows how fills
// differ: that of four, as six fills leave, has three degrees of freedom.
const leastParts = 4

// brief is how far a window of few fills is off what the sample took otherwise. It is
// taken up to the window's end, in all, and, where the window is one part, from the
// second fill to the window. Warps may stand still together for longer than a fill
// takes, so that such a window is of one convoy, or lies between two.
func (o *Observation) brief(w *window, linear float64) float64 {
	if len(w.parts) >= leastParts {
		return 0
	}
	pace := rate(w.parts)
	off := func(cycles, instructions uint64) float64 {
		if instructions == 0 {
			return 0
		}
		return math.Abs(ratioOf(cycles, instructions) - pace)
	}
	most := max(
		off(uint64(w.to.Cycle), w.to.Counters[counters.IssuedWarp]),
		off(uint64(o.Cycles), o.Launch.Counters[counters.IssuedWarp]))
	if len(w.parts) == 1 {
		first := o.filled()
		most = max(most, off(uint64(w.from.Cycle-first.Cycle), w.from.Counters[counters.IssuedWarp]-first.Counters[counters.IssuedWarp]))
	}
	return most / pace * linear
}

// filled is the first checkpoint after the machine has filled.
func (o *Observation) filled() *gpu.Checkpoint {
	i := 0
	for o.Checkpoints[i].Dispatched < uint64(o.Resident) {
		i++
	}
	return &o.Checkpoints[i]
}

// Represented is the estimate of a launch that another stands for, with as many
// instructions as given per one of the other. The other may have left writes in the last
// cache, which had room; a later launch pushes such lines out, and DRAM has more to do.
func (e *Estimate) Represented(instructions float64) Estimate {
	out := *e
	out.Scale(instructions)
	out.Exposed[Represented] += out.Cycles
	out.Exposed[Gathering] += float64(e.Unwritten * out.Cycles)
	for i := range out.Counters {
		out.Counters[i] *= instructions
	}
	return out
}

// Sum adds estimates of launches that have one representative, or are exact:
// their errors are the same error. Independent ones are added by Combine.
func (e *Estimate) Sum(o *Estimate) {
	e.Cycles += o.Cycles
	e.Error += o.Error
	e.Exposed.add(&o.Exposed)
	e.Freedom = max(e.Freedom, o.Freedom)
	for i := range e.Counters {
		e.Counters[i] += o.Counters[i]
	}
}

// Combine adds an independent estimate: what measurements do not show is taken to
// go the same way in both.
func (e *Estimate) Combine(o *Estimate) {
	a, b := float64(e.Error*e.Error), float64(o.Error*o.Error)
	if a+b > 0 { // Welch and Satterthwaite
		down := 0.0
		if e.Freedom > 0 {
			down += a * a / e.Freedom
		}
		if o.Freedom > 0 {
			down += b * b / o.Freedom
		}
		if down > 0 {
			e.Freedom = (a + b) * (a + b) / down
		}
	}
	e.Cycles += o.Cycles
	e.Error = math.Sqrt(a + b)
	e.Exposed.add(&o.Exposed)
	for i := range e.Counters {
		e.Counters[i] += o.Counters[i]
	}
}

// Scale multiplies the cycles, not the counters.
func (e *Estimate) Scale(factor float64) {
	e.Cycles *= factor
	e.Error *= factor
	e.Exposed.scale(factor)
}

// Overlap turns the sum over launches that ran in parallel into their total:
// the cycles are the part of the sum that they were in the sample. With launches
// of other lengths, others meet.
func (e *Estimate) Overlap(part float64) {
	e.Scale(part)
	if part < 1 {
		e.Exposed[Overlapping] += e.Cycles
	}
}

// Spread is half of the 95 % confidence interval that the spread of the measurements
// alone gives.
func (e *Estimate) Spread() float64 { return quantile(e.Freedom) * e.Error }

// HalfWidth is half of the 95 % confidence interval of the cycles.
func (e *Estimate) HalfWidth() float64 { return samefloat.Hypot(e.Spread(), e.Bias()) }

// quantile is the 97.5 % quantile of Student's t distribution, by the expansion of
// Cornish and Fisher from that of the normal distribution. For few degrees of
// freedom, where that is off, from the table.
func quantile(freedom float64) float64 {
	table := [...]float64{12.706, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262}
	if freedom < 1 {
		return table[0]
	}
	if n := int(freedom); n < len(table) {
		return table[n]
	}
	const z = 1.959964
	g1 := (z*z*z + z) / 4
	g2 := (float64(5*float64(z*float64(float64(z*z)*float64(z*z)))) + 16*z*z*z + 3*z) / 96
	return z + g1/freedom + g2/(freedom*freedom)
}
