// SPDX-License-Identifier: Apache-2.0

// Package sample stores a sample of a program's thread blocks, with what each
// stands for, and the exact totals of the whole run.
//
// A Policy says how thread blocks are chosen. Policies that choose by size alone
// stream: a Recorder between the program (or a trace that is copied) and a
// wtape.Writer stores a thread block or counts it. Policies that choose by what
// thread blocks do need the program to run twice, which costs time but no memory.
// It runs first into a Profile, which keeps a short signature per group of thread
// blocks, then into a Recorder.
package sample

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Recorder passes on to a Writer what a policy chooses. It has the methods of a
// Writer that a recording uses; it is used by one goroutine. Call Describe before
// Writer.Finish.
type Recorder struct {
	*wtape.Writer
	policy  Policy
	profile *Profile // nil when the policy needs none
	kernels []*trace.Kernel

	launch       int
	grid         uint64
	kernel       *trace.Kernel
	choice       choice
	next         int // run
	stratum      int // of the present thread block
	store        bool
	instructions uint64   // of the present thread block
	perStratum   []uint64 // warp instructions of the launch
	blocks       []uint64
	before       trace.Totals
	description  trace.Sampling
	// only is set when no other thread blocks of the launch run than those stored. Ran,
	// mean and squares are of the warp instructions of those that have run.
	only          bool
	ran           float64
	mean, squares float64
}

// NewRecorder makes a recorder that stores into w. The profile must be of the
// same run when the policy needs one (Policy.NeedsProfile), else nil.
func NewRecorder(w *wtape.Writer, p Policy, profile *Profile) *Recorder {
	if profile != nil {
		p = profile.Policy()
	}
	r := &Recorder{Writer: w, policy: p, profile: profile, launch: -1}
	r.description = trace.Sampling{Policy: p.String()}
	if p.Kind == "sms" {
		r.description.SlicesKept, r.description.SlicesAll = p.Kept, p.All
	}
	return r
}

// AddKernel passes a kernel on.
func (r *Recorder) AddKernel(k *trace.Kernel) (int, error) {
	r.kernels = append(r.kernels, k)
	return r.Writer.AddKernel(k)
}

// BeginLaunch decides what of the launch is stored.
func (r *Recorder) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	r.before = r.Totals()
	i, err := r.Writer.BeginLaunch(l, after...)
	if err != nil {
		return i, err
	}
	r.launch, r.grid, r.kernel = i, l.Grid.Count(), r.kernels[l.Kernel]
	switch {
	case r.policy.everything():
		r.choice = whole(i, r.grid)
	case r.profile == nil:
		r.choice = r.policy.choose(i, r.grid, r.policy.fewest(r.kernel, &l), r.policy.For.Holds(r.kernel, &l))
	case i >= len(r.profile.choices) || r.profile.launches[i].grid != r.grid:
		return i, fmt.Errorf("launch %d of this run is not that of the run before, which chose the sample: the program is not deterministic, or depends on timing; sample it with fraction=F", i)
	default:
		r.choice = r.profile.choices[i]
	}
	r.next, r.only = 0, false
	r.ran, r.mean, r.squares = 0, 0, 0
	r.perStratum = append(r.perStratum[:0], make([]uint64, max(r.choice.strata, 1))...)
	r.blocks = append(r.blocks[:0], make([]uint64, max(r.choice.strata, 1))...)
	return i, nil
}

// BeginBlock starts a thread block and decides whether it is stored.
func (r *Recorder) BeginBlock(block uint64) {
	runs := r.choice.runs
	for r.next < len(runs) && runs[r.next].First+runs[r.next].Blocks <= block {
		r.next++
	}
	r.store = r.next < len(runs) && block >= runs[r.next].First
	r.stratum = r.choice.stratum(block)
	r.instructions = 0
	r.Writer.BeginBlock(block)
}

