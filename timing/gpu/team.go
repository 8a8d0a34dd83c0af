// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// team lets several cores work on one replay: in a window of a few cycles each SM
// runs on its own, ahead of the memory system and of all that is shared, and the
// memory system then does the same cycles with what the SMs have done to it, in
// the order in which it would have happened (conservative parallel simulation:
// Chandy and Misra, IEEE TSE 1979; the lookahead is the way of an answer through
// the network).
//
// A window begins only when nothing but the memory system can reach an SM in it:
// one launch runs, no SM has room for a thread block of it. An SM in which a
// thread block ends stops behind that cycle, in which the machine may then go on
// to dispatch; the SMs that have run farther are ahead of it, and are left out
// until it comes to where they are.
type team struct {
	gpu     *GPU
	memory  seam.Lookahead
	runners []runner // per SM
	until   clock.Cycle
	away    int // runners that are on
	// again is when a window is tried again after one that could not be.
	again clock.Cycle
	pace  pace
	crew  crew
	// observe is told the cycles of each window, and how many SMs are ahead after
	// it; nil outside tests.
	observe func(cycles, ahead int)
}

// runner is one SM that runs ahead.
type runner struct {
	now   clock.Cycle // the SM's clock meanwhile
	until clock.Cycle // it has run all cycles before
	on    bool
	due   clock.Cycle // the first cycle for which catchUp has something to do
	ended []ending    // in order of cycle
	_     [64]byte    // each has a cache line of its own
}

// ending is a thread block that has ended in a cycle yet to come.
type ending struct {
	cycle clock.Cycle
	block uint64
	chunk int
}

// fewestAwake is the number of SMs with something to do from which on a window is
// worth its overhead, retryCycles the wait after one that could not begin.
const (
	fewestAwake = 3
	retryCycles = 16
)

// newTeam gives nil for a machine whose SMs cannot run apart: with mechanisms or
// offload, which may tie them together, with a memory system that cannot follow, or
// when somebody wants to see all of them in one cycle.
func newTeam(g *GPU, baseline bool) *team {
	to := g.memory.Lookahead
	o := &g.options
	if to == nil || !baseline || o.Cores < 2 || len(g.mechanisms) > 0 || o.Offload != nil || !g.policy.Independent || len(g.cores) < 2 {
		return nil
	}
	if o.Watcher != nil || o.Lines || o.Checkpoints != nil {
		return nil
	}
	return &team{gpu: g, memory: to, runners: make([]runner, len(g.cores)), crew: newCrew(g.options.Cores - 1)}
}

func (t *team) start() {
	if t != nil {
		t.again, t.pace = 0, pace{always: t.pace.always}
		t.crew.start(func(i int32) { t.run(int(i)) })
	}
}

func (t *team) stop() {
	if t != nil {
		t.crew.stop()
	}
}

// apart reports whether an SM is ahead of the machine.
func (t *team) apart() bool { return t != nil && t.away > 0 }

// isAhead reports whether SM i has run the cycle now already.
func (t *team) isAhead(i int, now clock.Cycle) bool { return t.apart() && t.runners[i].until > now }

// keeps takes note of a thread block that ends on an SM that runs ahead.
func (t *team) keeps(now clock.Cycle, sm int, block uint64, chunk int) bool {
	if t == nil || !t.runners[sm].on {
		return false
	}
	r := &t.runners[sm]
	r.ended = append(r.ended, ending{now, block, chunk})
	return true
}

// join ends the running ahead of the SMs to which the machine has come.
func (t *team) join(now clock.Cycle) {
	for i := range t.runners {
		r := &t.runners[i]
		if r.on && r.until <= now {
			r.on = false
			t.away--
			t.memory.RunAhead(i, false)
			t.gpu.cores[i].TimedBy(&t.gpu.now)
		}
	}
}

// run lets SM i run ahead up to the end of its window, or through the first cycle
// in which a thread block ends.
func (t *team) run(i int) {
	g, r := t.gpu, &t.runners[i]
	for from := r.now; ; from++ {
		answer := t.memory.NextAnswer(i)
		now := max(min(g.wakes[i], answer), from)
		if now >= r.until {
			break
		}
		r.now, from = now, now
		if answer <= now {
			g.cores[i].Wake()
		}
		g.wakes[i] = clock.Never
		next := g.drivers[i].Cycle(now)
		g.wakes[i] = next
		if len(r.ended) > 0 {
			r.until = now + 1
			break
		}
	}
	r.now = r.until
	t.note(i)
}

// note finds out when catchUp has something to do for SM i.
func (t *team) note(i int) {
	r := &t.runners[i]
	r.due = t.memory.NextAct(i)
	if len(r.ended) > 0 {
		r.due = min(r.due, r.ended[0].cycle)
	}
}

// catchUp does what SM i has done in the cycle to which the machine has come.
func (t *team) catchUp(i int) {
	g, r := t.gpu, &t.runners[i]
	if r.due > g.now {
		return
	}
	t.memory.CatchUp(i, g.now)
	if len(r.ended) > 0 && r.ended[0].cycle <= g.now {
		for _, e := range r.ended {
			g.retire(e.cycle, i, e.block, e.chunk)
		}
		r.ended = r.ended[:0]
	}
	t.note(i)
}

// callBehind is callAwake while some SMs are ahead.
func (g *GPU) callBehind() {
	for i := range g.wakes {
		switch {
		case g.team.isAhead(i, g.now):
			g.team.catchUp(i)
		case g.wakes[i] <= g.now:
			g.wakes[i] = clock.Never
			next := g.drivers[i].Cycle(g.now)
			g.wakes[i] = next
		}
	}
}
