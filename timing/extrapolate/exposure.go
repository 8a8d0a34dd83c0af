// SPDX-License-Identifier: Apache-2.0

package extrapolate

// Source is a reason for which an estimate may be off that the spread of measurements
// in one launch does not show.
type Source int

// Sources of bias.
const (
	Steady      Source = iota // the missing part is not quite like the measured one
	OneWave                   // nor is that, which is of less than two waves, like others
	Drift                     // what was measured changed from its first to its second half
	Brief                     // it is of few fills, and the rest of the sample went at another pace
	Gathering                 // the last cache was not full: writes to DRAM were missing
	Warming                   // nor did it hold yet what later thread blocks may find there
	Partial                   // the launch ran alongside others: no stretch with a full machine can be told
	FewFills                  // less than two fills of the machine are stored: only bounds are known
	Step                      // where in a wave the launch ends
	Represented               // another launch of the same cluster was measured
	Sliced                    // a slice of the machine was measured
	SlicedDRAM                // and its warps waited for DRAM; it uses rows in another way than the machine
	Uneven                    // the slice is another part of the machine than its thread blocks
	Meeting                   // atomics of a slice do not meet those of the others
	Overlapping               // launches ran in parallel
	Sources
)

// sources says how reports name them, and by which part of the cycles that are exposed
// to one an estimate may be off. What is judged is scaled by JudgedScale; the others are
// bounds.
var sources = [Sources]struct {
	name        string
	coefficient float64
	judged      bool
}{
	Steady:      {"steady", 0.05, true},
	OneWave:     {"one_wave", 0.12, true},
	Drift:       {"drift", 0.5, true},
	Brief:       {"brief", 1, false},
	Gathering:   {"gathering", 1, false},
	Warming:     {"warming", 0.25, false},
	Partial:     {"partial", 0.15, true},
	FewFills:    {"few_fills", 1, false},
	Step:        {"step", 0.125, false},
	Represented: {"represented", 0.08, true},
	Sliced:      {"slice", 0.12, true},
	SlicedDRAM:  {"slice_dram", 1.7, true},
	Uneven:      {"uneven", 1, false},
	Meeting:     {"meeting", 1, false},
	Overlapping: {"overlap", 0.05, true},
}

// JudgedScale multiplies the coefficients that are judged. It is the least number, and
// at least one, with which 95 % of the intervals of one half of the workloads hold. The
// other half tests it: see docs/sampling.md.
const JudgedScale = 1.0

func (s Source) String() string { return sources[s].name }

// Judged reports whether the coefficient is scaled by JudgedScale.
func (s Source) Judged() bool { return sources[s].judged }

// Base is the coefficient of a source before it is scaled.
func (s Source) Base() float64 { return sources[s].coefficient }

// Coefficient is by which part of the cycles that are exposed to a source an estimate may
// be off.
func (s Source) Coefficient() float64 {
	if s.Judged() {
		return JudgedScale * s.Base()
	}
	return s.Base()
}

// Exposure holds, for each source, the cycles of an estimate that are exposed to it.
type Exposure [Sources]float64

// Bias bounds by how many cycles the estimate may be off for reasons that the spread
// does not show. They are taken to go the same way in all launches.
func (e *Estimate) Bias() float64 {
	sum := 0.0
	for s, exposed := range e.Exposed {
		sum += float64(Source(s).Coefficient() * exposed)
	}
	return sum
}

func (x *Exposure) scale(factor float64) {
	for s := range x {
		x[s] *= factor
	}
}

func (x *Exposure) add(o *Exposure) {
	for s, cycles := range o {
		x[s] += cycles
	}
}
