// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
)

// WantsFetch gives the warps for which instructions can be fetched.
func (s *SM) WantsFetch() warpset.Set { return s.fetch.Wanted() }

// FetchNext fetches for the next warp, round robin, after the one that was fetched
// for last, and so on, as often as the machine fetches in a cycle. It gives the warp that
// came last. Those that a program arranged for mechanisms puts first go before the others,
// and those whose line has come, where that takes a fetch, before all. When no warp wants
// instructions it gives last.
func (s *SM) FetchNext(now clock.Cycle, last int) int {
	if s.l0 != nil {
		return s.fetchEach(now, last)
	}
	for n := max(s.machine.SM.FetchesPerCycle, 1); n > 0 && !s.fetch.Wanted().Empty(); n-- {
		if w, n, ok := s.fetch.NextArrived(); ok {
			s.deliver(w, n)
			continue
		}
		last = s.fetch.Next(last)
		s.Fetch(now, last)
	}
	return last
}

// fetchEach is FetchNext for sub-cores with an instruction cache each: every one of them
// fetches for its own warps.
func (s *SM) fetchEach(now clock.Cycle, last int) int {
	for range max(s.machine.SM.FetchesPerCycle, 1) {
		for core := range s.l0.Cores() {
			if w, ok := s.l0.Next(core, &s.fetch); ok {
				s.Fetch(now, w)
				last = w
			}
		}
	}
	return last
}

// Fetch fetches for warp w, which must want instructions.
func (s *SM) Fetch(now clock.Cycle, w int) {
	address, n := s.fetch.Request(w)
	s.set[counters.FetchAccess]++
	if s.l0 != nil {
		s.fetchFromL0(now, w, address, n)
		return
	}
	if s.port.FetchLine(now, address) {
		s.deliver(w, n)
		return
	}
	s.missed(now, w, address, n)
}

// fetchFromL0 fetches for warp w on a machine whose sub-cores have instruction caches.
func (s *SM) fetchFromL0(now clock.Cycle, w int, address uint64, n int) {
	ready, ok := s.l0.Find(w, address)
	if !ok {
		if !s.port.FetchLine(now, address) {
			s.missed(now, w, address, n)
			return
		}
		ready = s.l0.Take(now, w, address)
	}
	s.l0.Ahead(now, w, s.port.HasLine)
	if ready <= now {
		s.deliver(w, n)
		return
	}
	s.fetch.AwaitL0(w, address, n)
	s.plan(ready, eventLine, w, 0)
}

// missed has warp w wait for a line that the SM does not have.
func (s *SM) missed(now clock.Cycle, w int, address uint64, n int) {
	s.set[counters.FetchMiss]++
	s.portWake = min(s.portWake, now+1)
	s.fetch.Await(w, address, n)
}

// Fetched implements seam.Completions.
func (s *SM) Fetched(now clock.Cycle, address uint64) {
	s.Wake()
	if s.fetch.InTurn() {
		s.fetch.Arrive(address)
		return
	}
	for {
		w, n, ok := s.fetch.Arrived(address)
		if !ok {
			return
		}
		if s.l0 != nil {
			s.l0.Come(now, w, address)
		}
		s.deliver(w, n)
	}
}

// deliver sends fetched instructions of warp w to decode.
func (s *SM) deliver(w, n int) {
	decode := clock.Cycle(s.machine.SM.DecodeCycles)
	if s.fetch.TakeStray(w) {
		s.plan(*s.clock+decode+1, eventRefetch, w, 0)
		return
	}
	first := s.fetch.Deliver(w, n, *s.clock+decode)
	if s.program.arranged != nil {
		s.fetch.SetUrgent(s.program.mark(s.fetch.Urgent(), w, first, n))
	}
	s.set[counters.FetchInstruction] += uint64(n)
	if decode == 0 {
		s.decoded(*s.clock)
	}
}

// decoded lets warps issue whose instructions are decoded in the cycle now.
func (s *SM) decoded(now clock.Cycle) {
	for w, ok := s.fetch.Decoded(now); ok; w, ok = s.fetch.Decoded(now) {
		if s.waiting.Of(w) == waiting.Fetch {
			s.evaluate(w)
		}
	}
}

// Follow sets the slots of warps for which nothing is fetched. What is in the
// instruction buffers of those that are changed is lost; no fetch for them may be
// under way.
func (s *SM) Follow(slots warpset.Set) {
	changed := s.fetch.Follow(slots).And(s.residents.Present())
	for ; !changed.Empty(); changed = changed.Rest() {
		w := changed.Lowest()
		s.fetch.Restart(w, s.warps[w].index)
		s.evaluate(w)
	}
}
