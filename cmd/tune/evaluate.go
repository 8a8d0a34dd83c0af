// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/warptape/warptape/cmd/internal/kernels"
	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// Job is a program with all that its variants share.
type Job struct {
	Program *host.Program
	Size    string
	// Set overrides parameters of the size in every variant.
	Set  map[string]string
	Seed uint64
	// Sample says what of each launch is stored; nil stores all.
	Sample  *sample.Policy
	Machine *arch.Machine
	// Lines asks for the counters of each instruction in Outcome.Profiles.
	Lines bool
	// Recorded, if not nil, is shown each recording before its replay.
	Recorded func(*wtape.Reader) error
}

// Outcome is what is expected of a variant.
type Outcome struct {
	Set map[string]string
	// Nanoseconds is the time of all kernels together; Low and High hold it with 95 %
	// confidence, as far as the sample goes. They are equal where nothing was sampled.
	Nanoseconds, Low, High float64
	// Refused, if not nil, says why the machine or the program takes no such variant.
	Refused error
	// Launches are those of the replay.
	Launches []replay.Section
	// Kernels are the recorded kernels. Profiles are the replay's, one for each that ran.
	Kernels  []trace.Kernel
	Profiles []replay.Profile
}

// Evaluate records a variant in memory and replays it. An error is of the context; what
// is wrong with the variant is its outcome.
func (j *Job) Evaluate(ctx context.Context, set map[string]string) (Outcome, error) {
	o := Outcome{Set: set}
	r, err := j.record(ctx, set)
	if err == nil {
		o.Kernels = r.Kernels()
		if j.Recorded != nil {
			err = j.Recorded(r)
		}
	}
	if err == nil {
		err = j.replay(ctx, r, &o)
	}
	if ctx.Err() != nil {
		return o, context.Cause(ctx)
	}
	o.Refused = err
	return o, nil
}

func (j *Job) record(ctx context.Context, set map[string]string) (*wtape.Reader, error) {
	options := host.Options{Size: j.Size, Set: map[string]string{}, Seed: j.Seed, Out: io.Discard, Compile: kernels.Compile}
	for _, of := range []map[string]string{j.Set, set} {
		for name, value := range of {
			options.Set[name] = value
		}
	}
	var profile *sample.Profile
	if j.Sample != nil && j.Sample.NeedsProfile() {
		profile = sample.NewProfile(*j.Sample)
		o := options
		o.Sink = profile
		if _, err := j.Program.Run(ctx, o); err != nil {
			return nil, err
		}
		profile.Choose()
	}
	return programs.Record(j.Program.Name(), 1, func(out *wtape.Writer) error {
		options.Sink = out
		var sampler *sample.Recorder
		if j.Sample != nil {
			sampler = sample.NewRecorder(out, *j.Sample, profile)
			options.Sink = sampler
		}
		if _, err := j.Program.Run(ctx, options); err != nil {
			return err
		}
		if sampler != nil {
			sampler.Describe()
		}
		return nil
	})
}

func (j *Job) replay(ctx context.Context, r *wtape.Reader, o *Outcome) error {
	results, err := replay.Run(ctx, r, []*arch.Machine{j.Machine}, replay.Options{Version: release.Version(), Workers: 1, Lines: j.Lines})
	if err != nil {
		return err
	}
	total := &results[0].Total
	if total.Cycles == 0 {
		return fmt.Errorf("%s launches nothing", j.Program.Name())
	}
	o.Nanoseconds, o.Launches, o.Profiles = total.Nanoseconds, results[0].Launches, results[0].Profiles
	o.Low, o.High = o.Nanoseconds, o.Nanoseconds
	if u := total.Uncertainty; u != nil {
		perCycle := total.Nanoseconds / float64(total.Cycles)
		o.Low, o.High = u.Low*perCycle, u.High*perCycle
	}
	return nil
}

// All evaluates variants, so many at a time; done, if not nil, is told of each. The
// outcomes are in the order of the variants, whatever the number of workers.
func (j *Job) All(ctx context.Context, variants []map[string]string, workers int, done func(Outcome)) ([]Outcome, error) {
	outcomes := make([]Outcome, len(variants))
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	next := make(chan int)
	for range max(1, min(workers, len(variants))) {
		all.Go(func() {
			for i := range next {
				o, err := j.Evaluate(ctx, variants[i])
				mu.Lock()
				outcomes[i] = o
				if err != nil && first == nil {
					first = err
				}
				if err == nil && done != nil {
					done(o)
				}
				mu.Unlock()
			}
		})
	}
	for i := range variants {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	all.Wait()
	if first == nil && ctx.Err() != nil {
		first = context.Cause(ctx)
	}
	return outcomes, first
}

// Check finds what is wrong with the parameters before anything is recorded: names that
// the program does not have, and values of another type.
func (j *Job) Check(s Space) error {
	for _, p := range s {
		for _, value := range p.Values {
			set := map[string]string{p.Name: value}
			for name, v := range j.Set {
				set[name] = v
			}
			if err := j.Program.CheckSize(&host.Options{Size: j.Size, Set: set}); err != nil {
				return err
			}
		}
	}
	return nil
}