// Visit records a visit of a basic block.
func (r *Recorder) Visit(warp int, block, mask uint32) {
	if int(block) < len(r.kernel.Blocks) {
		r.instructions += uint64(r.kernel.Blocks[block].Count)
	}
	r.Writer.Visit(warp, block, mask)
}

// EndBlock stores the thread block or counts it.
func (r *Recorder) EndBlock() error {
	r.perStratum[r.stratum] += r.instructions
	r.blocks[r.stratum]++
	r.ran++
	d := float64(r.instructions) - r.mean // Welford (1962)
	r.mean += d / r.ran
	r.squares += float64(d * (float64(r.instructions) - r.mean))
	if r.store {
		return r.Writer.EndBlock()
	}
	return r.CountBlock()
}

// Only gives the thread blocks of the launch that are stored, when the choice needs no
// other ones to run. The counts of the whole launch are then estimates from those, and
// the description says so. It makes the recorder a host.Chooser.
func (r *Recorder) Only() []trace.Range {
	if r.policy.everything() || r.profile != nil || r.choice.strata != 1 || len(r.choice.runs) == 0 {
		return nil
	}
	var only []trace.Range
	stored := uint64(0)
	for _, run := range r.choice.runs {
		only = append(only, trace.Range{First: run.First, Last: run.First + run.Blocks - 1})
		stored += run.Blocks
	}
	if stored == r.grid {
		return nil
	}
	r.only = true
	return only
}

// countError is the relative standard error of the counts of a launch with thread blocks
// that did not run. It is the error of the mean of those that did, for the part that did
// not. One thread block shows no spread; its error is taken to be the whole part.
func (r *Recorder) countError(passed uint64) float64 {
	part := float64(passed) / float64(r.grid)
	if r.ran < 2 || r.mean == 0 {
		return part
	}
	deviation := math.Sqrt(r.squares / (r.ran - 1))
	return min(part, part*deviation/r.mean*math.Sqrt(1/r.ran+1/float64(passed)))
}

// EndLaunch ends the launch and notes what its sample stands for.
func (r *Recorder) EndLaunch() error {
	passed := uint64(0)
	if r.only {
		passed = r.grid - uint64(r.ran)
		if err := r.PassOver(passed, &r.before); err != nil {
			return err
		}
	}
	if err := r.Writer.EndLaunch(); err != nil {
		return err
	}
	after := r.Totals()
	d := &r.description
	if passed > 0 {
		r.blocks[0], r.perStratum[0] = r.grid, after.WarpInstructions-r.before.WarpInstructions
	}
	l := trace.LaunchSample{
		WarpInstructions:   after.WarpInstructions - r.before.WarpInstructions,
		ThreadInstructions: after.ThreadInstructions - r.before.ThreadInstructions,
		MemoryInstructions: after.MemoryInstructions - r.before.MemoryInstructions,
		Representative:     r.choice.representative, PassedOver: passed,
	}
	if passed > 0 {
		l.CountError = r.countError(passed)
	}
	d.Launches = append(d.Launches, l)
	if len(r.choice.runs) == 0 {
		return nil
	}
	first := len(d.Strata)
	for s := range r.choice.strata {
		d.Strata = append(d.Strata, trace.Stratum{Launch: r.launch, Blocks: r.blocks[s], WarpInstructions: r.perStratum[s]})
	}
	for _, run := range r.choice.runs {
		run.Stratum += first
		d.Runs = append(d.Runs, run)
	}
	return nil
}

// Describe tells the writer what the sample stands for; nothing when the policy
// stores everything, so that the trace is the one that a plain recording makes.
func (r *Recorder) Describe() {
	if r.policy.everything() {
		return
	}
	r.SetSampling(&r.description)
	if n := r.description.PassedOver(); n > 0 {
		r.UpdateHeader(func(h *trace.Header) {
			h.Sampling += fmt.Sprintf("; %d thread blocks that are not stored did not run, as the program says that they are independent: counts of the whole run are estimates", n)
		})
	}
}
