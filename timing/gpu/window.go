// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"

	"github.com/warptape/warptape/timing/clock"
)

// apart reports whether the next cycles are to be a round of parts that run apart.
func (t *team) apart(until clock.Cycle) bool {
	if t == nil {
		return false
	}
	if t.on {
		return true
	}
	g := t.gpu
	if g.now < t.again || !t.pays() {
		return false
	}
	if !t.possible(until) || t.awake() < fewestAwake {
		t.again = g.now + retryCycles
		return false
	}
	t.depart()
	return true
}

// possible reports whether nothing but the memory system can reach an SM in the next
// cycles, thread blocks that take the place of others left aside.
func (t *team) possible(until clock.Cycle) bool {
	g := t.gpu
	return until == clock.Never && len(g.launches.active) == 1 && g.launches.active[0].forming == nil &&
		g.launches.active[0].remaining > 0 &&
		g.sampler.due > g.now+retryCycles && g.launches.due > g.now && !g.room() && t.noCheckpoint() > g.now+retryCycles
}

// noCheckpoint is a cycle before which no checkpoint can be: each thread block may be
// placed in a cycle of its own, or several in one.
func (t *team) noCheckpoint() clock.Cycle {
	g := t.gpu
	quiet := g.launches.active[0].watch.quiet() / uint64(max(g.machine.GPU.BlocksPerCycle, 1))
	if quiet > checkpointFree {
		return clock.Never
	}
	return g.now + clock.Cycle(quiet) - 1
}

// checkpointFree is more cycles than SMs ever run ahead.
const checkpointFree = 1 << 16

// awake is the number of SMs that have something to do now.
func (t *team) awake() int {
	n := 0
	for i := range t.gpu.drivers {
		if *t.gpu.wakes.At(i) <= t.gpu.now {
			n++
		}
	}
	return n
}

// room reports whether an SM has room for a thread block of the only launch.
func (g *GPU) room() bool {
	l := g.launches.active[0]
	if !l.waiting() {
		return false
	}
	for i, s := range g.cores {
		if !g.team.isAhead(i, g.now) && s.Fits(&l.need) {
			return true
		}
	}
	return false
}

// round runs a few cycles with all parts apart, or leads them to where they meet.
func (t *team) round(ctx context.Context) (over bool, err error) {
	g := t.gpu
	if g.now >= g.launches.due {
		if err := g.dispatch(ctx); err != nil {
			return false, err
		}
	}
	t.plan()
	t.runSMs()
	end := t.end()
	if t.vacant > 0 {
		end = t.runVacant(end)
	}
	over = t.ended && t.retire(end)
	t.runMemory(end, over)
	if t.observe != nil {
		t.observe(int(end-g.now), t.beyond(end))
	}
	t.cycles += end - g.now
	g.now = end
	t.density.add(t.work, len(t.runners)+len(t.partitions), end)
	switch {
	case over:
		t.finishLaunch()
	case t.meeting == end && t.memory.Between() == g.clocks.Core.Start(end):
		t.meet()
	case t.meeting == clock.Never && (t.noCheckpoint() <= end+1 && t.window <= end || !t.pays() || t.isIdle() || g.sampler.due == end || g.launches.due > end && g.room()):
		t.callMeeting()
	}
	return over, t.progress()
}

// progress gives an error when the parts wait for one another: each round brings the
// machine or the networks on.
func (t *team) progress() error {
	at := t.memory.Between() + t.gpu.clocks.Core.Start(t.gpu.now)
	if t.rounds++; at != t.at {
		t.at, t.rounds = at, 0
	}
	if t.rounds > mostRounds {
		return t.gpu.stuck("BUG: the parts of the machine that run apart wait for one another")
	}
	return nil
}

// plan says how far SMs may run in this round. All run to the end of the same window
// before there is another. So SMs that have to wait for the network do not cut the way
// of the others into pieces.
func (t *team) plan() {
	g := t.gpu
	if g.now >= t.window {
		sms, partitions := t.memory.Reach()
		t.window = min(sms, max(clock.Cycle(partitions/g.clocks.Core.Period), g.now+1)) // at once
	}
	t.window = min(t.window, t.noCheckpoint())
	t.bound = min(t.window, t.meeting, g.sampler.due)
	if g.launches.due > g.now {
		t.bound = min(t.bound, g.launches.due)
	}
	t.known = clock.Cycle(t.memory.Between()/g.clocks.Core.Period) + 1
}

