// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// Make makes the points of an expanded plan that have no result yet. Points that another
// living process replays are left to it; they are made here when it dies.
func (r *Runner) Make(ctx context.Context, e *plan.Expansion) (s *Summary, err error) {
	s = &Summary{Manifest: e.Manifest}
	for _, n := range e.Excluded {
		s.Excluded += n
	}
	jobs, err := r.jobs(e, s)
	if err != nil {
		return s, err
	}
	m := &maker{
		runner: r, expansion: e, summary: s, memory: newMemory(r.MemoryBytes), tried: map[string]bool{}, before: s.Refused,
		team: join(r.Store, e.Manifest.Name, r.Shard, r.Shards),
	}
	defer m.memory.limit()()
	defer func() { m.team.leave(err == nil) }()
	m.tell()
	for {
		if err := m.pass(ctx, jobs); err != nil {
			return s, err
		}
		if jobs, err = m.left(jobs); err != nil || len(jobs) == 0 {
			return s, err
		}
		if err := wait(ctx, lookEvery); err != nil {
			return s, err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// maker is one call of Make.
type maker struct {
	runner    *Runner
	expansion *plan.Expansion
	team      *team
	memory    *memory

	mu      sync.Mutex // guards the rest
	summary *Summary
	before  int             // points that were refused in earlier runs
	tried   map[string]bool // keys that this call has replayed, or tried to
	done    uint64          // warp instructions of earlier traces and passes
}

// pass replays what is missing and no other process replays.
func (m *maker) pass(ctx context.Context, jobs []job) error {
	first := m.team.start(len(jobs))
	for i := range jobs {
		j := &jobs[(first+i)%len(jobs)]
		if len(j.keys) == 0 {
			continue
		}
		if err := m.replay(ctx, j.rotated(m.team.start(len(j.keys)))); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// left lists what another process has not finished yet, and counts what it has.
func (m *maker) left(jobs []job) ([]job, error) {
	var list []job
	s := m.summary
	for i := range jobs {
		j := &jobs[i]
		rest := job{trace: j.trace}
		for k, key := range j.keys {
			if m.tried[key] {
				continue
			}
			if m.runner.Store.Sound(key) {
				m.tried[key] = true
				s.Others++
				s.Total -= j.trace.Summary.StoredWarpInstructions
				continue
			}
			if m.team.others(key) {
				rest.keys, rest.machines = append(rest.keys, key), append(rest.machines, j.machines[k])
				continue
			}
			failure, err := m.runner.Store.Failure(key)
			if err != nil {
				return nil, err
			}
			if failure != nil && failure.Refused {
				m.tried[key] = true
				s.Refused++
				s.Total -= j.trace.Summary.StoredWarpInstructions
				continue
			}
			rest.keys, rest.machines = append(rest.keys, key), append(rest.machines, j.machines[k])
		}
		if len(rest.keys) > 0 {
			list = append(list, rest)
		}
	}
	m.tell()
	return list, nil
}

// replay makes the points of one trace.
func (m *maker) replay(ctx context.Context, j job) error {
	m.summary.Trace = j.trace.Label
	m.tell()
	t, err := m.runner.Open(ctx, j.trace)
	if err != nil {
		return err
	}
	defer t.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers, manifest := m.runner.workers(), m.expansion.Manifest
	o := replay.Options{
		Workers: workers, Cores: replay.IdleCores(workers, len(j.machines)), BudgetBytes: m.memory.chunks(), Version: manifest.Version,
		WatchdogCycles: manifest.WatchdogCycles, IntervalCycles: manifest.IntervalCycles, NoShare: m.runner.NoShare,
		Claim: func(i int) func() { return m.claim(ctx, j.keys[i]) },
	}
	var replayed uint64
	o.Progress = func(n uint64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		replayed = n
		m.summary.Instructions = m.done + n
		m.tell()
	}
	err = replay.Each(ctx, t, j.machines, o, func(i int, result *replay.Result, err error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if err := m.keep(&j, i, t, result, err); err != nil {
			stop(err) // a full disk, for one: nothing more can be kept
		}
		m.tell()
	})
	m.done += replayed
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// claim takes a point for this process, when there is memory for it; nil: it is not to be
// replayed, because another process replays it or has done so.
func (m *maker) claim(ctx context.Context, key string) (release func()) {
	m.memory.begin()
	if ctx.Err() != nil || m.runner.Store.Has(key) && m.runner.Store.Sound(key) || !m.team.claim(key) {
		m.memory.end()
		return nil
	}
	return func() {
		m.team.release(key)
		m.memory.end()
	}
}

// keep stores what a replay has ended with.
func (m *maker) keep(j *job, i int, t *wtape.Reader, result *replay.Result, failure error) error {
	manifest, machine, s := m.expansion.Manifest, j.machines[i], m.summary
	id := results.Identity{TraceDigest: j.trace.Digest, ArchitectureDigest: machine.Digest(), Model: manifest.Model, Options: manifest.Options}
	m.tried[j.keys[i]] = true
	if failure == nil {
		point, err := results.NewPoint(id, results.Summarize(t), machine, result)
		if err != nil {
			return err
		}
		s.Made++
		if result.ReplayedOn != nil {
			s.Shared++
		}
		return m.runner.Store.Put(point)
	}
	f := &results.Failure{Key: id.Key(), Identity: id, Reason: failure.Error()}
	var refusal *replay.RefusedError
	var panicked *replay.PanicError
	switch {
	case errors.As(failure, &refusal):
		f.Refused = true
		s.Refused++
		s.Total -= j.trace.Summary.StoredWarpInstructions
	case errors.As(failure, &panicked):
		f.Detail = string(panicked.Stack)
		s.Failed++
	default:
		s.Failed++
	}
	switch n := s.Refused + s.Failed - m.before; {
	case n <= mostListed:
		m.runner.say("%s on %s: %s", j.trace.Label, machine.Name, firstLine(f.Reason))
	case n == mostListed+1:
		m.runner.say("more points have no result: warptape sweep status %s lists them", m.runner.Store.Root())
	}
	return m.runner.Store.PutFailure(f)
}

// tell gives the progress on.
func (m *maker) tell() {
	m.team.told(&m.summary.Progress)
	if m.runner.Progress != nil {
		m.runner.Progress(m.summary.Progress)
	}
}
