// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// player is one call of Replay: the host's timeline and the machine.
//
// While no launch runs the machine's clock stands still, so that what the host
// does in between changes nothing in how long a launch takes. clockOffset is by how
// much the timeline is ahead of the machine for that reason.
type player struct {
	*GPU
	ctx         context.Context
	plan        *plan
	done        func(uint64)
	timeline    *timeline
	limit       int         // launches that may run at the same time
	busy        clock.Cycle // in which launches have run
	since       clock.Cycle // when the first of those that run began
	ended       int         // the executed step that has ended and that the timeline does not know of, noStep without
	clockOffset clock.Cycle
	unended     int // launches that have yet to end
	dog         watchdog
	before      counters.Set // what the machine had counted before
	start       clock.Cycle
	result      *Run
}

func newPlayer(ctx context.Context, g *GPU, src Source, p *plan, done func(uint64)) *player {
	limit := max(g.machine.GPU.ConcurrentKernels, 1)
	khz := g.clocks.Core.KHz
	r := &player{
		ended: noStep,
		GPU:   g, ctx: ctx, plan: p, done: done, limit: limit, unended: len(src.Launches()), before: g.sum(), start: g.now, clockOffset: -g.now,
		timeline: newTimeline(src.Timeline(), limit == 1, newLink(g.machine, khz), newHostRates(g.machine, khz)),
		result:   &Run{Clocks: g.clocks, Profiles: make([][]uint64, len(p.programs)), Launches: make([]Launch, len(src.Launches()))},
	}
	r.timeline.gap = microseconds(g.machine.GPU.LaunchGapMicroseconds, khz)
	if g.options.Lines {
		r.result.Lines = make([][]counters.Set, len(p.programs))
	}
	for k, program := range p.programs {
		if program != nil {
			r.result.Profiles[k] = make([]uint64, program.Recorded()*counters.CauseCount)
			if g.options.Lines {
				r.result.Lines[k] = make([]counters.Set, program.Recorded())
			}
		}
	}
	if to := g.memory.Preloader; to != nil {
		r.timeline.copied = func(address, bytes uint64) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			to.Preload(address, bytes)
			return nil
		}
	}
	if g.memory.HostSteps != nil {
		r.executeSteps()
	}
	g.launches.begin(src)
	g.clusters.begin()
	g.openLedgers(p)
	g.bindings = newBindings(g)
	g.bindings.shared = *g.global
	for i, s := range g.sets {
		g.bindings.before[i] = *s
	}
	g.sampler = newSampler(g.options.IntervalCycles, g.now, &r.before)
	return r
}

// run replays everything.
func (r *player) run() error {
	for {
		if err := r.host(); err != nil {
			return err
		}
		if len(r.launches.active) > 0 {
			if err := r.untilNext(); err != nil {
				return fmt.Errorf("%s: %s: %w", r.machine.Name, r.running(), err)
			}
			if err := r.endLaunches(); err != nil {
				return err
			}
			continue
		}
		if r.timeline.left == 0 {
			break
		}
		if err := r.withoutLaunches(); err != nil {
			return err
		}
	}
	return r.finish()
}

// withoutLaunches goes on to the next step of the host while no launch runs.
func (r *player) withoutLaunches() error {
	at, since, launching := r.timeline.next(), r.now+r.clockOffset, len(r.timeline.coming) > 0
	switch {
	case r.memory.HostSteps != nil:
		if err := r.hostAlone(at); err != nil {
			return err
		}
	case at == clock.Never:
		return fmt.Errorf("BUG: %s: %d steps of the host timeline wait for one another", r.machine.Name, r.timeline.left)
	default:
		r.clockOffset = at - r.now
	}
	if launching {
		r.result.Launching += r.now + r.clockOffset - since
	}
	return nil
}

// host does what the host does now, and begins launches.
func (r *player) host() error {
	for {
		if err := r.timeline.advance(r.now + r.clockOffset); err != nil {
			return err
		}
		if !r.collectSteps() {
			break
		}
	}
	for len(r.launches.active) < r.limit {
		next, ok := r.timeline.takeLaunch()
		if !ok {
			break
		}
		event := int(next.event)
		if err := r.ctx.Err(); err != nil {
			return fmt.Errorf("%s: launch %d: %w", r.machine.Name, r.timeline.events[event].Launch, err)
		}
		if len(r.launches.active) == 0 {
			r.dog = watchdog{limit: r.options.WatchdogCycles, issued: r.issued(), since: r.now}
			if r.options.Watcher != nil {
				r.options.Watcher.ClockOffset(r.clockOffset)
			}
			r.since = r.now
		}
		r.begin(r.timeline.events[event].Launch, event, r.plan, r.result)
		out := &r.result.Launches[r.timeline.events[event].Launch]
		out.Sent, out.Ready = next.at-r.timeline.gap, next.at
	}
	r.bindFree()
	return nil
}

