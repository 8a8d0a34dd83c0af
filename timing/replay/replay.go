// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/seam"
	_ "github.com/warptape/warptape/timing/sm" //the kind of core that architectures have unless they name another
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace/wtape"
)

// Options of Run. The zero value is good.
type Options struct {
	// Workers replay in parallel; zero is one per usable processor.
	Workers int
	// Cores let so many processors work on each replay, with the same results
	// (gpu.Options.Cores). Zero or one: one.
	Cores int
	// BudgetBytes bounds the decoded chunks that are kept for machines that have
	// yet to come to them; zero means DefaultBudgetBytes. Chunks in use stay in
	// any case.
	BudgetBytes int64
	// LargeBytes is the memory that the chunks of large thread blocks may take while they
	// are in use, which is an error beyond; zero means DefaultLargeBytes.
	LargeBytes int64
	// WatchdogCycles is gpu.Options.WatchdogCycles.
	WatchdogCycles uint64
	// IntervalCycles is gpu.Options.IntervalCycles: zero for no intervals.
	IntervalCycles uint64
	// Version is that of the replaying program, for the results.
	Version string
	// Progress is told now and then how many warp instructions all machines
	// together have replayed (nil: not). It is called by one goroutine at a time.
	Progress func(instructions uint64)
	// Lines asks for the counters of each instruction in Result.Profiles.
	Lines bool
	// Timelines holds a recorder per machine, or nil where none is wanted; without
	// any it may be nil. Each is finished with the replay of its machine.
	Timelines []*timeline.Recorder
	// Attach is told of the memory system of each machine before its replay, for what
	// is to run alongside it; what it gives is called with the result. A nil Attach is not
	// called.
	Attach func(m *arch.Machine, memory seam.Path) (func(*Result), error)
	// Memory is gpu.Options.Memory: nil for the baseline memory system.
	Memory gpu.MemoryBuilder
	// NoShare replays on every machine. Without it a machine takes what another one has
	// counted where its own replay is known to be the same (Result.ReplayedOn): results are the same.
	NoShare bool
	// Claim, if not nil, is asked before the replay of each machine whether it is to be
	// (Each only). It may wait. Without a result the machine is left out, and ended is not
	// called for it; a result is called when the replay is over. Several goroutines call it.
	Claim func(i int) (release func())
	// first is the first machine as its check has left it: a process of one short replay
	// builds it once (Run). It is one goroutine's, which has taken machine 0.
	first *gpu.GPU
	// recovers makes a panic of one replay its error (Each).
	recovers bool
}

// DefaultBudgetBytes of decoded chunks.
const DefaultBudgetBytes = 1 << 30

// DefaultLargeBytes of the chunks of large thread blocks.
const DefaultLargeBytes = 8 << 30

// bound sets the bounds that are zero.
func (o *Options) bound() {
	if o.BudgetBytes <= 0 {
		o.BudgetBytes = DefaultBudgetBytes
	}
	if o.LargeBytes <= 0 {
		o.LargeBytes = DefaultLargeBytes
	}
}

