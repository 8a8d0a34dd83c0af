package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// Runner replays the points of sweeps.
type Runner struct {
	Store *results.Store
	// Workers replay in parallel; zero: one per usable processor.
	Workers int
	// BudgetBytes is replay.Options.BudgetBytes; zero: the default.
	BudgetBytes int64
	// Shard and Shards say which part of the points to make: those whose number, in the
	// order of the plan, leaves Shard when divided by Shards. Zero shards: all.
	Shard, Shards int
	// Say is told what is done next (nil: nobody).
	Say func(line string)
	// Progress, if not nil, is told what has changed. Calls come one at a time.
	Progress func(Progress)
}

// Progress of a run.
type Progress struct {
	// Points of this run: Wanted, of which Present had results when it started, and what
	// became of the others so far.
	Wanted, Present, Made, Refused, Failed int
	// Instructions are warp instructions replayed so far, of Total.
	Instructions, Total uint64
	// Trace is the label of that which is replayed.
	Trace string
}

// Summary is what a run has come to.
type Summary struct {
	Progress
	// Impossible are points without a machine; Excluded those that the plan leaves out.
	Impossible, Excluded int
	Manifest             *results.Manifest
}

func (r *Runner) say(format string, args ...any) {
	if r.Say != nil {
		r.Say(fmt.Sprintf(format, args...))
	}
}

func (r *Runner) workers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Expand finds and, with record set, records the traces of a plan and multiplies it out.
func (r *Runner) Expand(ctx context.Context, p *plan.Plan, record bool) (*plan.Expansion, error) {
	model, err := release.Model()
	if err != nil {
		return nil, err
	}
	traces, err := r.gather(ctx, p, record)
	if err != nil {
		return nil, err
	}
	return p.Expand(traces, model, release.Version())
}

// Run makes the points of a plan that have no result yet. Points that cannot be made are
// counted; the error is one of the plan, of the file system, or of the context.
func (r *Runner) Run(ctx context.Context, p *plan.Plan) (*Summary, error) {
	e, err := r.Expand(ctx, p, true)
	if err != nil {
		return nil, err
	}
	if err := r.Store.PutManifest(e.Manifest); err != nil {
		return nil, err
	}
	s := &Summary{Manifest: e.Manifest}
	for _, n := range e.Excluded {
		s.Excluded += n
	}
	jobs, err := r.jobs(e, s)
	if err != nil {
		return s, err
	}
	var done uint64 // warp instructions of the traces before
	for i := range jobs {
		if err := r.replay(ctx, &jobs[i], e, s, done); err != nil {
			return s, err
		}
		done += jobs[i].instructions()
	}
	return s, ctx.Err()
}

// job is what there is to do with one trace.
type job struct {
	trace    *results.PlannedTrace
	keys     []string
	machines []*arch.Machine
}

func (j *job) instructions() uint64 {
	return j.trace.Summary.StoredWarpInstructions * uint64(len(j.machines))
}

// jobs lists the points of the shard that have neither a result nor a refusal. Points of
// the same trace and machine are one.
func (r *Runner) jobs(e *plan.Expansion, s *Summary) ([]job, error) {
	m := e.Manifest
	list := make([]job, len(m.Traces))
	for i := range list {
		list[i].trace = &m.Traces[i]
	}
	seen := map[string]bool{}
	for i := range m.Points {
		p := &m.Points[i]
		if p.Key == "" {
			s.Impossible++
			continue
		}
		if seen[p.Key] {
			continue
		}
		number := len(seen)
		seen[p.Key] = true
		if r.Shards > 0 && number%r.Shards != r.Shard {
			continue
		}
		s.Wanted++
		if r.Store.Sound(p.Key) {
			s.Present++
			continue
		}
		failure, err := r.Store.Failure(p.Key)
		if err != nil {
			return nil, err
		}
		if failure != nil && failure.Refused {
			s.Refused++
			continue
		}
		j := &list[p.Trace]
		j.keys, j.machines = append(j.keys, p.Key), append(j.machines, e.Machines[p.Architecture])
		s.Total += m.Traces[p.Trace].Summary.StoredWarpInstructions
	}
	return list, nil
}

// replay makes the points of one trace.
func (r *Runner) replay(ctx context.Context, j *job, e *plan.Expansion, s *Summary, before uint64) error {
	if len(j.keys) == 0 {
		return nil
	}
	s.Trace = j.trace.Label
	r.tell(s)
	t, err := wtape.Open(r.Store.TracePath(j.trace))
	if err != nil {
		return err
	}
	defer t.Close()
	if t.Digest() != j.trace.Digest {
		return fmt.Errorf("%s: has changed since the sweep began; start it again", j.trace.Path)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	o := replay.Options{
		Workers: r.workers(), Cores: replay.IdleCores(r.workers(), len(j.machines)), BudgetBytes: r.BudgetBytes, Version: e.Manifest.Version,
		WatchdogCycles: e.Manifest.WatchdogCycles, IntervalCycles: e.Manifest.IntervalCycles,
	}
	var one sync.Mutex // guards the summary
	o.Progress = func(n uint64) {
		one.Lock()
		defer one.Unlock()
		s.Instructions = before + n
		r.tell(s)
	}
	err = replay.Each(ctx, t, j.machines, o, func(i int, result *replay.Result, err error) {
		one.Lock()
		defer one.Unlock()
		if err := r.keep(e, j, i, t, result, err, s); err != nil {
			stop(err) // a full disk, for one: nothing more can be kept
		}
		r.tell(s)
	})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// keep stores what a replay has ended with.
func (r *Runner) keep(e *plan.Expansion, j *job, i int, t *wtape.Reader, result *replay.Result, failure error, s *Summary) error {
	id := results.Identity{TraceDigest: j.trace.Digest, ArchitectureDigest: j.machines[i].Digest(), Model: e.Manifest.Model, Options: e.Manifest.Options}
	if failure == nil {
		point, err := results.NewPoint(id, results.Summarize(t), j.machines[i], result)
		if err != nil {
			return err
		}
		s.Made++
		return r.Store.Put(point)
	}
	f := &results.Failure{Key: id.Key(), Identity: id, Reason: failure.Error()}
	var refusal *replay.RefusedError
	var panicked *replay.PanicError
	switch {
	case errors.As(failure, &refusal):
		f.Refused = true
		s.Refused++
	case errors.As(failure, &panicked):
		f.Detail = string(panicked.Stack)
		s.Failed++
	default:
		s.Failed++
	}
	r.say("%s on %s: %s", j.trace.Label, j.machines[i].Name, firstLine(f.Reason))
	return r.Store.PutFailure(f)
}

func (r *Runner) tell(s *Summary) {
	if r.Progress != nil {
		r.Progress(s.Progress)
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
