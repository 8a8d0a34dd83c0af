// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
)

// instructionStream is the stream buffer of an instruction cache (Jouppi, ISCA 1990). It
// asks for the lines that follow a miss, as far ahead of the line that was fetched last as
// it has entries. What it has asked for goes into the cache.
type instructionStream struct {
	size  uint64 // of a line
	reach uint64 // bytes ahead; zero: there is no stream buffer
	first uint64 // the line whose miss began the stream
	next  uint64 // the line to ask for next
	end   uint64 // the line that is too far ahead
}

func newInstructionStream(c *arch.Cache) instructionStream {
	return instructionStream{size: uint64(c.LineBytes), reach: uint64(c.StreamLines * c.LineBytes)}
}

// wants reports whether there is a line to ask for.
func (s *instructionStream) wants() bool { return s.next < s.end }

// begin starts the stream anew behind a line that has been missed.
func (s *instructionStream) begin(line uint64) {
	s.first, s.next, s.end = line, line+s.size, line+s.size+s.reach
}

// follow is the fetch of a line that is there or on its way. It reports whether the stream
// had nothing to ask for, and now has.
func (s *instructionStream) follow(line uint64) bool {
	end := line + s.size + s.reach
	if line < s.first || line >= s.end || end <= s.end {
		return false
	}
	idle := !s.wants()
	s.end = end
	return idle
}

// streamAhead asks for the next line of the stream, if that is not there; false when it has
// to wait for a register or the way to the network.
func (p *Port) streamAhead(now clock.Cycle) bool {
	s, f := &p.stream, &p.instructions
	line := s.next
	sectors := f.tags.Touched(cache.Range(int(line%cache.BlockBytes), int(s.size)))
	n := bits.OnesCount8(uint8(sectors))
	switch {
	case f.tags.Find(line) >= 0:
		s.next += s.size
		return true
	case p.early.Len() >= earlyLimit || f.reserved < n:
		return false
	}
	i := p.allocate(now, f, line)
	if i < 0 {
		s.next = s.end // its set is full of what is on its way
		return true
	}
	s.next += s.size
	f.reserved -= n
	for m := sectors; m != 0; m &= m - 1 {
		sector := bits.TrailingZeros8(uint8(m))
		f.tags.Await(i, sector, f.misses.Take(i, sector))
	}
	p.instruction = seam.NoInstruction
	number, r := p.newRequest(now, read, &f.fills[sectors&(1<<(cache.BlockBytes/32)-1)], line)
	r.line, r.fill, r.sectors = int32(i), fillStream, sectors
	p.early.Push(number)
	return true
}
