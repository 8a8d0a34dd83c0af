// SPDX-License-Identifier: Apache-2.0

package threadwise

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/pool"
	"github.com/warptape/warptape/timing/sm/fetch"
	"github.com/warptape/warptape/timing/sm/wheel"
)

// buffers are a lane's fetch and instruction buffers, an entry for each of its threads.
type buffers = fetch.Buffers

// newBuffers makes those of a lane, which is fetched for by lines of its tiny instruction
// cache, if it has one.
func newBuffers(m *arch.Machine, s *eesi.Section) buffers {
	lines := *m
	if s.TinyLines > 0 {
		lines.Instruction.LineBytes = s.TinyLineBytes
	}
	return fetch.New(&lines, m.SM.MaxWarps)
}

// tinyCache is a lane's tiny instruction cache: the lines that were used last of each set.
// It is virtually indexed and checked, incoherent, and emptied when the code changes.
type tinyCache struct {
	ways, setMask int
	shift         uint
	lines         []uint64 // by set, the one used last in front; noLine when there is none
}

const noLine = ^uint64(0)

func newTinyCache(s *eesi.Section) tinyCache {
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

// set is the set of a line's address, and the line's number.
func (c *tinyCache) set(address uint64) (set []uint64, line uint64) {
	line = address >> c.shift
	first := int(line) & c.setMask * c.ways
	return c.lines[first : first+c.ways], line
}

// use looks a line up.
func (c *tinyCache) use(address uint64) bool {
	set, line := c.set(address)
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
func (c *tinyCache) fill(address uint64) {
	set, line := c.set(address)
	copy(set[1:], set)
	set[0] = line
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

// ask has a lane wait for a line, with others that wait for it.
func (r *requests) ask(l int, address uint64) {
	for _, list := range [...][]int32{r.waiting, r.missing, r.coming} {
		for _, i := range list {
			if x := &r.live.Items[i]; x.address == address && (!r.alone || x.lanes == 1<<l) {
				x.lanes |= 1 << l
				return
			}
		}
	}
	i := r.live.Take()
	r.live.Items[i] = request{address: address, lanes: 1 << l}
	r.waiting = append(r.waiting, i)
}

// fetchFor fetches for warp set w on lane l, which wants instructions.
func (s *laneCore) fetchFor(now clock.Cycle, w, l int) {
	x := &s.lanes[l]
	address, n := x.fetch.Request(w)
	if x.tiny.ways > 0 {
		s.set[firstCounter+countTinyRead]++
		if x.tiny.use(address) {
			s.deliver(now, w, l, n)
			return
		}
		s.set[firstCounter+countTinyMiss]++
	}
	x.fetch.Await(w, address, n)
	s.requests.ask(l, address)
}

// deliver sends fetched instructions to decode.
func (s *laneCore) deliver(now clock.Cycle, w, l, n int) {
	s.lanes[l].fetch.Deliver(w, n, now+s.requests.decode)
	s.set[counters.FetchInstruction] += uint64(n)
}

// serve lets the SM's instruction cache take requests.
func (s *laneCore) serve(now clock.Cycle) {
	r := &s.requests
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
	for rest := r.lanes; rest != 0; rest &= rest - 1 {
		l := lowest(rest)
		x := &s.lanes[l]
		if x.tiny.ways > 0 && !x.tiny.use(r.address) {
			x.tiny.fill(r.address)
			s.set[firstCounter+countTinyFill]++
		}
		for w, n, ok := x.fetch.Arrived(r.address); ok; w, n, ok = x.fetch.Arrived(r.address) {
			s.deliver(now, w, l, n)
		}
	}
}

// fetch fetches for one thread on each lane: under eesi-t for the next warp set with a
// lane that wants instructions, under eesi-m for the next thread of the lane. It reports
// whether lanes want more.
func (s *laneCore) fetch(now clock.Cycle) (more bool) {
	if s.paired {
		return s.fetchContexts(now)
	}
	if s.apart {
		for l := range s.lanes {
			if x := &s.lanes[l]; !x.fetch.Wanted().Empty() {
				x.last = x.fetch.Next(x.last)
				s.fetchFor(now, x.last, l)
				more = more || !x.fetch.Wanted().Empty()
			}
		}
		return more
	}
	wanted := s.lanes[0].fetch.Wanted()
	for l := 1; l < Lanes; l++ {
		wanted = wanted.Or(s.lanes[l].fetch.Wanted())
	}
	if wanted.Empty() {
		return false
	}
	w := wanted.After(s.lanes[0].last)
	s.lanes[0].last = w
	for l := range s.lanes {
		x := &s.lanes[l]
		if x.fetch.Wanted().Has(w) {
			s.fetchFor(now, w, l)
		}
		more = more || !x.fetch.Wanted().Empty()
	}
	return more
}

// decoded lets threads issue whose instructions are decoded.
func (s *laneCore) decoded(now clock.Cycle) {
	for l := range s.lanes {
		x := &s.lanes[l].fetch
		if x.Due() > now {
			continue
		}
		for w, ok := x.Decoded(now); ok; w, ok = x.Decoded(now) {
			s.evaluate(w, l)
		}
	}
}
