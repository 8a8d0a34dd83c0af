// SPDX-License-Identifier: Apache-2.0

package wide

import (
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/wtape"
)

// regrouping is the divergence policy; it implements seam.Divergence.
type regrouping struct {
	passes int
	of     map[*trace.Kernel]*projection.Projector
	last   *warp // opened last, whose later passes come next
	free   []*warp
}

func newRegrouping(passes int) *regrouping {
	return &regrouping{passes: passes, of: map[*trace.Kernel]*projection.Projector{}}
}

// HardwareWarps implements seam.Divergence: the passes of the wide warps that
// recorded warps are regrouped into.
func (d *regrouping) HardwareWarps(recorded int) int {
	return (recorded + d.passes - 1) / d.passes * d.passes
}

// Open implements seam.Divergence.
func (d *regrouping) Open(k *trace.Kernel, chunk *wtape.Chunk, block uint64, h int) seam.Stream {
	part := h % d.passes
	if part == 0 {
		d.last = d.start(k, chunk, block, h/d.passes)
	}
	s := &d.last.streams[part]
	*s = pass{of: d.last, part: part}
	d.last.open++
	return s
}

// start begins a wide warp.
func (d *regrouping) start(k *trace.Kernel, chunk *wtape.Chunk, block uint64, h int) *warp {
	p := d.of[k]
	if p == nil {
		var err error
		if p, err = projection.New(k, d.passes*trace.WarpSize, projection.PostDominator); err != nil {
			panic("BUG: wide: " + err.Error()) // the section's check admits what projection does
		}
		d.of[k] = p
	}
	var w *warp
	if n := len(d.free); n > 0 {
		w, d.free = d.free[n-1], d.free[:n-1]
	} else {
		w = new(warp)
	}
	w.owner, w.plan, w.lanes = d, p.Plan(), p.Open(chunk, block, h)
	w.read, w.open, w.source, w.more = 0, 0, 0, w.lanes.Next(&w.present)
	return w
}

// maxPasses of a wide warp.
const maxPasses = projection.MaxWidth / trace.WarpSize

// visit is a visit of a wide warp, with the places where its passes were recorded.
type visit struct {
	block   uint32
	arrives bool // at a barrier
	resumes bool // behind one
	from    [maxPasses]projection.Recorded
}

// window is how many visits are kept: the pass that is ahead may have begun the
// next one and looks one farther.
const window = 4

// warp is a wide warp; its passes read its visits one after the other.
type warp struct {
	owner   *regrouping
	plan    *projection.Plan
	lanes   *projection.Warp
	present projection.Visit // visits are made of it
	source  int              // of the recorded visits of each part, the next
	more    bool             // present is one
	visits  [window]visit
	read    int // visits made
	streams [maxPasses]pass
	open    int
}

// produce makes the next visit; false at the end. Lanes of a part that were
// recorded at several places make several visits.
func (w *warp) produce() bool {
	for w.more {
		v := &w.visits[w.read%window]
		*v = visit{block: w.present.Block, arrives: w.present.Arrives && w.source == 0, resumes: w.present.Resumes && w.source == 0}
		any := false
		for n := range w.owner.passes {
			if r, ok := w.lanes.Recorded(&w.present, n, w.source); ok {
				v.from[n], any = r, true
			}
		}
		if any {
			w.check()
			w.source++
			w.read++
			return true
		}
		w.source, w.more = 0, w.lanes.Next(&w.present)
	}
	return false
}

// check panics when a visit that a pass still needs has been given up.
func (w *warp) check() {
	for n := range w.owner.passes {
		if s := &w.streams[n]; s.of == w && s.at > 1 && s.at-2 <= w.read-window {
			panic("BUG: wide: the passes of a warp are not in step")
		}
	}
}

// pass is a pass of a wide warp; it implements seam.Stream.
type pass struct {
	of   *warp
	part int
	at   int  // visits handed out
	over bool // there are no more
	// gathers says that it waits with the wide warp for all threads.
	gathers bool
	// guard and access count the guarded and the memory instructions of a visit
	// that have been asked for.
	guard, access cursor
}

// cursor is a place among the instructions of one kind of all visits.
type cursor struct{ visit, next int }

// Next implements seam.Stream.
func (s *pass) Next(v *seam.Visit) bool {
	if s.at == s.of.read && !s.of.produce() {
		s.over = true
		return false
	}
	x := &s.of.visits[s.at%window]
	v.BasicBlock, v.Mask = x.block, x.from[s.part].Lanes
	s.at++
	// The visit before the last is over.
	s.guard.begin(s.at - 2)
	s.access.begin(s.at - 2)
	return true
}

// begin leaves the visits before v behind.
func (c *cursor) begin(v int) {
	if c.visit < v {
		*c = cursor{visit: v}
	}
}

// take steps to the next instruction and gives its visit and its place there; of
// says how many a basic block has.
func (c *cursor) take(w *warp, of func(*projection.Plan, uint32) int) (*visit, int) {
	for c.next == of(w.plan, w.visits[c.visit%window].block) {
		*c = cursor{visit: c.visit + 1}
	}
	c.next++
	return &w.visits[c.visit%window], c.next - 1
}

// Guard implements seam.Stream.
func (s *pass) Guard() uint32 {
	v, i := s.guard.take(s.of, (*projection.Plan).Guards)
	return s.of.held(v, i, s.part)
}

// held are the lanes of a pass for which the i-th guard of a visit held.
func (w *warp) held(v *visit, i, part int) uint32 {
	r := &v.from[part]
	if r.Lanes == 0 {
		return 0
	}
	return w.lanes.Part(part).Guards[r.Guard+i] & r.Lanes
}

// Access implements seam.Stream.
func (s *pass) Access() (trace.Access, *wtape.Chunk) {
	v, i := s.access.take(s.of, (*projection.Plan).Accesses)
	for part := range v.from { // the own one first; others know the barrier to which all come
		part = (part + s.part) % len(v.from)
		if r := &v.from[part]; r.Lanes != 0 {
			return s.of.lanes.Part(part).Accesses[r.Access+i], nil
		}
	}
	return trace.Access{}, nil
}

// Arrives implements seam.Stream. The instruction that asks is of the visit
// before the one that is looked ahead at. To a barrier for all threads a wide warp comes
// as one, also with passes that have no lanes there.
func (s *pass) Arrives(mask uint32, all bool) uint32 {
	switch {
	case !all:
		return mask
	case !s.of.visits[s.issuing()%window].arrives:
		return 0
	}
	s.gathers = true
	return allLanes
}

// allLanes of a pass stand for those of the wide warp.
const allLanes = ^uint32(0)

// Resumes implements seam.Stream. What waits for all threads goes on with the wide warp.
func (s *pass) Resumes(waiting uint32) (lanes uint32, came bool) {
	next := &s.of.visits[(s.at-1)%window]
	switch {
	case !s.gathers:
		return next.from[s.part].Lanes & waiting, next.resumes
	case !next.resumes:
		return 0, false
	}
	s.gathers = false
	return waiting, true
}

// issuing is the number of the visit whose instructions issue.
func (s *pass) issuing() int {
	if s.over {
		return s.at - 1
	}
	return max(s.at-2, 0)
}

// Close implements seam.Stream.
func (s *pass) Close() {
	w := s.of
	s.of = nil
	if w.open--; w.open > 0 {
		return
	}
	w.lanes.Close()
	w.lanes = nil
	w.owner.free = append(w.owner.free, w)
}