// Run replays the trace on every machine and returns the results in the order of
// the machines. Every machine is checked against every launch before any replay
// starts. When replays fail the error is that of the first machine that failed.
// It is an error, too, when the trace's content does not have its digest.
func Run(ctx context.Context, r *wtape.Reader, machines []*arch.Machine, o Options) ([]Result, error) {
	if len(machines) == 0 {
		return nil, errors.New("no architecture to replay on")
	}
	o.bound()
	var problems []error
	for i, m := range machines {
		g, err := o.check(r, m, i)
		problems = append(problems, err)
		if i == 0 && err == nil {
			o.first = g
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	results, failed := make([]Result, len(machines)), make([]error, len(machines))
	err := runChecked(ctx, r, machines, &o, func(i int, result *Result, err error) {
		if failed[i] = err; err == nil {
			results[i] = *result
		}
	})
	if err != nil {
		return nil, err
	}
	for i, err := range failed {
		if err != nil {
			return nil, fmt.Errorf("replay on %s: %w", machines[i].Name, err)
		}
	}
	return results, nil
}

// check says why machine i cannot run the trace. It gives the machine, ready to replay
// it, if it can.
func (o *Options) check(r *wtape.Reader, m *arch.Machine, i int) (*gpu.GPU, error) {
	part, err := simulated(r, m)
	if err != nil {
		return nil, err
	}
	g, err := o.build(part, checkpoints(r), o.watcher(i))
	if err != nil {
		return nil, err
	}
	return g, g.Check(r.Kernels(), r.Launches())
}

// watcher of machine i, nil without one.
func (o *Options) watcher(i int) seam.Watcher {
	if i < len(o.Timelines) && o.Timelines[i] != nil {
		return o.Timelines[i]
	}
	return nil
}

// runChecked replays while the digest that the results will bear is checked. A
// digest that is not the content's stops the replays, and is the only error, so that a
// damaged trace has one message.
func runChecked(ctx context.Context, r *wtape.Reader, machines []*arch.Machine, o *Options, ended func(i int, result *Result, err error)) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	checked := make(chan struct{})
	var digest error
	go func() {
		defer close(checked)
		if digest = r.CheckDigest(ctx); digest != nil {
			stop()
		}
	}()
	newRunner(running, r, machines, o).run(func(i int, result *Result, err error) {
		// No result leaves before its digest is known to be the content's.
		if <-checked; digest == nil || ctx.Err() != nil {
			ended(i, result, err)
		}
	})
	if <-checked; digest != nil && ctx.Err() == nil {
		return digest
	}
	return nil
}

// IdleCores is how many cores each of some replays can have of what is left when
// workers of them (zero: one per usable processor) run at the same time.
func IdleCores(workers, replays int) int {
	processors := runtime.GOMAXPROCS(0)
	if workers <= 0 {
		workers = processors
	}
	return min(max(processors/max(min(workers, replays), 1), 1), mostCores)
}

// mostCores bounds IdleCores: a window of a few cycles has no more work.
const mostCores = 8

// build assembles a machine with a watcher, or nil.
func (o *Options) build(m *arch.Machine, checkpoints func(launch, resident int) uint64, w seam.Watcher) (*gpu.GPU, error) {
	return gpu.New(m, gpu.Options{
		Watcher: w, Lines: o.Lines, Memory: o.Memory, WatchdogCycles: clock.Cycle(o.WatchdogCycles), Cores: max(o.Cores, 1), IntervalCycles: clock.Cycle(o.IntervalCycles),
		Checkpoints: checkpoints,
	})
}

// runner is one call of Run or Each.
type runner struct {
	ctx      context.Context
	reader   *wtape.Reader
	machines []*arch.Machine
	options  *Options
	store    *store
	sharing  *sharing
	mu       sync.Mutex // guards done and calls of Options.Progress
	done     []uint64   // per machine
}

func newRunner(ctx context.Context, r *wtape.Reader, machines []*arch.Machine, o *Options) *runner {
	s := newSharing(machines, o, r.Sampling() != nil)
	return &runner{ctx: ctx, reader: r, machines: machines, options: o, done: make([]uint64, len(machines)), sharing: s, store: newStore(r, s.replays(), o.BudgetBytes, o.LargeBytes)}
}

// run replays all machines and tells ended of each, one at a time.
func (r *runner) run(ended func(i int, result *Result, err error)) {
	workers := r.options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var done sync.WaitGroup
	var one sync.Mutex
	for range min(workers, len(r.machines)) {
		done.Go(func() {
			for i, ok := r.sharing.next(); ok; i, ok = r.sharing.next() {
				release := r.claim(i)
				if release == nil {
					continue
				}
				result, err := r.recovered(i)
				r.sharing.end(i, nil, nil) // where the replay has not come to its end
				one.Lock()
				ended(i, result, err)
				one.Unlock()
				release()
			}
		})
	}
	done.Wait()
}

// claim asks whether machine i is to be replayed; nil: it is not, and its share of the
// decoded trace is given up.
func (r *runner) claim(i int) (release func()) {
	if r.options.Claim == nil {
		return func() {}
	}
	if release = r.options.Claim(i); release == nil {
		r.sharing.end(i, nil, nil)
		if r.sharing.leads(i) {
			r.store.view().close()
		}
	}
	return release
}

// replay runs machine i, or takes what one that is alike has counted.
func (r *runner) replay(i int) (*Result, error) {
	if run, by := r.sharing.follow(i); run != nil {
		if r.sharing.leads(i) {
			r.store.view().close()
		}
		r.report(i, r.reader.Totals().WarpInstructions)
		result := newResult(r.reader, r.machines[i], r.options.Version, run)
		result.ReplayedOn = r.machines[by]
		return &result, r.ctx.Err()
	}
	v := r.store.view()
	defer v.close()
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	g, err := r.machine(i)
	if err != nil {
		return nil, err
	}
	attached := func(*Result) {}
	if r.options.Attach != nil {
		if attached, err = r.options.Attach(r.machines[i], g.Memory()); err != nil {
			return nil, err
		}
	}
	run, err := g.Replay(r.ctx, v, func(n uint64) { r.report(i, n) })
	if err != nil {
		return nil, err
	}
	var certificate *limits.Certificate
	if r.sharing.certifies(i) {
		certificate = g.Certificate()
	}
	r.sharing.end(i, run, certificate)
	result := newResult(r.reader, r.machines[i], r.options.Version, run)
	attached(&result)
	if r.options.watcher(i) != nil {
		err = finishTimeline(r.options.Timelines[i], r.reader, run)
	}
	return &result, err
}

// machine builds machine i, or gives the one that was checked.
func (r *runner) machine(i int) (*gpu.GPU, error) {
	if i == 0 { // the one goroutine that has taken machine 0 may look
		if g := r.options.first; g != nil {
			r.options.first = nil
			return g, nil
		}
	}
	m, err := simulated(r.reader, r.machines[i])
	if err != nil {
		return nil, err
	}
	return r.options.build(m, checkpoints(r.reader), r.options.watcher(i))
}

func (r *runner) report(machine int, instructions uint64) {
	if r.options.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[machine] = instructions
	var sum uint64
	for _, n := range r.done {
		sum += n
	}
	r.options.Progress(sum)
}
