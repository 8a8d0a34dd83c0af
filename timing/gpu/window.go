// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"github.com/warptape/warptape/timing/clock"
)

// window gives the cycle before which all SMs may run apart from the present one
// on; the present one when they may not.
func (g *GPU) window(until clock.Cycle) clock.Cycle {
	t := g.team
	if t == nil || g.everyCycle || g.now < t.again || !t.pace.pays(g) {
		return g.now
	}
	if t.away > 0 {
		t.join(g.now)
	}
	if t.away > 0 || len(g.launches.active) != 1 || g.launches.due <= g.now || g.sampler.due <= g.now {
		return g.now
	}
	awake := 0
	for _, w := range g.wakes {
		if w <= g.now {
			awake++
		}
	}
	if awake < fewestAwake {
		return g.now
	}
	g.memory.Advance(g.clocks.Core.Start(g.now))
	to := min(t.memory.Lookahead(g.now), until, g.launches.due, g.sampler.due)
	if to < g.now+2 || g.room() {
		t.again = g.now + retryCycles
		return g.now
	}
	return to
}

// room reports whether an SM has room for a thread block of the only launch.
func (g *GPU) room() bool {
	l := g.launches.active[0]
	if !l.waiting() {
		return false
	}
	for _, s := range g.cores {
		if s.Fits(&l.need) {
			return true
		}
	}
	return false
}

// runWindow runs the cycles before to on all cores, or as many as all SMs can.
func (g *GPU) runWindow(to, until clock.Cycle) (over bool, err error) {
	t := g.team
	t.depart(g.now, to)
	t.crew.work()
	end := to
	for i := range t.runners {
		end = min(end, t.runners[i].until)
	}
	t.runVacant(end)
	if t.observe != nil {
		t.observe(int(end-g.now), t.beyond(end))
	}
	for ; ; g.now++ {
		g.memory.Advance(g.clocks.Core.Start(g.now))
		for i := range t.runners {
			t.catchUp(i)
		}
		if g.now == end-1 {
			return g.moveOn(until)
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

// depart readies all SMs for running ahead, and gives those that have thread
// blocks to the crew.
func (t *team) depart(now, to clock.Cycle) {
	t.until, t.away = to, len(t.runners)
	t.crew.items = t.crew.items[:0]
	for i := range t.runners {
		r := &t.runners[i]
		r.now, r.until, r.on = now, to, true
		t.memory.RunAhead(i, true)
		s := t.gpu.cores[i]
		s.TimedBy(&r.now)
		if s.Resident() > 0 {
			t.crew.items = append(t.crew.items, int32(i))
		}
	}
}

// runVacant runs the SMs without thread blocks, no farther than the machine comes
// in this window: with the end of the last thread block the launch is over for
// them, too.
func (t *team) runVacant(end clock.Cycle) {
	busy := t.crew.items
	for i := range t.runners {
		if len(busy) > 0 && int(busy[0]) == i {
			busy = busy[1:]
			continue
		}
		t.runners[i].until = end
		t.run(i)
	}
}
