package extrapolate

// Source is a reason for which an estimate may be off that the spread of measurements
// in one launch does not show.
type Source int

// Sources of bias.
const (
	Steady      Source = iota // the missing part is not quite like the measured one
	OneWave                   // nor is that, which is of less than two waves, like others
	Drift                     // what was measured changed from its first to its second half
	Gathering                 // the last cache was not full: writes to DRAM were missing
	Partial                   // the launch ran beside others: no stretch with a full machine can be told
	FewFills                  // less than two fills of the machine are stored: only bounds are known
	Step                      // where in a wave the launch ends
	Represented               // another launch of the same cluster was measured
	Sliced                    // a slice of the machine was measured
	Uneven                    // the slice is another part of the machine than its thread blocks
	Overlapping               // launches ran beside each other
	Sources
)

// names are those of the sources in reports.
var names = [Sources]string{"steady", "one_wave", "drift", "gathering", "partial", "few_fills", "step", "represented", "slice", "uneven", "overlap"}

func (s Source) String() string { return names[s] }

// Exposure holds, for each source, the cycles of an estimate that are exposed to it.
type Exposure [Sources]float64

// coefficients say by which part of the cycles that are exposed to a source an estimate
// may be off. Those of Fitted are fitted to one half of the catalogue and tested on the
// other; the others are bounds: see docs/sampling.md.
var coefficients = Exposure{
	Steady: 0.05, OneWave: 0.07, Drift: 0.5, Gathering: 1, Partial: 0.15, FewFills: 1, Step: 0.125,
	Represented: 0.08, Sliced: 0.08, Uneven: 1, Overlapping: 0.05,
}

// Coefficient is that of a source.
func Coefficient(s Source) float64 { return coefficients[s] }

// Bias bounds by how many cycles the estimate may be off for reasons that the spread
// does not show. They are taken to go the same way in all launches.
func (e *Estimate) Bias() float64 {
	sum := 0.0
	for s, exposed := range e.Exposed {
		sum += coefficients[s] * exposed
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
