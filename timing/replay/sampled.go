// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"math"
	"strconv"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/extrapolate"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Sampled says that results are extrapolated from a sample.
type Sampled struct {
	Policy string `json:"policy"`
	// BlocksPercent and InstructionsPercent of the whole run were replayed.
	BlocksPercent       float64 `json:"thread_blocks_percent"`
	InstructionsPercent float64 `json:"warp_instructions_percent"`
	// ReplayedCycles is what the stored thread blocks took.
	ReplayedCycles clock.Cycle `json:"replayed_cycles"`
}

// Uncertainty is the 95 % confidence interval of the cycles of a section.
type Uncertainty struct {
	Low     float64 `json:"cycles_low"`
	High    float64 `json:"cycles_high"`
	Percent float64 `json:"cycles_plus_minus_percent"` // half of its width, of the cycles
	// SpreadPercent is what the spread of the measurements alone gives, and
	// ExposedPercent the part of the cycles that is exposed to each source of bias
	// (extrapolate.Source); docs/sampling.md says what they count.
	SpreadPercent  float64            `json:"spread_plus_minus_percent"`
	ExposedPercent map[string]float64 `json:"exposed_percent,omitempty"`
}

// String is how tables say it: "± 2.1 % (95 %)".
func (u *Uncertainty) String() string {
	return "± " + strconv.FormatFloat(u.Percent, 'f', 1, 64) + " % (95 %)"
}

// Describe is how tables say it: "sampled: 10.0 % of thread blocks".
func (s *Sampled) Describe() string {
	return fmt.Sprintf("sampled: %.1f %% of thread blocks, %.1f %% of warp instructions replayed (%s)", s.BlocksPercent, s.InstructionsPercent, s.Policy)
}

// estimates says which results are estimates: one line where all are of the same thread
// blocks, otherwise one for each machine; none where all are exact.
func estimates(results []Result) []string {
	var list []string
	same := results[0].Sampled != nil
	for i := range results {
		s := results[i].Sampled
		if s == nil {
			same = false
			continue
		}
		same = same && s.Describe() == results[0].Sampled.Describe()
		list = append(list, fmt.Sprintf("%s: %s; its figures are estimates for the whole run", results[i].Machine, s.Describe()))
	}
	if same {
		return []string{results[0].Sampled.Describe() + "; all figures are estimates for the whole run"}
	}
	return list
}

// checkpoints asks for one or two checkpoints per fill of the machine in launches that
// are not stored whole.
func checkpoints(r *wtape.Reader) func(launch, resident int) uint64 {
	s := r.Sampling()
	if s == nil {
		return nil
	}
	stored := storedParts(r)
	return func(launch, resident int) uint64 {
		if stored[launch].blocks == 0 || stored[launch].blocks == r.Launches()[launch].Grid.Count() {
			return 0
		}
		if resident%2 == 0 {
			return uint64(resident / 2)
		}
		return uint64(resident)
	}
}

// storedPart is what of a launch is stored, as recorded.
type storedPart struct{ blocks, instructions uint64 }

// storedParts counts the stored thread blocks of every launch and their warp instructions.
func storedParts(r *wtape.Reader) []storedPart {
	stored := make([]storedPart, len(r.Launches()))
	for _, c := range r.Chunks() {
		stored[c.Launch].blocks += uint64(c.Blocks)
		stored[c.Launch].instructions += c.WarpInstructions
	}
	return stored
}

// keepsInstructions says whether a launch has issued what is recorded, so that its
// thread instructions are known. The counters of one that overlaps are also another's.
func keepsInstructions(l *gpu.Launch, recorded uint64) bool {
	return l.Overlapped || l.Counters[counters.IssuedWarp] == recorded
}

