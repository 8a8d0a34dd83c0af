// SPDX-License-Identifier: Apache-2.0

package lowering

import (
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Divergence lays out lanes as the one behind it does, and gives the visits of lowered
// kernels. There is one for each group of recorded visits (core.LoweredVisit), and its
// masks and addresses are handed out in the order of the operations. Other kernels
// pass through.
//
// It never reads behind a visit before it has taken the masks and addresses of that
// visit, so the policy behind keeps no more visits than without it.
type Divergence struct {
	next seam.Divergence
	of   map[*trace.Kernel]*laidOut
	free []*stream
}

// NewDivergence wraps the divergence of a machine.
func NewDivergence(next seam.Divergence) *Divergence {
	return &Divergence{next: next, of: map[*trace.Kernel]*laidOut{}}
}

// laidOut is what the streams of one kernel share.
type laidOut struct {
	recorded *trace.Kernel
	lowering *core.Lowering
	blocks   []counts // by recorded basic block
	// merges says that visits are made of several recorded ones, or that some are passed.
	merges bool
	passed Passed
}

// counts are those of a recorded basic block.
type counts struct{ instructions, guards, accesses uint32 }

// Passed is what the streams of a kernel that are closed have handed out: warp
// instructions of the recording, and the warp operations in their place.
type Passed struct{ Recorded, Operations uint64 }

// Add names a lowering of a recorded kernel, before streams of it are opened.
func (d *Divergence) Add(recorded *trace.Kernel, l *core.Lowering) {
	if d.of[l.Kernel] != nil {
		return
	}
	k := &laidOut{recorded: recorded, lowering: l, blocks: make([]counts, len(recorded.Blocks))}
	for b := range recorded.Blocks {
		k.blocks[b] = countsOf(recorded, uint32(b))
		k.merges = k.merges || len(l.Visits[b].Parts) > 1 || l.Kernel.Blocks[b].Count == 0
	}
	d.of[l.Kernel] = k
}

// countsOf counts what a visit of a recorded basic block has.
func countsOf(k *trace.Kernel, block uint32) counts {
	b := &k.Blocks[block]
	c := counts{instructions: b.Count}
	for i := b.First; i < b.First+b.Count; i++ {
		in := &k.Instructions[i]
		if in.Guarded() {
			c.guards++
		}
		if in.HasAccess() {
			c.accesses++
		}
	}
	return c
}

// Passed is what has passed of a lowered kernel.
func (d *Divergence) Passed(l *core.Lowering) Passed { return d.of[l.Kernel].passed }

// AsRecorded tells seam.AsRecorded.
func (d *Divergence) AsRecorded() bool { return seam.AsRecorded(d.next) }

// HardwareWarps implements seam.Divergence.
func (d *Divergence) HardwareWarps(recorded int) int { return d.next.HardwareWarps(recorded) }

// Open implements seam.Divergence; k is the kernel of the program.
func (d *Divergence) Open(k *trace.Kernel, chunk *wtape.Chunk, block uint64, h int) seam.Stream {
	at := d.of[k]
	if at == nil {
		return d.next.Open(k, chunk, block, h)
	}
	var s *stream
	if n := len(d.free); n > 0 {
		s, d.free = d.free[n-1], d.free[:n-1]
	} else {
		s = &stream{owner: d}
	}
	s.kernel, s.behind = at, d.next.Open(at.recorded, chunk, block, h)
	s.whole, _ = s.behind.(whole)
	s.read, s.guard, s.access, s.peeked, s.passed = 0, cursor{}, cursor{}, false, Passed{}
	return s
}

// window is how many visits a stream keeps: the one whose operations issue, and the one
// after that.
const window = 2

// whole is a stream that gives all guards and accesses of a visit at once, as the chunk
// has them.
type whole interface {
	Guards(n int) []uint32
	Accesses(n int) []trace.Access
}

// visit is a lowered visit with what its operations take: masks and accesses of one of
// several parts, and else what a whole stream has given.
type visit struct {
	block    uint32
	spills   uint32 // given out
	alone    bool   // given by a whole stream
	mask     uint32
	guards   []uint32
	given    []trace.Access
	masks    []uint32
	accesses []access
}

type access struct {
	trace.Access
	chunk *wtape.Chunk
}

// cursor is a place among the operations of one kind of all visits.
type cursor struct{ visit, next int }

// stream is what a warp of a lowered kernel issues; it implements seam.Stream.
type stream struct {
	owner  *Divergence
	kernel *laidOut
	behind seam.Stream
	whole  whole      // behind, nil if it is none
	ahead  seam.Visit // the visit behind the present one, when peeked
	peeked bool
	last   seam.Visit // given last
	visits [window]visit
	read   int
	guard  cursor
	access cursor
	passed Passed
}

// Next implements seam.Stream. A block for which nothing is executed is passed on the way
// to the next.
func (s *stream) Next(v *seam.Visit) bool {
	l := s.kernel.lowering
	for s.peek() {
		x := &s.visits[s.read%window]
		x.block, x.spills, x.masks, x.accesses = s.ahead.BasicBlock, 0, x.masks[:0], x.accesses[:0]
		*v = s.ahead
		parts := l.Visits[x.block].Parts
		if x.alone = s.whole != nil && len(parts) == 1 && !parts[0].Optional; x.alone {
			s.takeAlone(x, &parts[0])
			parts = nil
		}
		for p := range parts {
			s.take(x, &parts[p])
		}
		operations := l.Kernel.Blocks[x.block].Count
		if operations == 0 {
			continue
		}
		s.read++
		s.last = *v
		s.guard.begin(s.read - window)
		s.access.begin(s.read - window)
		s.passed.Operations += uint64(operations)
		return true
	}
	return false
}

// peek reads the next recorded visit, unless it is there already.
func (s *stream) peek() bool {
	if !s.peeked {
		s.peeked = s.behind.Next(&s.ahead)
	}
	return s.peeked
}

// takeAlone is take for the only part of a visit.
func (s *stream) takeAlone(x *visit, part *core.VisitPart) {
	c := &s.kernel.blocks[part.Block]
	s.peeked = false
	x.mask, x.guards, x.given = s.ahead.Mask, s.whole.Guards(int(c.guards)), s.whole.Accesses(int(c.accesses))
	s.passed.Recorded += uint64(c.instructions)
}

// take adds a part to a visit: the next recorded visit, or none when no lane comes to
// an optional part.
func (s *stream) take(x *visit, part *core.VisitPart) {
	c := &s.kernel.blocks[part.Block]
	if part.Optional && !(s.peek() && s.ahead.BasicBlock == part.Block) {
		for range c.guards + 1 {
			x.masks = append(x.masks, 0)
		}
		for range c.accesses {
			x.accesses = append(x.accesses, access{Access: trace.Access{Lanes: -1}})
		}
		return
	}
	if !part.Optional {
		s.peek()
	}
	s.peeked = false
	x.masks = append(x.masks, s.ahead.Mask)
	for range c.guards {
		x.masks = append(x.masks, s.behind.Guard())
	}
	for range c.accesses {
		a, chunk := s.behind.Access()
		x.accesses = append(x.accesses, access{a, chunk})
	}
	s.passed.Recorded += uint64(c.instructions)
}

// begin leaves the visits before v behind.
func (c *cursor) begin(v int) {
	if c.visit < v {
		*c = cursor{visit: v}
	}
}

// Guard implements seam.Stream.
func (s *stream) Guard() uint32 {
	visits := s.kernel.lowering.Visits
	c := &s.guard
	x := &s.visits[c.visit%window]
	order := visits[x.block].Guards
	for c.next == len(order) {
		*c = cursor{visit: c.visit + 1}
		x = &s.visits[c.visit%window]
		order = visits[x.block].Guards
	}
	c.next++
	n := order[c.next-1]
	switch {
	case !x.alone:
		return x.masks[n]
	case n == 0:
		return x.mask
	}
	return x.guards[n-1]
}

// Access implements seam.Stream.
func (s *stream) Access() (trace.Access, *wtape.Chunk) {
	visits := s.kernel.lowering.Visits
	c := &s.access
	x := &s.visits[c.visit%window]
	order := visits[x.block].Accesses
	for c.next == len(order) {
		*c = cursor{visit: c.visit + 1}
		x = &s.visits[c.visit%window]
		order = visits[x.block].Accesses
	}
	c.next++
	if n := order[c.next-1]; n != core.NoAccess {
		if x.alone {
			return x.given[n], nil
		}
		a := &x.accesses[n]
		return a.Access, a.chunk
	}
	x.spills++
	return trace.Access{Base: uint64(visits[x.block].Spills[x.spills-1]), Lanes: -1}, nil
}

// Arrives implements seam.Stream.
func (s *stream) Arrives(mask uint32, all bool) uint32 { return s.behind.Arrives(mask, all) }

// Resumes implements seam.Stream. Where visits are made of several, the stream behind is
// farther ahead; lanes then go on together as they were recorded (see Lower).
func (s *stream) Resumes(waiting uint32) (lanes uint32, came bool) {
	if s.kernel.merges {
		return s.last.Mask & waiting, false
	}
	return s.behind.Resumes(waiting)
}

// Close implements seam.Stream.
func (s *stream) Close() {
	s.behind.Close()
	s.kernel.passed.Recorded += s.passed.Recorded
	s.kernel.passed.Operations += s.passed.Operations
	s.kernel, s.behind, s.whole = nil, nil, nil
	for i := range s.visits {
		s.visits[i].guards, s.visits[i].given = nil, nil
	}
	s.owner.free = append(s.owner.free, s)
}
