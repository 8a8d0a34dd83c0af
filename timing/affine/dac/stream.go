// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// streams opens warps that issue the non-affine stream; those of kernels without one
// are the policy's behind.
type streams struct {
	seam.Divergence
	chip *chip
	free []*remaining
}

// Open implements seam.Divergence.
func (s *streams) Open(k *trace.Kernel, chunk *wtape.Chunk, block uint64, h int) seam.Stream {
	c := s.chip.kernelOf(chunk.Launch())
	if c == nil {
		return s.Divergence.Open(k, chunk, block, h)
	}
	var r *remaining
	if n := len(s.free); n > 0 {
		r, s.free = s.free[n-1], s.free[:n-1]
	} else {
		r = &remaining{owner: s}
	}
	*r = remaining{owner: s, kernel: c, path: chunk.Warp(block, h)}
	return r
}

// remaining is a recorded warp without what the affine warp does for it.
type remaining struct {
	owner  *streams
	kernel *compiled
	path   trace.Warp
	visit  int
	// guard and access walk the path behind the visits: the visit that they are in,
	// what was recorded before it, and the place among what is kept of it.
	guard, access walker
}

type walker struct {
	visit, place int
	before       uint32
}

// Next implements seam.Stream; blocks that are empty are passed over.
func (r *remaining) Next(v *seam.Visit) bool {
	for r.visit < len(r.path.Blocks) {
		at := r.visit
		r.visit++
		if b := r.path.Blocks[at]; !r.kernel.blocks[b].empty {
			v.BasicBlock, v.Mask = b, r.path.Masks[at]
			return true
		}
	}
	return false
}

// Guard implements seam.Stream.
func (r *remaining) Guard() uint32 {
	for w := &r.guard; ; w.visit++ {
		p := &r.kernel.blocks[r.path.Blocks[w.visit]]
		if w.place < len(p.keptGuards) {
			w.place++
			return r.path.Guards[w.before+p.keptGuards[w.place-1]]
		}
		w.before += p.guards
		w.place = 0
	}
}

// Access implements seam.Stream.
func (r *remaining) Access() (trace.Access, *wtape.Chunk) {
	for w := &r.access; ; w.visit++ {
		p := &r.kernel.blocks[r.path.Blocks[w.visit]]
		if w.place < len(p.keptAccesses) {
			w.place++
			return r.path.Accesses[w.before+p.keptAccesses[w.place-1]], nil
		}
		w.before += p.accesses
		w.place = 0
	}
}

// Arrives implements seam.Stream.
func (r *remaining) Arrives(mask uint32, _ bool) uint32 { return mask }

// Resumes implements seam.Stream.
func (r *remaining) Resumes(waiting uint32) (lanes uint32, came bool) {
	return r.path.Masks[r.visit-1] & waiting, false
}

// Close implements seam.Stream.
func (r *remaining) Close() {
	r.path = trace.Warp{}
	r.owner.free = append(r.owner.free, r)
}

// affineStream is what the affine warp issues: the visits of a batch. It runs a visit
// ahead of issue; what the visits enqueue waits in order. Predicates that the expansion
// unit cannot tell from a warp's first and last thread are compared on the lanes before
// the visit that enqueues them.
type affineStream struct {
	engine     *engine
	parameters ring.Ring[uint64]     // addresses of parameters to be read
	compares   ring.Ring[seam.Visit] // of the visit of the engine
	visiting   bool                  // which has yet to be issued
}

// Next implements seam.Stream.
func (s *affineStream) Next(v *seam.Visit) bool {
	e := s.engine
	for {
		if s.compares.Len() > 0 {
			*v = s.compares.Pop()
			return true
		}
		if s.visiting {
			s.visiting = false
			v.BasicBlock = e.visit.Block + e.kernel.affineFrom
			v.Mask = uint32(uint64(1)<<(tupleLanes*min(e.visit.Tuples, maxTuples)) - 1)
			return true
		}
		leads := e.evaluator.Leads()
		more, err := e.evaluator.Next(&e.visit)
		if err != nil {
			e.chip.fail(err)
			return false
		}
		switch {
		case !more:
			return false
		case leads:
			s.visiting = e.take(s)
		default: // the affine warp has ended: what the warps still go through is theirs
			e.tally(&e.kernel.blocks[e.visit.Block])
		}
	}
}

// compare lets the lanes compare for those warps of an enqueue that need it.
func (s *affineStream) compare(q *affine.Enqueue) {
	if q.Queue != affine.Predicate {
		return
	}
	for k := range q.Expansions {
		if x := &q.Expansions[k]; x.Case == affine.LanesCase {
			s.compares.Push(seam.Visit{BasicBlock: s.engine.kernel.compares[q.Instruction], Mask: x.Visiting})
		}
	}
}

// Guard implements seam.Stream; affine instructions have none.
func (s *affineStream) Guard() uint32 { panic("BUG: an affine instruction has a guard") }

// Access implements seam.Stream: of parameters, which all threads read at one address.
func (s *affineStream) Access() (trace.Access, *wtape.Chunk) {
	return trace.Access{Base: s.parameters.Pop(), Lanes: -1}, nil
}

// Arrives implements seam.Stream; the affine warp comes to no barrier.
func (s *affineStream) Arrives(mask uint32, _ bool) uint32 { return mask }

// Resumes implements seam.Stream.
func (s *affineStream) Resumes(waiting uint32) (lanes uint32, came bool) { return waiting, false }

// Close implements seam.Stream.
func (s *affineStream) Close() {}