// sampledSections replaces what was replayed by estimates of the whole run.
func (res *Result) sampledSections(r *wtape.Reader, m *arch.Machine, run *gpu.Run) {
	s := r.Sampling()
	stored := storedParts(r)
	own := make([]extrapolate.Estimate, len(run.Launches))
	families := make([]*extrapolate.Estimate, len(run.Launches))
	for i := range run.Launches {
		if s.Launches[i].Representative == i {
			o := observation(r, s, m, &run.Launches[i], stored[i])
			if s.SlicesAll > 0 {
				own[i] = extrapolate.OfSlice(o, extrapolate.PartOf(m, int(s.SlicesKept), int(s.SlicesAll)))
			} else {
				own[i] = extrapolate.Launch(o)
			}
			own[i].Uncounted(s.Launches[i].CountError, stored[i].blocks)
			families[i] = &extrapolate.Estimate{}
		}
	}
	for i := range run.Launches {
		representative := s.Launches[i].Representative
		e := own[representative]
		if representative != i {
			e = e.Represented(ratioOf(s.Launches[i].WarpInstructions, s.Launches[representative].WarpInstructions))
		}
		if e.Counters[counters.IssuedWarp] > 0 && keepsInstructions(&run.Launches[representative], stored[representative].instructions) {
			e.Threads(float64(s.Launches[i].ThreadInstructions))
		}
		families[representative].Sum(&e)
		res.Launches[i].estimate(m, run, &e)
	}
	var total extrapolate.Estimate
	for _, f := range families {
		if f != nil {
			total.Combine(f)
		}
	}
	res.addOverlap(run, &total)
	res.Warnings = append(res.Warnings, suitability(r, m, run, own, &total)...)
	res.Warnings = append(res.Warnings, passedOver(s)...)
	res.Total.estimate(m, run, &total)
	res.Total.End = run.Elapsed - run.Cycles + res.Total.Cycles
	res.place(run)
	res.Sampled = newSampled(r, s, run)
}

// passedOver says that the counts of the whole run are estimates, where they are.
func passedOver(s *trace.Sampling) []string {
	n, worst := s.PassedOver(), 0.0
	if n == 0 {
		return nil
	}
	for i := range s.Launches {
		worst = max(worst, s.Launches[i].CountError)
	}
	return []string{fmt.Sprintf("%d thread blocks of the trace did not run, as its program says that they are independent: counts of instructions are estimates from those that did, with a standard error of up to %.2g %%", n, 100*worst)}
}

// addOverlap turns a sum over launches into the total. Launches that overlap share
// cycles as they do in the sample. The copies and what served several launches count as
// they were.
func (res *Result) addOverlap(run *gpu.Run, total *extrapolate.Estimate) {
	alone := run.Total
	var cycles clock.Cycle
	for i := range run.Launches {
		alone.Sub(&run.Launches[i].Counters)
		cycles += run.Launches[i].Cycles
	}
	for i, n := range alone {
		total.Counters[i] += float64(n)
	}
	if cycles > 0 {
		total.Overlap(float64(run.Cycles) / float64(cycles))
	}
}

// place moves the launches on the time line by what those before them take more
// than in the sample.
func (res *Result) place(run *gpu.Run) {
	var more clock.Cycle
	for i := range res.Launches {
		s := &res.Launches[i]
		s.Start, s.End = s.Start+more, s.Start+more+s.Cycles
		if !s.Overlapped {
			more += s.Cycles - run.Launches[i].Cycles
		}
	}
}

