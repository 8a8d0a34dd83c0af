// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/pool"
	"github.com/warptape/warptape/timing/sm/wheel"
)

// tinyCache is a lane's tiny instruction cache: the lines that were used last of each set.
// It is virtually indexed and checked, incoherent, and emptied when the code changes.
type tinyCache struct {
	ways, setMask int
	shift         uint
	lines         []uint64 // by set, the one used last in front; noLine when there is none
}

const noLine = ^uint64(0)

func newTinyCache(s *Section) tinyCache {
	if s.TinyLines == 0 {
		return tinyCache{}
	}
	c := tinyCache{ways: s.TinyWays, setMask: s.TinyLines/s.TinyWays - 1, shift: uint(bits.TrailingZeros(uint(s.TinyLineBytes))), lines: make([]uint64, s.TinyLines)}
	c.clear()
	return c
}

func (c *tinyCache) clear() {
	for i := range c.lines {
		c.lines[i] = noLine
	}
}

// first is where the set of a line begins.
func (c *tinyCache) first(line uint64) int { return int(line) & c.setMask * c.ways }

// use looks a line up.
func (c *tinyCache) use(line uint64) bool {
	first := c.first(line)
	if c.lines[first] == line {
		return true
	}
	set := c.lines[first : first+c.ways]
	for i, x := range set {
		if x == line {
			copy(set[1:i+1], set[:i])
			set[0] = line
			return true
		}
	}
	return false
}

// fill puts a line in the place of the one that was used longest ago.
func (c *tinyCache) fill(line uint64) {
	set := c.lines[c.first(line):][:c.ways]
	copy(set[1:], set)
	set[0] = line
}

// held is the lanes whose tiny caches have each line of a kernel that fits into them. No
// line leaves them then, and the order of their use does not matter.
type held struct {
	fits  bool
	first uint64 // line
	lanes []uint32
}

// begin readies for a kernel of some bytes, at base: lines that follow each other go to the
// sets in turn.
func (h *held) begin(c *tinyCache, base, bytes uint64) {
	h.first = base >> c.shift
	n := int((base+max(bytes, 1)-1)>>c.shift - h.first + 1)
	if h.fits = n <= len(c.lines); !h.fits {
		return
	}
	h.lanes = slices.Grow(h.lanes[:0], n)[:n]
	clear(h.lanes)
}

// requests are what lanes ask of the SM's instruction cache, which takes a few in a cycle.
type requests struct {
	live            pool.Pool[request]
	waiting         []int32 // in order, that it has not taken
	missing         []int32 // that wait for the next level
	coming          []int32 // that have been found
	latency, decode clock.Cycle
	alone           bool // each lane has its own
}

// request is a line that lanes wait for.
type request struct {
	address uint64
	lanes   uint32
}

// ask has lanes wait for a line, with others that wait for it, where they may.
func (r *requests) ask(lanes uint32, address uint64) {
	for _, list := range [...][]int32{r.waiting, r.missing, r.coming} {
		for _, i := range list {
			if x := &r.live.Items[i]; x.address == address && (!r.alone || x.lanes == lanes) {
				x.lanes |= lanes
				return
			}
		}
	}
	i := r.live.Take()
	r.live.Items[i] = request{address: address, lanes: lanes}
	r.waiting = append(r.waiting, i)
}

// fetchFor fetches for lanes of warp set w, which want instructions. What they lack is in
// s.asked.
func (s *laneCore) fetchFor(now clock.Cycle, w int, lanes uint32) {
	p, f := &s.warps[w], &s.fetching
	for lanes != 0 {
		c := p.cohortOf(lowest(lanes))
		rest := c.lanes & lanes
		lanes &^= rest
		if f.most == 0 { // buffers of lanes that want instructions are empty
			s.fetchLine(now, w, rest, c, 0)
			continue
		}
		for rest != 0 {
			n := p.buffered.below(lowest(rest), f.size)
			of := rest & p.buffered.equal(n, f.size)
			rest &^= of
			s.fetchLine(now, w, of, c, n)
		}
	}
}

// fetchLine is fetchFor of lanes of a cohort with so many instructions in their buffers.
func (s *laneCore) fetchLine(now clock.Cycle, w int, of uint32, c *cohort, buffered int) {
	address, n := s.fetching.request(c, buffered)
	missed := of
	if s.TinyLines > 0 {
		missed = s.lookUp(of, address)
		s.set[firstCounter+countTinyRead] += uint64(count(of))
	}
	if hit := of &^ missed; hit != 0 {
		s.deliver(now, w, hit, n)
		s.set[counters.FetchInstruction] += uint64(count(hit) * n)
	}
	if missed != 0 {
		if s.TinyLines > 0 {
			s.set[firstCounter+countTinyMiss] += uint64(count(missed))
		}
		s.wait(w, missed, address, n)
		s.asked = append(s.asked, request{address, missed})
	}
}