// untilNext runs the machine until a launch ends or the host does something.
func (r *player) untilNext() error {
	until := clock.Never
	if at := r.timeline.next(); at != clock.Never {
		until = at - r.clockOffset
	}
	for r.now < until {
		at := r.now
		over, err := r.step(until)
		if over || err != nil {
			return err
		}
		if r.lookForStep() {
			r.stepEndedIn(at)
			return nil
		}
		if r.visited++; r.visited%checkEvery == 0 {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if r.done != nil {
				r.done(r.issued())
			}
		}
		if !r.dog.content(r.GPU) {
			return r.stuck(fmt.Sprintf("no instruction has issued for %d cycles, the watchdog's limit", r.now-r.dog.since))
		}
	}
	return nil
}

// step runs the machine for one cycle, or for a few with its parts apart.
func (r *player) step(until clock.Cycle) (over bool, err error) {
	if r.team.apart(until) {
		return r.team.round(r.ctx)
	}
	return r.cycle(r.ctx, until)
}

// endLaunches closes the launches that have ended before the present cycle.
func (r *player) endLaunches() error {
	s := &r.launches
	for i := 0; i < len(s.active); {
		l := s.active[i]
		if !r.over(l, r.now-1) {
			i++
			continue
		}
		if err := r.endLaunch(i); err != nil {
			return err
		}
	}
	return nil
}

// endLaunch closes the launch at place i among those that run.
func (r *player) endLaunch(i int) error {
	s := &r.launches
	l := s.active[i]
	out := &r.result.Launches[l.index]
	*out = Launch{
		Sent: out.Sent, Ready: out.Ready, Index: l.index, Kernel: l.kernel, Start: l.start + r.clockOffset, End: r.now + r.clockOffset, Cycles: r.now - l.start,
		Occupancy: r.plan.occupancy[l.index], Overlapped: l.overlapped,
		Dispatches: l.watch.dispatches, Checkpoints: l.watch.checkpoints,
	}
	for d, owner := range r.bindings.owner {
		if owner == l {
			r.unbind(d)
		}
	}
	if r.unended--; r.unended == 0 && r.memory.HostSteps == nil {
		r.drainFor(l)
	}
	r.chargeShared()
	if len(s.active) == 1 {
		r.busy += r.now - r.since
	}
	s.active = slices.Delete(s.active, i, i+1)
	r.dispatcher.End(l.index)
	s.changed(r.now)
	r.timeline.ended(l.event, out.End)
	out.Counters = l.counts
	s.spare = append(s.spare, l)
	return r.checkLaunch(s.source, out, l.smCycles)
}

// drainFor empties the memory system after the last launch, which gets the
// counts. It takes none of its cycles, and no time.
func (r *player) drainFor(l *launchState) {
	end := r.now
	r.result.Cycles = end - r.start
	r.drain()
	r.clockOffset -= r.now - end
	for _, sms := range r.bindings.smsOf {
		for _, i := range sms {
			r.chargeSM(i, l)
		}
	}
}

// finish completes the result.
func (r *player) finish() error {
	run := r.result
	if r.memory.HostSteps != nil {
		if err := r.drainForHost(); err != nil {
			return err
		}
	}
	run.Elapsed, run.Overlap, run.Copies = r.now+r.clockOffset, r.bindings.overlap, r.timeline.log
	for i := range run.Launches {
		run.Total.Add(&run.Launches[i].Counters)
	}
	run.Total.Add(&run.Overlap)
	run.Total.Add(&run.Host)
	after := r.sum()
	if counted := difference(&after, &r.before); counted != run.Total {
		return fmt.Errorf("BUG: %s: the launches' counters do not add up to the machine's", r.machine.Name)
	}
	copied := copyCounts(run.Copies)
	run.Total.Add(&copied)
	for _, s := range r.sets {
		run.SMs = append(run.SMs, *s)
	}
	if r.done != nil {
		r.done(r.issued())
	}
	run.Intervals = r.sampler.end(r.now, &after)
	return nil
}

func difference(a, b *counters.Set) counters.Set {
	d := *a
	d.Sub(b)
	return d
}

// copyCounts are the counters of copies.
func copyCounts(copies []Copy) counters.Set {
	var set counters.Set
	for i := range copies {
		c := &copies[i]
		set[counters.CopyCycles] += uint64(c.End - c.Start)
		switch {
		case c.Executed:
		case c.ToDevice:
			set[counters.CopyToDeviceBytes] += c.Bytes
		default:
			set[counters.CopyToHostBytes] += c.Bytes
		}
	}
	return set
}

// launchEvents checks that the timeline has every launch once.
func launchEvents(events []trace.HostEvent, launches int) error {
	seen := make([]bool, launches)
	n := 0
	for i := range events {
		e := &events[i]
		if e.Kind != trace.EventLaunch {
			continue
		}
		if e.Launch < 0 || e.Launch >= launches || seen[e.Launch] {
			return fmt.Errorf("event %d of the host timeline is launch %d, of %d; the trace is damaged", i, e.Launch, launches)
		}
		seen[e.Launch] = true
		n++
	}
	if n != launches {
		return fmt.Errorf("the host timeline has %d of %d launches; the trace is damaged", n, launches)
	}
	return nil
}
