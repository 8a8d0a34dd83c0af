// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"runtime"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// team lets several cores work on one replay. While it is on, the parts of the machine
// run apart in rounds (conservative parallel simulation: Chandy and Misra, IEEE TSE
// 1979). It serves one core, too: what a part works on stays in the caches of the host for
// the cycles of a round. The SMs run a few cycles, then the partitions of the memory system, then the
// networks between them. A packet is on its way through a network for some cycles, so
// that for so long each part knows what will reach it. Between two rounds the machine
// dispatches thread blocks.
//
// An SM in which a thread block ends stops behind that cycle, since another may come.
// The machine goes on to the cycle to which all SMs have come; those that have run
// farther are ahead of it.
type team struct {
	gpu     *GPU
	memory  seam.Lookahead
	crew    crew
	pace    pace     // of several cores
	density density  // of one
	runners []runner // per SM
	// What the crew does: run, and RunPartition up to the time reach, which gives steps.
	runSM, runPartition func(int)
	reach               clock.Time
	partitions          []partitionSteps
	// What there was to do in the last round: SMs that were called, and events of partitions.
	busy, steps int
	work        int         // calls of SMs and events of partitions
	vacant      int         // SMs without thread blocks
	ended       bool        // a thread block has
	cycles      clock.Cycle // of all rounds
	at          clock.Time  // to which the machine and the networks have come, added up
	rounds      int         // that have brought neither on
	on          bool        // the parts run apart
	// bound is the first cycle that no SM runs in this round, known the first for which the
	// networks have yet to do something that SMs may hear of.
	bound, known clock.Cycle
	window       clock.Cycle // bound of this round and those that follow until all have come to it
	meeting      clock.Cycle // at which all parts are to meet, clock.Never while they go on
	again        clock.Cycle // when a round is tried again after one that could not be
	idle         int         // rounds in which too few SMs had something to do
	// observe is told the cycles of each round, and how many SMs are ahead after it; nil
	// outside tests.
	observe func(cycles, ahead int)
}

// partitionSteps counts the events of a partition.
type partitionSteps struct {
	steps int
	_     [64]byte // each has a cache line of its own
}

const (
	// fewestAwake is how many SMs need something to do for running apart to be worth its
	// overhead; it ends after idleRounds rounds with fewer.
	fewestAwake = 3
	idleRounds  = 8
	// retryCycles is the wait after running apart was not possible.
	retryCycles = 16
	// fewestCycles of SMs, and fewestSteps events of partitions, are worth several cores.
	fewestCycles = 8
	fewestSteps  = 16
	// mostRounds without progress make a replay fail.
	mostRounds = 1000
)

// newTeam gives nil for a machine whose parts cannot run apart. Such a machine has
// mechanisms that tie SMs together or execute elsewhere, a memory system that cannot, or
// options that have to see all parts in one cycle.
func newTeam(g *GPU, baseline bool) *team {
	to := g.memory.Lookahead
	o := &g.options
	if to == nil || !to.Partible() || !baseline || o.Cores < 1 || o.Offload != nil || !g.policy.Independent || len(g.cores) < 2 || len(g.drivers) != len(g.cores) {
		return nil
	}
	for i := range g.mechanisms {
		if !g.mechanisms[i].Independent {
			return nil
		}
	}
	if o.Watcher != nil || o.Lines || o.EveryCycle || g.memory.HostSteps != nil || g.memory.LaunchEnder != nil {
		return nil
	}
	workers := min(o.Cores, max(runtime.GOMAXPROCS(0), 2))
	t := &team{gpu: g, memory: to, runners: make([]runner, len(g.cores)), crew: newCrew(workers), meeting: clock.Never}
	t.runSM, t.pace.always = t.run, o.Apart
	t.partitions = make([]partitionSteps, to.Partitions())
	t.runPartition = func(i int) { t.partitions[i].steps += t.memory.RunPartition(i, t.reach) }
	return t
}

func (t *team) start() {
	if t != nil {
		t.again, t.idle, t.pace, t.density = 0, 0, pace{always: t.pace.always}, density{}
		t.crew.start()
	}
}

func (t *team) stop() {
	if t != nil {
		t.crew.stop()
		t.on = false // it still is where the replay has failed
	}
}

// pays reports whether the next cycles are to be rounds.
func (t *team) pays() bool {
	if len(t.crew.members) > 1 || t.pace.always {
		return t.pace.pays(t.gpu)
	}
	return t.density.pays(t.gpu.now)
}

// CyclesApart is the number of cycles that the machine's parts have run apart:
// zero where they cannot, or where it does not pay.
func (g *GPU) CyclesApart() clock.Cycle {
	if g.team == nil {
		return 0
	}
	return g.team.cycles
}

// depart begins the running apart.
func (t *team) depart() {
	g := t.gpu
	t.on, t.meeting, t.window, t.idle = true, clock.Never, 0, 0
	for i := range t.runners {
		r := &t.runners[i]
		r.now, r.until, r.wake = g.now, g.now, *g.wakes.At(i)
	}
	t.memory.Depart(g.now) // which wakes by g.wakes
	for i, s := range g.cores {
		r := &t.runners[i]
		r.wake = min(r.wake, *g.wakes.At(i))
		s.TimedBy(&r.now)
		s.DrivenBy(clock.AlarmOf(&r.wake))
	}
}

// meet ends it: all SMs have come to the present cycle.
func (t *team) meet() {
	g := t.gpu
	for i, s := range g.cores {
		*g.wakes.At(i) = t.runners[i].wake
		s.TimedBy(&g.now)
		s.DrivenBy(g.wakes.Alarm(i))
	}
	g.wakes.Settle()
	t.memory.Meet()
	t.on = false
}
