// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// Runner replays the points of sweeps.
type Runner struct {
	Store *results.Store
	// Workers replay in parallel; zero: one per usable processor.
	Workers int
	// NoShare is replay.Options.NoShare.
	NoShare bool
	// MemoryBytes is what the process keeps to: decoded parts of traces and the machines
	// that replay at the same time. Zero: as many machines as workers.
	MemoryBytes int64
	// Shard and Shards say which part of the points to make: those whose number, in the
	// order of the plan, leaves Shard when divided by Shards. Zero shards: all.
	Shard, Shards int
	// Only, if not nil, are the keys of the points to make; others are not counted.
	Only map[string]bool
	// Pull fetches the trace of a digest that is not where the manifest has it, and gives
	// the path of its file (nil: nowhere is it fetched from).
	Pull func(ctx context.Context, digest string) (path string, err error)
	// Say is told what is done next (nil: not).
	Say func(line string)
	// Progress, if not nil, is told what has changed. Calls come one at a time.
	Progress func(Progress)
}

// Progress of a run.
type Progress struct {
	// Wanted are the points of this run; Present of them had results when it started. The
	// rest say what became of the others so far; another process made Others meanwhile.
	Wanted, Present, Made, Others, Refused, Failed int
	// Shared counts those of Made that have the counts of another machine's replay
	// (replay.Result.ReplayedOn).
	Shared int
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

// Traces finds and, with record set, records the traces of a plan.
func (r *Runner) Traces(ctx context.Context, p *plan.Plan, record bool) ([]plan.Trace, error) {
	return r.gather(ctx, p, record)
}

// Multiply gives all points of a plan on traces that were found.
func Multiply(p *plan.Plan, traces []plan.Trace) (*plan.Expansion, error) {
	model, err := release.Model()
	if err != nil {
		return nil, err
	}
	return p.Expand(traces, model, release.Version())
}

// Expand finds and, with record set, records the traces of a plan and multiplies it out.
func (r *Runner) Expand(ctx context.Context, p *plan.Plan, record bool) (*plan.Expansion, error) {
	traces, err := r.Traces(ctx, p, record)
	if err != nil {
		return nil, err
	}
	return Multiply(p, traces)
}

// Prepare records the traces of a plan that are missing and stores its manifest, so that
// Make and other processes can make its points.
func (r *Runner) Prepare(ctx context.Context, p *plan.Plan) (*plan.Expansion, error) {
	e, err := r.Expand(ctx, p, true)
	if err != nil {
		return nil, err
	}
	return e, r.Store.PutManifest(e.Manifest)
}

// Run makes the points of a plan that have no result yet. Points that cannot be made are
// counted; the error is one of the plan, of the file system, or of the context.
func (r *Runner) Run(ctx context.Context, p *plan.Plan) (*Summary, error) {
	e, err := r.Prepare(ctx, p)
	if err != nil {
		return nil, err
	}
	return r.Make(ctx, e)
}

// firstLine of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