// runSMs runs the SMs that have thread blocks.
func (t *team) runSMs() {
	t.crew.begin()
	t.vacant = 0
	cycles := clock.Cycle(0)
	for i := range t.runners {
		r := &t.runners[i]
		r.calls = 0
		switch {
		case t.gpu.cores[i].Resident() == 0:
			t.vacant++
		case len(r.ended) == 0 && r.until < t.bound:
			t.crew.add(i, i)
			cycles += t.bound - r.until
		}
	}
	t.crew.work(t.runSM, t.busy > 1 && cycles >= fewestCycles)
}

// end is the cycle to which all SMs have come that have thread blocks, or had.
func (t *team) end() clock.Cycle {
	end := t.bound
	t.busy, t.work, t.ended = 0, 0, false
	for i := range t.runners {
		r := &t.runners[i]
		if len(r.ended) > 0 {
			t.ended = true
			end = min(end, r.until)
		} else if t.vacant == 0 || t.gpu.cores[i].Resident() > 0 {
			end = min(end, r.until)
		}
		if r.calls > 0 {
			t.busy++
			t.work += r.calls
		}
	}
	return end
}

// runVacant lets the SMs without thread blocks follow to a cycle, no farther: with the
// last thread block the launch ends for them, too. It gives the cycle to which all have
// come.
func (t *team) runVacant(end clock.Cycle) clock.Cycle {
	t.bound = end
	for i := range t.runners {
		if t.gpu.cores[i].Resident() == 0 {
			t.run(i)
			end = min(end, t.runners[i].until)
		}
	}
	return end
}

// retire counts the thread blocks that have ended before a cycle, in the order in which
// they have, and tells whether the launch is over.
func (t *team) retire(end clock.Cycle) (over bool) {
	for {
		first := -1
		for i := range t.runners {
			if ended := t.runners[i].ended; len(ended) > 0 && ended[0].cycle < end && (first < 0 || ended[0].cycle < t.runners[first].ended[0].cycle) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		r := &t.runners[first]
		for _, e := range r.ended {
			t.gpu.retire(e.cycle, first, e.block, e.chunk)
		}
		r.ended = r.ended[:0]
	}
	return t.gpu.over(t.gpu.launches.active[0], end-1)
}

// runMemory lets the memory system follow to a cycle. Where a partition has to wait for the
// reply network it goes by small steps.
func (t *team) runMemory(end clock.Cycle, over bool) {
	core := &t.gpu.clocks.Core
	to := core.Start(end)
	if over {
		to = core.Start(end - 1)
	}
	for {
		_, reach := t.memory.Reach()
		t.reach = min(reach, to)
		t.crew.begin()
		n := len(t.partitions)
		for i := range n {
			t.crew.add(i*len(t.crew.members)/n, i)
		}
		t.crew.work(t.runPartition, t.steps >= fewestSteps)
		t.steps = 0
		for i := range t.partitions {
			t.steps += t.partitions[i].steps
			t.partitions[i].steps = 0
		}
		t.work += t.steps
		t.memory.RunNetworks(to)
		if t.memory.Between() >= to {
			return
		}
	}
}

// beyond is the number of SMs that have run the cycle now already.
func (t *team) beyond(now clock.Cycle) int {
	n := 0
	for i := range t.runners {
		if t.runners[i].until > now {
			n++
		}
	}
	return n
}

// isIdle reports whether too few SMs have had something to do for some rounds.
func (t *team) isIdle() bool {
	if t.busy >= fewestAwake {
		t.idle = 0
		return false
	}
	t.idle++
	return t.idle > idleRounds
}

// callMeeting lets all parts go on to the cycle to which the first has come.
func (t *team) callMeeting() {
	g := t.gpu
	t.meeting = g.now
	for i := range t.runners {
		t.meeting = max(t.meeting, t.runners[i].until)
	}
	t.again = t.meeting + retryCycles
}

// finishLaunch lets the parts meet behind the last cycle of a launch.
func (t *team) finishLaunch() {
	g := t.gpu
	t.meet()
	g.memory.Advance(g.clocks.Core.Start(g.now - 1))
}
