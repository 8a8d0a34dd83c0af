// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/wheel"
	"github.com/warptape/warptape/trace/projection"
)

// cohort is threads of a warp set that are at the same instruction of the same recorded
// visit, and go to the same next one. What they do is done for all of them at once; what
// may differ between them is kept by lane, a bit in a word of the warp set.
type cohort struct {
	lanes uint32
	// at is the present visit, ahead the next one, if there is more.
	at, ahead  projection.Place
	more       bool
	block      uint32 // basic block of the present visit
	index, end uint32 // the next instruction, and the one behind its visit
	fetched    uint32 // the instruction behind what is fetched without waiting
	guards     int    // guarded instructions of the visit that have issued
	accesses   int    // memory instructions likewise
}

// cohortOf is that of a lane whose thread is live.
func (p *warpSet) cohortOf(l int) *cohort {
	for i := range p.cohorts {
		if c := &p.cohorts[i]; c.lanes>>l&1 != 0 {
			return c
		}
	}
	return nil
}

// begin makes the cohorts of a warp set whose lanes begin, and gives those lanes that have
// instructions.
func (s *laneCore) beginCohorts(w int) (live uint32) {
	p := &s.warps[w]
	p.cohorts = p.cohorts[:0]
	var at projection.Place
	for {
		next, of := p.path.Next(at, ^live)
		if of == 0 {
			return live
		}
		live |= of
		p.cohorts = append(p.cohorts, cohort{lanes: of, ahead: next, more: true})
		s.enter(w, len(p.cohorts)-1)
		at = next
	}
}

// enter makes the next visit of a cohort, which there is, the present one. Lanes that go to
// other visits behind it become cohorts of their own, at the end of the list.
func (s *laneCore) enter(w, i int) {
	p := &s.warps[w]
	c := &p.cohorts[i]
	b := &s.program.kernel.Blocks[p.path.Block(c.ahead)]
	c.block, c.at = p.path.Block(c.ahead), c.ahead
	c.index, c.end, c.guards, c.accesses = b.First, b.First+b.Count, 0, 0
	for rest := c.lanes; rest != 0; {
		var of uint32
		c.ahead, of = p.path.Next(c.ahead, rest)
		if of == rest || of == 0 {
			c.lanes, c.more = rest, of != 0
			s.look(p, c)
			return
		}
		part := *c
		part.lanes, part.more = of, true
		s.look(p, &part)
		p.cohorts = append(p.cohorts, part)
		c = &p.cohorts[i]
		rest &^= of
	}
}

// look sets how far a cohort is fetched for: to the end of the next visit where that
// follows in memory.
func (s *laneCore) look(p *warpSet, c *cohort) {
	c.fetched = c.end
	if c.more {
		if b := &s.program.kernel.Blocks[p.path.Block(c.ahead)]; b.First == c.end {
			c.fetched = b.First + b.Count
		}
	}
}

// split makes a cohort of some of the lanes of another, which keeps the rest.
func (p *warpSet) split(i int, lanes uint32) {
	part := p.cohorts[i]
	part.lanes &^= lanes
	p.cohorts[i].lanes = lanes
	p.cohorts = append(p.cohorts, part)
}

// merge makes one of those cohorts that are at the same place, where lanes have moved: no
// two others are. It drops cohorts without lanes.
func (p *warpSet) merge(moved uint32) {
	p.compact()
	met := false
	for i := range p.cohorts {
		c := &p.cohorts[i]
		if c.lanes&moved == 0 {
			continue
		}
		for k := range p.cohorts {
			if o := &p.cohorts[k]; o.index == c.index && k != i && o.lanes != 0 && o.at == c.at && o.ahead == c.ahead && o.more == c.more {
				c.lanes |= o.lanes
				o.lanes, met = 0, true
			}
		}
	}
	if met {
		p.compact()
	}
}

// compact drops cohorts without lanes.
func (p *warpSet) compact() {
	kept := 0
	for i := range p.cohorts {
		if p.cohorts[i].lanes != 0 {
			if kept != i {
				p.cohorts[kept] = p.cohorts[i]
			}
			kept++
		}
	}
	p.cohorts = p.cohorts[:kept]
}

// advance takes lanes of a cohort behind the instruction that they have issued. What
// follows in memory has been fetched, as the predictor expects no branch to be taken;
// behind a change of path fetch begins anew, when the branch is resolved.
func (s *laneCore) advance(now clock.Cycle, w, i int) {
	p := &s.warps[w]
	c := &p.cohorts[i]
	lanes := c.lanes
	p.decoded.take(lanes)
	p.buffered.take(lanes)
	if c.index++; c.index < c.end {
		return
	}
	last := c.end
	if !c.more {
		c.lanes = 0
		for rest := lanes; rest != 0; rest &= rest - 1 {
			s.finish(w, lowest(rest))
		}
		return
	}
	s.enter(w, i)
	if op := &s.program.code[last-1]; p.cohorts[i].index != last && op.what == controls && op.result > 1 {
		p.redirected |= lanes
		s.events.Put(now+op.result, wheel.Event{Kind: eventBranch, Detail: s.fly(flight{warp: w, mask: lanes})})
	}
}

// resolved lets lanes be fetched for whose branch is resolved.
func (s *laneCore) resolved(i int32) {
	f := s.flights.Items[i]
	s.flights.Release(i)
	s.warps[f.warp].outstanding--
	s.warps[f.warp].redirected &^= f.mask
	s.want(f.warp, f.mask)
}

// evaluate looks whether the next instructions of lanes are there and have their operands.
// It is called when something has happened to them.
func (s *laneCore) evaluate(w int, lanes uint32) {
	p := &s.warps[w]
	is := p.runs & p.decoded.some(s.fetching.room)
	ready := uint32(0)
	of := uint32(0)
	for i := range p.cohorts {
		c := &p.cohorts[i]
		if c.lanes&lanes == 0 {
			continue
		}
		of |= c.lanes
		if can := c.lanes & is; can != 0 {
			waits := s.board.check(w, s.program.code[c.index].needs)
			ready |= can &^ (waits.units | waits.loads)
		}
	}
	s.mark(w, (p.ready&^of|ready)&p.runs)
}

// mark notes which lanes of a warp set are ready.
func (s *laneCore) mark(w int, ready uint32) {
	p := &s.warps[w]
	p.ready, p.stale = ready, true
	s.turn.mark(w, ready)
}
