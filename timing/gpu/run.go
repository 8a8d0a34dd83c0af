// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// Launch is what the replay of one launch has given.
type Launch struct {
	Index int // in the trace's launches
	// Kernel is its place in the trace's kernels.
	Kernel int
	// Start and End are core cycles since the start of the run, copies included.
	Start, End clock.Cycle
	Cycles     clock.Cycle // from Start to End
	// From Sent, the end of what it has waited for, to Ready it was on its way. Ready is
	// before Start when other launches had all places.
	Sent, Ready clock.Cycle
	Occupancy   core.Occupancy
	// Counters holds what the SMs have counted while they were the launch's, and
	// what the rest of the machine has while no other launch ran.
	Counters counters.Set
	// Overlapped says that another launch ran at the same time.
	Overlapped bool
	// Dispatches holds, when checkpoints were asked for, the cycle since Start in
	// which each thread block was placed on an SM. Checkpoints holds the counters
	// before every so many of them and when there is room for one more.
	Dispatches  []clock.Cycle
	Checkpoints []Checkpoint
}

// Run is the result of a replay.
type Run struct {
	Launches []Launch // in the order of the trace
	// Total adds up the launches, Overlap, Host and the copies.
	Total counters.Set
	// Overlap is what the parts that belong to no SM have counted while several
	// launches ran: L2, DRAM and the networks between serve all of them.
	Overlap counters.Set
	// Host is what was counted while no launch ran, on a machine that executes the
	// host's steps itself (seam.HostSteps); others stand still then.
	Host counters.Set
	// Cycles are those in which a launch ran.
	Cycles clock.Cycle
	// Elapsed are all core cycles of the run: those without a launch, when the
	// host copies or computes, are not among Cycles.
	Elapsed clock.Cycle
	// Launching are cycles of Elapsed in which no launch ran and at least one was on its way.
	Launching clock.Cycle
	Copies    []Copy // in the order of their start
	Clocks    Clocks
	// Profiles holds, per kernel of the trace, issue slots by instruction and
	// cause: Profiles[k][instruction*counters.CauseCount+cause]; nil for kernels
	// that were not launched.
	Profiles [][]uint64
	// Lines holds, with Options.Lines, per kernel of the trace the counters of each
	// instruction. Of the counters of an SM and its port they are the ones that an
	// instruction causes; of L2, networks and DRAM what its requests did. What no
	// instruction causes (fetches, write-backs) is in no line.
	Lines [][]counters.Set
	// Intervals holds the counters by intervals of Options.IntervalCycles, which
	// have the cycles in which a launch ran; with the copies' they add up to
	// Total. Nil when that is zero.
	Intervals []Interval
	// SMs holds the counters of each SM, without the memory system beyond.
	SMs []counters.Set
	// Links is the traffic of each link between the routers of the networks; nil
	// when they have none.
	Links []seam.LinkUse
}

// Replay replays all launches of the trace in the order that the host timeline
// gives them (see timeline). done is called now and then with the number of warp
// instructions issued (nil: never). A launch that the machine cannot run is
// refused before the first one starts.
func (g *GPU) Replay(ctx context.Context, src Source, done func(instructions uint64)) (*Run, error) {
	p := g.checked.take(src.Kernels(), src.Launches())
	if p == nil {
		var err error
		if p, err = g.plan(src.Kernels(), src.Launches()); err != nil {
			return nil, err
		}
	}
	if err := launchEvents(src.Timeline(), len(src.Launches())); err != nil {
		return nil, err
	}
	if g.memory.HostSteps != nil {
		if err := g.memory.HostSteps.CheckTimeline(src.Timeline()); err != nil {
			return nil, fmt.Errorf("%s: %w", g.machine.Name, err)
		}
	}
	links := g.links()
	r := newPlayer(ctx, g, src, p, done)
	g.team.start()
	defer g.team.stop()
	if err := r.run(); err != nil {
		return nil, err
	}
	r.result.Links = g.linksSince(links)
	return r.result, g.checkEnd()
}

// checkEvery is the number of visited cycles between looks at the context, and
// between reports of progress.
const checkEvery = 4096

// cycle runs the machine for one cycle and moves on to the next in which
// something happens, until at the latest. over says that a launch ends before it.
func (g *GPU) cycle(ctx context.Context, until clock.Cycle) (over bool, err error) {
	g.memory.Advance(g.clocks.Core.Start(g.now))
	if g.now >= g.sampler.due {
		if err := g.sample(); err != nil {
			return false, err
		}
	}
	if g.now >= g.launches.due {
		if err := g.dispatch(ctx); err != nil {
			return false, err
		}
	}
	if g.depths != nil && g.now >= g.depths.DepthDue() {
		g.depths.Depth(g.now)
	}
	switch {
	case g.everyCycle:
		g.callAll()
	default:
		g.callAwake()
	}
	for _, failed := range g.failed {
		if err := failed(); err != nil {
			return false, err
		}
	}
	return g.moveOn(until)
}

// moveOn ends a cycle.
func (g *GPU) moveOn(until clock.Cycle) (over bool, err error) {
	for _, l := range g.launches.active {
		if g.over(l, g.now) {
			g.now++
			return true, nil
		}
	}
	next := min(g.nextCycle(), until)
	if next == clock.Never {
		return false, fmt.Errorf("BUG: %w", g.stuck("nothing will ever happen"))
	}
	g.now = min(next, g.sampler.due)
	return false, nil
}

// callAwake calls the drivers to which something happens in this cycle.
func (g *GPU) callAwake() {
	for w := range g.wakes.Groups() {
		if g.wakes.Groups()[w] <= g.now {
			g.wakes.Keep(w, g.callGroup(g.wakes.Open(w), w<<clock.GroupBits))
		}
	}
}

// callGroup calls the drivers of a group, from first on, to which something happens in this
// cycle. It gives the next cycle in which something does. A driver's own SMs cannot
// wake it in the present cycle, since it is due.
func (g *GPU) callGroup(group *clock.Group[clock.Cycle], first int) clock.Cycle {
	now, next := g.now, clock.Never
	for j := range group {
		due := group[j]
		if due <= now {
			due = g.drivers[first+j].Cycle(now)
			if group[j] = due; g.options.Watcher != nil {
				g.watchDriver(first + j)
			}
		}
		next = min(next, due)
	}
	return next
}

// callAll is the slow twin of callAwake.
func (g *GPU) callAll() {
	for i := range g.drivers {
		g.drivers[i].Cycle(g.now)
		g.wakes.Set(i, g.now+1)
		g.watchDriver(i)
	}
}

// nextCycle is the next cycle in which something happens, clock.Never without any.
func (g *GPU) nextCycle() clock.Cycle {
	next := g.launches.due
	for _, w := range g.wakes.Groups() {
		if w <= g.now+1 && g.memory.LaunchEnder == nil { // a LaunchEnder is asked about launches' ends in all cycles
			return g.now + 1
		}
		next = min(next, w)
	}
	for _, l := range g.launches.active {
		if l.remaining == 0 && (g.memory.LaunchEnder == nil || g.memory.LaunchEnder.LaunchEnded(l.index)) {
			next = min(next, l.dispatchAt-1)
		}
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
	for _, s := range g.cores {
		n += s.Issued()
	}
	return n
}

// running names the launches that run, for messages.
func (g *GPU) running() string {
	var names []string
	for _, l := range g.launches.active {
		names = append(names, fmt.Sprintf("%d (%s)", l.index, l.program.Kernel().Name))
	}
	if len(names) == 1 {
		return "launch " + names[0]
	}
	return "launches " + strings.Join(names, ", ")
}
