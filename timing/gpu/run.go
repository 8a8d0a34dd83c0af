package gpu

import (
	"context"
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm"
)

// Launch is what the replay of one launch has given.
type Launch struct {
	Index     int // in the trace's launches
	Kernel    int // in the trace's kernels
	Start     clock.Cycle
	Cycles    clock.Cycle
	Occupancy sm.Occupancy
	Counters  counters.Set
}

// Run is the result of a replay.
type Run struct {
	Launches []Launch
	Total    counters.Set
	Cycles   clock.Cycle
	Clocks   Clocks
	// Profiles holds, per kernel of the trace, issue slots by instruction and
	// cause: Profiles[k][instruction*counters.CauseCount+cause]; nil for kernels
	// that were not launched.
	Profiles [][]uint64
	// Intervals holds the counters by intervals of Options.IntervalCycles; they
	// add up to Total. Nil when that is zero.
	Intervals []Interval
	// SMs holds the counters of each SM, without the memory system beyond.
	SMs []counters.Set
}

// Replay replays all launches of the trace, one after the other. done is called
// now and then with the number of warp instructions issued (nil: never). A launch
// that the machine cannot run is refused before the first one starts.
func (g *GPU) Replay(ctx context.Context, src Source, done func(instructions uint64)) (*Run, error) {
	p, err := g.plan(src.Kernels(), src.Launches())
	if err != nil {
		return nil, err
	}
	run := &Run{Clocks: g.clocks, Profiles: make([][]uint64, len(p.programs))}
	for k, program := range p.programs {
		if program != nil {
			run.Profiles[k] = make([]uint64, program.Instructions()*counters.CauseCount)
		}
	}
	before := g.sum()
	g.sampler = newSampler(g.options.IntervalCycles, g.now, &before)
	launches := src.Launches()
	copies := newHostCopies(g.memory, src.Timeline())
	for i := range launches {
		kernel := launches[i].Kernel
		if err := copies.before(ctx, i); err != nil {
			return nil, err
		}
		g.begin(src, i, p)
		g.launch.profile = run.Profiles[kernel]
		if err := g.loop(ctx, done); err != nil {
			return nil, fmt.Errorf("%s: launch %d (%s): %w", g.machine.Name, i, src.Kernels()[kernel].Name, err)
		}
		g.finish()
		end := g.now
		if i == len(launches)-1 {
			g.drain()
		}
		after := g.sum()
		l := Launch{Index: i, Kernel: kernel, Start: g.launch.start, Cycles: end - g.launch.start, Occupancy: p.occupancy[i], Counters: after}
		l.Counters.Sub(&before)
		before = after
		if err := g.checkLaunch(src, &l); err != nil {
			return nil, err
		}
		run.Launches = append(run.Launches, l)
		run.Total.Add(&l.Counters)
		run.Cycles += l.Cycles
	}
	for _, s := range g.sets {
		run.SMs = append(run.SMs, *s)
	}
	if done != nil {
		done(g.issued())
	}
	run.Intervals = g.sampler.end(g.now, &before)
	return run, g.checkEnd()
}

// checkEvery is the number of visited cycles between looks at the context, and
// between reports of progress.
const checkEvery = 4096

// loop runs the present launch to its end.
func (g *GPU) loop(ctx context.Context, done func(uint64)) error {
	l := &g.launch
	dog := watchdog{limit: g.options.WatchdogCycles, issued: g.issued(), since: g.now}
	if err := ctx.Err(); err != nil {
		return err
	}
	for {
		g.memory.Advance(g.clocks.Core.Start(g.now))
		if g.now >= g.sampler.due {
			if err := g.sample(); err != nil {
				return err
			}
		}
		if l.dispatching() && g.now >= l.dispatchAt {
			if err := g.dispatch(ctx); err != nil {
				return err
			}
		}
		if !g.everyCycle {
			g.callAwake()
		} else {
			g.callAll()
		}
		if l.remaining == 0 && g.now+1 >= l.dispatchAt {
			g.now++
			return nil
		}
		next := g.nextCycle()
		if next == clock.Never {
			return fmt.Errorf("BUG: %w", g.stuck("nothing will ever happen"))
		}
		g.now = min(next, g.sampler.due)
		if g.visited++; g.visited%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if done != nil {
				done(g.issued())
			}
		}
		if !dog.content(g) {
			return g.stuck(fmt.Sprintf("no instruction has issued for %d cycles, the watchdog's limit", g.now-dog.since))
		}
	}
}

// callAwake calls the drivers to which something happens in this cycle.
func (g *GPU) callAwake() {
	for i := range g.wakes {
		if g.wakes[i] <= g.now {
			g.wakes[i] = clock.Never
			next := g.drivers[i].Cycle(g.now)
			g.wakes[i] = next
		}
	}
}

// callAll is the slow twin of callAwake.
func (g *GPU) callAll() {
	for i := range g.wakes {
		g.drivers[i].Cycle(g.now)
		g.wakes[i] = g.now + 1
	}
}

// nextCycle is the next cycle in which something happens, clock.Never without any.
func (g *GPU) nextCycle() clock.Cycle {
	next := clock.Never
	for _, w := range g.wakes {
		next = min(next, w)
	}
	if g.launch.dispatching() {
		next = min(next, g.launch.dispatchAt)
	}
	if g.launch.remaining == 0 {
		next = min(next, g.launch.dispatchAt-1)
	}
	if next <= g.now+1 {
		return g.now + 1
	}
	if at := g.memory.NextEvent(); at != clock.NeverTime {
		next = min(next, g.clocks.Core.CyclesUntil(at))
	}
	return max(next, g.now+1)
}

// issued is the number of warp instructions that all SMs have ever issued.
func (g *GPU) issued() uint64 {
	var n uint64
	for _, s := range g.sms {
		n += s.Issued()
	}
	return n
}
