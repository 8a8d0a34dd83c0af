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
	lanes      uint32
	index, end uint32 // the next instruction, and the one behind its visit
	fetched    uint32 // the instruction behind what is fetched without waiting
	block      uint32 // basic block of the present visit
	guards     int32  // guarded instructions of the visit that have issued
	accesses   int32  // memory instructions likewise
	more       bool
	// at is the present visit, ahead the next one, if there is more.
	at, ahead projection.Place
}

// cohorts are those of a warp set. Each stays at its place while it has lanes, so that the
// cohort of a lane is found at once.
type cohorts struct {
	list [Lanes]cohort
	used uint32       // places that have a cohort
	of   [Lanes]uint8 // place of the cohort of a lane that is live
	// keys are of the instructions at which cohorts are, where there are several.
	keys [Lanes]uint64
}

// cohortOf is that of a lane whose thread is live.
func (p *cohorts) cohortOf(l int) *cohort { return &p.list[p.of[l]] }

// put gives a cohort a place that is free.
func (p *cohorts) put(c cohort) (i int) {
	i = lowest(^p.used)
	p.used |= 1 << i
	p.list[i] = c
	p.settle(i, c.lanes)
	return i
}

// settle notes that lanes are in a cohort.
func (p *cohorts) settle(i int, lanes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		p.of[lowest(lanes)] = uint8(i)
	}
}

// drop gives up the place of a cohort.
func (p *cohorts) drop(i int) { p.used &^= 1 << i }

// begin makes the cohorts of a warp set whose lanes begin, and gives those lanes that have
// instructions.
func (s *laneCore) beginCohorts(w int) (live uint32) {
	p := &s.warps[w]
	var at projection.Place
	for {
		next, of := p.path.Next(at, ^live)
		if of == 0 {
			for rest := p.used; rest != 0; rest &= rest - 1 {
				c := &p.list[lowest(rest)]
				p.keys[lowest(rest)] = c.key()
				s.turn.next[s.program.code[c.index].unit][w] |= c.lanes
			}
			return live
		}
		live |= of
		s.enter(p, &p.list[p.put(cohort{lanes: of, ahead: next, more: true})])
		at = next
	}
}

// enter makes the next visit of a cohort, which there is, the present one. Lanes that go to
// other visits behind it become cohorts of their own.
func (s *laneCore) enter(p *warpSet, c *cohort) {
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
		p.put(part)
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
func (p *cohorts) split(i int, lanes uint32) int {
	part := p.list[i]
	p.list[i].lanes &^= lanes
	part.lanes = lanes
	k := p.put(part)
	p.keys[i] = part.key()
	p.keys[k] = p.keys[i]
	return k
}

// key is that of the instruction at which a cohort is.
func (c *cohort) key() uint64 { return uint64(c.at.Visit())<<32 | uint64(c.index) }

// merge makes one of those cohorts that are at the same place, where lanes have moved: no
// two others are.
func (p *cohorts) merge(moved uint32) {
	for moved != 0 {
		i := int(p.of[lowest(moved)])
		c := &p.list[i]
		moved &^= c.lanes
		key := c.key()
		p.keys[i] = key
		for others := p.used &^ (1 << i); others != 0; others &= others - 1 {
			k := lowest(others)
			if p.keys[k] != key {
				continue
			}
			if o := &p.list[k]; o.index == c.index && o.at == c.at && o.ahead == c.ahead && o.more == c.more {
				moved &^= o.lanes
				c.lanes |= o.lanes
				p.settle(i, o.lanes)
				p.drop(k)
			}
		}
	}
}

// advance takes lanes of a cohort behind the instruction that they have issued. What
// follows in memory has been fetched, as the predictor expects no branch to be taken;
// behind a change of path fetch begins anew, when the branch is resolved.
func (s *laneCore) advance(now clock.Cycle, w int, p *warpSet, c *cohort) {
	lanes := c.lanes
	p.decoded.take(lanes)
	p.buffered.take(lanes)
	if c.index++; c.index < c.end {
		return
	}
	last := c.end
	if !c.more {
		p.drop(int(p.of[lowest(lanes)]))
		for rest := lanes; rest != 0; rest &= rest - 1 {
			s.finish(w, lowest(rest))
		}
		return
	}
	s.enter(p, c)
	if op := &s.program.code[last-1]; c.index != last && op.what == controls && op.result > 1 {
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

// follow looks at what lanes that have issued do next: which units they need, whether they want
// instructions, and whether they are ready. It does the work of want and evaluate in one pass.
func (s *laneCore) follow(w int, p *warpSet, lanes uint32) {
	f := &s.fetching
	is := p.runs & p.decoded.some(f.size)
	off := p.redirected | p.awaiting | p.buffered.above(f.most, f.size)
	wanted, ready := p.wanted&p.live&^lanes, p.ready&^lanes
	for rest := lanes & p.live; rest != 0; {
		c := p.cohortOf(lowest(rest))
		rest &^= c.lanes
		s.turn.next[s.program.code[c.index].unit][w] |= c.lanes
		wanted = wanted&^c.lanes | s.wants(p, c, off)
		ready = ready&^c.lanes | s.prepared(w, c, is)
	}
	f.mark(w, p, wanted)
	s.mark(w, p, ready&p.runs)
}

// changed is evaluate of lanes where registers of a set have been written: only those wait
// for less whose next instruction needs one.
func (s *laneCore) changed(w int, lanes uint32, registers uint64) {
	p := &s.warps[w]
	is, of, ready := uint32(0), uint32(0), uint32(0)
	for rest := lanes & p.live; rest != 0; {
		c := p.cohortOf(lowest(rest))
		rest &^= c.lanes
		if s.program.code[c.index].needSet&registers == 0 {
			continue
		}
		if of == 0 {
			is = p.runs & p.decoded.some(s.fetching.size)
		}
		of |= c.lanes
		ready |= s.prepared(w, c, is)
	}
	if of != 0 {
		s.mark(w, p, (p.ready&^of|ready)&p.runs)
	}
}

// evaluate looks whether the next instructions of lanes are there and have their operands.
// It is called when something has happened to them.
func (s *laneCore) evaluate(w int, lanes uint32) {
	p := &s.warps[w]
	is := p.runs & p.decoded.some(s.fetching.size)
	ready := uint32(0)
	of := uint32(0)
	for rest := lanes & p.live; rest != 0; {
		c := p.cohortOf(lowest(rest))
		rest &^= c.lanes
		of |= c.lanes
		ready |= s.prepared(w, c, is)
	}
	s.mark(w, p, (p.ready&^of|ready)&p.runs)
}

// prepared are the lanes of a cohort, among those whose next instruction is decoded, that have its operands.
func (s *laneCore) prepared(w int, c *cohort, decoded uint32) uint32 {
	can := c.lanes & decoded
	if can == 0 {
		return 0
	}
	waits := s.board.check(w, s.program.code[c.index].needs)
	return can &^ (waits.units | waits.loads)
}

// mark notes which lanes of a warp set are ready.
func (s *laneCore) mark(w int, p *warpSet, ready uint32) {
	p.ready, p.stale = ready, true
	s.turn.mark(w, ready)
}
