// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
)

// request is what a lane wants of the L1 of its SM: a line for a load, or to write
// grains of one, or both at once.
type request struct {
	lane, slot  int32
	line        uint64
	write       uint32 // grains; 0: a load
	atomic      bool
	values      values // what is written
	ip, address uint64 // of an atomic access
}

// wants reports whether the line has to be the L1's own.
func (r *request) wants() bool { return r.write != 0 }

// group is what the lanes of an SM share. Its L1 takes a request a cycle, in their order; those of
// a line that is on its way wait for it, in theirs.
type group struct {
	chip     *Chip
	number   int
	set      *counters.Set
	requests ring.Ring[request]
	data     cache
	missing  []missing // lines that have been asked for
	granted  ring.Ring[grant]
	code     codeSide
}

// missing is a line that the L1 has asked for, and what waits for it.
type missing struct {
	line    uint64
	own     bool
	waiting []request
}

// grant is the answer to a line that was asked for.
type grant struct {
	line  uint64
	state coherence.State
}

func (g *group) send(now Cycle, r request) {
	g.requests.Push(r)
	g.chip.wakeGroups(now + 1)
}

// busy reports whether there is something to do in the next cycle.
func (g *group) busy() bool {
	return g.granted.Len() > 0 || g.requests.Len() > 0 && !g.stuck() || g.code.busy()
}

// stuck reports whether the first request needs a miss register and there is none.
func (g *group) stuck() bool {
	r := g.requests.Head()
	return len(g.missing) >= g.chip.mshrs && g.miss(r.line) < 0 && !g.serves(r)
}

func (g *group) miss(line uint64) int {
	for i := range g.missing {
		if g.missing[i].line == line {
			return i
		}
	}
	return -1
}

// serves reports whether the L1 has what a request wants.
func (g *group) serves(r *request) bool {
	at := g.data.find(r.line)
	return at != nil && (!r.wants() || at.state.Writable())
}

// cycle does one cycle of the L1 and the instruction cache.
func (g *group) cycle(now Cycle) {
	for n := g.granted.Len(); n > 0; n-- {
		if x := g.granted.Pop(); !g.fill(now, x) {
			g.granted.Push(x) // every line of its set waits to be written
		}
	}
	if g.requests.Len() > 0 && !g.stuck() {
		r := g.requests.Pop()
		g.count(&r)
		if i := g.miss(r.line); i >= 0 {
			g.missing[i].waiting = append(g.missing[i].waiting, r)
			g.set[counters.L1ReadMerge]++
		} else if g.serves(&r) {
			g.serve(now, &r)
		} else {
			g.ask(now, r.line, []request{r})
		}
	}
	g.code.cycle(now)
}

func (g *group) count(r *request) {
	hit := g.serves(r)
	switch {
	case r.wants():
		g.set[counters.L1Write]++
		if hit {
			g.set[counters.L1WriteHit]++
			g.set[counters.L1WriteHitSectors]++ // a lane's access is part of a sector
		} else {
			g.set[counters.L1WriteMissSectors]++
		}
	default:
		g.set[counters.L1Read]++
		if hit {
			g.set[counters.L1ReadHit]++
			g.set[counters.L1ReadHitSectors]++
		} else {
			g.set[counters.L1ReadMissSectors]++
		}
	}
}

// ask asks for a line, to write if the first that waits for it does.
func (g *group) ask(now Cycle, line uint64, waiting []request) {
	own := waiting[0].wants()
	g.missing = append(g.missing, missing{line, own, waiting})
	if !own {
		g.set[counters.L1ReadMiss]++
	}
	if at := g.data.find(line); at != nil {
		at.locked = true
	}
	g.chip.lanes[waiting[0].lane].countBeyond()
	g.chip.behind.send(now+g.chip.l1Latency, fetch{sm: g.number, line: line, own: own})
}

// fill takes a line that has come, or the right to write one that is there, and serves
// what waits for it; false when there is no place for it.
func (g *group) fill(now Cycle, x grant) bool {
	at := g.data.find(x.line)
	if at == nil {
		if at = g.data.victim(x.line); at == nil {
			return false
		}
		if at.address != noLine {
			g.chip.behind.leaves(now, g.number, at)
		}
		g.data.put(at, x.line)
		g.chip.behind.copyTo(x.line, at)
	}
	g.chip.behind.directory.End(x.line)
	at.state, at.locked = x.state, false
	i := g.miss(x.line)
	waiting := g.missing[i].waiting
	last := len(g.missing) - 1
	g.missing[i] = g.missing[last]
	g.missing = g.missing[:last]
	for k := range waiting {
		if !g.serves(&waiting[k]) {
			g.ask(now, x.line, waiting[k:])
			break
		}
		g.serve(now, &waiting[k])
	}
	return true
}

// serve does what a request wants, with a line that the L1 has.
func (g *group) serve(now Cycle, r *request) {
	at := g.data.find(r.line)
	done := event{at: now + g.chip.l1Latency, lane: r.lane, slot: r.slot, line: r.line}
	switch {
	case r.atomic:
		g.chip.atomic(r, at)
		at.state = coherence.Modified
		done.kind = eventAtOnce
	case r.wants():
		if r.values != nil {
			for i := range grains {
				if r.write>>i&1 != 0 {
					at.values[i] = r.values[i]
				}
			}
		}
		at.state = coherence.Modified
		done.kind = eventWritten
	default:
		done.kind = eventFilled
		if at.values != nil {
			v := *at.values
			done.values = &v
		}
	}
	g.chip.calendar.put(done)
}

// probe leaves a line at most in a state, and gives the one that it had.
func (g *group) probe(line uint64, keep coherence.State) coherence.State {
	at := g.data.find(line)
	if at == nil {
		return coherence.Invalid
	}
	met := at.state
	if met == coherence.Modified {
		g.chip.behind.copyFrom(at)
	}
	if keep == coherence.Invalid {
		at.drop()
	} else {
		at.state = min(at.state, keep)
	}
	return met
}
