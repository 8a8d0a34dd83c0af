// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/ring"
)

// fetching is what lanes fetch by: as package fetch does for warps, for all lanes of a
// warp set at once. A thread is fetched for as far as its path goes on in memory; behind a
// change of path fetch begins anew, when the branch is resolved.
type fetching struct {
	width int // instructions per fetch
	most  int // instructions in a buffer that has room for a fetch
	size  int // words of the numbers of instructions in buffers (laneCounts)
	bytes int // of an instruction
	line  int // bytes of a line, a power of two; zero: there are no lines
	base  uint64
	// decoding are instructions that cannot issue yet, in order: decode takes equally long
	// for all. due is the cycle of the first, clock.Never without one.
	decoding ring.Ring[delivery]
	due      clock.Cycle
	awaits   []await
	sets     uint64 // warp sets with a lane that wants instructions
	// wanting are these lanes, by warp set side by side: all are looked through.
	wanting [maxWarps]uint32
	last    int    // the warp set that was fetched for last, under eesi-t and sbi
	circle  circle // where lanes stand that fetch each for the next of their own
}

// fetched is fetch's part of a warp set.
type fetched struct {
	buffered, decoded laneCounts // instructions in the buffers, and of these, ready to issue
	redirected        uint32     // lanes that wait for the resolution of a branch
	awaiting          uint32     // for an instruction line
	wanted            uint32     // with room for a whole fetch, instructions ahead and neither
}

// delivery is instructions of lanes that can issue from the cycle at on.
type delivery struct {
	at    clock.Cycle
	warp  int
	lanes uint32
	count int
}

// await is lanes that wait for a line, and the number of instructions that they take of it.
type await struct {
	address uint64
	warp    int
	lanes   uint32
	count   int
}

func newFetching(m *arch.Machine, s *Section) fetching {
	width := min(m.SM.FetchWidth, m.SM.InstructionBuffer)
	f := fetching{
		width: width, size: sizeOf(m.SM.InstructionBuffer), most: m.SM.InstructionBuffer - width, bytes: m.SM.InstructionBytes,
		line: m.Instruction.LineBytes, decoding: ring.New[delivery](64), due: clock.Never,
	}
	if s.TinyLines > 0 {
		f.line = s.TinyLineBytes
	}
	return f
}

// want looks which lanes want instructions, after something has happened to them.
func (s *laneCore) want(w int, lanes uint32) {
	p, f := &s.warps[w], &s.fetching
	off := p.redirected | p.awaiting | p.buffered.above(f.most, f.size)
	wanted := p.wanted & p.live
	for rest := lanes & p.live; rest != 0; {
		c := p.cohortOf(lowest(rest))
		rest &^= c.lanes
		wanted = wanted&^c.lanes | s.wants(p, c, off)
	}
	f.mark(w, p, wanted)
}

// wants are the lanes of a cohort that want instructions; those of off do not.
func (s *laneCore) wants(p *warpSet, c *cohort, off uint32) uint32 {
	f := &s.fetching
	can := c.lanes &^ off
	if left := int(c.fetched - c.index); left <= f.most && can != 0 {
		can &^= p.buffered.above(left-1, f.size)
	}
	return can
}

// mark notes which lanes of a warp set want instructions.
func (f *fetching) mark(w int, p *warpSet, wanted uint32) {
	p.wanted = wanted
	f.wanting[w] = wanted
	f.sets &^= 1 << w
	if wanted != 0 {
		f.sets |= 1 << w
	}
}

// request gives the address of the line, or instruction, to fetch for lanes of a cohort
// with so many instructions in their buffers, and how many come with it. They are as
// many as are fetched at a time, but not beyond the end of the line, nor of the path.
func (f *fetching) request(c *cohort, buffered int) (address uint64, count int) {
	next := c.index + uint32(buffered)
	address = f.base + uint64(next)*uint64(f.bytes)
	count = min(f.width, int(c.fetched-next))
	if f.line == 0 {
		return address, count
	}
	into := int(address) & (f.line - 1)
	if left := f.line - into; count*f.bytes > left {
		count = max(int(uint32(left)/uint32(f.bytes)), 1)
	}
	return address - uint64(into), count
}

// alike goes through lanes of a warp set that want instructions, by what they request.
func (s *laneCore) alike(w int, lanes uint32, each func(of uint32, address uint64, count int)) {
	p, f := &s.warps[w], &s.fetching
	for lanes != 0 {
		c := p.cohortOf(lowest(lanes))
		rest := c.lanes & lanes
		lanes &^= rest
		for rest != 0 {
			n := p.buffered.below(lowest(rest), f.size)
			of := rest & p.buffered.equal(n, f.size)
			rest &^= of
			address, count := f.request(c, n)
			each(of, address, count)
		}
	}
}

// deliver puts fetched instructions into the buffers of lanes, where they are decoded.
func (s *laneCore) deliver(now clock.Cycle, w int, lanes uint32, count int) {
	f := &s.fetching
	at := now + s.requests.decode
	s.warps[w].buffered.add(lanes, count)
	if f.decoding.Len() == 0 {
		f.due = at
	}
	f.decoding.Push(delivery{at, w, lanes, count})
	if count > f.most {
		f.mark(w, &s.warps[w], s.warps[w].wanted&^lanes) // there is no room for another fetch
		return
	}
	s.want(w, lanes)
}

// wait has lanes wait for a line.
func (s *laneCore) wait(w int, lanes uint32, address uint64, count int) {
	s.fetching.awaits = append(s.fetching.awaits, await{address, w, lanes, count})
	s.warps[w].awaiting |= lanes
	s.fetching.mark(w, &s.warps[w], s.warps[w].wanted&^lanes)
}

// arrived gives a line to those of lanes that wait for it, and the number of instructions
// that they take from it.
func (s *laneCore) arrived(now clock.Cycle, address uint64, lanes uint32) (instructions uint64) {
	f := &s.fetching
	kept := f.awaits[:0]
	for _, a := range f.awaits {
		if a.address != address || a.lanes&lanes == 0 {
			kept = append(kept, a)
			continue
		}
		if left := a.lanes &^ lanes; left != 0 {
			kept = append(kept, await{address, a.warp, left, a.count})
			a.lanes &= lanes
		}
		s.warps[a.warp].awaiting &^= a.lanes
		s.deliver(now, a.warp, a.lanes, a.count)
		instructions += uint64(count(a.lanes) * a.count)
	}
	f.awaits = kept
	return instructions
}

// decoded lets threads issue whose instructions are decoded.
func (s *laneCore) decodedBy(now clock.Cycle) {
	f := &s.fetching
	for f.due <= now {
		d := f.decoding.Pop()
		f.due = clock.Never
		if f.decoding.Len() > 0 {
			f.due = f.decoding.Head().at
		}
		p := &s.warps[d.warp]
		without := d.lanes &^ p.decoded.some(f.size)
		p.decoded.add(d.lanes, d.count)
		if without != 0 { // the others have had their next instruction
			s.doubt |= without
			s.evaluate(d.warp, without)
		}
	}
}
