package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// updateFetch keeps wantsFetch for warp w: it has room for a whole fetch, there
// are instructions ahead on its path, and no fetch of it is under way.
func (s *SM) updateFetch(w int) {
	p := &s.warps[w]
	bundle := min(s.machine.SM.FetchWidth, s.machine.SM.InstructionBuffer)
	bit := uint64(1) << w
	if p.buffered+bundle <= s.machine.SM.InstructionBuffer && p.index+uint32(p.buffered) < p.runEnd &&
		!p.redirected && !p.finished && s.unfetched&bit == 0 && s.awaiting&bit == 0 {
		s.wantsFetch |= bit
	} else {
		s.wantsFetch &^= bit
	}
}

// WantsFetch gives the warps for which instructions can be fetched.
func (s *SM) WantsFetch() uint64 { return s.wantsFetch }

// FetchNext fetches for the next warp, round robin, after the one that was fetched
// for last, and gives it; those that a program arranged for mechanisms puts first go
// before the others. When no warp wants instructions it gives last.
func (s *SM) FetchNext(now clock.Cycle, last int) int {
	if s.wantsFetch == 0 {
		return last
	}
	last = NextAfter(first(s.wantsFetch, s.fetching), last)
	s.Fetch(now, last)
	return last
}

// Fetch fetches up to FetchWidth instructions for warp w, which must want them;
// not beyond the end of an instruction line.
func (s *SM) Fetch(now clock.Cycle, w int) {
	p := &s.warps[w]
	m := s.machine
	at := p.index + uint32(p.buffered)
	address := s.program.Base + uint64(at)*uint64(m.SM.InstructionBytes)
	n := min(m.SM.FetchWidth, m.SM.InstructionBuffer, int(p.runEnd-at))
	line := address
	if size := uint64(m.Instruction.LineBytes); size > 0 {
		line = address / size * size
		n = min(n, max(int(line+size-address)/m.SM.InstructionBytes, 1))
	}
	s.set[counters.FetchAccess]++
	if s.port.FetchLine(now, line) {
		s.deliver(w, n)
		return
	}
	s.set[counters.FetchMiss]++
	s.portWake = min(s.portWake, now+1)
	p.awaited, p.awaitedCount = line, n
	s.awaiting |= 1 << w
	s.updateFetch(w)
}

// deliver puts fetched instructions into the buffer of warp w.
func (s *SM) deliver(w, n int) {
	p := &s.warps[w]
	if s.program.arranged != nil {
		s.program.mark(&s.fetching, w, p.index+uint32(p.buffered), n)
	}
	p.buffered += n
	s.set[counters.FetchInstruction] += uint64(n)
	s.events.add(*s.clock+clock.Cycle(max(s.machine.SM.DecodeCycles, 1)), eventDecoded, w, uint32(n))
	s.updateFetch(w)
}