func observation(r *wtape.Reader, s *trace.Sampling, m *arch.Machine, l *gpu.Launch, stored storedPart) *extrapolate.Observation {
	o := &extrapolate.Observation{
		Launch: l, Resident: l.Occupancy.Blocks * m.GPU.SMs, StoredBlocks: stored.blocks, Blocks: r.Launches()[l.Index].Grid.Count(),
		Instructions: s.Launches[l.Index].WarpInstructions, StoredInstructions: stored.instructions,
		AtomicCycles: float64(m.L2.AtomicCycles) * m.Clocks.CoreMHz / m.Clocks.L2MHz,
	}
	lastCache(o, m)
	base, last := s.LaunchStrata(l.Index)
	for _, t := range s.Strata[base:last] {
		o.Strata = append(o.Strata, extrapolate.Stratum{Blocks: t.Blocks, Instructions: t.WarpInstructions})
	}
	if s.SlicesAll > 0 {
		o.SliceBlocks = trace.SliceBlocks(o.Blocks, uint64(s.SlicesKept), uint64(s.SlicesAll))
	}
	first, end := s.LaunchRuns(l.Index)
	for _, run := range s.Runs[first:end] {
		o.Runs = append(o.Runs, extrapolate.Run{Stratum: run.Stratum - base, Blocks: run.Blocks})
	}
	return o
}

// lastCache notes what is known of the last cache before DRAM.
func lastCache(o *extrapolate.Observation, m *arch.Machine) {
	last, count := &m.L2.Slice, m.L2.Partitions*m.L2.SlicesPerPartition
	if o.LLC = m.LLC.Bytes > 0; o.LLC {
		last, count = &m.LLC, m.L2.Partitions
	}
	o.CacheSectors = uint64(last.Bytes) * uint64(count) / uint64(max(last.SectorBytes, 1))
	if o.SectorCommands = 1; m.DRAM.Model != "simple" { // that takes a request of any size
		o.SectorCommands = float64(last.SectorBytes) / float64(max(m.DRAM.BurstBytes, 1))
	}
}

// simulated is the machine that the trace's thread blocks run on: a slice of m
// where they are those of a slice.
func simulated(r *wtape.Reader, m *arch.Machine) (*arch.Machine, error) {
	s := r.Sampling()
	if s == nil || s.SlicesAll == 0 {
		return m, nil
	}
	return extrapolate.Slice(m, extrapolate.PartOf(m, int(s.SlicesKept), int(s.SlicesAll)))
}

func ratioOf(a, b uint64) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// estimate replaces the section's figures.
func (s *Section) estimate(m *arch.Machine, run *gpu.Run, e *extrapolate.Estimate) {
	var set counters.Set
	for i, v := range e.Counters {
		set[i] = uint64(math.Round(v))
	}
	fresh := newSection(m, run, clock.Cycle(math.Round(e.Cycles)), &set)
	s.Cycles, s.Nanoseconds, s.Metrics = fresh.Cycles, fresh.Nanoseconds, fresh.Metrics
	s.Counters, s.Mechanisms = fresh.Counters, fresh.Mechanisms
	s.Uncertainty = newUncertainty(e)
}

func newUncertainty(e *extrapolate.Estimate) *Uncertainty {
	half := e.HalfWidth()
	u := &Uncertainty{Low: max(0, e.Cycles-half), High: e.Cycles + half}
	if e.Cycles == 0 {
		return u
	}
	u.Percent, u.SpreadPercent = 100*half/e.Cycles, 100*e.Spread()/e.Cycles
	for s, exposed := range e.Exposed {
		if exposed == 0 {
			continue
		}
		if u.ExposedPercent == nil {
			u.ExposedPercent = map[string]float64{}
		}
		u.ExposedPercent[extrapolate.Source(s).String()] = 100 * exposed / e.Cycles
	}
	return u
}

func newSampled(r *wtape.Reader, s *trace.Sampling, run *gpu.Run) *Sampled {
	t := r.Totals()
	var stored storedPart
	for _, p := range storedParts(r) {
		stored.blocks += p.blocks
		stored.instructions += p.instructions
	}
	return &Sampled{
		Policy: s.Policy, BlocksPercent: 100 * ratio(float64(stored.blocks), float64(t.ThreadBlocks)),
		InstructionsPercent: 100 * ratio(float64(stored.instructions), float64(t.WarpInstructions)), ReplayedCycles: run.Cycles,
	}
}