// lookUp looks a line up in the tiny caches of lanes, and gives those that lack it.
func (s *laneCore) lookUp(lanes uint32, address uint64) (missed uint32) {
	line := address >> s.lanes[0].tiny.shift
	if s.held.fits {
		return lanes &^ s.held.lanes[line-s.held.first]
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		if l := lowest(rest); !s.lanes[l].tiny.use(line) {
			missed |= 1 << l
		}
	}
	return missed
}

// ask asks the SM's instruction cache for what lanes lack, those of the lowest lanes first.
func (s *laneCore) ask() {
	for i := range s.asked {
		for k := i; k > 0 && lowest(s.asked[k].lanes) < lowest(s.asked[k-1].lanes); k-- {
			s.asked[k], s.asked[k-1] = s.asked[k-1], s.asked[k]
		}
	}
	if s.RequestsAlone {
		s.askAlone()
	} else {
		for _, a := range s.asked {
			s.requests.ask(a.lanes, a.address)
		}
	}
	s.asked = s.asked[:0]
}

// askAlone asks for each lane by itself, the lowest first. A lane lacks one line in a cycle.
func (s *laneCore) askAlone() {
	for l := range Lanes {
		for _, a := range s.asked {
			if a.lanes>>l&1 != 0 {
				s.requests.ask(1<<l, a.address)
			}
		}
	}
}

// serve lets the SM's instruction cache take requests.
func (s *laneCore) serve(now clock.Cycle) {
	r := &s.requests
	if len(r.waiting) == 0 {
		return
	}
	n := min(len(r.waiting), s.LineRequests)
	for _, i := range r.waiting[:n] {
		s.set[counters.FetchAccess]++
		if s.port.FetchLine(now, r.live.Items[i].address) {
			s.lineSoon(now, i)
			continue
		}
		s.set[counters.FetchMiss]++
		s.portWake = min(s.portWake, now+1)
		r.missing = append(r.missing, i)
	}
	r.waiting = append(r.waiting[:0], r.waiting[n:]...)
}

// lineSoon has a line that has been found come after the latency of the cache.
func (s *laneCore) lineSoon(now clock.Cycle, i int32) {
	s.requests.coming = append(s.requests.coming, i)
	s.events.Put(now+s.requests.latency, wheel.Event{Kind: eventLine, Detail: uint32(i)})
}

// lineFound ends the misses of a line.
func (s *laneCore) lineFound(now clock.Cycle, address uint64) {
	r := &s.requests
	kept := r.missing[:0]
	for _, i := range r.missing {
		if r.live.Items[i].address == address {
			s.lineSoon(now, i)
			continue
		}
		kept = append(kept, i)
	}
	r.missing = kept
}

// lineCame gives a line to the lanes that wait for it.
func (s *laneCore) lineCame(now clock.Cycle, i int32) {
	r := s.requests.live.Items[i]
	s.requests.live.Release(i)
	s.requests.coming = slices.DeleteFunc(s.requests.coming, func(x int32) bool { return x == i })
	if s.TinyLines > 0 {
		s.fillTiny(r.lanes, r.address>>s.lanes[0].tiny.shift)
	}
	s.set[counters.FetchInstruction] += s.arrived(now, r.address, r.lanes)
}

// fillTiny puts a line into the tiny caches of lanes that lack it.
func (s *laneCore) fillTiny(lanes uint32, line uint64) {
	if s.held.fits {
		has := &s.held.lanes[line-s.held.first]
		s.set[firstCounter+countTinyFill] += uint64(count(lanes &^ *has))
		*has |= lanes
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		if x := &s.lanes[lowest(lanes)].tiny; !x.use(line) {
			x.fill(line)
			s.set[firstCounter+countTinyFill]++
		}
	}
}

// fetch fetches for one thread on each lane: under eesi-t for the next warp set with a
// lane that wants instructions, under eesi-m for the next thread of the lane. It reports
// whether lanes want more.
func (s *laneCore) fetch(now clock.Cycle) (more bool) {
	if s.fetching.sets == 0 {
		return false
	}
	switch {
	case s.paired:
		return s.fetchContexts(now)
	case s.apart:
		s.fetchApart(now)
	default:
		f := &s.fetching
		f.last = after(f.sets, f.last)
		s.fetchFor(now, f.last, s.warps[f.last].wanted)
	}
	s.ask()
	return s.fetching.sets != 0
}

// fetchApart fetches for the next thread of each lane that wants instructions.
func (s *laneCore) fetchApart(now clock.Cycle) {
	f := &s.fetching
	c := &f.circle
	s.choice.clear()
	c.leave(c.choose(&f.wanting, f.sets, ^uint32(0), &s.choice))
	s.choice.order()
	for _, w := range s.choice.sets {
		c.put(w, s.choice.lanes[w])
		s.fetchFor(now, w, s.choice.lanes[w])
	}
}
